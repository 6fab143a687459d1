//! Describe what is wrong with the bytes of a document, with line and column.
//!
//! Nothing here is fatal: a document with problems is still kept byte for byte. Does not judge the content; findings of
//! a review do that.

use brv_base::sorting;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::envelope::{self, Fenced};
use super::{BlockKind, CANONICAL_FIELDS, Document, Value, yaml};

/// A problem at one place of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// Line in the document, from 1.
    pub line: usize,
    /// Column in characters, from 1; a byte that is not UTF-8 counts as one, a byte order mark as none.
    pub column: usize,
}

/// The kinds of problems with the bytes of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A byte that is not part of a UTF-8 character.
    NotUtf8 {
        byte: u8,
    },
    Nul,
    /// The `---` that opens the frontmatter is never closed.
    UnclosedFrontmatter,
    /// A tab where YAML requires spaces.
    TabIndentation,
    /// A key that occurs a second time.
    DuplicateKey {
        key: String,
        /// The line in the document of the first occurrence.
        first_line: usize,
    },
    InvalidYaml {
        /// The parser's message, without position.
        message: String,
    },
    /// The frontmatter is a list or plain text.
    NotAMapping,
    /// A second frontmatter follows the first: two versions of an entry, one after the other.
    SecondFrontmatter,
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
                write!(f, "duplicate key `{key}`, first on line {first_line}")
            }
            ProblemKind::InvalidYaml { message } => write!(f, "frontmatter is not valid YAML: {message}"),
            ProblemKind::NotAMapping => f.write_str("frontmatter has no `key: value` fields"),
            ProblemKind::SecondFrontmatter => f.write_str("a second frontmatter begins here"),
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

/// The 1-based line of a byte offset.
pub(super) fn line(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
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
    if let Some(offset) = second_frontmatter(document) {
        problems.push(Problem {
            kind: ProblemKind::SecondFrontmatter,
            line: position(text, offset).0,
            column: 1,
        });
    }
    sorting::sort_by_key(&mut problems, |problem| (problem.line, problem.column));
    problems
}

/// The start of a second frontmatter: between `---` lines of the body, outside code, there are at least two fields that
/// entries have. Fewer may be an example, or thematic breaks around a line with a colon; directly after the first
/// frontmatter, one field is enough.
fn second_frontmatter(document: &Document) -> Option<usize> {
    document.envelope.frontmatter.as_ref()?.close.as_ref()?;
    let body = document.body();
    let starts = body.match_indices("---").map(|(start, _)| start);
    for start in starts.filter(|start| *start == 0 || body.as_bytes()[start - 1] == b'\n') {
        let line = body[start..].split('\n').next().unwrap_or_default();
        let fewest = if body[..start].trim().is_empty() { 1 } else { 2 };
        if line.trim_end() == "---"
            && fields_of_an_entry(&body[start..]) >= fewest
            && !is_in_code(document, start)
        {
            return Some(document.body_start() + start);
        }
    }
    None
}

/// The number of fields that entries have, in the frontmatter at the start of the text.
fn fields_of_an_entry(text: &str) -> usize {
    let Some(Fenced { text: inside, close: Some(_), .. }) = envelope::scan(text).frontmatter else {
        return 0;
    };
    let fields = yaml::read(&text[inside]).fields;
    fields.iter().filter(|(key, _)| key.as_str().is_some_and(|key| CANONICAL_FIELDS.contains(&key))).count()
}

fn is_in_code(document: &Document, offset: usize) -> bool {
    let block = document.blocks().iter().find(|block| block.span.contains(&offset));
    block.is_some_and(|block| matches!(block.kind, BlockKind::Fence { .. } | BlockKind::Indented))
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

/// Every key that occurs again, with the line of that occurrence. A key nested in a value gets the place of its field.
fn duplicates(
    text: &str,
    fields: &[(Value, Value)],
    first_line: usize,
) -> Vec<(ProblemKind, (usize, usize))> {
    let lines = lines_of_keys(text);
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(fields.len());
    let mut found = Vec::new();
    for (key, value) in fields {
        let Some(name) = key.as_str() else { continue };
        let before = *seen.entry(name).and_modify(|count| *count += 1).or_default();
        let line = |nth: usize| lines.get(name).and_then(|lines| lines.get(nth)).copied().unwrap_or(1);
        let mut report = |key: String, first: usize| {
            let first_line = first_line + first - 1;
            found.push((ProblemKind::DuplicateKey { key, first_line }, (line(before), 1)));
        };
        if before > 0 {
            report(name.to_owned(), line(0));
        }
        if let Some(nested) = nested_duplicate(value) {
            report(nested, line(before));
        }
    }
    found
}

fn nested_duplicate(value: &Value) -> Option<String> {
    match value {
        Value::Map(fields) => {
            let mut keys = HashSet::with_capacity(fields.len());
            fields.iter().find_map(|(key, value)| {
                let again = !keys.insert(key);
                if again { Some(key.as_str().unwrap_or("?").to_owned()) } else { nested_duplicate(value) }
            })
        }
        Value::List(items) => items.iter().find_map(nested_duplicate),
        Value::Null | Value::Scalar(_) => None,
    }
}

/// The 1-based lines with each unindented key, quoted or not.
fn lines_of_keys(text: &str) -> HashMap<&str, Vec<usize>> {
    let mut lines: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in text.lines().enumerate() {
        if let Some((key, _)) = line.split_once(':')
            && !line.starts_with([' ', '\t', '#', '-'])
        {
            lines.entry(key.trim_end().trim_matches(['"', '\''])).or_default().push(at + 1);
        }
    }
    lines
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
        assert_eq!(said, "line 3, column 1: duplicate key `a`, first on line 2");
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
    fn a_second_frontmatter_has_its_place_and_an_example_in_code_is_none() {
        let entry = "---\ntitle: a\ntags: [x]\n---\n";
        let twice = format!("{entry}One.\n\n{entry}Two.\n");
        assert_eq!(places(&twice), [(7, 1, ProblemKind::SecondFrontmatter)]);
        assert_eq!(places(format!("{entry}{entry}")), [(5, 1, ProblemKind::SecondFrontmatter)]);
        let short = "---\ntitle: a\n---\n";
        assert_eq!(places(format!("{short}{short}One.\n")), [(4, 1, ProblemKind::SecondFrontmatter)]);
        for fine in [
            format!("{entry}```yaml\n{entry}```\n"),
            format!("{entry}One.\n\n---\n\nTwo.\n\n---\n"),
            format!("{entry}---\nnote: this\n---\n"),
            format!("One.\n\n{entry}"),
        ] {
            assert_eq!(places(&fine), [], "{fine}");
        }
    }

    #[test]
    fn a_well_formed_document_has_no_problem() {
        assert_eq!(places("---\ntitle: a\n---\n# b\n"), []);
        assert_eq!(places(""), []);
    }
}
