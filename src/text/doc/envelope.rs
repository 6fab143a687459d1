//! Split a document into byte order mark, frontmatter between `---` lines, and body. The frontmatter may also end with
//! `...`, YAML's mark for the end of a document.
//!
//! Does not know what fields mean, nor markdown. Uses the YAML parser only where a fence could also be a thematic break
//! of the body.

use std::ops::Range;

use super::yaml;

/// The UTF-8 byte order mark.
pub(super) const BOM: &str = "\u{feff}";

/// The byte ranges of the parts of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocumentEnvelope {
    pub frontmatter: Option<Fenced>,
    pub body_start: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fenced {
    /// The opening `---` line with its line ending.
    pub open: Range<usize>,
    /// The text between the fences, whole lines.
    pub text: Range<usize>,
    /// The closing `---` or `...` line with its line ending; `None` if the frontmatter is never closed.
    pub close: Option<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnding {
    /// `\n`, also for a document without any line ending.
    Lf,
    /// `\r\n` everywhere.
    CrLf,
    Mixed,
}

impl LineEnding {
    /// The line ending for a new line; `\n` if both kinds are in use.
    pub fn as_str(self) -> &'static str {
        match self {
            LineEnding::Lf | LineEnding::Mixed => "\n",
            LineEnding::CrLf => "\r\n",
        }
    }
}

/// Byte-level attributes of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    pub line_ending: LineEnding,
    /// True if it starts with a UTF-8 byte order mark.
    pub byte_order_mark: bool,
    /// True if its last byte is a line feed.
    pub final_newline: bool,
}

/// Find the parts. A `---` line opens frontmatter only as the first line (after an optional byte order mark).
///
/// A leading `---` followed by a blank line and prose, or never closed and not followed by a field, is a thematic break
/// of the body. Unclosed frontmatter ends before the first blank line or heading, so that the body stays readable; a
/// later `---` is not taken as its end if there is prose in between.
pub(super) fn scan(text: &str) -> DocumentEnvelope {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let bare = DocumentEnvelope { frontmatter: None, body_start: start };
    let open = start..line_end(text, start);
    if !is_fence(&text[open.clone()]) {
        return bare;
    }
    let first = &text[open.end..line_end(text, open.end)];
    match closing(text, open.end) {
        Some(close) => {
            let inside = &text[open.end..close.start];
            let prose =
                is_blank(first) && inside.lines().find(|line| !is_blank(line)).is_some_and(|l| !is_field(l));
            if prose {
                return bare;
            }
            if let Some(end) = torn(text, open.end..close.start) {
                let text = open.end..end;
                return DocumentEnvelope {
                    frontmatter: Some(Fenced { open, text, close: None }),
                    body_start: end,
                };
            }
            let body_start = close.end;
            let text = open.end..close.start;
            DocumentEnvelope { frontmatter: Some(Fenced { open, text, close: Some(close) }), body_start }
        }
        None if is_field(first) => {
            let end = unclosed_end(text, open.end);
            let text = open.end..end;
            DocumentEnvelope { frontmatter: Some(Fenced { open, text, close: None }), body_start: end }
        }
        None => bare,
    }
}

/// Line ending, byte order mark and final newline of a text.
pub(super) fn attributes(text: &str) -> Attributes {
    let feeds = text.bytes().filter(|&byte| byte == b'\n').count();
    let pairs = text.as_bytes().windows(2).filter(|pair| pair == b"\r\n").count();
    let line_ending = match pairs {
        0 => LineEnding::Lf,
        _ if pairs == feeds => LineEnding::CrLf,
        _ => LineEnding::Mixed,
    };
    Attributes { line_ending, byte_order_mark: text.starts_with(BOM), final_newline: text.ends_with('\n') }
}

/// A text of the same length as `bytes`, with one `?` for every byte that is not part of a UTF-8 character.
pub(super) fn shadow(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    text
}

/// The end of the line that starts at `from`, after its line feed.
pub(super) fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |at| from + at + 1)
}

/// True for a line that could be the first of a YAML mapping: `key:`, a comment, a flow collection, a quoted key.
pub(super) fn is_field(line: &str) -> bool {
    let line = line.trim_end_matches(['\n', '\r']);
    match line.bytes().next() {
        None => false,
        Some(b'#' | b'{' | b'?' | b'%') => true,
        Some(b'"' | b'\'') => line.contains(':'),
        Some(first) if first.is_ascii_alphanumeric() || first == b'_' => {
            line.split_once(':').is_some_and(|(key, rest)| {
                !key.contains(' ') && (rest.is_empty() || rest.starts_with([' ', '\t']))
            })
        }
        Some(_) => false,
    }
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_whitespace()))
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace())
}

fn closing(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    let mut is_first_end = true;
    while at < text.len() {
        let end = line_end(text, at);
        let line = &text[at..end];
        if is_fence(line) {
            return Some(at..end);
        }
        if is_first_end && is_document_end(line) {
            is_first_end = false;
            if is_frontmatter(&text[from..at]) {
                return Some(at..end);
            }
        }
        at = end;
    }
    None
}

/// `...` is also what an author writes for text that is left out.
fn is_document_end(line: &str) -> bool {
    line.strip_prefix("...").is_some_and(is_blank)
}

/// Whether the text is YAML that begins with a field.
fn is_frontmatter(text: &str) -> bool {
    let first = text.lines().find(|line| !is_blank(line));
    first.is_some_and(is_field) && yaml::read(text).error.is_none()
}

