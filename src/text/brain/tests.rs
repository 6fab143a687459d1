//! The document as a whole: its budgets, its groups, near-equal entries, and what makes its hash.

use super::*;
use crate::lifecycle::{DAY, Maturity};
use crate::stale::{Freshness, State};
use brv_base::content::ContentId;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Noon of a day.
const NOW: i64 = 20_000 * DAY + DAY / 2;

#[derive(Debug)]
struct Entry {
    path: String,
    text: String,
    importance: f64,
    maturity: Maturity,
    /// How many days ago it changed.
    age: i64,
}

fn entry(path: &str, text: &str, age: i64) -> Entry {
    Entry { path: path.into(), text: text.into(), importance: 50.0, maturity: Maturity::Draft, age }
}

/// Draw these entries.
fn drawn(entries: &[Entry], plan: &Plan<'_>, fresh: &BTreeMap<String, Freshness>) -> (Drawn, Vec<String>) {
    let digests: Vec<Digest> = entries
        .iter()
        .map(|one| Digest::of(&one.path, ContentId::of(one.text.as_bytes()), false, one.text.as_bytes()))
        .collect();
    let mut placed: Vec<Placed<'_>> = entries
        .iter()
        .zip(&digests)
        .filter_map(|(one, digest)| {
            let signals = Signals { importance: one.importance, maturity: one.maturity };
            Some(Placed::new(digest, digest.entry()?, signals, NOW - one.age * DAY, NOW))
        })
        .collect();
    order(&mut placed);
    let text = |path: &str| entries.iter().find(|one| one.path == path).map(|one| one.text.as_str()).unwrap();
    let compared = |one: &Placed<'_>| Compared::of(text(one.path()).as_bytes());
    let stands = stand_ins(&placed, 10_000, &compared);
    let sources = Sources {
        detail: &|one| Some(Detail::of(one.path(), text(one.path()).as_bytes())),
        freshness: &|path| fresh.get(path).cloned(),
    };
    let paths = placed.iter().map(|one| one.path().to_owned()).collect();
    (draw(&placed, &stands, plan, &sources), paths)
}

fn whole(entries: &[Entry]) -> String {
    let plan = Plan { has_brief: true, ..Plan::default() };
    drawn(entries, &plan, &BTreeMap::new()).0.document
}

fn summed(title: &str, summary: &str) -> String {
    format!("---\ntitle: {title}\nsummary: {summary}\n---\n\n{title} words of {summary} alone\n")
}

