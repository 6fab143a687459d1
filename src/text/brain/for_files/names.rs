//! How a text names a file of the code.

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
pub(super) struct Named<'a>(Vec<&'a str>);

impl<'a> Named<'a> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_and_a_common_one_needs_its_folder() {
        let is_in = |file: &str, text: &str| {
            let files = [file.to_owned()];
            Named::of(&files).is_in(text)
        };
        assert!(is_in("src/retry.rs", "see `src/retry.rs:12`") && is_in("retry.rs", "retry.rs"));
        assert!(!is_in("src/retry.rs", "no_retry.rs") && !is_in("a", "cat"));
        assert!(is_in("src/net/mod.rs", "in net/mod.rs") && !is_in("src/net/mod.rs", "in gui/mod.rs"));
        assert!(is_in("mod.rs", "mod.rs"));
    }
}
