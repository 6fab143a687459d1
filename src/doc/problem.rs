//! What is wrong with the bytes of a document, in words, with line and column.
//!
//! Nothing here is fatal: a document with problems is still kept byte for byte.
//! Does not judge the content; that is for the findings of a review.

use std::fmt;

use super::{Document, Value, yaml};

/// Something wrong at a place of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// Line in the document, from 1.
    pub line: usize,
    /// Column in characters, from 1; a byte that is not UTF-8 counts as one, a byte order mark as none.
    pub column: usize,
}

/// What can be wrong with the bytes of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A byte that is not part of a UTF-8 character.
    NotUtf8 {
        /// The byte.
        byte: u8,
    },
    /// A NUL character.
    Nul,
    /// The `---` that opens the frontmatter has no partner.
    UnclosedFrontmatter,
    /// A tab where YAML wants spaces.
    TabIndentation,
    /// A key that stands a second time.
    DuplicateKey {
        /// The key.
        key: String,
        /// Line in the document of the first one.
        first_line: usize,
    },
    /// The frontmatter is not valid YAML.
    InvalidYaml {
        /// What the parser said, without a place.
        message: String,
    },
    /// The frontmatter is a list or plain text.
    NotAMapping,
    /// The frontmatter is larger than 64 KiB.
    TooLarge,
    /// The frontmatter is nested deeper than 32 levels.
    TooDeep,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::NotUtf8 { byte } => write!(f, "byte 0x{byte:02x} is not UTF-8"),
            ProblemKind::Nul => f.write_str("a NUL character"),
            ProblemKind::UnclosedFrontmatter => f.write_str("frontmatter is never closed with `---`"),
            ProblemKind::TabIndentation => {
                f.write_str("a tab indents this line, but YAML allows only spaces")
            }
            ProblemKind::DuplicateKey { key, first_line } => {
                write!(f, "key `{key}` stands twice, first on line {first_line}")
            }
            ProblemKind::InvalidYaml { message } => write!(f, "frontmatter is not valid YAML: {message}"),
            ProblemKind::NotAMapping => f.write_str("frontmatter has no `key: value` fields"),
            ProblemKind::TooLarge => write!(f, "frontmatter is larger than {} KiB", yaml::MAX_BYTES / 1024),
            ProblemKind::TooDeep => write!(f, "frontmatter is nested deeper than {} levels", yaml::MAX_DEPTH),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.kind)
    }
}

/// The 1-based line and column, in characters, of a byte offset.
pub(super) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1;
    (line, column)
}

/// All problems, by position.
pub(super) fn find(document: &Document) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut report = |kind, (line, column)| problems.push(Problem { kind, line, column });
    let text = document.text();
    if let Some((offset, byte)) = first_broken_byte(document) {
        report(ProblemKind::NotUtf8 { byte }, position(text, offset));
    }
    if let Some(offset) = text.find('\0') {
        report(ProblemKind::Nul, position(text, offset));
    }
    if let Some(fenced) = &document.envelope.frontmatter {
        let first_line = position(text, fenced.text.start).0;
        let yaml = &text[fenced.text.clone()];
        if fenced.close.is_none() {
            report(ProblemKind::UnclosedFrontmatter, (1, 1));
        }
        for (kind, (line, column)) in in_yaml(yaml, document.reading(), first_line) {
            report(kind, (first_line + line - 1, column));
        }
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems
}

fn first_broken_byte(document: &Document) -> Option<(usize, u8)> {
    let bytes = document.as_bytes();
    let valid = std::str::from_utf8(bytes).err()?.valid_up_to();
    Some((valid, bytes[valid]))
}

/// Problems of the YAML text with 1-based positions in it; `first_line` is the line of the document it starts on.
fn in_yaml(text: &str, reading: &yaml::Reading, first_line: usize) -> Vec<(ProblemKind, (usize, usize))> {
    match &reading.error {
        Some(yaml::Error::TooLarge) => vec![(ProblemKind::TooLarge, (1, 1))],
        Some(yaml::Error::TooDeep) => vec![(ProblemKind::TooDeep, (1, 1))],
        Some(yaml::Error::NotAMapping) => vec![(ProblemKind::NotAMapping, (1, 1))],
        Some(yaml::Error::Invalid { message, line, column }) => {
            vec![invalid(text, message, (*line, *column))]
        }
        None => duplicates(text, &reading.fields, first_line),
    }
}

