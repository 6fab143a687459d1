//! The document as a whole: its budgets, its sections, near-equal entries, and what makes its hash.

use super::*;
use crate::lifecycle::{DAY, Maturity};
use crate::stale::{CitedFile, Freshness, State};
use brv_base::content::ContentId;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Noon of 2024-10-04.
const NOW: i64 = 20_000 * DAY + DAY / 2;

#[derive(Debug)]
struct BrainTestEntry {
    path: String,
    text: String,
    importance: f64,
    /// How many days ago it changed.
    age: i64,
}

fn entry(path: &str, text: &str, age: i64) -> BrainTestEntry {
    BrainTestEntry { path: path.into(), text: text.into(), importance: 50.0, age }
}

/// Draw these entries.
fn drawn(
    entries: &[BrainTestEntry],
    plan: &BrainPlan<'_>,
    fresh: &BTreeMap<String, Freshness>,
) -> (Drawn, Vec<String>) {
    let digests: Vec<Digest> = entries
        .iter()
        .map(|one| Digest::of(&one.path, ContentId::of(one.text.as_bytes()), false, one.text.as_bytes()))
        .collect();
    let mut placed: Vec<Placed<'_>> = entries
        .iter()
        .zip(&digests)
        .filter_map(|(one, digest)| {
            let is_used = one.importance > 50.0;
            let signals = EntrySignals { importance: one.importance, maturity: Maturity::Draft, is_used };
            Some(Placed::new(digest, digest.entry()?, signals, NOW - one.age * DAY, NOW))
        })
        .collect();
    let newest = newest(placed.iter().map(|one| (one.entry, Some(NOW - one.days * DAY))), NOW);
    order(&mut placed, newest);
    let text = |path: &str| entries.iter().find(|one| one.path == path).map(|one| one.text.as_str()).unwrap();
    let compared = |one: &Placed<'_>| Compared::of(text(one.path()).as_bytes());
    let stands = stand_ins(&placed, 10_000, &compared);
    let read: RefCell<BTreeMap<String, Rc<EntryDetail>>> = RefCell::default();
    let detail = |path: &str| {
        let mut read = read.borrow_mut();
        let found = read.entry(path.to_owned());
        Rc::clone(found.or_insert_with(|| Rc::new(EntryDetail::of(path, text(path).as_bytes()))))
    };
    let of = |path: &str, title: &str, is_hidden| {
        let branch = Some("side".to_owned());
        (path.to_owned(), vec![Left { title: title.to_owned(), branch, is_hidden }])
    };
    let left = BTreeMap::from([of("a/unmerged.md", "unmerged", true), of("a/side.md", "On the side", false)]);
    let sources = Sources {
        detail: &|one| Some(detail(one.path())),
        freshness: &|path| fresh.get(path).cloned(),
        left: &left,
    };
    let paths = placed.iter().map(|one| one.path().to_owned()).collect();
    (draw(&placed, &stands, &BrainPlan { newest, ..plan.clone() }, &sources), paths)
}

fn plan<'a>() -> BrainPlan<'a> {
    BrainPlan {
        budgets: Budgets::DEFAULT,
        has_brief: true,
        is_summary: false,
        keeps_room: false,
        task: None,
        since: None,
        archived: 0,
        pending: 0,
        newest: Month::of_time(NOW),
    }
}

fn whole(entries: &[BrainTestEntry]) -> String {
    drawn(entries, &plan(), &BTreeMap::new()).0.document
}

/// An item as rules write it, of some weight.
fn item(title: &str, text: &str, month: &str) -> String {
    format!("- **{title}**: {text} ({month})\n")
}

fn items(all: &[String]) -> String {
    format!("---\ntitle: T\nsummary: s\n---\n## Narrative\n\n### Highlights\n\n{}", all.concat())
}

fn summed(title: &str, summary: &str) -> String {
    format!("---\ntitle: {title}\nsummary: {summary}\n---\n\n{title} words of {summary} alone\n")
}

