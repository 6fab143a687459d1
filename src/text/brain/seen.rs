//! What a page has already: no title twice, and nearly equal statements once.

use crate::doc::normal;
use crate::words::Runs;
use std::collections::BTreeSet;

/// From this share of the three-word runs on, of the longer text, two statements are nearly equal.
const NEAR: f64 = 0.8;

/// Texts of fewer runs must be equal: with another word at its end a shorter one says something else.
const LONG: usize = 8;

#[derive(Debug, Default)]
pub(super) struct ShownTexts {
    titles: BTreeSet<String>,
    texts: Vec<ShownText>,
}

/// A text to compare.
#[derive(Debug)]
struct ShownText {
    normal: String,
    runs: Runs,
}

impl ShownText {
    fn of(text: &str) -> Self {
        Self { normal: normal(text), runs: Runs::of(text) }
    }

    fn is_near(&self, other: &Self) -> bool {
        let is_long = self.runs.len().min(other.runs.len()) >= LONG;
        self.normal == other.normal
            || is_long && self.runs.likeness(&other.runs) >= NEAR && self.numbers().eq(other.numbers())
    }

    /// Its words with a digit: with another one it says something else.
    fn numbers(&self) -> impl Iterator<Item = &str> {
        self.normal.split(' ').filter(|word| word.contains(|c: char| c.is_ascii_digit()))
    }
}

impl ShownTexts {
    /// Add a statement; whether it is new.
    pub fn add(&mut self, title: &str, text: &str) -> bool {
        let (title, text) = (normal(title), ShownText::of(text));
        if self.titles.contains(&title) || self.texts.iter().any(|known| known.is_near(&text)) {
            return false;
        }
        if !title.is_empty() {
            self.titles.insert(title);
        }
        self.texts.push(text);
        true
    }

    /// Whether a summary says what is shown already.
    pub fn has(&self, summary: &str) -> bool {
        let text = ShownText::of(summary);
        let begins = |title: &String| {
            text.normal.strip_prefix(title.as_str()).is_some_and(|rest| rest.starts_with([':', '.']))
        };
        let is_near =
            |known: &ShownText| known.normal == text.normal || text.runs.contained_in(&known.runs) >= NEAR;
        self.titles.iter().any(begins) || self.texts.iter().any(is_near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_and_a_text_are_new_once() {
        let mut seen = ShownTexts::default();
        let text = "one two three four five six seven eight nine ten eleven twelve";
        assert!(seen.add("Title", text));
        assert!(!seen.add("TITLE ", "something else"));
        assert!(!seen.add("other", &format!("{text} thirteen")), "nearly equal");
        assert!(seen.add("other", &format!("{text} 13")), "another number");
        assert!(seen.add("", "short") && !seen.add("", "Short") && seen.add("", "shorter"));
        assert!(seen.has("Title: and more") && seen.has("one two three four five") && !seen.has("Titles: x"));
    }
}
