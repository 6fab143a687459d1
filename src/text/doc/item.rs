//! Items: the list items of Narrative › Highlights and Rules that begin with a bold lead.
//!
//! `- **TITLE**: [MARK: ][PREFIX: ]TEXT (2026-07)`. A mark says that the statement no longer holds, a prefix
//! gives its kind, and the month says when it was made. Marks and prefixes stand before the statements of facts in the
//! same way.

use super::{BlockKind, Document, facts};
use std::ops::Range;

/// The kind of a statement, written before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prefix {
    Decision,
    Rule,
    Limit,
    Warning,
    Rejected,
}

impl Prefix {
    pub const ALL: [Self; 5] = [Self::Decision, Self::Rule, Self::Limit, Self::Warning, Self::Rejected];

    /// The word before the colon.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Rule => "rule",
            Self::Limit => "limit",
            Self::Warning => "warning",
            Self::Rejected => "rejected",
        }
    }
}

/// What became of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkFate {
    Reverted,
    Superseded,
}

impl MarkFate {
    pub const ALL: [Self; 2] = [Self::Reverted, Self::Superseded];

    /// The word before the date.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reverted => "reverted",
            Self::Superseded => "superseded",
        }
    }
}

/// The mark of a statement that holds no longer, and since when: a day as in `2026-07-31`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mark {
    pub fate: MarkFate,
    pub day: String,
}

impl Mark {
    /// As it stands before a statement, without the colon.
    pub fn written(&self) -> String {
        format!("{} {}", self.fate.as_str(), self.day)
    }
}

/// A statement in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated<'a> {
    pub mark: Option<Mark>,
    pub prefix: Option<Prefix>,
    /// The statement, without mark and prefix.
    pub text: &'a str,
}

impl Stated<'_> {
    /// The statement with its mark and prefix.
    pub fn written(&self) -> String {
        let mark = self.mark.as_ref().map(|mark| format!("{}: ", mark.written())).unwrap_or_default();
        let prefix = self.prefix.map(|prefix| format!("{}: ", prefix.as_str())).unwrap_or_default();
        format!("{mark}{prefix}{}", self.text)
    }
}

/// Read a statement.
pub fn stated(statement: &str) -> Stated<'_> {
    let statement = statement.trim();
    let (mark, rest) = after_mark(statement).map_or((None, statement), |(mark, rest)| (Some(mark), rest));
    let word = |prefix: &Prefix| after_word(rest, prefix.as_str()).map(|text| (*prefix, text));
    match Prefix::ALL.iter().find_map(word) {
        Some((prefix, text)) => Stated { mark, prefix: Some(prefix), text },
        None => Stated { mark, prefix: None, text: rest },
    }
}

/// The mark before a statement, and the text after it.
pub(super) fn after_mark(statement: &str) -> Option<(Mark, &str)> {
    let read = |fate: &MarkFate| {
        let head = statement.get(..fate.as_str().len())?;
        let rest = statement[head.len()..].strip_prefix(' ')?;
        let day = rest.get(..10).filter(|day| head.eq_ignore_ascii_case(fate.as_str()) && is_day(day))?;
        let text = rest[10..].strip_prefix(": ")?.trim_start();
        Some((Mark { fate: *fate, day: day.to_owned() }, text))
    };
    MarkFate::ALL.iter().find_map(read)
}

/// The text after `word: `, in any case, if there is one.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word))?;
    let rest = text[head.len()..].strip_prefix(": ")?.trim_start();
    (!rest.is_empty()).then_some(rest)
}

/// `2026-07-31`
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes[7] == b'-'
        && is_month(&text[..7])
        && text[8..].bytes().all(|b| b.is_ascii_digit())
}

/// `2026-07`
fn is_month(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_number = |range: Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    bytes.len() == 7 && bytes[4] == b'-' && is_number(0..4) && is_number(5..7)
}

/// One item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The bold lead.
    pub title: String,
    pub mark: Option<Mark>,
    pub prefix: Option<Prefix>,
    /// The statement, on one line, without mark, prefix and month.
    pub text: String,
    /// The month at its end, as in `2026-07`.
    pub month: Option<String>,
    /// Its author, if the month is followed by one.
    pub by: Option<String>,
    /// Its whole lines, in bytes of the body; empty for one that stands in no document.
    pub span: Range<usize>,
}

impl Item {
    /// Read a list item; `None` without a bold lead.
    pub fn read(item: &str) -> Option<Self> {
        let fact = facts::fact(item)?;
        let title = fact.subject?;
        let whole = match fact.category {
            Some(category) => format!("{} [{}]", fact.statement, category.as_str()),
            None => fact.statement,
        };
        let (text, month, by) = dated(&whole);
        let Stated { mark, prefix, text } = stated(text);
        let text = text.to_owned();
        Some(Self { title, mark, prefix, text, month, by, span: fact.span })
    }

