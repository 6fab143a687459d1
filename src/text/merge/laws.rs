//! Property tests that every merge must pass, over random documents and random edits of both sides.

use super::{Method, Names, Outcome, Rules, Settled, Undecided, Versions, merge};
use crate::doc::{BlockKind, Document, Frontmatter};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Pieces that documents are made of, one block each, so that the edits are like those people make.
const BLOCKS: [&str; 51] = [
    "# Deploys\n",
    "## Raw Concept\n",
    "## Narrative\n",
    "### Rules\n",
    "### Examples\n",
    "## Notes\n",
    "Setext\n======\n",
    "Tokens live for a day and are renewed every hour.\n",
    "A paragraph in\ntwo lines, which\nsomebody wrapped.\n",
    "The queue is drained before the switch.\nNobody restarts it by hand.\n",
    "Short.\n",
    "- use tabs\n",
    "- never force-push to main\n  unless told so\n",
    "- ask first\n  - the owner\n  - the team\n",
    "- [ ] write it down\n",
    "* another marker\n",
    "1. stop the writers\n",
    "2. copy the file\n",
    "3. start them again\n",
    "```sh\nmake deploy\n```\n",
    "~~~\n# no heading\n\n- no item\n~~~\n",
    "| key | value |\n|---|---|\n| a | 1 |\n| b | 2 |\n",
    "| a | one |\n",
    "| the third | 3 |\n",
    "  - the owner\n",
    "  - the reviewer\n    - once\n",
    "    - the reviewer\n",
    "> quoted words\n> in two lines\n",
    "<div>\nraw html\n</div>\n",
    "---\n",
    "    indented code\n",
    "[ref]: https://example.org/x\n",
    "[plan]: https://example.org/y\n",
    "[plan]: https://example.org/z\n",
    "[^1]: The first note of all.\n",
    "[^1]: A note by somebody else.\n",
    "[^1]: A long note.\n\n    With a second paragraph.\n",
    "> [^1]: A note in a quote.\n",
    "> > quoted twice\n> >\n> > [plan]: https://example.org/q\n",
    "- [plan]: https://example.org/i\n",
    "- [plan]: https://example.org/z\n\n  an item with a link\n",
    "- an item with a note\n\n  [^1]: A note in an item.\n",
    "[a\\]ß]: https://example.org/x\n",
    "> [A\\]SS]: https://example.org/y\n",
    "**Files:** src/a.rs, src/b.rs\n",
    "**Files:**\n- src/a.rs\n- src/b.rs\n",
    "日本語の段落です。\n",
    "## Facts\n",
    "## Facts\n- **region**: eu-west-1 [project]\n- **owner**: the platform team [team]\n- no subject here\n",
    "## Relations\n@auth/tokens.md\n",
    "@auth/keys.md and a line\n",
];

const FACTS: [&str; 8] = [
    "- **region**: eu-west-1 [project]\n",
    "- **region**: us-east-2 [project]\n",
    "- **region**: eu-north-1\n",
    "- **owner**: the data team [team]\n",
    "- **Owner**: nobody\n",
    "- deploys happen on Tuesdays\n",
    "- deploys happen on Mondays [convention]\n",
    "- **ttl**: 12 hours\n",
];

const FIELDS: [&str; 27] = [
    "title: Deploys\n",
    "title: 'Deploys again'\n",
    "summary: How we deploy\n",
    "tags: [a, b]\n",
    "tags: [a, b, c]\n",
    "tags:\n  - b\n  - d\n",
    "tags:\n  # why\n  - b # first\n  - e\n",
    "keywords: []\n",
    "related: [auth/tokens]\n",
    "updatedAt: '2026-01-01T00:00:00Z'\n",
    "updatedAt: '2026-02-01T00:00:00Z'\n",
    "owner: x # why\n",
    "disputed: [region]\n",
    "deps: [a, b]\n",
    "deps: [a, c, b]\n",
    "deps: [\n  a,\n  d\n]\n",
    "aliases:\n  - Deploys\n",
    "aliases:\n- Deploys\n- Rollout\n",
    "aliases:\n  - Releases\n  - Deploys\n",
    "authors:\n  - name: Ann\n    role: lead\n",
    "authors:\n  - name: Ann\n    role: guest\n  - name: Bob\n",
    "authors:\n  - name: Eve\n  - name: Ann\n    role: lead\n",
    "nav:\n  items: [a]\n  text: |\n    one\n    two\n",
    "nav:\n  items: [a, b]\n  text: |\n    one\n    three\n",
    "notes: |\n  first\n  second\n  third\n  last\n",
    "notes: |\n  first, again\n  second\n  third\n  last\n",
    "notes: |\n  first\n  second\n  third\n  the last\n",
];

