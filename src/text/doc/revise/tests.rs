//! Revisions of one entry that has all kinds of parts.

use super::*;
use crate::doc::{Category, Concept};

const ENTRY: &str = "---\ntitle: Tokens # why\n---\n\n## Raw Concept\n\n**Task:** Old task\n\n**Files:**\n- a.rs\n\nA loose line.\n\n## Narrative\n\n### Structure\nOne.\n\n### Rules\n- rule\n\n#### Deep\nx\n\n## Facts\n* **ttl**: 1 h [project]\n* **Region:** eu\n* no subject\n\n## Notes\n\nBy hand.\n";

fn said(subject: &str, statement: &str) -> Statement {
    let subject = Some(subject.to_owned()).filter(|subject| !subject.is_empty());
    Statement { subject, statement: statement.to_owned(), category: None }
}

fn revised(text: &str, content: &EntryBody) -> String {
    let mut document = Document::parse(text);
    let _ = document.revise(content).unwrap();
    document.text().to_owned()
}

fn with_facts(facts: &[Statement]) -> EntryBody {
    EntryBody { facts: facts.to_vec(), ..EntryBody::default() }
}

fn with_markdown(text: &str, markdown: &str) -> String {
    let mut document = Document::parse(text);
    let _ = document.revise_markdown(markdown).unwrap();
    document.text().to_owned()
}

#[test]
fn the_own_content_changes_nothing() {
    for text in [ENTRY.to_owned(), ENTRY.replace('\n', "\r\n")] {
        let mut document = Document::parse(text);
        let own = EntryBody::of(&document);
        assert_eq!(document.revise(&own), Ok(Effect::Unchanged));
        let body = document.body().to_owned();
        assert_eq!(document.revise_markdown(&body), Ok(Effect::Unchanged));
    }
}

#[test]
fn a_fact_replaces_those_of_its_subject_where_they_stand() {
    let after = revised(ENTRY, &with_facts(&[said("TTL", "2 h"), said("region", "us")]));
    assert_eq!(after, ENTRY.replace("1 h", "2 h").replace("eu", "us"));
    let two = Statement { category: Some(Category::Team), ..said("ttl", "3 h") };
    let after = revised(ENTRY, &with_facts(&[said("ttl", "2 h"), two]));
    assert!(after.contains("* **ttl**: 2 h [project]\n* **ttl**: 3 h [team]\n* **Region:** eu\n"), "{after}");
    let disputed = "## Facts\n- **a**: 1\n- **b**: x\n- **a**: 2\n";
    assert_eq!(revised(disputed, &with_facts(&[said("a", "3")])), "## Facts\n- **a**: 3\n- **b**: x\n");
    assert_eq!(revised(disputed, &with_facts(&[said("a", "2")])), "## Facts\n- **b**: x\n- **a**: 2\n");
}

#[test]
fn new_facts_come_after_the_last_or_in_a_new_section() {
    let after = revised(ENTRY, &with_facts(&[said("new", "1"), said("", "NO  subject"), said("", "other")]));
    assert!(after.contains("* no subject\n* **new**: 1\n* other\n\n## Notes"), "{after}");
    assert_eq!(revised("Text", &with_facts(&[said("a", "1")])), "Text\n\n## Facts\n- **a**: 1\n");
    assert_eq!(
        revised("---\na: b\n---\n", &with_facts(&[said("a", "1")])),
        "---\na: b\n---\n\n## Facts\n- **a**: 1\n"
    );
    let empty = "## Facts\n\n## More\nx\n";
    assert_eq!(revised(empty, &with_facts(&[said("a", "1")])), "## Facts\n\n- **a**: 1\n\n## More\nx\n");
}

#[test]
fn line_endings_of_the_entry_are_used() {
    let after = revised(&ENTRY.replace('\n', "\r\n"), &with_facts(&[said("new", "1")]));
    assert!(after.contains("* no subject\r\n* **new**: 1\r\n\r\n## Notes"), "{after:?}");
}

