//! Values that a merge discarded, as one-line trailers: `<path> <field>: <value>`.
//!
//! They are escaped, so that no value, field or path can forge a line, and parse back unchanged: the path ends at the
//! first blank, the field at the first colon. Knows nothing of merging.

use brv_base::content::ContentId;
use brv_base::json::shown;
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;

pub const TRAILER: &str = "Brv-Discarded";

/// How many characters of a value go into the message of a commit that is shared.
const MOST: usize = 200;

/// A value that was dropped in favour of another.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Lost")]
pub struct Discarded {
    /// The file.
    #[serde(serialize_with = "shown")]
    #[schemars(with = "String")]
    pub path: BString,
    /// A field of its frontmatter, or the heading of the text.
    pub field: String,
    /// The dropped value.
    pub value: String,
}

impl Discarded {
    pub(in crate::journal) fn to_line(&self) -> String {
        let (field, value) = (escaped(&self.field, ":"), escaped(&self.value, ""));
        let line = format!("{} {field}: {value}", escaped_path(&self.path));
        // commit messages lose trailing blanks
        line.trim_end().to_owned()
    }

    /// The line for a commit message: a long value is cut, and ends with its length and its git object ID.
    pub fn to_short_line(&self) -> String {
        let Some((end, _)) = self.value.char_indices().nth(MOST) else { return self.to_line() };
        let start = Self { value: self.value[..end].to_owned(), ..self.clone() };
        let id = ContentId::of(self.value.as_bytes());
        format!("{}… ({} bytes, {id})", start.to_line(), self.value.len())
    }

    /// Parse a line made by [`Discarded::to_line`]; `None` for anything else.
    pub(in crate::journal) fn parse(line: &str) -> Option<Self> {
        let (path, rest) = line.split_once(' ')?;
        let (field, value) = rest.split_once(": ").or_else(|| Some((rest.strip_suffix(':')?, "")))?;
        let text = |part: &str| String::from_utf8(unescaped(part)?).ok();
        Some(Self { path: unescaped(path)?.into(), field: text(field)?, value: text(value)? })
    }
}

/// Bytes that are not valid UTF-8 are escaped one by one.
pub(in crate::journal) fn escaped_path(path: &BString) -> String {
    let mut line = String::new();
    for chunk in path.utf8_chunks() {
        line.push_str(&escaped(chunk.valid(), ": "));
        line.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    line
}

/// Also escapes the characters of `ends`, which would end the text.
fn escaped(text: &str, ends: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            c if c.is_control() || (c.is_whitespace() && c != ' ') || ends.contains(c) => {
                let mut bytes = [0; 4];
                line.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\x{byte:02x}")));
            }
            c => line.push(c),
        }
    }
    let kept = line.trim_end_matches(' ').len();
    let blanks = line.len() - kept;
    line.truncate(kept);
    line.push_str(&"\\x20".repeat(blanks));
    line
}

pub(in crate::journal) fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => bytes.push(match rest.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                _ => return None,
            }),
            byte => bytes.push(byte),
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_one_line_that_reads_back_as_it_was() {
        for (path, field, value) in [
            (b"a.md".as_slice(), "importance", "3"),
            (b"my notes/b.md", "a: b", "two\nlines\r\nBrv-Op: forged"),
            (b"caf\xe9.md", "", ""),
            (b"x\\n.md", "\\x20", " blanks  "),
            (b"a.md", "text below Narrative > Rules", "- one"),
            ("é.md".as_bytes(), "ключ", "\u{7f}\u{85}\u{2028}"),
        ] {
            let one = Discarded { path: path.into(), field: field.into(), value: value.into() };
            let line = one.to_line();
            assert!(!line.chars().any(char::is_control) && line == line.trim(), "{line:?}");
            assert_eq!(Discarded::parse(&line), Some(one.clone()), "{line}");
            assert_eq!(one.to_short_line(), line);
        }
        assert_eq!(Discarded::parse("no colon"), None);
        let (field, value) = ("text below A > B: C", "- x: y");
        let one = Discarded { path: "a/b.md".into(), field: field.into(), value: value.into() };
        assert_eq!(one.to_line(), "a/b.md text below A > B\\x3a C: - x: y");
    }

    #[test]
    fn a_long_value_is_cut_in_a_shared_message() {
        let value = "é".repeat(1000);
        let one = Discarded { path: "a.md".into(), field: "summary".into(), value: value.clone() };
        let line = one.to_short_line();
        assert!(line.starts_with("a.md summary: éé") && line.chars().count() < 300, "{line}");
        assert!(line.ends_with(&format!("… (2000 bytes, {})", ContentId::of(value.as_bytes()))), "{line}");
    }
}
