//! Parse facts: the list items under `## Facts`.
//!
//! `- **subject**: statement [category]`, where subject and category may be missing. Does not judge whether two facts
//! agree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::blocks::BlockKind;
use super::sections::Outline;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The subject, if there is one in bold before a colon.
    pub subject: Option<String>,
    /// The statement, with white space collapsed.
    pub statement: String,
    /// The category at its end, if it is a known one; an unknown one stays in the statement.
    pub category: Option<Category>,
    /// The bytes of the list item with its marker, without the last line ending, in the body.
    pub span: Range<usize>,
}

/// Whether a text surely is on one line of visible ASCII characters, with single blanks between its words: most are.
pub fn is_single_spaced(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        if !matches!(byte, b' '..=b'~') || byte == b' ' && before == b' ' {
            return false;
        }
        before = byte;
    }
    before != b' ' || text.is_empty()
}

/// The text on one line, with single blanks between its words.
pub fn single_spaced(text: &str) -> String {
    let bare = text.trim();
    if is_single_spaced(bare) {
        return bare.to_owned();
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The form in which subjects, statements and titles are compared: white space collapsed, in lower case, composed
/// (NFC).
pub fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        match word.is_ascii() {
            true => normal.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase()))),
            false => normal.extend(word.to_lowercase().nfc()),
        }
    }
    normal
}

/// Whether two texts have the same [`normal`] form.
pub fn is_same_normal(one: &str, other: &str) -> bool {
    if !one.is_ascii() || !other.is_ascii() {
        return normal(one) == normal(other);
    }
    let (mut one, mut other) = (one.split_whitespace(), other.split_whitespace());
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one.eq_ignore_ascii_case(other) => {}
            _ => return false,
        }
    }
}

/// The category of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CategoryWord")]
pub enum Category {
    Personal,
    Project,
    Preference,
    Convention,
    Team,
    // about machines and services
    Environment,
    Other,
}

impl Category {
    pub const ALL: [Category; 7] = [
        Category::Personal,
        Category::Project,
        Category::Preference,
        Category::Convention,
        Category::Team,
        Category::Environment,
        Category::Other,
    ];

    /// The word between the brackets.
    pub fn as_str(self) -> &'static str {
        match self {
            Category::Personal => "personal",
            Category::Project => "project",
            Category::Preference => "preference",
            Category::Convention => "convention",
            Category::Team => "team",
            Category::Environment => "environment",
            Category::Other => "other",
        }
    }

    /// The category of a word, in any case.
    pub fn from_word(word: &str) -> Option<Category> {
        Category::ALL.into_iter().find(|category| word.eq_ignore_ascii_case(category.as_str()))
    }
}

/// The facts of all sections titled `Facts` and of those nested in them.
pub(super) fn read(body: &str, outline: &Outline) -> Vec<Fact> {
    let read = |place: usize| {
        let span = outline.blocks()[place].content.clone();
        Some(Fact { span: span.clone(), ..fact(&body[span])? })
    };
    places(outline).into_iter().filter_map(read).collect()
}

/// The list items of those sections, as indexes into the blocks, in order.
pub(super) fn places(outline: &Outline) -> Vec<usize> {
    let mut places = Vec::new();
    let mut done = 0;
    for section in outline.titled("facts") {
        for nested in outline.with_nested(section).filter(|&nested| nested >= done) {
            let is_item = |place: &usize| matches!(outline.blocks()[*place].kind, BlockKind::Item { .. });
            places.extend(outline.sections()[nested].blocks.clone().filter(is_item));
        }
        done = outline.with_nested(section).end;
    }
    places
}

/// Parse a list item as a fact, in any section; its span is in `item`.
pub fn fact(item: &str) -> Option<Fact> {
    let span = 0..item.len();
    let item = without_marker(item);
    let words = single_spaced(item);
    if words.is_empty() {
        return None;
    }
    let (text, category) = split_category(&words);
    let (subject, statement) = match split_subject(text) {
        Some((subject, statement)) => (Some(subject.to_owned()), statement),
        None => (None, text),
    };
    Some(Fact { subject, statement: statement.to_owned(), category, span })
}

