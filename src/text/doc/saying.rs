//! What an entry says, one statement after the other: its facts and its items, each as it was before it was marked.
//!
//! A mark is written before a statement: `reverted 2026-02-04: TEXT`, or with the reason that was given,
//! `reverted 2026-02-04: REASON; was: TEXT`. Without its mark a statement is the same statement.

use super::item::{self, Mark};
use super::{Document, normal};
use std::ops::Range;

/// What stands between a reason and the statement that it is about.
const WAS: &str = "; was: ";

/// Which of the two a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatementForm {
    /// A list item below Facts.
    Fact,
    /// A list item with a bold lead below Narrative › Highlights or Rules.
    Item,
}

/// One statement of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    pub form: StatementForm,
    /// The subject of a fact, if it has one; the title of an item.
    pub title: Option<String>,
    /// The statement, on one line, as before it was marked: with prefix, month and category.
    pub text: String,
    pub mark: Option<Mark>,
    /// Its whole lines, in bytes of the body.
    pub span: Range<usize>,
}

impl Saying {
    /// Whether both are one statement, marks aside.
    pub fn is_same(&self, other: &Self) -> bool {
        self.form == other.form && self.text == other.text && self.is_about_same(other)
    }

    /// Whether both have one title.
    pub fn is_about_same(&self, other: &Self) -> bool {
        let title = |one: &Self| one.title.as_deref().map(normal);
        self.form == other.form && title(self) == title(other)
    }
}

/// The facts and items of a document, in its order.
pub(super) fn read(document: &Document) -> Vec<Saying> {
    let facts = document.facts().into_iter().map(|fact| {
        let category = fact.category.map(|category| format!(" [{}]", category.as_str()));
        of(StatementForm::Fact, fact.subject, &(fact.statement + &category.unwrap_or_default()), fact.span)
    });
    let items = document.items().into_iter().map(|item| {
        let statement = item.statement();
        of(StatementForm::Item, Some(item.title), &statement, item.span)
    });
    let mut all: Vec<Saying> = facts.chain(items).collect();
    all.sort_by_key(|one| one.span.start);
    all
}

fn of(form: StatementForm, title: Option<String>, statement: &str, span: Range<usize>) -> Saying {
    let (mark, text) = unmarked(statement);
    Saying { form, title, text: text.to_owned(), mark, span }
}

/// A statement without its mark, and that mark.
pub fn unmarked(statement: &str) -> (Option<Mark>, &str) {
    let Some((mark, rest)) = item::after_mark(statement.trim()) else { return (None, statement.trim()) };
    (Some(mark), rest.split_once(WAS).map_or(rest, |(_, text)| text))
}

/// Where a body says why something holds no longer, in its bytes: from a mark to what it stands before.
pub fn reasons(document: &Document) -> Vec<Range<usize>> {
    let body = document.body();
    if !body.contains(WAS) {
        return Vec::new();
    }
    let reason = |one: Saying| {
        let mark = format!("{}: ", one.mark?.written());
        let text = &body[one.span.clone()];
        let start = text.to_ascii_lowercase().find(&mark)? + mark.len();
        let end = start + text[start..].find(WAS)? + WAS.len();
        Some(one.span.start + start..one.span.start + end)
    };
    read(document).into_iter().filter_map(reason).collect()
}

/// A statement with a mark before it, and the reason where one is given. One that is marked stays as it is.
pub fn marked(statement: &str, mark: &Mark, reason: Option<&str>) -> String {
    let (known, text) = unmarked(statement);
    if known.is_some() {
        return statement.trim().to_owned();
    }
    let reason = reason.map(|reason| reason.trim().trim_end_matches('.'));
    match reason.filter(|reason| !reason.is_empty() && !reason.contains(WAS)) {
        Some(reason) => format!("{}: {reason}{WAS}{text}", mark.written()),
        None => format!("{}: {text}", mark.written()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::MarkFate;
    use super::*;

    fn mark() -> Mark {
        Mark { fate: MarkFate::Reverted, day: "2026-02-04".into() }
    }

    #[test]
    fn a_mark_comes_and_goes_and_leaves_the_statement_as_it_was() {
        for text in ["decision: five minutes", "five; was: six", "a (2026-01)", "reverted: no date"] {
            for reason in [None, Some("It breaks Windows."), Some(" "), Some("x; was: y")] {
                let written = marked(text, &mark(), reason);
                assert!(written.starts_with("reverted 2026-02-04: "), "{written}");
                let (found, rest) = unmarked(&written);
                assert_eq!(found, Some(mark()));
                if !text.contains(WAS) || reason == Some("It breaks Windows.") {
                    assert_eq!(rest, text);
                }
                assert_eq!(marked(&written, &mark(), None), written, "a mark is written once");
            }
        }
        let reason = marked("rule: a", &mark(), Some("It breaks Windows."));
        assert_eq!(reason, "reverted 2026-02-04: It breaks Windows; was: rule: a");
    }

    #[test]
    fn a_reason_is_told_from_what_it_is_about() {
        let text = "; was: x\n\n## Facts\n- **a**: Reverted 2026-02-04: why; was: é; was: c\n- **d**: e; was: f\n- superseded 2026-02-04: g\n";
        let document = Document::parse(text);
        let found: Vec<&str> = reasons(&document).into_iter().map(|at| &document.body()[at]).collect();
        assert_eq!(found, ["why; was: "]);
    }

    #[test]
    fn facts_and_items_are_read_as_before_their_marks() {
        let text = "## Narrative\n### Highlights\n- **T**: reverted 2026-02-04: why; was: rule: x\n  y (2026-01)\n\n## Facts\n- **a**: superseded 2026-02-04: b [team]\n- plain\n";
        let all = Document::parse(text).sayings();
        let said: Vec<_> =
            all.iter().map(|one| (one.form, one.title.as_deref(), one.text.as_str())).collect();
        let expected = [
            (StatementForm::Item, Some("T"), "rule: x y (2026-01)"),
            (StatementForm::Fact, Some("a"), "b [team]"),
            (StatementForm::Fact, None, "plain"),
        ];
        assert_eq!(said, expected);
        assert_eq!(all[0].mark, Some(mark()));
        assert_eq!(all[1].mark.as_ref().map(|mark| mark.fate), Some(MarkFate::Superseded));
        let before = Document::parse("## Facts\n- **A**: b [team]\n").sayings();
        assert!(all[1].is_same(&before[0]) && !all[0].is_same(&before[0]));
    }
}