/// A document as rows of text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LawDocument {
    fields: Vec<String>,
    rows: Vec<String>,
}

impl LawDocument {
    fn text(&self) -> String {
        let mut seen = BTreeSet::new();
        let fields: String = self
            .fields
            .iter()
            .filter(|field| seen.insert(field.split(':').next().map(str::to_owned)))
            .map(String::as_str)
            .collect();
        let head = if fields.is_empty() { String::new() } else { format!("---\n{fields}---\n\n") };
        head + &self.rows.concat()
    }
}

#[derive(Debug, Clone)]
enum LawEdit {
    Insert(usize, String),
    Remove(usize),
    Replace(usize, String),
    Move(usize, usize),
    Word(usize),
    Field(usize, String),
    DropField(usize),
}

fn row() -> impl Strategy<Value = String> {
    let block = prop::sample::select(&BLOCKS[..]).prop_map(str::to_owned);
    let fact = prop::sample::select(&FACTS[..]).prop_map(str::to_owned);
    let blank = Just("\n".to_owned());
    let words = "[a-d]{1,2}( [a-d]{1,3}){0,6}\n{1,2}";
    prop_oneof![4 => block, 3 => fact, 3 => blank, 2 => words]
}

fn draft() -> impl Strategy<Value = LawDocument> {
    let field = prop::sample::select(&FIELDS[..]).prop_map(str::to_owned);
    (prop::collection::vec(field, 0..6), prop::collection::vec(row(), 0..14))
        .prop_map(|(fields, rows)| LawDocument { fields, rows })
}

fn edit() -> impl Strategy<Value = LawEdit> {
    let field = prop::sample::select(&FIELDS[..]).prop_map(str::to_owned);
    prop_oneof![
        4 => (any::<usize>(), row()).prop_map(|(at, row)| LawEdit::Insert(at, row)),
        2 => any::<usize>().prop_map(LawEdit::Remove),
        2 => (any::<usize>(), row()).prop_map(|(at, row)| LawEdit::Replace(at, row)),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(from, to)| LawEdit::Move(from, to)),
        2 => any::<usize>().prop_map(LawEdit::Word),
        2 => (any::<usize>(), field).prop_map(|(at, field)| LawEdit::Field(at, field)),
        1 => any::<usize>().prop_map(LawEdit::DropField),
    ]
}

fn apply(draft: &LawDocument, edits: &[LawEdit]) -> LawDocument {
    let mut draft = draft.clone();
    for edit in edits {
        let rows = draft.rows.len();
        match edit {
            LawEdit::Insert(at, row) => draft.rows.insert(at % (rows + 1), row.clone()),
            LawEdit::Remove(at) if rows > 0 => {
                draft.rows.remove(at % rows);
            }
            LawEdit::Replace(at, row) if rows > 0 => draft.rows[at % rows].clone_from(row),
            LawEdit::Move(from, to) if rows > 0 => {
                let row = draft.rows.remove(from % rows);
                draft.rows.insert(to % rows, row);
            }
            LawEdit::Word(at) if rows > 0 => {
                let row = &mut draft.rows[at % rows];
                *row = row.replacen('e', "E", 1);
            }
            LawEdit::Field(at, field) => draft.fields.insert(at % (draft.fields.len() + 1), field.clone()),
            LawEdit::DropField(at) if !draft.fields.is_empty() => {
                draft.fields.remove(at % draft.fields.len());
            }
            _ => {}
        }
    }
    draft
}

