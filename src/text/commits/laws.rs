//! Property tests of what commit messages teach, over random messages.

use super::{CommitDescription, Lesson, Reading, read};
use crate::doc::item::{self, Item};
use crate::doc::{Document, EntryBody, Narrative, Statement, render};
use proptest::prelude::*;

/// Lines of messages, and some that look like structure.
const LINES: [&str; 48] = [
    "The cache must never be shared, because two writers would tear it apart.",
    "Clients only retry on a timeout, otherwise a write would be sent twice.",
    "- retry limit: at most five",
    "- must stay, because it is needed",
    "  - nested",
    "* plain",
    "1. first",
    "Fact: ttl: 12 h [team]",
    "Fact: - item",
    "Fact: <!-- x",
    "Warn: a **b** c = d",
    "Supersedes: ttl",
    "  continued",
    "Signed-off-by: A <a@b>",
    "(cherry picked from commit 12)",
    "# heading",
    "## Facts",
    "### Rules",
    "Title",
    "=====",
    "---",
    "***",
    "```",
    "```diff",
    "~~~~",
    "    code",
    "| a |",
    "|---|",
    "> quoted",
    "- [ ] box",
    "<!-- open",
    "closed -->",
    "<div>",
    "<pre>",
    "- <script>",
    "</pre> because x",
    "<<<<<<< ours",
    "=======",
    ">>>>>>> theirs",
    "@@ -1,2 +1,2 @@",
    "-old",
    "+new",
    "diff --git a/x b/x",
    "[r]: x.md",
    "é漢 \u{0} \u{1b}[31m",
    "\\",
    "",
    "",
];

fn message() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop::sample::select(&LINES[..]), 0..14);
    let ending = prop::sample::select(&["\n", "\r\n", "\r"][..]);
    let lines = (lines, ending).prop_map(|(lines, ending)| lines.join(ending));
    let long = (lines.clone(), 0..120_usize).prop_map(|(text, times)| format!("{text}\n").repeat(times));
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let bytes = bytes.prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    prop_oneof![6 => lines, 1 => long, 1 => bytes, 1 => any::<String>()]
}

fn told(subject: &str, body: &str) -> Reading {
    read(&CommitDescription {
        subject,
        body,
        author: "Ann",
        address: "ann@a.b",
        files: &["src/a.rs"],
        parents: 1,
        in_repo_tree: Some(".brv/context-tree"),
    })
}

fn items(lesson: &Lesson) -> Vec<Item> {
    let item = |note: &super::CommitNote| Item {
        title: lesson.title.clone().unwrap_or_else(|| "topic".to_owned()),
        mark: None,
        prefix: note.prefix,
        text: note.text.clone(),
        month: Some("2026-01".to_owned()),
        by: None,
        span: 0..0,
    };
    lesson.notes.iter().map(item).collect()
}

/// The content of an entry that is made of a lesson.
fn content(lesson: &Lesson) -> EntryBody {
    let facts = lesson.facts.iter().map(|fact| Statement {
        subject: fact.subject.clone(),
        statement: fact.statement.clone(),
        category: fact.category,
    });
    let items: Vec<String> = items(lesson).iter().map(Item::line).collect();
    let highlights = Some(items.join("\n")).filter(|items| !items.is_empty());
    let narrative = Narrative { highlights, ..Narrative::default() };
    EntryBody { narrative, facts: facts.collect(), ..EntryBody::default() }
}

proptest! {
    #![proptest_config(crate::cases::held_to(512))]

    #[test]
    fn every_lesson_can_be_written_and_reads_back(subject in message(), body in message()) {
        let Reading::Lesson(lesson) = told(&subject, &body) else { return Ok(()) };
        prop_assert!(!lesson.facts.is_empty() || !lesson.notes.is_empty());
        let content = content(&lesson);
        let written = render::body(&content);
        prop_assert!(written.is_ok(), "{:?}: {:?}", written, content);
        let document = Document::parse(written.expect("checked"));
        prop_assert!(document.conflicts().is_empty());
        let said = |item: &Item| (item.title.clone(), item.statement());
        let read: Vec<_> = document.items().iter().map(said).collect();
        prop_assert_eq!(read, items(&lesson).iter().map(said).collect::<Vec<_>>());
        prop_assert_eq!(EntryBody::of(&document), content);
    }

    #[test]
    fn no_control_character_and_no_second_line_gets_through(subject in message(), body in message()) {
        let Reading::Lesson(lesson) = told(&subject, &body) else { return Ok(()) };
        let facts = lesson.facts.iter().flat_map(|fact| fact.subject.iter().chain([&fact.statement]));
        let notes = lesson.notes.iter().flat_map(|note| [&note.text, &note.lead]);
        for line in facts.chain(notes).chain([&lesson.task]).chain(&lesson.title).chain(&lesson.supersedes) {
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
        for note in &lesson.notes {
            let stated = item::stated(&note.text);
            prop_assert!(!note.text.is_empty() && stated.mark.is_none(), "{note:?}");
            prop_assert!(note.text.contains(&note.lead), "{note:?}");
        }
        prop_assert!(lesson.title.is_none_or(|title| (1..=80).contains(&title.chars().count())));
    }
}

/// Laws that every message evades would hold.
#[test]
fn many_messages_are_lessons() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::new(crate::cases::held_to(1));
    let mut messages = (0..400).map(|_| message().new_tree(&mut runner).expect("a value").current());
    let lessons = messages.by_ref().filter(|body| matches!(told("a", body), Reading::Lesson(_))).count();
    assert!(lessons > 80, "{lessons} of 400");
}
