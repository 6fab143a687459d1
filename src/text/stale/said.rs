//! The words of an entry's line, as far as they decide which differences of the code matter to it.

use super::citations::{is_identifier, is_word_char};
use brv_base::english::{list, spelled_number};
use std::collections::BTreeSet;

/// The line of an entry that names something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The words of code, as they were written.
    code: BTreeSet<String>,
    lower: BTreeSet<String>,
    line: String,
}

/// Words of code that seldom change what holds of a declaration. One matters where the line has a word of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModifierKind {
    Async,
    Unsafe,
    Visible,
    Const,
    Extern,
    Fallible,
}

/// The words of a line that make a kind of difference matter to it.
static ABOUT: list::Rows<2> = list::Rows::of(include_str!("lists/about_modifiers.txt"));

impl ModifierKind {
    /// The kind with this name in the lists.
    pub(super) fn called(name: &str) -> Option<Self> {
        Some(match name {
            "visible" => Self::Visible,
            "async" => Self::Async,
            "unsafe" => Self::Unsafe,
            "const" => Self::Const,
            "extern" => Self::Extern,
            "fallible" => Self::Fallible,
            _ => return None,
        })
    }
}

impl Said {
    pub fn of(line: &str) -> Self {
        let (mut code, mut lower) = (BTreeSet::new(), BTreeSet::new());
        for (at, part) in line.split('`').enumerate() {
            for word in part.split(|char: char| !is_word_char(char)).filter(|word| !word.is_empty()) {
                lower.insert(word.to_lowercase());
                if at % 2 == 1 || is_identifier(word) {
                    code.insert(word.to_owned());
                }
            }
        }
        Self { code, lower, line: line.to_owned() }
    }

    /// Whether the line has this word of code: in a code span, or as an identifier.
    pub(super) fn names(&self, word: &str) -> bool {
        self.code.contains(word)
    }

    /// Whether the line counts so many of something: `seven variants`.
    pub(super) fn counts(&self, number: usize) -> bool {
        let words: Vec<String> = self
            .line
            .split(|char: char| !char.is_alphanumeric())
            .map(str::to_lowercase)
            .filter(|word| !word.is_empty())
            .collect();
        let is_spelled = |word: &str| spelled_number(word).is_some_and(|own| own as usize == number);
        let is_meant = |word: &String| *word == number.to_string() || is_spelled(word);
        words.windows(2).any(|pair| is_meant(&pair[0]) && pair[1].len() > 3 && pair[1].ends_with('s'))
    }

    /// The line without paths.
    pub(super) fn prose(&self) -> String {
        self.line.split_whitespace().filter(|word| !word.contains('/')).collect::<Vec<_>>().join(" ")
    }

    /// Whether a difference of this kind matters to the line.
    pub(super) fn is_about(&self, kind: ModifierKind) -> bool {
        let is_of_kind = |[name, _]: &[&str; 2]| ModifierKind::called(name) == Some(kind);
        let mut words = ABOUT.iter().filter(is_of_kind).flat_map(|[_, words]| words.split(' '));
        words.any(|word| self.lower.contains(word))
            || kind == ModifierKind::Fallible && self.line.contains("`?`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_line_counts() {
        let counts = |line: &str, number| Said::of(line).counts(number);
        assert!(counts("Seven variants", 7) && counts("has 7 fields", 7) && counts("two kinds", 2));
        assert!(
            !counts("seven variants", 8)
                && !counts("seven", 7)
                && !counts("one of seven.", 7)
                && !counts("", 0)
        );
    }

    #[test]
    fn a_kind_matters_where_the_line_has_its_word_or_the_opposite() {
        let is_about = |line: &str, kind| Said::of(line).is_about(kind);
        assert!(
            is_about("a non-blocking call", ModifierKind::Async)
                && is_about("`Async` only", ModifierKind::Async)
        );
        assert!(
            is_about("safe for all", ModifierKind::Unsafe) && !is_about("a safety net", ModifierKind::Unsafe)
        );
        assert!(
            is_about("`pub(crate)`", ModifierKind::Visible)
                && !is_about("the publisher", ModifierKind::Visible)
        );
        assert!(
            is_about("ends with `?`", ModifierKind::Fallible)
                && !is_about("is it so?", ModifierKind::Fallible)
        );
    }
}