/// Base, ours and theirs.
fn versions() -> impl Strategy<Value = [String; 3]> {
    let edits = || prop::collection::vec(edit(), 0..5);
    let ending = prop::sample::select(vec!["keep", "keep", "keep", "keep", "crlf", "unended"]);
    (draft(), edits(), edits(), ending.clone(), ending).prop_map(|(base, ours, theirs, first, second)| {
        let end = |text: String, how: &str| match how {
            "crlf" => text.replace('\n', "\r\n"),
            "unended" => text.trim_end().to_owned(),
            _ => text,
        };
        let (ours, theirs) = (apply(&base, &ours).text(), apply(&base, &theirs).text());
        [base.text(), end(ours, first), end(theirs, second)]
    })
}

fn merged([base, ours, theirs]: [&str; 3]) -> Outcome {
    merged_by([base, ours, theirs], Undecided::Mark)
}

fn merged_by([base, ours, theirs]: [&str; 3], undecided: Undecided) -> Outcome {
    let versions = Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    merge(&versions, &Rules { undecided, ..Rules::default() })
}

fn text(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.bytes).expect("text in, text out")
}

fn result_of(versions: [&str; 3]) -> String {
    text(&merged(versions)).to_owned()
}

/// The lines that contain words, regardless of their length, and of the quote or item a definition is in.
fn lines(text: &str) -> BTreeSet<String> {
    let bare = |line: &str| {
        let line = line.trim();
        let text = line.trim_start_matches(['>', '-', ' ']);
        let line = if text.starts_with('[') && text.contains("]:") { text } else { line };
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.starts_with('.') { rest.to_owned() } else { line.to_owned() }
    };
    text.lines().map(bare).filter(|line| !line.is_empty()).collect()
}

/// Whether a line is in the result; if a definition above it was taken out of their item, it follows the marker.
fn stands(line: &str, result: &BTreeSet<String>) -> bool {
    result.contains(line) || result.contains(&format!("- {line}"))
}

fn count(text: &str, sought: &str) -> usize {
    text.lines().filter(|line| lines(line).contains(sought)).count()
}

fn told(outcome: &Outcome) -> BTreeSet<String> {
    let records = outcome.records.iter().map(|record| &record.texts);
    let conflicts = outcome.conflicts.iter().map(|conflict| &conflict.texts);
    let texts = records.chain(conflicts).flat_map(|texts| [&texts.base, &texts.ours, &texts.theirs]);
    texts.flatten().flat_map(|text| lines(text)).collect()
}

fn body(text: &str) -> String {
    Document::parse(text).body().to_owned()
}

/// The statements about each subject, and their counts.
type LawClaims = BTreeMap<Option<String>, BTreeMap<String, usize>>;

fn claims(text: &str) -> LawClaims {
    let mut found = LawClaims::new();
    let normal = |text: &str| text.to_lowercase().trim_end_matches('.').to_owned();
    for fact in Document::parse(text).facts() {
        let claims = found.entry(fact.subject.as_deref().map(normal)).or_default();
        *claims.entry(normal(&fact.statement)).or_default() += 1;
    }
    found
}

fn each(claims: &LawClaims) -> impl Iterator<Item = (&Option<String>, &String)> {
    claims.iter().flat_map(|(subject, claims)| claims.keys().map(move |claim| (subject, claim)))
}

fn items_of(text: &str) -> BTreeSet<String> {
    let document = Document::parse(text);
    let items = document.blocks().iter().filter(|block| matches!(block.kind, BlockKind::Item { .. }));
    items.map(|item| document.body()[item.content.clone()].trim().to_owned()).collect()
}

/// For each heading, whether it is below a heading of facts; a title that occurs several times has both values.
fn groups(text: &str) -> BTreeMap<String, BTreeSet<bool>> {
    let mut found: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
    let mut facts = None;
    for section in Document::parse(text).sections() {
        facts = facts.filter(|level| *level < section.level);
        if facts.is_none() && section.title == "Facts" {
            facts = Some(section.level);
        }
        found.entry(section.title.clone()).or_default().insert(facts.is_some());
    }
    found
}

/// How often each label is defined.
fn definitions(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for one in crate::doc::definitions(Document::parse(text).body()) {
        *found.entry(one.label).or_default() += 1;
    }
    found
}

fn as_facts(text: &str) -> String {
    let document = Document::parse(text);
    let items = document.blocks().iter().filter(|block| matches!(block.kind, BlockKind::Item { .. }));
    let lines = items.map(|item| format!("{}\n", document.body()[item.content.clone()].trim_start()));
    format!("## Facts\n\n{}", lines.collect::<String>())
}

