//! The field `verified`: the commit of the code that an entry was confirmed against.

use super::envelope::{self, Fenced};
use super::instant;
use bstr::ByteSlice as _;
use std::ops::Range;

/// The name of the field.
pub const FIELD: &str = "verified";

/// `verified: <commit> <committer time>`: somebody looked at the entry, and it held for the code of that commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Verified {
    /// When that commit was made, in seconds since 1970; `None` if the field does not say so.
    pub seconds: Option<i64>,
    /// The id of the commit: 40 hexadecimal digits, in lower case.
    pub commit: String,
}

impl Verified {
    /// `None` if the text is not a commit with an optional time behind it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let commit = words.next().filter(|word| is_commit(word))?.to_ascii_lowercase();
        let seconds = match words.next() {
            Some(time) => Some(instant(time)?.0),
            None => None,
        };
        words.next().is_none().then_some(Self { seconds, commit })
    }
}

fn is_commit(word: &str) -> bool {
    word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What the field adds to a file: its line, or all of a frontmatter that has nothing else; empty without it. It says
/// nothing to a reader, and counts as no tokens.
pub fn verified_line(bytes: &[u8]) -> &str {
    let text = bytes.contains_str(FIELD).then(|| std::str::from_utf8(bytes).ok()).flatten();
    text.and_then(|text| Some(&text[place(text)?])).unwrap_or_default()
}

fn place(text: &str) -> Option<Range<usize>> {
    let Fenced { open, text: inside, close } = envelope::scan(text).frontmatter?;
    let is_field = |line: &str| line.strip_prefix(FIELD).is_some_and(|rest| rest.starts_with(':'));
    let mut start = inside.start;
    for line in text[inside.clone()].split_inclusive('\n') {
        let end = start + line.len();
        if is_field(line) {
            let is_alone = text[inside].trim() == line.trim();
            return Some(close.filter(|_| is_alone).map_or(start..end, |close| open.start..close.end));
        }
        start = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "3f2a91c05d7e8b6a4c1f2e3d4b5a69788796a5b4";

    #[test]
    fn the_time_is_optional_and_anything_else_is_no_confirmation() {
        let read = Verified::parse(&format!("{COMMIT} 2026-01-02T03:04:05Z")).unwrap();
        assert_eq!(read.seconds, Some(1_767_323_045));
        let bare = Verified::parse(&COMMIT.to_uppercase()).unwrap();
        assert_eq!((bare.commit.as_str(), bare.seconds), (COMMIT, None));
        let invalid = ["", "3f2a91c", &format!("{COMMIT} soon"), &format!("{COMMIT} 2026-01-02 x"), "yes"];
        for text in invalid {
            assert_eq!(Verified::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_line_is_found_in_the_frontmatter_only() {
        let text = format!("---\ntitle: t\nverified: {COMMIT}\n---\nverified: no\n");
        assert_eq!(verified_line(text.as_bytes()), format!("verified: {COMMIT}\n"));
        let alone = format!("---\nverified: {COMMIT}\n---\n");
        assert_eq!(
            verified_line(format!("{alone}Text.\n").as_bytes()),
            alone,
            "a frontmatter for nothing else"
        );
        for none in
            ["verified: x\n", "---\ntitle: verified\n---\n", "---\nm:\n  verified: x\n---\n", "\u{fffd}"]
        {
            assert_eq!(verified_line(none.as_bytes()), "", "{none}");
        }
        assert_eq!(verified_line(b"---\nverified: x\n---\n\xff"), "", "not UTF-8: counted whole");
    }
}