/// The lines of a section.
fn section<'d>(document: &'d str, title: &str) -> Vec<&'d str> {
    let Some((_, rest)) = document.split_once(&format!("## {title}\n\n")) else { return Vec::new() };
    rest.lines().take_while(|line| line.starts_with("- ")).collect()
}

/// Rules of so many parts, each in an entry of its own, and each about something else.
fn parts(count: usize) -> Vec<BrainTestEntry> {
    let words = |at: usize| (0..12).map(|word| format!("w{at}x{word}")).collect::<Vec<_>>().join(" ");
    let of = |at: usize| {
        let text = format!("The part must never be called {} because that would hang", words(at));
        entry(
            &format!("area_{}/part_{at}.md", at % 3),
            &items(&[item(&format!("Part {at}"), &text, "2024-05")]),
            9,
        )
    };
    (0..count).map(of).collect()
}

#[test]
fn a_page_has_its_sections_in_order_and_no_title_twice() {
    let mut entries = parts(24);
    let work: Vec<String> = ["one", "two", "three"]
        .map(|word| {
            item(
                &format!("Work {word}"),
                &format!("The {word} kind cannot be read before its own {word} was, because of {word}"),
                "2024-09",
            )
        })
        .to_vec();
    entries.push(entry("work/busy.md", &items(&work), 1));
    entries.push(entry(
        "project/misc.md",
        &items(&[item(
            "House",
            "Nobody must ever push without asking the others first, because that would break them",
            "2024-10",
        )]),
        1,
    ));
    let document = whole(&entries);
    let headings: Vec<&str> = document.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings,
        [
            "# Project brain",
            "## Brief",
            "## Decisions, rules, limits",
            "## Where work happens",
            "## Lately",
            "## Entries",
            "### area_0",
            "### area_1",
            "### area_2",
            "### project",
            "### work"
        ]
    );
    assert!(document.contains("28 statements in 26 entries: `area_0` 8, "), "{document}");
    assert_eq!(
        (section(&document, "Brief").len(), section(&document, "Decisions, rules, limits").len()),
        (6, 9)
    );
    let work = section(&document, "Where work happens");
    assert!(
        !work.is_empty() && work.len() <= 10 && work.iter().all(|line| !line.contains("project/")),
        "{work:?}"
    );
    let titles: Vec<&str> =
        document.lines().filter_map(|line| line.strip_prefix("- **")?.split("**").next()).collect();
    let mut once = titles.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), titles.len(), "{titles:?}");
    assert!(document.contains("(2024-05; `area_"), "{document}");
    assert!(!document.contains("importance") && !document.contains("confidence"), "{document}");
}

#[test]
fn the_best_statements_come_first_and_weak_long_unmerged_or_gone_ones_not_at_all() {
    let fact = |title: &str, text: &str| format!("# {title}\n\n## Facts\n- **{title}**: {text}\n");
    let weak = item("Weak", "it is there and it does its work", "2024-10");
    let rule = item(
        "By rules",
        "The lock must never be shared with others, because they cannot take it again",
        "2024-10",
    );
    let entries = [
        entry("a/note.md", &fact("Note", "green as it was"), 10),
        entry("a/warning.md", &fact("Warning", "warning: it bites"), 10),
        entry("a/old.md", &fact("Old", "warning: it bit once"), 2_000),
        entry("a/rules.md", &items(&[rule, weak]), 10),
        entry("a/gone.md", &fact("Gone", "warning: of what was"), 10),
        entry("a/unmerged.md", &fact("Unmerged", "warning: elsewhere"), 10),
        entry("a/side.md", &fact("On the side", "warning: on a branch alone"), 1),
        entry(
            "a/retired.md",
            &format!("---\nstatus: superseded\n---\n{}", fact("Retired", "warning: x")),
            10,
        ),
    ];
    let file = CitedFile {
        path: "x".into(),
        state: State::Gone,
        names: vec![],
        changes: vec![],
        commit: None,
        moved_to: None,
    };
    let gone = Freshness { state: State::Gone, files: vec![file], ..Freshness::unknown() };
    let fresh = BTreeMap::from([("a/gone.md".to_owned(), gone)]);
    let (found, _) = drawn(&entries, &plan(), &fresh);
    let brief = section(&found.document, "Brief");
    let titles: Vec<&str> = brief.iter().filter_map(|line| line.split("**").nth(1)).collect();
    assert_eq!(titles, ["Warning", "Note", "By rules", "Old", "On the side"], "{}", found.document);
    assert!(brief[4].ends_with("(2024-10; `a/side.md`; not on this branch)"), "{}", brief[4]);
    let unmerged: Vec<_> = found.layers[0].shown.iter().map(|one| one.unmerged.clone()).collect();
    assert_eq!(unmerged, [None, None, None, None, Some(Some("side".to_owned()))]);
}

