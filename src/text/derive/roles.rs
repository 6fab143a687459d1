//! Map a heading or a label to the role of the statements under it.
//!
//! Knows the sections of entries and node overviews, the names people give such sections elsewhere, and the worth of
//! each kind of statement. Does not read documents.

use crate::words::Literals;
use brv_base::english::list;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The role of a statement, by the heading above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Something that must or must not be done.
    Rule,
    Decision,
    /// Something the author marked as most worth knowing.
    Highlight,
    /// An item under `## Facts`.
    Fact,
    /// A key concept of a node overview.
    Concept,
    /// A part that a node overview lists as included.
    Part,
    /// A pattern, or a flow.
    Pattern,
    Statement,
    Task,
    /// Something to do, open or done: an item with a box, or one under a heading such as "Tasks".
    Todo,
    Change,
    Row,
}

impl Role {
    /// The worth of such a statement on its own, 0 to 1.
    ///
    /// Source: the order of Edmundson's location method (1969), with the sections of this format for his headings; the
    /// numbers are ours, chosen by reading the results.
    pub(super) const fn worth(self) -> f32 {
        match self {
            Self::Rule | Self::Decision => 1.0,
            Self::Highlight => 0.95,
            Self::Fact => 0.78,
            Self::Concept => 0.8,
            Self::Part | Self::Pattern => 0.6,
            Self::Statement => 0.55,
            Self::Task => 0.45,
            Self::Todo => 0.4,
            Self::Change => 0.35,
            Self::Row => 0.25,
        }
    }

    /// Whether it describes work in progress rather than knowledge.
    pub(super) const fn is_work(self) -> bool {
        matches!(self, Self::Task | Self::Todo)
    }

    /// Whether the author set it apart as knowledge: beside such statements, those about work are not key points.
    pub(super) const fn is_set_apart(self) -> bool {
        matches!(self, Self::Rule | Self::Decision | Self::Highlight | Self::Fact | Self::Concept)
    }
}

/// How to treat the text under a heading or label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingTreatment {
    Of(Role),
    /// The purpose of a node overview: its gist.
    Purpose,
    Files,
    /// Not worth summarising: code, diagrams, links, times, names.
    Skip,
}

/// The place that the heading or label `title` names; `None` for an unknown one.
pub(super) fn place_of(title: &str) -> Option<HeadingTreatment> {
    let title = title.trim().trim_end_matches([':', '：']).to_lowercase();
    static PLACES: LazyLock<HashMap<&str, HeadingTreatment>> = LazyLock::new(|| {
        let rows = HEADINGS.iter().filter_map(|[name, titles]| Some((place_called(name)?, titles)));
        rows.flat_map(|(place, titles)| list::cells(titles).map(move |title| (title, place))).collect()
    });
    PLACES.get(title.as_str()).copied()
}

/// The place that each title names.
static HEADINGS: list::Rows<2> = list::Rows::of(include_str!("lists/headings.txt"));

fn place_called(name: &str) -> Option<HeadingTreatment> {
    Some(match name {
        "purpose" => HeadingTreatment::Purpose,
        "files" => HeadingTreatment::Files,
        "skip" => HeadingTreatment::Skip,
        name => HeadingTreatment::Of(Role::deserialize(StrDeserializer::<Error>::new(name)).ok()?),
    })
}

/// Words that mark important statements: Edmundson's bonus words, for the languages notes are written in; sorted.
static BONUS: list::Set = list::Set::of_words(include_str!("lists/marking.txt"));

/// The same for scripts without spaces between words, anywhere in the text.
static BONUS_INSIDE: list::Set = list::Set::of_words(include_str!("lists/marking_unspaced.txt"));

/// Beginnings that depend on the sentence before, which a summary does not show: Edmundson's stigma words; sorted.
static STIGMA: list::Set = list::Set::of_words(include_str!("lists/leaning.txt"));

/// The same for scripts without spaces between words.
static STIGMA_STARTS: list::Set = list::Set::of_words(include_str!("lists/leaning_unspaced.txt"));

/// The factor by which a sentence's own words raise or lower its worth.
pub(super) fn cue(text: &str) -> f32 {
    (if leans(text) { 0.6 } else { 1.0 }) * if is_marked(text) { 1.2 } else { 1.0 }
}

/// Whether a sentence begins by referring to the sentence before.
pub(super) fn leans(text: &str) -> bool {
    static STARTS: LazyLock<WordList> = LazyLock::new(|| WordList::of(&STIGMA));
    let Some(first) = words(text).next() else { return false };
    if first.is_ascii() {
        return STARTS.contains(first);
    }
    let first = first.to_lowercase();
    STIGMA.contains(&first) || STIGMA_STARTS.iter().any(|start| first.starts_with(start))
}

/// Whether a sentence has a word that marks it as important.
pub(super) fn is_marked(text: &str) -> bool {
    static MARKS: LazyLock<WordList> = LazyLock::new(|| WordList::of(&BONUS));
    if text.is_ascii() {
        return MARKS.has_one_of(text, |byte| byte.is_ascii_alphanumeric() || byte == b'\'');
    }
    let lower = text.to_lowercase();
    words(&lower).any(|word| BONUS.contains(word))
        || !lower.is_ascii() && BONUS_INSIDE.iter().any(|bonus| lower.contains(bonus))
}

/// A list of words in lower case, for searching ASCII words in any case.
pub(super) struct WordList(Literals);

impl WordList {
    pub fn of(words: &list::Set) -> Self {
        Self(Literals::of(words.iter().collect()))
    }

    /// Whether a word of an ASCII text, which consists of bytes that `is_word` accepts, is in the list.
    pub fn has_one_of(&self, text: &str, is_word: impl Fn(u8) -> bool) -> bool {
        let parts = |byte: Option<&u8>| byte.is_none_or(|byte| !is_word(*byte));
        self.0.find(text).any(|(_, word)| {
            let (before, after) = (&text.as_bytes()[..word.start], &text.as_bytes()[word.end..]);
            parts(before.last()) && parts(after.first())
        })
    }

    /// Whether an ASCII word in any case is in the list.
    fn contains(&self, word: &str) -> bool {
        self.0.find(word).any(|(_, range)| range == (0..word.len()))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_the_format_and_their_kin_are_known() {
        assert_eq!(place_of("Rules"), Some(HeadingTreatment::Of(Role::Rule)));
        assert_eq!(place_of(" KEY CONCEPTS: "), Some(HeadingTreatment::Of(Role::Concept)));
        assert_eq!(place_of("規則："), Some(HeadingTreatment::Of(Role::Rule)));
        assert_eq!(place_of("Excluded from this domain:"), Some(HeadingTreatment::Skip));
        assert_eq!(place_of("Structure"), None);
    }

    #[test]
    fn each_title_of_the_list_names_one_place() {
        for [name, titles] in HEADINGS.iter() {
            for title in list::cells(titles) {
                assert_eq!(place_of(title), place_called(name), "{title}");
            }
            assert!(place_called(name).is_some(), "{name}");
        }
    }

    #[test]
    fn cues_raise_and_leaning_beginnings_lower() {
        assert!(cue("Tokens must rotate.") > cue("Tokens rotate."));
        assert!(cue("This rotates.") < cue("Tokens rotate."));
        assert!(cue("観測者は必ず記録する。") > cue("観測者は記録する。"));
        assert!(cue("これは重い。") < 1.0);
    }
}