/// The end of frontmatter whose closing fence is missing. It is missing if the text up to the next `---` (`inside` ends
/// there) is prose: a line after a blank line or heading that starts like a sentence, and invalid YAML as a whole.
fn torn(text: &str, inside: Range<usize>) -> Option<usize> {
    let end = unclosed_end(&text[..inside.end], inside.start);
    let is_prose = |line: &str| line.starts_with(char::is_alphabetic) && !is_field(line);
    let prose = text[end..inside.end].lines().any(is_prose) && is_field(&text[inside.start..end]);
    (prose && yaml::read(&text[inside]).error.is_some()).then_some(end)
}

fn unclosed_end(text: &str, from: usize) -> usize {
    let mut at = from;
    while at < text.len() {
        let end = line_end(text, at);
        let line = &text[at..end];
        if is_blank(line) || line.starts_with("##") || (at > from && line.starts_with("# ")) {
            return at;
        }
        at = end;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Option<&str>, &str) {
        let envelope = scan(text);
        (envelope.frontmatter.map(|fenced| &text[fenced.text]), &text[envelope.body_start..])
    }

    #[test]
    fn the_fences_may_have_a_byte_order_mark_carriage_returns_and_trailing_blanks() {
        assert_eq!(parts("---\na: 1\n---\nbody"), (Some("a: 1\n"), "body"));
        assert_eq!(parts("\u{feff}---\r\na: 1\r\n---  \r\nbody\r\n"), (Some("a: 1\r\n"), "body\r\n"));
        assert_eq!(parts("---\n---\n"), (Some(""), ""));
        assert_eq!(parts("---\na: 1\n---"), (Some("a: 1\n"), ""));
    }

    #[test]
    fn the_end_of_a_yaml_document_closes_what_is_yaml() {
        assert_eq!(parts("---\na: 1\n...\nbody\n---\n"), (Some("a: 1\n"), "body\n---\n"));
        assert_eq!(parts("\u{feff}---\r\na: 1\r\n... \r\nbody\r\n"), (Some("a: 1\r\n"), "body\r\n"));
        assert_eq!(parts("---\na: 1\n..."), (Some("a: 1\n"), ""));
        assert_eq!(parts("---\na: 1\n....\n---\n"), (Some("a: 1\n....\n"), ""));
        assert_eq!(parts("---\na: 1\n  ...\n---\n"), (Some("a: 1\n  ...\n"), ""));
        assert_eq!(parts("---\n...\nProse.\n").0, None);
        let unclosed = "---\ntitle: a\n\n## H\n- one\n...\n";
        assert_eq!(parts(unclosed), (Some("title: a\n"), "\n## H\n- one\n...\n"));
        let text = "---\na: |\n  x\n  ...\nb: 1\n---\nbody\n";
        assert_eq!(parts(text), (Some("a: |\n  x\n  ...\nb: 1\n"), "body\n"));
    }

    #[test]
    fn a_rule_on_top_of_prose_is_not_frontmatter() {
        assert_eq!(parts("---\n\nProse. More\n\n---\nend\n"), (None, "---\n\nProse. More\n\n---\nend\n"));
        assert_eq!(parts("---\nProse without an end\n"), (None, "---\nProse without an end\n"));
        assert_eq!(parts(" ---\na: 1\n---\n").0, None);
        assert_eq!(parts("----\na: 1\n----\n").0, None);
        assert_eq!(parts("---"), (None, "---"));
    }

    #[test]
    fn a_blank_line_before_the_first_field_is_kept_as_frontmatter() {
        assert_eq!(parts("---\n\ntitle: a\n---\n"), (Some("\ntitle: a\n"), ""));
    }

    #[test]
    fn unclosed_frontmatter_leaves_the_body_readable() {
        assert_eq!(
            parts("---\ntitle: a\ntags: [b]\n\n## Facts\n- c\n"),
            (Some("title: a\ntags: [b]\n"), "\n## Facts\n- c\n")
        );
        assert_eq!(parts("---\ntitle: a\n# Heading\n"), (Some("title: a\n"), "# Heading\n"));
        assert_eq!(parts("---\ntitle: a"), (Some("title: a"), ""));
    }

    #[test]
    fn a_rule_below_prose_does_not_close_frontmatter() {
        assert_eq!(
            parts("---\ntitle: a\n\n# H\nProse.\n\n---\nmore\n"),
            (Some("title: a\n"), "\n# H\nProse.\n\n---\nmore\n")
        );
        let quoted = "---\ntitle: \"a\n\n  b\"\n\n# comment\nx: y\n---\nbody\n";
        assert_eq!(parts(quoted).1, "body\n");
    }

    #[test]
    fn attributes_are_told_from_the_bytes() {
        let crlf = attributes("a\r\nb\r\n");
        assert_eq!((crlf.line_ending, crlf.final_newline), (LineEnding::CrLf, true));
        assert_eq!(attributes("a\r\nb\n").line_ending, LineEnding::Mixed);
        assert_eq!(attributes("a").line_ending, LineEnding::Lf);
        assert!(attributes("\u{feff}a").byte_order_mark);
    }

    #[test]
    fn the_shadow_of_broken_bytes_has_their_length() {
        assert_eq!(shadow(b"a\xff\xfe\xc3b\xc3\xa9"), "a???b\u{e9}");
    }
}