#[test]
fn what_is_on_no_branch_comes_last_in_every_section() {
    let work = |word: &str, month: &str| {
        let text = format!("The {word} kind cannot be read before its own {word} was, because of {word}");
        item(word, &text, month)
    };
    let mut entries = parts(24);
    entries.push(entry("a/side.md", &items(&[work("On the side", "2024-10"), work("other", "2024-09")]), 1));
    entries.push(entry("work/busy.md", &items(&[work("one", "2024-08"), work("two", "2024-08")]), 1));
    let document = whole(&entries);
    let is_left = |line: &&str| line.contains("On the side");
    assert_eq!(document.lines().filter(is_left).count(), 1, "{document}");
    let own = section(&document, "Where work happens");
    assert!(own.last().is_some_and(is_left), "{document}");
}

#[test]
fn both_sides_of_a_contradiction_are_shown_and_the_second_says_so() {
    let fact = |text: &str| format!("# T\n\n## Facts\n- **Session cache**: {text}\n");
    let shown = |one: &str, other: &str| {
        let entries = [entry("a/one.md", &fact(one), 1), entry("b/two.md", &fact(other), 2)];
        let found = drawn(&entries, &plan(), &BTreeMap::new()).0;
        let lines: Vec<String> =
            section(&found.document, "Brief").iter().map(|one| (*one).to_owned()).collect();
        (lines, found.layers[0].shown.iter().map(|one| one.against.is_some()).collect::<Vec<_>>())
    };
    let (lines, against) = shown("decision: Redis", "rejected: Redis");
    assert_eq!(
        lines,
        [
            "- **Session cache**: rejected: Redis (2024-10; `b/two.md`)",
            "- **Session cache**: decision: Redis (2024-10; `a/one.md`; disputed: `b/two.md` says otherwise)",
        ]
    );
    assert_eq!(against, [false, true]);
    assert_eq!(shown("decision: Redis", "rule: Redis").0.len(), 1, "they say the same");
}

#[test]
fn where_no_statement_has_weight_entries_are_shown_by_use_and_recency() {
    let light = |title: &str, month: &str| {
        format!(
            "---\ntitle: {title}\nsummary: About {title}\n---\n## Narrative\n### Highlights\n- **x**: thin (2024-0{month})\n"
        )
    };
    let mut used = entry("b/used.md", &light("Used", "1"), 50);
    used.importance = 99.0;
    let entries = [entry("a/old.md", &light("Old", "2"), 40), entry("c/new.md", &light("New", "3"), 2), used];
    let document = whole(&entries);
    assert_eq!(
        section(&document, "Entries, the most used first"),
        [
            "- **Used**: About Used (2024-08; `b/used.md`; importance 5)",
            "- **New**: About New (2024-10; `c/new.md`)",
            "- **Old**: About Old (2024-08; `a/old.md`)",
        ]
    );
    assert!(!document.contains("## Brief") && !document.contains("## Entries\n"), "{document}");
    assert!(whole(&[]).starts_with("# Project brain\n\n0 statements in 0 entries."), "{}", whole(&[]));
}