proptest! {
    #![proptest_config(crate::cases::held_to(1_000))]

    #[test]
    fn equal_sides_are_themselves([base, ours, _] in versions()) {
        prop_assert_eq!(result_of([&base, &ours, &ours]), ours);
    }

    #[test]
    fn a_side_that_changed_nothing_yields_to_the_other([base, ours, _] in versions()) {
        prop_assert_eq!(result_of([&base, &ours, &base]), ours.clone());
        prop_assert_eq!(result_of([&base, &base, &ours]), ours.clone());
    }

    #[test]
    fn a_clean_merge_is_the_same_whichever_side_is_ours([base, ours, theirs] in versions()) {
        let one = merged([&base, &ours, &theirs]);
        let other = merged([&base, &theirs, &ours]);
        prop_assert_eq!(one.is_clean(), other.is_clean());
        if one.is_clean() {
            prop_assert_eq!(text(&one), text(&other));
        } else {
            prop_assert_eq!(one.conflicts.len(), other.conflicts.len());
            for (one, other) in one.conflicts.iter().zip(&other.conflicts) {
                prop_assert_eq!((&one.texts.ours, &one.texts.theirs), (&other.texts.theirs, &other.texts.ours));
            }
        }
    }

    #[test]
    fn no_line_of_a_side_vanishes_without_a_record([base, ours, theirs] in versions()) {
        let outcome = merged([&base, &ours, &theirs]);
        let result = lines(text(&outcome));
        let told = told(&outcome);
        let bodies = [body(&base), body(&ours), body(&theirs)];
        for (own, other_text) in [(&bodies[1], &bodies[2]), (&bodies[2], &bodies[1])] {
            for line in &lines(own) {
                // of several equal lines, each side may have removed a different one
                let removed = count(&bodies[0], line) > count(other_text, line);
                prop_assert!(stands(line, &result) || removed || told.contains(line), "{:?} in {}", line, text(&outcome));
            }
        }
    }

    #[test]
    fn no_line_stands_more_often_than_on_a_side_unless_both_were_kept([base, ours, theirs] in versions()) {
        let outcome = merged([&base, &ours, &theirs]);
        // where git's merge is taken, lines occur as often as git has them
        if !outcome.is_clean() || matches!(outcome.method, Method::Lines) {
            return Ok(());
        }
        let both_kept = outcome.records.iter().filter(|record| {
            matches!(record.settled, Settled::BothKept | Settled::Disputed)
        });
        let both_kept = both_kept.flat_map(|record| [&record.texts.ours, &record.texts.theirs]).flatten();
        let both_kept: BTreeSet<String> = both_kept.flat_map(|text| lines(text)).collect();
        let result = body(text(&outcome));
        let bodies = [body(&base), body(&ours), body(&theirs)];
        for line in lines(&result).iter().filter(|line| line.contains(char::is_alphanumeric)) {
            let most = bodies.iter().map(|body| count(body, line)).max().unwrap_or_default();
            let is_fence = line.starts_with("```");
            let is_known = most > 0 && !is_fence;
            let stands = count(&result, line);
            prop_assert!(!is_known || stands <= most || both_kept.contains(line), "{:?} in {}", line, result);
        }
    }

    #[test]
    fn no_fact_is_lost_and_none_stands_twice([base, ours, theirs] in versions()) {
        let outcome = merged([&base, &ours, &theirs]);
        // a heading that turns items into facts changes the meaning of each line
        let headings = |text: &str| text.matches("## Facts").count();
        let alike = headings(&base) == headings(&ours) && headings(&base) == headings(&theirs);
        // a continuation line means something else below another item
        let single = |text: &str| {
            let document = Document::parse(text);
            let is_single = |fact: &crate::doc::Fact| !document.body()[fact.span.clone()].contains('\n');
            document.facts().iter().all(is_single)
        };
        if !outcome.is_clean() || !alike || ![&base, &ours, &theirs].into_iter().all(|text| single(text)) {
            return Ok(());
        }
        let items = [&base, &ours, &theirs].map(|text| claims(&as_facts(text)));
        let facts = [&base, &ours, &theirs].map(|text| claims(text));
        let result = claims(text(&outcome));
        let says = |claims: &LawClaims, subject: &Option<String>, claim: &String| {
            claims.get(subject).and_then(|claims| claims.get(claim)).copied().unwrap_or_default()
        };
        // a heading that ends the facts early, or raw HTML that runs on, changes the meaning of the text after it, and
        // of what the other side adds there
        let plain = |version: usize, subject: &Option<String>, claim: &String| {
            says(&items[version], subject, claim).saturating_sub(says(&facts[version], subject, claim))
        };
        let demotes = |side: usize| {
            each(&items[0]).any(|(subject, claim)| {
                let stands = says(&items[side], subject, claim) > 0;
                stands && plain(side, subject, claim) != plain(0, subject, claim)
            })
        };
        let swallows = |side: &str| {
            let there = items_of(side);
            items_of(&base).iter().any(|item| side.contains(item.as_str()) && !there.contains(item))
        };
        let regroups = |side: &str| {
            let (before, after) = (groups(&base), groups(side));
            before.iter().any(|(title, of)| side.contains(&format!("# {title}")) && after.get(title) != Some(of))
        };
        let reads_otherwise = |side: &str| swallows(side) || regroups(side);
        if demotes(1) || demotes(2) || reads_otherwise(&ours) || reads_otherwise(&theirs) {
            return Ok(());
        }
        for (subject, claim) in facts[1..].iter().flat_map(each) {
            let removed = |claims: &[LawClaims; 3]| {
                let [base, ours, theirs] = claims.each_ref().map(|claims| says(claims, subject, claim) > 0);
                base && !(ours && theirs)
            };
            // an item that one side moved to a place where it is a fact is not a new claim: it has the text the other
            // side gave it
            let is_there = says(&result, subject, claim) > 0 || removed(&facts) || removed(&items);
            prop_assert!(is_there, "{:?} {:?} in {}", subject, claim, text(&outcome));
        }
        let words = |side: &String| side.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        let written = [&ours, &theirs].map(words);
        for (subject, claim) in each(&result) {
            // nor is an edit of an item that the other side moved to a place where it is a fact
            let [base, ours, theirs] = items.each_ref().map(|claims| says(claims, subject, claim));
            let most = ours.max(theirs).max((ours + theirs).saturating_sub(base));
            let stands = says(&result, subject, claim);
            // raw HTML that one side removed hid it on the other
            let is_uncovered = most == 0 && written.iter().any(|side| side.contains(claim.as_str()));
            prop_assert!(stands <= most || is_uncovered, "{:?} {:?} {} times in {}", subject, claim, stands, text(&outcome));
        }
    }

    #[test]
    fn no_label_is_defined_twice_unless_a_side_does_so([base, ours, theirs] in versions()) {
        let outcome = merged([&base, &ours, &theirs]);
        if outcome.is_clean() {
            let result = definitions(text(&outcome));
            let sides = [definitions(&ours), definitions(&theirs)];
            for (label, count) in result {
                let most = sides.iter().filter_map(|side| side.get(&label)).max().copied().unwrap_or(1);
                prop_assert!(count <= most, "{} in {}", label, text(&outcome));
            }
        }
    }

    #[test]
    fn what_nobody_touched_keeps_its_bytes([base, ours, theirs] in versions()) {
        let outcome = merged([&base, &ours, &theirs]);
        if [&ours, &theirs].iter().any(|side| side.contains('\r')) {
            return Ok(());
        }
        let blocks = |text: &str| -> Vec<String> {
            let document = Document::parse(text);
            document.blocks().iter().map(|block| document.body()[block.content.clone()].to_owned()).collect()
        };
        let (first, second) = (blocks(&ours), blocks(&theirs));
        let old = blocks(&base);
        for block in old.clone() {
            let stands_once = |blocks: &[String]| blocks.iter().filter(|own| **own == block).count() == 1;
            if stands_once(&old) && stands_once(&first) && stands_once(&second) {
                let bare = block.trim_start_matches(|c: char| c.is_ascii_digit());
                // a definition may be taken out of its quote or item
                let result = lines(text(&outcome));
                let is_there = || bare.contains("]:") && lines(bare).iter().all(|line| stands(line, &result));
                prop_assert!(text(&outcome).contains(bare) || is_there(), "{:?} in {}", block, text(&outcome));
            }
        }
    }

    #[test]
    fn what_comes_out_can_be_read([base, ours, theirs] in versions()) {
        let outcome = merged([&base, &ours, &theirs]);
        let document = Document::parse(outcome.bytes.clone());
        let readable = |text: &str| !matches!(Document::parse(text).frontmatter(), Frontmatter::Opaque { .. });
        if readable(&ours) && readable(&theirs) {
            prop_assert!(!matches!(document.frontmatter(), Frontmatter::Opaque { .. }), "{}", text(&outcome));
        }
        let marked = outcome.conflicts.iter().filter(|conflict| conflict.span.is_some()).count();
        prop_assert_eq!(text(&outcome).matches("<<<<<<< ours").count(), marked);
        for span in outcome.conflicts.iter().filter_map(|conflict| conflict.span.clone()) {
            let marked = &text(&outcome)[span];
            let ends = marked.trim_end().ends_with(">>>>>>> theirs");
            prop_assert!(marked.starts_with("<<<<<<< ours") && ends, "{:?}", marked);
        }
    }

    #[test]
    fn merging_the_result_again_changes_nothing([base, ours, theirs] in versions()) {
        let outcome = merged([&base, &ours, &theirs]);
        if outcome.is_clean() {
            let result = text(&outcome);
            prop_assert_eq!(result_of([&ours, result, &ours]), result);
            prop_assert_eq!(result_of([&theirs, &theirs, result]), result);
            prop_assert_eq!(result_of([&base, result, result]), result);
        }
    }

    #[test]
    fn whatever_is_undecided_can_be_decided_beforehand([base, ours, theirs] in versions()) {
        for undecided in [Undecided::Ours, Undecided::Theirs, Undecided::Both, Undecided::Base] {
            let outcome = merged_by([&base, &ours, &theirs], undecided);
            prop_assert!(!text(&outcome).contains("<<<<<<<"));
            prop_assert!(outcome.conflicts.iter().all(|conflict| conflict.span.is_none()));
            if undecided == Undecided::Both {
                let told = told(&outcome);
                let result = lines(text(&outcome));
                let old = lines(&base);
                let new = lines(&body(&ours)).into_iter().chain(lines(&body(&theirs))).filter(|line| !old.contains(line));
                for line in new {
                    prop_assert!(result.contains(&line) || told.contains(&line), "{:?}", line);
                }
            }
        }
    }

    #[test]
    fn claims_in_dispute_survive_every_further_merge(
        sides in prop::collection::vec(prop::collection::vec(0..FACTS.len(), 0..4), 2..6),
    ) {
        let fact = |at: &usize| FACTS[*at];
        let document = |facts: &[usize]| format!("## Facts\n{}", facts.iter().map(fact).collect::<String>());
        let base = document(&[]);
        let mut result = base.clone();
        let said = |text: &str| -> BTreeSet<(Option<String>, String)> {
            each(&claims(text)).map(|(subject, claim)| (subject.clone(), claim.clone())).collect()
        };
        let mut all = BTreeSet::new();
        for facts in &sides {
            let side = document(facts);
            all.extend(said(&side));
            let outcome = merged([&base, &result, &side]);
            prop_assert!(outcome.is_clean());
            result = text(&outcome).to_owned();
            let disputed = outcome.records.iter().any(|record| record.settled == Settled::Disputed);
            prop_assert!(!disputed || !Document::parse(result.as_str()).meta().disputed.is_empty());
        }
        prop_assert_eq!(said(&result), all);
    }
}

#[test]
fn a_name_with_blanks_stays_on_its_line() {
    let names = Names { base: "the base", ours: "HEAD (mine)", theirs: "feature/x" };
    let versions = Versions { base: Some(b"a\n"), ours: b"b\n", theirs: b"c\n" };
    let outcome = merge(&versions, &Rules { names, ..Rules::default() });
    assert_eq!(
        text(&outcome),
        "<<<<<<< HEAD (mine)\nb\n||||||| the base\na\n=======\nc\n>>>>>>> feature/x\n"
    );
}