#[test]
fn active_entries_stand_in_six_groups_and_reference_by_domain() {
    let document = whole(&[
        entry("x/architecture/a.md", &summed("Arch", "a"), 1),
        entry("x/b.md", &summed("Impl", "b"), 1),
        entry("x/style/c.md", &summed("Conv", "c"), 1),
        entry("x/todo/d.md", &summed("Task", "d"), 1),
        entry("x/bugs/e.md", &summed("Bug", "e"), 1),
        entry("x/decisions/f.md", &summed("Dec", "f"), 1),
        entry("y/old.md", &summed("Old", "g"), 70),
        entry("z/old.md", &summed("Older", "h"), 80),
    ]);
    let order = [
        "## Brief",
        "## Active knowledge",
        "### Key decisions",
        "- **Dec**: f (`x/decisions/f.md`; importance 3; confidence 0.7; 1 day old)",
        "### Recent fixes and known issues",
        "- **Bug**: e",
        "### Pending tasks",
        "- **Task**: d",
        "### Conventions",
        "- **Conv**: c",
        "### Recent work",
        "- **Impl**: b",
        "### Architecture",
        "- **Arch**: a",
        "## Reference knowledge",
        "### y",
        "- Old: g (`y/old.md`; confidence 0.7)",
        "### z",
        "- Older: h",
        "`brv search TEXT`",
    ];
    let mut rest = document.as_str();
    for part in order {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` in:\n{document}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn the_brief_has_five_lines() {
    let document = whole(&[
        entry("x/architecture/a.md", &summed("Arch", "a"), 1),
        entry("x/b.md", &summed("New", "b"), 14),
        entry("x/c.md", &summed("Old", "c"), 15),
        entry("x/style/c.md", &summed("Conv", "c"), 1),
        entry("x/todo/d.md", &summed("Task", "d"), 1),
        entry("x/bugs/e.md", &summed("Bug", "e"), 1),
        entry("x/bugs/f.md", &format!("---\nstatus: done\n{}", &summed("Done", "f")[4..]), 1),
        entry("x/decisions/f.md", &summed("Dec", "f"), 1),
    ]);
    let brief = "## Brief\n\n- **Stack**: Arch: a (`x/architecture/a.md`)\n- **Key decisions**: Dec: f (`x/decisions/f.md`)\n\
                 - **Conventions**: Conv: c (`x/style/c.md`)\n- **Active areas**: New: b (`x/b.md`)\n\
                 - **Open issues**: 1 bug, 1 task\n";
    assert!(document.contains(brief), "{document}");
    assert!(whole(&[]).contains("- **Open issues**: none\n"));
}

#[test]
fn nearly_equal_entries_are_one_and_the_best_stands() {
    let words = |from: usize, to: usize| (from..to).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let body = |title: &str, text: &str| format!("---\ntitle: {title}\nsummary: s\n---\n\n{text}\n");
    let entries = [
        entry("a/one.md", &body("One", &words(0, 100)), 1),
        entry("a/two.md", &body("ONE", &format!("{} x y z", words(0, 95))), 2),
        entry("a/three.md", &body("One", &format!("{} p q r", words(0, 95))), 45),
        entry("a/other.md", &body("Other", &format!("{} {}", words(0, 60), words(200, 240))), 3),
        entry("a/part.md", &body("Part", &words(0, 30)), 3),
    ];
    let document = whole(&entries);
    assert!(document.contains("- **One (+2 similar)**"), "{document}");
    assert!(!document.contains("ONE") && !document.contains("three.md"), "{document}");
    assert!(document.contains("**Other**") && document.contains("**Part**"), "{document}");
}

#[test]
fn what_has_another_title_summary_or_type_is_shown_however_alike_the_bodies_are() {
    let body = (0..100).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let text = |fields: &str| format!("---\n{fields}\n---\n\n{body}\n");
    let entries = [
        entry("a/one.md", &text("title: One\nsummary: s"), 1),
        entry("a/title.md", &text("title: Renamed\nsummary: s"), 2),
        entry("a/summary.md", &text("title: One\nsummary: another summary"), 2),
        entry("a/bugs/open.md", &text("title: One\nsummary: s"), 2),
        entry("a/bugs/done.md", &text("title: One\nsummary: s\nstatus: done"), 1),
        entry("a/no.md", &text("summary: s"), 2),
    ];
    let document = whole(&entries);
    assert!(!document.contains("similar)"), "{document}");
    for path in entries.iter().map(|one| &one.path) {
        assert!(document.contains(&format!("(`{path}`;")), "{path}: {document}");
    }
}

#[test]
fn a_dispute_has_all_claims_and_a_stale_entry_its_line() {
    let text =
        "---\ntitle: T\nsummary: s\ndisputed: [ttl]\n---\n## Facts\n- **ttl**: 1 hour\n- **ttl**: 2 hours\n";
    let entries = [entry("a/b.md", text, 1)];
    let gone = Freshness { state: State::Gone, base: Some("3f2a91c0".into()), ..Freshness::unknown() };
    let fresh = BTreeMap::from([("a/b.md".to_owned(), gone)]);
    let plan = Plan { has_brief: true, ..Plan::default() };
    let (found, _) = drawn(&entries, &plan, &fresh);
    let lines = "1 day old)\n  - disputed: ttl: 1 hour | 2 hours\n  - gone since 3f2a91c: \n";
    assert!(found.document.contains(lines), "{}", found.document);
    assert_eq!(found.layers[1].shown, drawn(&entries, &plan, &BTreeMap::new()).0.layers[1].shown);
}

#[test]
fn the_summary_has_no_ages_and_is_the_same_tomorrow() {
    let entries = |later: i64| {
        [
            entry("x/decisions/f.md", &summed("Dec", "f"), 1 + later),
            entry("x/bugs/e.md", &summed("Bug", "e"), 3 + later),
            entry("x/b.md", &summed("Impl", "b"), 2 + later),
        ]
    };
    let plan = Plan { is_summary: true, ..Plan::default() };
    let at = |later| drawn(&entries(later), &plan, &BTreeMap::new()).0;
    let found = at(0);
    assert!(
        found.document.contains("### Recent decisions\n\n- Dec: f (`x/decisions/f.md`"),
        "{}",
        found.document
    );
    assert!(found.document.contains("### Known issues\n\n- Bug: e (`x/bugs/e.md`"), "{}", found.document);
    assert!(!found.document.contains("day"), "{}", found.document);
    assert_eq!(found.document, at(1).document);
}

#[test]
fn a_pack_and_changes_come_last_within_their_budgets() {
    let passages = [
        Passage {
            path: "a/b.md".into(),
            line: 3,
            text: "```\ncode\n```".into(),
            is_disputed: true,
            is_line: false,
            ..Passage::default()
        },
        Passage {
            path: "a/c.md".into(),
            line: 1,
            text: "line\n".repeat(4_000),
            is_disputed: false,
            is_line: false,
            ..Passage::default()
        },
    ];
    let since = Since {
        from: "abc".into(),
        added: (0..90).map(|at| format!("new/entry_{at}.md")).collect(),
        ..Since::default()
    };
    let plan = Plan {
        has_brief: true,
        task: Some(Task { words: "rotate\nkeys", passages: &passages }),
        since: Some(&since),
        ..Plan::default()
    };
    let (found, _) = drawn(&[entry("a/b.md", &summed("T", "s"), 1)], &plan, &BTreeMap::new());
    let at = |part: &str| found.document.find(part).unwrap_or_else(|| panic!("{part}: {}", found.document));
    let [foot, task, since] =
        ["---\n\n", "## For the task\n\nrotate keys\n", "## Changed since abc\n"].map(at);
    assert!(at("## Active knowledge") < foot && foot < task && task < since);
    assert!(found.document.contains("````text a/b.md:3  disputed\n```\ncode\n```\n````\n"));
    assert!(tokens(&found.document[task..since]) <= 1_800);
    assert!(tokens(&found.document[since..]) <= 200);
    assert!(found.document.ends_with(" more\n"), "{}", found.document);
    assert!(tokens(&found.document) <= 6_000);
}

#[test]
fn a_tree_counts_layers_one_and_two_by_domain_and_topic() {
    let paths = ["a/b/c/d.md", "a/b/e.md", "a/f.md", "g.md", "a-b/c.md"];
    let digests: Vec<Digest> =
        paths.iter().map(|path| Digest::of(path, ContentId::of(b""), false, b"")).collect();
    let signals = Signals { importance: 50.0, maturity: Maturity::Draft };
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
fn trees() -> impl Strategy<Value = Vec<Entry>> {
    let folder = prop::sample::select(
        &["a", "decisions", "x/bugs", "todo", "style", "architecture", "b/c/d", "über"][..],
    );
    let status = prop::sample::select(&["open", "done", "superseded", "deprecated"][..]);
    let one = (folder, status, "[a-zé` \n]{0,120}", 0.0..100.0_f64, 0..400_i64, 0..5_usize);
    prop::collection::vec(one, 0..20).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(at, (folder, status, text, importance, age, copies))| {
            let claims: String = (0..copies).map(|at| format!("- **s**: {at} {text}\n").replace("\n\n", "\n")).collect();
            let text = format!(
                "---\ntitle: T{at}\nstatus: {status}\ndisputed: [s]\n---\n\n{text}\n\n## Facts\n\n{claims}"
            );
            Entry { importance, ..entry(&format!("{folder}/e{at}.md"), &text, age) }
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
        let plan = Plan {
            budgets: Budgets { total, layers },
            has_brief: true,
            is_summary,
            keeps_room,
            task: Some(Task { words: "w", passages: &passages }),
            since: Some(&since),
            archived: 3,
        };
        let (found, paths) = drawn(&entries, &plan, &BTreeMap::new());
        prop_assert!(tokens(&found.document) <= total, "{} > {total}", tokens(&found.document));
        for part in &found.layers {
            prop_assert!(tokens(&part.text) <= part.budget && part.budget <= total);
            prop_assert!(part.text.is_empty() || part.text.ends_with('\n'));
            // each entry that is shown is there with its path
            for at in &part.shown {
                prop_assert!(part.text.contains(paths[*at].as_str()), "{}: {}", paths[*at], part.text);
            }
            if part.text.is_empty() {
                prop_assert!(part.shown.is_empty());
            }
        }
    }
}