#[test]
fn nearly_equal_entries_are_one_and_the_best_stands() {
    let words = |from: usize, to: usize| (from..to).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let body =
        |title: &str, text: &str| format!("---\ntitle: {title}\nsummary: s of {title}\n---\n\n{text}\n");
    let entries = [
        entry("a/one.md", &body("One", &words(0, 100)), 1),
        entry("a/two.md", &body("ONE", &format!("{} x y z", words(0, 95))).replace("of ONE", "of One"), 32),
        entry("a/three.md", &body("One", &format!("{} p q r", words(0, 95))), 45),
        entry("a/other.md", &body("Other", &format!("{} {}", words(0, 60), words(200, 240))), 3),
        entry("a/part.md", &body("Part", &words(0, 30)), 3),
        entry("a/todo.md", &body("One", &words(0, 100)), 3),
    ];
    let document = whole(&entries);
    assert!(document.contains("- `a/one.md` (1 item; +2 similar)\n"), "{document}");
    assert!(!document.contains("ONE") && !document.contains("three.md"), "{document}");
    for path in ["a/other.md", "a/part.md", "a/todo.md"] {
        assert!(document.contains(&format!("- `{path}` (1 item)\n")), "{path}: {document}");
    }
}

#[test]
fn a_summary_that_is_said_above_is_left_out_below() {
    let text = "The lock must never be shared with others, because they cannot take it again";
    let summary = |text: &str| {
        items(&[item("By rules", text, "2024-10")])
            .replace("summary: s", &format!("summary: \"By rules: {text}\""))
    };
    let found = whole(&[entry("a/b.md", &summary(text), 1)]);
    assert!(found.ends_with("### a\n\n- `a/b.md` (1 item)\n"), "{found}");
    let other = items(&[item("By rules", text, "2024-10")])
        .replace("summary: s", "summary: all about locks and how they are shared");
    let found = whole(&[entry("a/b.md", &other, 1)]);
    assert!(found.ends_with("- `a/b.md` (1 item): all about locks and how they are shared\n"), "{found}");
}

#[test]
fn a_dispute_has_all_claims_and_a_stale_entry_its_line() {
    let text =
        "---\ntitle: T\nsummary: s\ndisputed: [ttl]\n---\n## Facts\n- **ttl**: 1 hour\n- **ttl**: 2 hours\n";
    let entries = [entry("a/b.md", text, 1)];
    let changed = Freshness { state: State::Changed, base: Some("3f2a91c0".into()), ..Freshness::unknown() };
    let fresh = BTreeMap::from([("a/b.md".to_owned(), changed)]);
    let (found, _) = drawn(&entries, &plan(), &fresh);
    let line = "- **ttl**: disputed: 1 hour | 2 hours (2024-10; `a/b.md`; changed since 3f2a91c)\n";
    assert!(found.document.contains(line), "{}", found.document);
    let lines = "- `a/b.md` (1 item): s\n  - disputed: ttl: 1 hour | 2 hours\n  - changed since 3f2a91c: \n";
    assert!(found.document.contains(lines), "{}", found.document);
    let fresh_score = drawn(&entries, &plan(), &BTreeMap::new()).0.layers[0].shown[0].score;
    assert!((found.layers[0].shown[0].score * 2.0 - fresh_score).abs() < 1e-9);
}

#[test]
fn the_summary_is_the_head_the_brief_and_the_first_section_and_is_the_same_tomorrow() {
    let entries = |later: i64| {
        let mut all = parts(12);
        all.iter_mut().for_each(|one| one.age += later);
        all
    };
    let plan = BrainPlan { is_summary: true, archived: 3, ..plan() };
    let at = |later| drawn(&entries(later), &plan, &BTreeMap::new()).0.document;
    let headings: Vec<String> =
        at(0).lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect();
    assert_eq!(headings, ["# Project brain", "## Brief", "## Decisions, rules, limits"]);
    assert_eq!(at(0), at(1));
    assert!(tokens(&at(0)) <= 1_000);
}

