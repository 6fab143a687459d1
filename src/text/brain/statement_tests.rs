//! What an entry states.

use super::kind::EntryKind;
use super::month::Month;
use super::said::StatementKind;
use super::statement::{LEAD, Statement, statements};
use crate::doc::Document;

fn of(path: &str, text: &str) -> Vec<Statement> {
    statements(path, &Document::parse(text))
}

fn kinds(path: &str, text: &str) -> Vec<(String, StatementKind)> {
    of(path, text).into_iter().map(|one| (one.title, one.kind)).collect()
}

#[test]
fn facts_and_items_are_stated_and_what_is_marked_is_not() {
    let text = "---\ntitle: T\nsummary: s\n---\n## Narrative\n### Highlights\n- **a**: rule: it must hold (2026-01)\n- **b**: reverted 2026-02-03: gone (2026-01)\n- no lead\n### Rules\n- **c**: always\n\n## Facts\n- **d**: superseded 2026-02-03: old\n- **e**: rejected: a queue\n- f\n";
    use StatementKind::{Note, Rejected, Rule};
    let expected = [("e", Rejected), ("", Note), ("a", Rule), ("c", Rule)];
    let expected = expected.map(|(title, kind)| (title.to_owned(), kind));
    assert_eq!(kinds("a/b.md", text), expected);
    let all = of("a/b.md", text);
    assert_eq!((all[2].month, all[2].is_rule_made()), (Month::parse("2026-01"), true));
    assert_eq!((all[0].weight, all[0].month, all[0].text.as_str()), (6, None, "rejected: a queue"));
    let reverted =
        "---\nsummary: s\n---\n## Narrative\n### Highlights\n- **b**: reverted 2026-02-03: gone (2026-01)\n";
    assert!(of("a.md", reverted).is_empty(), "its summary is of what is gone");
}

#[test]
fn the_kind_is_written_or_is_that_of_the_entry_or_of_the_words() {
    let facts = "## Facts\n- **a**: b [convention]\n- **c**: d [environment]\n- **e**: it cannot be read at all [project]\n- **g**: warning: h [convention]\n";
    use StatementKind::{Decision, Limit, Rule, Warning};
    let kinds = |path: &str| kinds(path, facts).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>();
    assert_eq!(kinds("a/b.md"), [Rule, Limit, Limit, Warning]);
    assert_eq!(kinds("a/decisions/b.md"), [Rule, Limit, Decision, Warning]);
    assert_eq!(EntryKind::named_by("a/decisions/b.md", &Document::parse(facts)), Some(EntryKind::Decision));
}

#[test]
fn an_entry_without_any_states_its_summary_else_its_first_sentence() {
    let said = |text: &str| {
        of("a/the_gate.md", text).into_iter().map(|one| (one.title, one.text)).collect::<Vec<_>>()
    };
    let pair = |title: &str, text: &str| vec![(title.to_owned(), text.to_owned())];
    assert_eq!(said("---\ntitle: T\nsummary: S\n---\nOne. Two.\n"), pair("T", "S"));
    assert_eq!(said("---\ntitle: T\nsummary: T.\n---\nOne is one. Two.\n"), pair("T", "One is one."));
    assert_eq!(said("## Raw Concept\n**Task:** no\n"), []);
    assert_eq!(said("plain words\n"), pair("the gate", "plain words"));
    assert_eq!(said("# T\n\n## Raw Concept\n\n**Files:**\n- src/a.rs\n"), [], "a code map");
    assert_eq!(said("## Facts\n- **One way**: one way.\n"), [], "no more than its title");
}

#[test]
fn all_claims_of_a_dispute_are_one_statement() {
    let text = "---\ndisputed: [ttl]\n---\n## Facts\n- **a**: b\n- **ttl**: 1 hour\n- **TTL**: 2 hours\n";
    let all = of("a.md", text);
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].title.as_str(), all[0].text.as_str()), ("ttl", "disputed: 1 hour | 2 hours"));
    assert_eq!(all[0].kind, StatementKind::Disputed);
}

#[test]
fn a_lead_is_short_and_has_no_part_of_code() {
    let lead = |text: &str| of("a.md", &format!("## Facts\n- **t**: {text}\n")).remove(0).lead;
    let long = lead(&"word ".repeat(90));
    assert!(long.chars().count() <= LEAD && long.ends_with("word…"), "{long}");
    assert_eq!(lead("run\n  ```\n  make\n  ```"), "run");
    assert_eq!(lead("a lone ` is left out"), "a lone  is left out");
    assert_eq!(
        lead(&format!("{} `some code that is long`", "word ".repeat(37))),
        format!("{}…", "word ".repeat(37).trim())
    );
    let item = |text: &str| {
        of("a.md", &format!("## Narrative\n### Highlights\n- **t**: {text} (2026-01)\n")).remove(0)
    };
    let first = "The old one was slow and nobody read it in all of these years that it was there for everybody to see.";
    let second = "It must never be called twice, because otherwise the lock of the index would be taken again and hang.";
    let found = item(&format!("warning: {first} {second}"));
    assert_eq!((found.lead, found.kind), (format!("warning: {second}"), StatementKind::Warning));
    assert_eq!(
        item("Short. It must never be, because of this.").lead,
        "Short. It must never be, because of this."
    );
}