    /// Whether another says the same under the same title, word by word.
    pub fn says_as(&self, other: &Self) -> bool {
        self.title == other.title && self.statement() == other.statement()
    }

    /// The text after the title.
    pub fn statement(&self) -> String {
        let stated = Stated { mark: self.mark.clone(), prefix: self.prefix, text: &self.text };
        let end = match (&self.month, &self.by) {
            (Some(month), Some(by)) => format!(" ({month}, by {by})"),
            (Some(month), None) => format!(" ({month})"),
            (None, _) => String::new(),
        };
        format!("{}{end}", stated.written())
    }

    /// The list item, on one line.
    pub fn line(&self) -> String {
        format!("- **{}**: {}", self.title, self.statement())
    }
}

/// A statement without the month at its end, and that month and whose it is.
fn dated(statement: &str) -> (&str, Option<String>, Option<String>) {
    let end = || {
        let (text, rest) = statement.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
        let (month, by) = match rest.split_once(", by ") {
            Some((month, by)) => (month, Some(by.to_owned())),
            None => (rest, None),
        };
        (is_month(month) && !text.trim().is_empty()).then(|| (text.trim_end(), Some(month.to_owned()), by))
    };
    end().unwrap_or((statement, None, None))
}

/// The sections that have items, below Narrative.
const SECTIONS: [&str; 2] = ["Highlights", "Rules"];

/// The items of a document, in its order.
pub(super) fn read(document: &Document) -> Vec<Item> {
    let (body, outline) = (document.body(), document.outline());
    let mut found: Vec<Item> = Vec::new();
    for at in SECTIONS.iter().filter_map(|title| outline.find(&["Narrative", title])) {
        for nested in outline.with_nested(at) {
            let blocks = &outline.blocks()[outline.sections()[nested].blocks.clone()];
            let items = blocks.iter().filter(|block| matches!(block.kind, BlockKind::Item { .. }));
            found.extend(items.filter_map(|block| {
                let item = Item::read(&body[block.content.clone()])?;
                Some(Item { span: block.content.clone(), ..item })
            }));
        }
    }
    found.sort_by_key(|item| item.span.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_and_prefix_are_told_from_what_is_said() {
        let parts = |text: &str| {
            let stated = stated(text);
            assert_eq!(stated.written().to_lowercase(), text.to_lowercase());
            (stated.mark.map(|mark| mark.written()), stated.prefix, stated.text.to_owned())
        };
        let some = |mark: &str| Some(mark.to_owned());
        assert_eq!(parts("rejected: a queue"), (None, Some(Prefix::Rejected), "a queue".into()));
        assert_eq!(parts("Limit: 20 MB"), (None, Some(Prefix::Limit), "20 MB".into()));
        assert_eq!(
            parts("reverted 2026-02-04: decision: no queue"),
            (some("reverted 2026-02-04"), Some(Prefix::Decision), "no queue".into())
        );
        assert_eq!(parts("superseded 2026-02-04: x"), (some("superseded 2026-02-04"), None, "x".into()));
        for plain in
            ["reverted: x", "reverted 2026-2-4: x", "rules: x", "rejected", "rule:", "décision: x", ""]
        {
            assert_eq!(parts(plain), (None, None, plain.to_owned()), "{plain}");
        }
    }

    #[test]
    fn an_item_reads_back_as_it_was_written() {
        let line =
            "- **Retry twice**: reverted 2026-02-04: rule: must not block (see above) (2026-01, by Ann)";
        let item = Item::read(line).unwrap();
        assert_eq!((item.title.as_str(), item.text.as_str()), ("Retry twice", "must not block (see above)"));
        assert_eq!((item.month.as_deref(), item.by.as_deref()), (Some("2026-01"), Some("Ann")));
        assert_eq!(item.line(), line);
        let plain = Item::read("* **a:** b\n  c [team]").unwrap();
        assert_eq!((plain.line().as_str(), plain.month), ("- **a**: b c [team]", None));
        assert_eq!(Item::read("- no lead"), None);
    }

    #[test]
    fn items_are_those_of_highlights_and_rules() {
        let text = "---\ntitle: T\n---\n## Raw Concept\n- **no**: x\n## Narrative\n### Rules\n- **a**: b\n- plain\n### Highlights\n- **c**: d\n  e (2026-01)\n#### Deep\n- **f**: g\n\n## Facts\n- **no**: y\n";
        let document = Document::parse(text);
        let items = document.items();
        let said: Vec<_> = items.iter().map(|item| (item.title.as_str(), item.text.as_str())).collect();
        assert_eq!(said, [("a", "b"), ("c", "d e"), ("f", "g")]);
        assert_eq!(&document.body()[items[1].span.clone()], "- **c**: d\n  e (2026-01)");
    }
}