#[test]
fn a_pack_and_changes_come_last_within_their_budgets() {
    let passage = |path: &str, line, text: String, is_disputed| Passage {
        path: path.into(),
        line,
        text,
        is_disputed,
        ..Passage::default()
    };
    let passages = [
        passage("a/b.md", 3, "```\ncode\n```".into(), true),
        passage("a/c.md", 1, "line\n".repeat(4_000), false),
    ];
    let since = Since {
        from: "abc".into(),
        added: (0..90).map(|at| format!("new/entry_{at}.md")).collect(),
        ..Since::default()
    };
    let plan = BrainPlan {
        task: Some(BrainTask { words: "rotate\nkeys", passages: &passages }),
        since: Some(&since),
        archived: 2,
        ..plan()
    };
    let (found, _) = drawn(&[entry("a/b.md", &summed("T", "s"), 1)], &plan, &BTreeMap::new());
    let at = |part: &str| found.document.find(part).unwrap_or_else(|| panic!("{part}: {}", found.document));
    let [foot, task, since] =
        ["---\n\n2 archived", "## For the task\n\nrotate keys\n", "## Changed since abc\n"].map(at);
    assert!(at("## Entries") < foot && foot < task && task < since);
    assert!(found.document.contains("````text a/b.md:3  disputed\n```\ncode\n```\n````\n"));
    assert!(tokens(&found.document[task..since]) <= 1_800);
    assert!(tokens(&found.document[since..]) <= 200);
    assert!(found.document.ends_with(" more\n"), "{}", found.document);
    assert!(tokens(&found.document) <= 6_000);
}

#[test]
fn a_small_budget_is_for_the_passages_and_no_title_alone_is_shown() {
    let passage = |path: &str, text: &str| Passage {
        path: path.into(),
        line: 1,
        text: text.into(),
        ..Passage::default()
    };
    let long = format!("# Long\n\n{}", "word ".repeat(110));
    let passages: Vec<Passage> = (0..9).map(|at| passage(&format!("a/{at}.md"), &long)).collect();
    let last = passage("a/last.md", "# Last\n\nIt says something short.");
    let all = [passages, vec![last]].concat();
    let of = |total, layers| {
        let budgets = Budgets { total, layers };
        let task = Some(BrainTask { words: "w", passages: &all });
        let plan = BrainPlan { budgets, task, archived: 3, ..plan() };
        drawn(&parts(12), &plan, &BTreeMap::new()).0
    };
    let small = of(800, [500, 1_500, 2_000]);
    assert!(tokens(&small.document) <= 800 && tokens(&small.layers[0].text) <= 200);
    assert!(small.document.contains(" statements in 12 entries") && !small.document.contains("## Brief"));
    // what is too long is left out if only its title would stand
    assert_eq!(small.passages, [0, 1, 2, 3, 4, 9], "{}", small.document);
    assert!(small.document.ends_with("```text a/last.md:1\n# Last\n\nIt says something short.\n```\n"));
    assert_eq!(small.document.matches("word \n```").count(), 5);
    let large = of(1_001, [500, 1_500, 2_000]);
    assert!(large.document.contains("## Brief") && tokens(&large.document) <= 1_001);
}

