//! Line endings and the final newline: unified for the merge, then restored as a side wants them.

use super::{Attribute, MergePlace, Record, Settled, Side, Texts};
use crate::doc::{Document, LineEnding};
use std::borrow::Cow;

/// The three versions with line feeds only, and the line ending to restore after the merge.
pub(super) struct Endings<'a> {
    pub versions: [Cow<'a, [u8]>; 3],
    /// Whether to restore `\r\n`.
    carriage: bool,
    pub record: Option<Record>,
}

/// Unify the line endings of base, ours and theirs, if they differ and no version mixes two.
pub(super) fn unify<'a>(versions: [&'a [u8]; 3], endings: [Option<LineEnding>; 3]) -> Endings<'a> {
    // a text without line endings adapts to the others
    let [base, ours, theirs] = endings;
    let (ours, theirs) = (ours.or(base).or(theirs), theirs.or(base).or(ours));
    let mixed = endings.contains(&Some(LineEnding::Mixed));
    let known = [base.or(ours), ours, theirs];
    if mixed || known.iter().all(|ending| *ending == known[0]) {
        return Endings { versions: versions.map(Cow::Borrowed), carriage: false, record: None };
    }
    // there are only two values, so if a side changed it, its value is known; without a base line feeds win
    let winner = match base {
        None => Some(LineEnding::Lf),
        Some(_) if known[0] == ours || ours == theirs => theirs,
        Some(_) => ours,
    };
    let word = |ending: Option<LineEnding>| ending.map(|ending| ending.as_str().escape_default().to_string());
    let record = base.is_none().then(|| Record {
        place: MergePlace::Attribute { attribute: Attribute::LineEnding },
        settled: Settled::Chosen(if winner == ours { Side::Ours } else { Side::Theirs }),
        texts: Texts { base: None, ours: word(ours), theirs: word(theirs) },
    });
    let plain = |bytes: &'a [u8]| -> Cow<'a, [u8]> {
        if bytes.contains(&b'\r') {
            Cow::Owned(bstr::ByteSlice::replace(bytes, "\r\n", "\n"))
        } else {
            Cow::Borrowed(bytes)
        }
    };
    Endings { versions: versions.map(plain), carriage: winner == Some(LineEnding::CrLf), record }
}

/// The line ending of a version; `None` if it has none.
pub(super) fn of(document: &Document) -> Option<LineEnding> {
    document.as_bytes().contains(&b'\n').then(|| document.attributes().line_ending)
}

/// The text with a final newline, so that its last line equals the same line in a longer text.
pub(super) fn ended(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_empty() || text.ends_with(b"\n") {
        return Cow::Borrowed(text);
    }
    let newline: &[u8] = if bstr::ByteSlice::find(text, "\r\n").is_some() { b"\r\n" } else { b"\n" };
    Cow::Owned([text, newline].concat())
}

/// Remove the final newline if a side did. There are only two values, so the changed one is known.
pub(super) fn put_back_end([base, ours, theirs]: [&[u8]; 3], merged: &mut Vec<u8>) {
    let is_open = |text: &[u8]| !text.is_empty() && !text.ends_with(b"\n");
    let decides = if is_open(ours) == is_open(base) { theirs } else { ours };
    // a lone carriage return is the side's own
    if is_open(decides) && merged.pop_if(|byte| *byte == b'\n').is_some() && !decides.ends_with(b"\r") {
        merged.pop_if(|byte| *byte == b'\r');
    }
}

impl Endings<'_> {
    pub fn restore(&self, bytes: Vec<u8>, conflicts: &mut [super::Conflict]) -> Vec<u8> {
        if !self.carriage {
            return bytes;
        }
        for conflict in conflicts {
            if let Some(span) = &mut conflict.span {
                let feeds = |to: usize| bytes[..to].iter().filter(|byte| **byte == b'\n').count();
                *span = span.start + feeds(span.start)..span.end + feeds(span.end);
            }
        }
        bstr::ByteSlice::replace(&bytes[..], "\n", "\r\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_last_line_is_what_a_side_made_of_it() {
        let back = |versions: [&str; 3], merged: &str| {
            let mut merged = merged.as_bytes().to_vec();
            put_back_end(versions.map(str::as_bytes), &mut merged);
            String::from_utf8(merged).unwrap()
        };
        assert_eq!(back(["a\n", "a", "a\n"], "b\n"), "b");
        assert_eq!(back(["a\n", "a\n", "a"], "b\r\n"), "b");
        assert_eq!(back(["a", "a", "a\n"], "b\n"), "b\n");
        assert_eq!(back(["a", "a", ""], ""), "");
        assert_eq!(back(["a\r", "a\r", "b\na\r"], "b\na\r\n"), "b\na\r");
        assert_eq!([ended(b"a\r\nb"), ended(b"a"), ended(b"")], [&b"a\r\nb\r\n"[..], b"a\n", b""]);
    }
}
