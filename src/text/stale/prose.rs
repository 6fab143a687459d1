//! Which files are texts for people, by their names.

/// Endings of such files, in lower case.
const ENDINGS: [&str; 8] = ["md", "markdown", "mdx", "txt", "text", "rst", "adoc", "org"];

/// Such files without an ending.
const NAMES: [&str; 7] = ["README", "LICENSE", "COPYING", "NOTICE", "AUTHORS", "CHANGELOG", "CONTRIBUTING"];

/// Settings in spite of their ending.
const SETTINGS: [&str; 3] = ["requirements", "constraints", "cmakelists"];

/// Whether the file at a path is a text for people: such a text mentions names and declares none.
pub fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, ending)) = name.rsplit_once('.') else { return NAMES.contains(&name) };
    let is_setting = SETTINGS.iter().any(|start| stem.to_lowercase().starts_with(start));
    ENDINGS.contains(&&*ending.to_lowercase()) && !is_setting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_for_people_are_told_by_their_names() {
        assert!(["README", "docs/a.md", "A.TXT", "a.b/notes.rst"].iter().all(|path| is_prose(path)));
        let others = ["src/a.rs", "requirements-dev.txt", "CMakeLists.txt", "Makefile", "a.md/b.py", ".md2"];
        assert!(!others.iter().any(|path| is_prose(path)));
    }
}
