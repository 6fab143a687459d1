//! A derived markdown file while it is made: fields in a fixed order with the stamp last, and a body that takes only what
//! there is room for.
//!
//! Does not know what the fields and blocks mean.

use std::fmt::Write as _;

use super::{Key, Made, stamp, tokens_of};

/// The fields before the stamp, as lines of YAML.
#[derive(Default)]
pub(super) struct Fields(String);

impl Fields {
    /// A value that is written as it is: a number, a known word.
    pub fn plain(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let _ = writeln!(self.0, "{name}: {value}");
        self
    }

    /// A value in quotes, which must have neither a quote nor a backslash.
    pub fn quoted(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let _ = writeln!(self.0, "{name}: \"{value}\"");
        self
    }

    /// A list of portable paths: they cannot hold a quote or a backslash.
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

    /// The whole file.
    pub fn with_body(self, key: Key, body: &str) -> Made {
        let gap = if body.is_empty() { "" } else { "\n" };
        let text = format!("---\n{}stamp: {}\n---\n{gap}{body}", self.0, stamp::unsealed(key));
        Made { key, text: stamp::seal(text), tokens: tokens_of(body) }
    }
}

/// A body that takes blocks as long as there is room.
pub(super) struct Body {
    pub text: String,
    /// How many characters may still be added.
    pub left: usize,
}

impl Body {
    pub fn new(room: usize) -> Self {
        Self { text: String::new(), left: room }
    }

    /// Adds `text` if there is room for all of it, and says whether there was.
    pub fn push(&mut self, text: &str) -> bool {
        let chars = text.chars().count();
        if chars > self.left {
            return false;
        }
        self.left -= chars;
        self.text.push_str(text);
        true
    }

    /// The blank line before a block, but for the first.
    pub fn gap(&self) -> &'static str {
        if self.text.is_empty() { "" } else { "\n" }
    }

    /// Adds lines that make a block of their own, if there is room. An empty one is always there.
    pub fn block(&mut self, text: &str) -> bool {
        text.is_empty() || self.push(&format!("{}{text}\n", self.gap()))
    }

    /// A heading with as many items as there is room for; none without an item.
    pub fn list(&mut self, heading: &str, items: impl Iterator<Item = String>) {
        let mut head = format!("{}## {heading}\n\n", self.gap());
        for item in items {
            if self.push(&format!("{head}- {item}\n")) {
                head.clear();
            }
        }
    }
}
