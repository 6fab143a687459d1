//! Build a derived markdown file: fields in a fixed order with the stamp last, and a body that takes only what fits.
//!
//! Does not know what the fields and blocks mean.

use std::fmt::Write as _;

use super::{Key, Made, stamp, tokens_of};

/// The fields before the stamp, as lines of YAML below the fence.
pub(super) struct PageFields(String);

impl PageFields {
    pub fn new() -> Self {
        let mut text = String::with_capacity(512);
        text.push_str("---\n");
        Self(text)
    }

    /// Add a value that needs no quotes: a number, a known word.
    pub fn plain(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let _ = writeln!(self.0, "{name}: {value}");
        self
    }

    /// Add a value in quotes, which must contain neither a quote nor a backslash.
    pub fn quoted(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let _ = writeln!(self.0, "{name}: \"{value}\"");
        self
    }

    /// Add a list of portable paths, which cannot contain a quote or a backslash.
    pub fn paths<'a>(mut self, name: &str, paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut paths = paths.into_iter().peekable();
        let empty = if paths.peek().is_none() { " []" } else { "" };
        let _ = writeln!(self.0, "{name}:{empty}");
        for path in paths {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
            let starts = path.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let _ = if starts && path.chars().all(plain) {
                writeln!(self.0, "  - {path}")
            } else {
                writeln!(self.0, "  - \"{path}\"")
            };
        }
        self
    }

    pub fn with_body(mut self, key: Key, body: &str) -> Made {
        let gap = if body.is_empty() { "" } else { "\n" };
        let end = ["stamp: ", &stamp::unsealed(key), "\n---\n", gap, body].concat();
        self.0.push_str(&end);
        Made { key, text: stamp::seal(self.0), tokens: tokens_of(body) }
    }
}

/// A body that takes blocks as long as they fit.
pub(super) struct PageBody {
    pub text: String,
    /// The number of characters that may still be added.
    pub left: usize,
}

impl PageBody {
    pub fn new(room: usize) -> Self {
        Self { text: String::new(), left: room }
    }

    /// Add the pieces of a text if all of it fits, and return whether it did.
    fn push(&mut self, text: &[&str]) -> bool {
        let chars = text.iter().map(|piece| piece.chars().count()).sum::<usize>();
        if chars > self.left {
            return false;
        }
        self.left -= chars;
        self.text.extend(text.iter().copied());
        true
    }

    /// The blank line before a block, except the first.
    fn gap(&self) -> &'static str {
        if self.text.is_empty() { "" } else { "\n" }
    }

    /// Add lines as a block of their own, if they fit. An empty block always fits.
    pub fn block(&mut self, text: &str) -> bool {
        text.is_empty() || self.push(&[self.gap(), text, "\n"])
    }

    /// Add a heading with as many items as fit; nothing if no item fits.
    pub fn list(&mut self, heading: &str, items: impl Iterator<Item = String>) {
        let mut head = format!("{}## {heading}\n\n", self.gap());
        for item in items {
            if self.push(&[&head, "- ", &item, "\n"]) {
                head.clear();
            }
        }
    }
}