#[test]
fn a_tree_counts_entries_by_domain_and_topic() {
    let paths = ["a/b/c/d.md", "a/b/e.md", "a/f.md", "g.md", "a-b/c.md"];
    let digests: Vec<Digest> =
        paths.iter().map(|path| Digest::of(path, ContentId::of(b""), false, b"")).collect();
    let signals = EntrySignals { importance: 50.0, maturity: Maturity::Draft, is_used: false };
    let placed: Vec<Placed<'_>> = digests
        .iter()
        .map(|digest| Placed::new(digest, digest.entry().unwrap(), signals, NOW, NOW))
        .collect();
    let found = tree(&placed);
    let rows: Vec<(&str, usize, usize)> =
        found.iter().map(|node| (node.key.as_str(), node.items, node.children.len())).collect();
    assert_eq!(rows, [(".", 1, 0), ("a", 3, 1), ("a-b", 1, 0)]);
    assert_eq!((found[1].children[0].key.as_str(), found[1].children[0].items), ("a/b", 2));
}

/// A tree of entries of all kinds and ages.
fn trees() -> impl Strategy<Value = Vec<BrainTestEntry>> {
    let folder = prop::sample::select(
        &["a", "decisions", "x/bugs", "project", "style", "architecture", "b/c/d", "über"][..],
    );
    let status = prop::sample::select(&["open", "done", "superseded", "deprecated"][..]);
    let one = (folder, status, "[a-zé`* \n]{0,120}", 0.0..100.0_f64, 0..400_i64, 0..5_usize);
    prop::collection::vec(one, 0..20).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(at, (folder, status, text, importance, age, copies))| {
            let claims: String = (0..copies)
                .map(|at| format!("- **s**: {at} {text}\n- **t{at}**: must {text} (2024-0{})\n", at + 1).replace("\n\n", "\n"))
                .collect();
            let text = format!(
                "---\ntitle: T{at}\nstatus: {status}\ndisputed: [s]\n---\n\n{text}\n\n## Narrative\n### Highlights\n\n{claims}\n## Facts\n\n{claims}"
            );
            BrainTestEntry { importance, ..entry(&format!("{folder}/e{at}.md"), &text, age) }
        });
        made.collect()
    })
}

proptest! {
    #![proptest_config(crate::cases::held_to(1_000))]

    #[test]
    fn no_layer_is_over_its_budget_and_neither_is_the_document(
        entries in trees(),
        total in 1..4_000_u64,
        layers in [1..1_200_u64, 1..1_200_u64, 1..1_200_u64],
        is_summary in any::<bool>(),
        keeps_room in any::<bool>(),
        changed in 0..60_usize,
    ) {
        let since = Since {
            from: "x".into(), added: (0..changed).map(|at| format!("a/{at}.md")).collect(), ..Since::default()
        };
        let passages =
            [Passage { path: "a.md".into(), line: 1, text: "word word\n".repeat(changed * 10), ..Passage::default() }];
        let plan = BrainPlan {
            budgets: Budgets { total, layers },
            is_summary,
            keeps_room,
            task: Some(BrainTask { words: "w", passages: &passages }),
            since: Some(&since),
            archived: 3,
            ..plan()
        };
        let (found, paths) = drawn(&entries, &plan, &BTreeMap::new());
        prop_assert!(tokens(&found.document) <= total, "{} > {total}", tokens(&found.document));
        let mut titles = Vec::new();
        for part in &found.layers {
            prop_assert!(tokens(&part.text) <= part.budget && part.budget <= total);
            prop_assert!(part.text.is_empty() || part.text.ends_with('\n'));
            // each entry that is shown is there with its path
            for one in &part.shown {
                prop_assert!(part.text.contains(paths[one.at].as_str()), "{}: {}", paths[one.at], part.text);
                prop_assert!(one.text.chars().count() <= 240);
            }
            if part.text.is_empty() {
                prop_assert!(part.shown.is_empty());
            }
        }
        for part in &found.layers[..2] {
            let shown = part.shown.iter().filter(|one| one.against.is_none() && !one.title.is_empty());
            titles.extend(shown.map(|one| one.title.clone()));
        }
        let count = titles.len();
        titles.sort_unstable();
        titles.dedup();
        prop_assert_eq!(titles.len(), count);
    }
}