#[test]
fn labels_are_replaced_and_added_in_order() {
    let concept = Concept {
        task: Some("New task".into()),
        changes: vec!["one".into()],
        author: Some("me".into()),
        ..Concept::default()
    };
    let after = revised(ENTRY, &EntryBody { concept, ..EntryBody::default() });
    let expected = ENTRY
        .replace("Old task\n\n", "New task\n\n**Changes:**\n- one\n\n")
        .replace("A loose line.\n\n", "A loose line.\n\n**Author:** me\n\n");
    assert_eq!(after, expected);
}

#[test]
fn parts_of_the_narrative_are_replaced_and_added_in_order() {
    let narrative = Narrative {
        dependencies: Some("Needs x.".into()),
        rules: Some("- other".into()),
        diagrams: Some("a -> b".into()),
        ..Narrative::default()
    };
    let after = revised(ENTRY, &EntryBody { narrative, ..EntryBody::default() });
    let expected = ENTRY.replace(
        "### Rules\n- rule\n\n#### Deep\nx\n",
        "### Dependencies\nNeeds x.\n\n### Rules\n- other\n\n### Diagrams\na -> b\n",
    );
    assert_eq!(after, expected);
}

#[test]
fn a_missing_section_gets_its_place() {
    let content = EntryBody { snippets: vec!["x = 1".into()], ..EntryBody::default() };
    let after = revised(ENTRY, &content);
    assert_eq!(after, ENTRY.replace("## Facts", "## Snippets\n\n```\nx = 1\n```\n\n## Facts"));
    let concept = Concept { task: Some("t".into()), ..Concept::default() };
    let after = revised("# Title\n\n## Facts\n- a\n", &EntryBody { concept, ..EntryBody::default() });
    assert_eq!(after, "# Title\n\n## Raw Concept\n\n**Task:** t\n\n## Facts\n- a\n");
}

#[test]
fn markdown_replaces_the_text_below_its_headings() {
    let after = with_markdown(ENTRY, "## Narrative\n\n### rules\n\n- other\n\n## Notes\nBy machine.\n");
    assert_eq!(after, ENTRY.replace("- rule", "- other").replace("By hand", "By machine"));
    let after = with_markdown("# T\n\n## A\n\na\n\n### B\n\nb\n", "## A\n\nnew");
    assert_eq!(after, "# T\n\n## A\n\nnew\n\n### B\n\nb\n");
    assert_eq!(
        with_markdown("# A\n## X\na\n# B\n## X\nb\n", "# B\n## X\nc\n"),
        "# A\n## X\na\n# B\n## X\nc\n"
    );
    assert_eq!(with_markdown("## A\n\n## A\nb\n", "## A\n## A\nc\n"), "## A\n\n## A\nc\n");
}

#[test]
fn new_sections_of_markdown_go_to_the_end_of_theirs() {
    let after = with_markdown("# T\n\n### A\n\na\n\n## Z\nz\n", "# T\n## New\n### Deep\nx\n## Other\n\ny\n");
    assert_eq!(after, "# T\n\n### A\n\na\n\n## Z\nz\n\n## New\n\n### Deep\nx\n\n## Other\n\ny\n");
    let after = with_markdown("## A\na\n\n## Z\nz\n", "## A\n### Sub\ns\n");
    assert_eq!(after, "## A\na\n\n### Sub\ns\n\n## Z\nz\n");
}

#[test]
fn facts_in_markdown_replace_by_subject() {
    let after = with_markdown(ENTRY, "## Facts\n- **ttl**: 9 h\n- more\n");
    assert_eq!(after, ENTRY.replace("1 h", "9 h").replace("* no subject\n", "* no subject\n* more\n"));
}

