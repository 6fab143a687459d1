//! How a text names a file of the code, or something in it.

use crate::doc::Document;
use crate::stale::{citing_lines, introduces};
use std::collections::HashMap;

/// Names that so many files have that only the folder tells which one is meant.
const COMMON: [&str; 10] = [
    "mod.rs",
    "lib.rs",
    "main.rs",
    "index.js",
    "index.ts",
    "__init__.py",
    "main.py",
    "main.go",
    "main.c",
    "index.md",
];

/// The names of files, as a text would have them.
pub(super) struct FileNameSet<'a>(Vec<&'a str>);

impl<'a> FileNameSet<'a> {
    pub fn of(files: &'a [String]) -> Self {
        Self(files.iter().map(|file| last(file)).collect())
    }

    /// Whether a text names one of them.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|name| !name.is_empty() && has_word(text, name))
    }
}

/// The name of a file; with its folder where many have that name.
fn last(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    match COMMON.contains(&name) {
        true => file.rmatch_indices('/').nth(1).map_or(file, |(at, _)| &file[at + 1..]),
        false => name,
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// What the files introduce: functions, types, constants, fields.
pub(super) struct Symbols<'a> {
    code: &'a [String],
    /// For each name that was looked for, whether a file introduces it.
    known: HashMap<String, bool>,
}

impl<'a> Symbols<'a> {
    pub fn of(code: &'a [String]) -> Self {
        Self { code, known: HashMap::new() }
    }

    /// Whether a text names one of them.
    pub fn are_in(&mut self, text: &str) -> bool {
        if self.code.is_empty() {
            return false;
        }
        let names = citing_lines(&Document::parse(text)).into_iter().flat_map(|line| line.names);
        names.into_iter().any(|name| self.has(name))
    }

    fn has(&mut self, name: String) -> bool {
        let code = self.code;
        let find = |name: &str| code.iter().any(|code| code.contains(name) && introduces(code, name));
        match self.known.get(&name) {
            Some(is_known) => *is_known,
            None => {
                let is_known = find(&name);
                self.known.insert(name, is_known);
                is_known
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_what_a_file_introduces_and_not_what_it_uses() {
        let code =
            ["use x::Gate;\n\npub fn open_it(gate: &Gate) {\n    shut(gate);\n}\nconst MOST: u8 = 3;\n"
                .to_owned()];
        let mut symbols = Symbols::of(&code);
        assert!(symbols.are_in("call `open_it()` once") && symbols.are_in("at most `MOST`"));
        assert!(symbols.are_in("open_it is slow"));
        assert!(!symbols.are_in("`Gate` and `shut`") && !symbols.are_in("open it"));
        assert!(!Symbols::of(&[]).are_in("`open_it`"));
    }

    #[test]
    fn a_name_is_a_word_and_a_common_one_needs_its_folder() {
        let is_in = |file: &str, text: &str| {
            let files = [file.to_owned()];
            FileNameSet::of(&files).is_in(text)
        };
        assert!(is_in("src/retry.rs", "see `src/retry.rs:12`") && is_in("retry.rs", "retry.rs"));
        assert!(!is_in("src/retry.rs", "no_retry.rs") && !is_in("a", "cat"));
        assert!(is_in("src/net/mod.rs", "in net/mod.rs") && !is_in("src/net/mod.rs", "in gui/mod.rs"));
        assert!(is_in("mod.rs", "mod.rs"));
    }
}