fn invalid(text: &str, message: &str, (line, column): (usize, usize)) -> (ProblemKind, (usize, usize)) {
    let found = text.lines().nth(line.saturating_sub(1)).unwrap_or("");
    let lead = &found[..found.len() - found.trim_start_matches([' ', '\t']).len()];
    if let Some(tab) = lead.find('\t') {
        return (ProblemKind::TabIndentation, (line, tab + 1));
    }
    let plain = message.split(" at line ").next().unwrap_or(message);
    (ProblemKind::InvalidYaml { message: plain.to_owned() }, (line.max(1), column.max(1)))
}

/// Every key that stands again, at the line where it does. A key nested in a value has the place of its field.
fn duplicates(
    text: &str,
    fields: &[(Value, Value)],
    first_line: usize,
) -> Vec<(ProblemKind, (usize, usize))> {
    let mut found = Vec::new();
    for (at, (key, value)) in fields.iter().enumerate() {
        let Some(name) = key.as_str() else { continue };
        let before = fields[..at].iter().filter(|(earlier, _)| earlier == key).count();
        let lines = lines_of_key(text, name);
        let line = |nth: usize| lines.get(nth).or(lines.last()).copied().unwrap_or(1);
        if before > 0 {
            let first_line = first_line + line(0) - 1;
            found.push((ProblemKind::DuplicateKey { key: name.to_owned(), first_line }, (line(before), 1)));
        }
        if let Some(nested) = nested_duplicate(value) {
            let first_line = first_line + line(before) - 1;
            found.push((ProblemKind::DuplicateKey { key: nested, first_line }, (line(before), 1)));
        }
    }
    found
}

fn nested_duplicate(value: &Value) -> Option<String> {
    match value {
        Value::Map(fields) => fields.iter().enumerate().find_map(|(at, (key, value))| {
            let twice = fields[..at].iter().any(|(before, _)| before == key);
            if twice { Some(key.as_str().unwrap_or("?").to_owned()) } else { nested_duplicate(value) }
        }),
        Value::List(items) => items.iter().find_map(nested_duplicate),
        Value::Null | Value::Scalar(_) => None,
    }
}

/// The 1-based lines on which `key` stands as a key without indentation, quoted or not.
fn lines_of_key(text: &str, key: &str) -> Vec<usize> {
    let forms = [key.to_owned(), format!("\"{key}\""), format!("'{key}'")];
    let is_key = |line: &str| {
        forms.iter().any(|form| {
            line.strip_prefix(form.as_str())
                .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(':'))
        })
    };
    text.lines().enumerate().filter(|(_, line)| is_key(line)).map(|(at, _)| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: impl AsRef<[u8]>) -> Vec<(usize, usize, ProblemKind)> {
        let document = Document::parse(text.as_ref());
        document.problems().iter().map(|p| (p.line, p.column, p.kind.clone())).collect()
    }

    #[test]
    fn a_key_set_twice_is_reported_with_both_lines() {
        let twice = |key: &str, first_line| ProblemKind::DuplicateKey { key: key.into(), first_line };
        assert_eq!(places("---\ntags: [a]\ntitle: b\ntags: [c]\n---\n"), [(4, 1, twice("tags", 2))]);
        assert_eq!(places("---\r\nb: {x: 1, x: 2}\r\n---\r\n"), [(2, 1, twice("x", 2))]);
        let said = Document::parse("---\na: 1\n\"a\": 2\n---\n").problems()[0].to_string();
        assert_eq!(said, "line 3, column 1: key `a` stands twice, first on line 2");
    }

    #[test]
    fn a_tab_an_open_quote_and_an_open_fence_have_their_place() {
        assert_eq!(places("---\na: b\n\tc: d\n---\n"), [(3, 1, ProblemKind::TabIndentation)]);
        assert_eq!(places("---\na: b\n\nbody\n"), [(1, 1, ProblemKind::UnclosedFrontmatter)]);
        let open = places("---\ntitle: a: b\n---\n");
        assert!(matches!(&open[..], [(2, 9, ProblemKind::InvalidYaml { .. })]), "{open:?}");
    }

    #[test]
    fn the_first_byte_that_is_not_utf_8_is_shown() {
        assert_eq!(places(b"ok\n\xc3\xa9a\xffb"), [(2, 3, ProblemKind::NotUtf8 { byte: 0xff })]);
        assert_eq!(places("\u{feff}a\0"), [(1, 2, ProblemKind::Nul)]);
    }

    #[test]
    fn a_well_formed_document_has_no_problem() {
        assert_eq!(places("---\ntitle: a\n---\n# b\n"), []);
        assert_eq!(places(""), []);
    }
}