#[test]
fn facts_are_merged_whatever_else_is_given_beside_them() {
    let text = "## Facts\n<!-- keep -->\n- **a**: 1\n- **b**: 2\n- loose\n\n## Notes\nx\n";
    let prose = with_markdown(text, "## Facts\nMeasured in May.\n\n- **a**: 9\n");
    assert_eq!(
        prose,
        "## Facts\n\nMeasured in May.\n\n<!-- keep -->\n- **a**: 9\n- **b**: 2\n- loose\n\n## Notes\nx\n"
    );
    // prose takes the place of prose
    let again = with_markdown(&prose, "## Facts\nMeasured in June.\n");
    assert_eq!(again, prose.replace("May", "June"));
    let table = with_markdown(text, "## Facts\n- **b**: 3\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    let expected =
        text.replace("b**: 2", "b**: 3").replace("loose\n", "loose\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    assert_eq!(table, expected);
    assert_eq!(with_markdown(text, "## Facts\n"), text);
}

#[test]
fn facts_in_nested_sections_are_merged_too() {
    let text = "## Facts\n- **a**: 1\n\n### Limits\n- **b**: 2\n- **c**: 3\n\n### Other\n- **d**: 4\n";
    let after = with_markdown(text, "## Facts\n### Limits\n- **c**: 9\n- **e**: 5\n");
    assert_eq!(after, text.replace("c**: 3\n", "c**: 9\n- **e**: 5\n"));
    let after = with_markdown(text, "## Facts\n### New\n- **d**: 8\n- **f**: 6\n");
    assert_eq!(after, text.replace("d**: 4\n", "d**: 8\n\n### New\n- **f**: 6\n"));
}

#[test]
fn text_without_a_heading_is_added_to_the_lead() {
    for (text, expected) in [
        ("---\na: b\n---\n\nOld.\n\n## A\na\n", "---\na: b\n---\n\nOld.\n\nNew.\n\n## A\na\n"),
        ("# T\n\nOld.\n## A\na\n", "# T\n\nOld.\n\nNew.\n\n## A\na\n"),
        ("# T\n## A\na\n", "# T\n\nNew.\n\n## A\na\n"),
        ("## A\na\n", "New.\n\n## A\na\n"),
        ("---\na: b\n---\n\n## A\na\n", "---\na: b\n---\n\nNew.\n\n## A\na\n"),
        ("---\na: b\n---\n## A\na\n", "---\na: b\n---\n\nNew.\n\n## A\na\n"),
        ("---\na: b\n---\n", "---\na: b\n---\n\nNew.\n"),
        ("Old", "Old\n\nNew.\n"),
        ("One.\n\n- a\n- b\n\n## A\na\n", "One.\n\n- a\n- b\n\nNew.\n\n## A\na\n"),
        ("```\ncode\n```\n", "```\ncode\n```\n\nNew.\n"),
    ] {
        for ending in ["\n", "\r\n"] {
            let expected = expected.replace('\n', ending);
            let once = with_markdown(&text.replace('\n', ending), "New.");
            // a body of one line has no ending of its own
            let once = if text == "Old" { once.replace('\n', ending) } else { once };
            assert_eq!(once, expected, "{text:?}");
            assert_eq!(with_markdown(&once, "New.\n"), once, "once is enough");
        }
    }
}

#[test]
fn what_stands_in_the_lead_is_not_added_again_and_what_belongs_together_is_not_split() {
    let text = "One.\n\nSteps:\n\n1. a\n2. b\n\n## A\na\n";
    let added = with_markdown(text, "Two.\n\nOne.\n\nSteps:\n\n1. a\n2. c\n");
    assert_eq!(added, text.replace("2. b\n", "2. b\n\nTwo.\n\nSteps:\n\n1. a\n2. c\n"));
    assert_eq!(with_markdown(&added, "Steps:\n\n1. a\n2. c\n\nTwo."), added);
    let list = with_markdown("- a\n- b\n", "- b\n");
    assert_eq!(list, "- a\n- b\n\n- b\n", "a list is more than its items");
    let titled = "# T\n\nOld.\n\n## A\na\n";
    assert_eq!(with_markdown(titled, "# T\n\nNew.\n"), titled.replace("Old", "New"), "a title names it");
    assert_eq!(with_markdown(titled, "Last.\n\n# T\n\nNew.\n"), titled.replace("Old.", "New.\n\nLast."));
    // where the lead would take it in, nothing is written
    for (text, markdown) in
        [("```\nopen\n", "New."), ("<!-- open\n", "New."), ("Old.\n\n## A\n", "```\nopen")]
    {
        let mut document = Document::parse(text);
        assert!(document.revise_markdown(markdown).is_err(), "{text:?} {markdown:?}");
        assert_eq!(document.text(), text);
    }
}

#[test]
fn a_heading_finds_its_section_whatever_attributes_and_tags_either_has() {
    let text = "## Setup {#id}\nold\n\n### Deep #x\nold\n\n## Open items\nold\n";
    let after = with_markdown(text, "## setup\nnew\n\n### Deep {.wide}\nnew\n\n## Open items #urgent\nnew\n");
    assert_eq!(after, text.replace("old", "new"));
    // the one as written comes first, and each is taken once
    let two = "## A {#one}\n1\n\n### B\n1\n\n## A {#two}\n2\n";
    assert_eq!(with_markdown(two, "## A {#two}\n9\n"), two.replace("\n2\n", "\n9\n"));
    assert_eq!(with_markdown(two, "## A\n9\n"), two.replacen("\n1\n", "\n9\n", 1));
    let nested = with_markdown(two, "## A {#two}\n### B\n9\n");
    assert_eq!(nested, two.replace("\n2\n", "\n2\n\n### B\n9\n"));
    let both = with_markdown("## A {#id}\n1\n", "## A\nnew\n\n## A {#id}\n9\n");
    assert_eq!(both, "## A {#id}\n9\n\n## A\nnew\n");
    let facts = "## Facts #team\n- **a**: 1\n- **b**: 2\n";
    assert_eq!(with_markdown(facts, "## Facts\n- **a**: 9\n"), facts.replace("a**: 1", "a**: 9"));
    assert_eq!(revised(facts, &with_facts(&[said("b", "9")])), facts.replace("b**: 2", "b**: 9"));
    let mut document = Document::parse(text);
    let _ = document.remove_sections(&["Setup/Deep".into(), "Open items #now".into()]).unwrap();
    assert_eq!(document.text(), "## Setup {#id}\nold\n\n");
}

#[test]
fn what_is_named_is_removed_and_nothing_else() {
    let mut document = Document::parse(ENTRY);
    let _ = document.remove_facts(&["TTL".into()]).unwrap();
    assert_eq!(document.text(), ENTRY.replace("* **ttl**: 1 h [project]\n", ""));
    let _ =
        document.remove_sections(&["narrative".into(), "Narrative/Rules".into(), "## Notes".into()]).unwrap();
    let text = document.text();
    assert!(!text.contains("Structure") && !text.contains("By hand") && text.contains("## Facts"), "{text}");
    assert_eq!(document.remove_facts(&["x".into()]), Err(Unrevised::NoFact("x".into())));
    assert_eq!(document.remove_sections(&["x/y".into()]), Err(Unrevised::NoSection("x/y".into())));
}

#[test]
fn a_part_that_would_swallow_others_leaves_the_entry_as_it_was() {
    let narrative = Narrative { structure: Some("<!-- open".into()), ..Narrative::default() };
    let mut document = Document::parse(ENTRY);
    let failed = document.revise(&EntryBody { narrative, ..EntryBody::default() });
    assert!(matches!(failed, Err(Unrevised::Unwritable(_))), "{failed:?}");
    assert_eq!(document.text(), ENTRY);
}