/// The text of a list item after `-`, `*`, `+`, `1.` or `1)`.
pub(super) fn without_marker(item: &str) -> &str {
    let item = item.trim_start();
    match item.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            item.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')']).unwrap_or(item)
        }
    }
}

/// A statement and the known category in brackets at its end, if it has one.
pub fn split_category(text: &str) -> (&str, Option<Category>) {
    let found = text.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match found.and_then(|(before, word)| Some((before.trim_end(), Category::from_word(word.trim())?))) {
        Some((before, category)) if !before.is_empty() => (before, Some(category)),
        _ => (text, None),
    }
}

/// The colon after a subject or a label: `:`, or its full-width form.
pub(super) const COLONS: [char; 2] = [':', '\u{ff1a}'];

/// `**subject**: statement` or `**subject:** statement`.
fn split_subject(text: &str) -> Option<(&str, &str)> {
    let (bold, rest) = text.strip_prefix("**")?.split_once("**")?;
    let (subject, statement) = match rest.trim_start().strip_prefix(COLONS) {
        Some(statement) => (bold, statement),
        None => (bold.strip_suffix(COLONS)?, rest),
    };
    let (subject, statement) = (subject.trim(), statement.trim());
    (!subject.is_empty() && !statement.is_empty()).then_some((subject, statement))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Document;

    fn facts(body: &str) -> Vec<(Option<String>, String, Option<Category>)> {
        let document = Document::parse(body);
        document.facts().into_iter().map(|fact| (fact.subject, fact.statement, fact.category)).collect()
    }

    #[test]
    fn subject_statement_and_category_are_told_apart() {
        let body = "## Facts\n- **jwt_secret**: Signed with RS256 [convention]\n- No subject here [Project]\n* **a:** b\n+ **bold** start\n1. see [docs]\n";
        let expected = [
            (Some("jwt_secret".into()), "Signed with RS256".into(), Some(Category::Convention)),
            (None, "No subject here".into(), Some(Category::Project)),
            (Some("a".into()), "b".into(), None),
            (None, "**bold** start".into(), None),
            (None, "see [docs]".into(), None),
        ];
        assert_eq!(facts(body), expected);
    }

    #[test]
    fn a_full_width_colon_ends_a_subject() {
        let said = |subject: &str, statement: &str| (Some(subject.to_owned()), statement.to_owned(), None);
        assert_eq!(
            facts("## Facts\n- **有效期**：30 天\n- **缓存：** Redis\n"),
            [said("有效期", "30 天"), said("缓存", "Redis")]
        );
    }

    #[test]
    fn composed_and_decomposed_letters_are_compared_as_one() {
        assert_eq!(normal("Cafe\u{301}  IST"), normal("caf\u{e9} ist"));
        assert_eq!(normal("\u{304b}\u{3099}"), "\u{304c}");
    }

    #[test]
    fn texts_are_the_same_as_their_normal_forms_are() {
        let texts =
            ["", " ", "a b", " A\t B\n", "ab", "a  b c", "caf\u{e9} ist", "Cafe\u{301} IST", "a\u{b}b"];
        for one in texts {
            assert_eq!(
                is_single_spaced(one),
                one.is_ascii() && !one.contains('\u{b}') && single_spaced(one) == one
            );
            for other in texts {
                assert_eq!(is_same_normal(one, other), normal(one) == normal(other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn wrapped_lines_and_nested_headings_belong_to_the_facts() {
        let body = "## Facts\r\n- **a**: one\r\n  two\r\n### More\r\n- c\r\n## Other\r\n- d\r\n";
        assert_eq!(facts(body), [(Some("a".into()), "one two".into(), None), (None, "c".into(), None)]);
    }

    #[test]
    fn lists_outside_facts_and_empty_items_are_none() {
        assert_eq!(facts("- a\n\n## Facts\n-\n\nprose\n\n```\n- x\n```\n"), []);
    }

    #[test]
    fn a_span_is_the_item_in_the_body() {
        let document = Document::parse("---\ntitle: t\n---\n## Facts\n- a\n- b\n");
        let spans: Vec<_> = document.facts().iter().map(|fact| &document.body()[fact.span.clone()]).collect();
        assert_eq!(spans, ["- a", "- b"]);
    }
}
