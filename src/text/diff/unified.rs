//! Write hunks in unified diff format, and apply hunks to a file.
//!
//! Writes hunks only: the caller writes the file header lines.

use super::{Hunk, LineKind};
use bstr::{BString, ByteSlice};
use std::io::Write as _;
use std::ops::Range;

/// The line that a patch has after a last line without line ending.
const NO_NEWLINE: &[u8] = b"\\ No newline at end of file\n";

/// The hunks in unified form, byte for byte as git and `patch` read them.
pub fn patch(hunks: &[Hunk]) -> BString {
    let mut out = BString::default();
    for hunk in hunks {
        out.extend_from_slice(hunk.header().as_bytes());
        if let Some(heading) = &hunk.heading {
            out.push(b' ');
            out.extend_from_slice(heading);
        }
        out.push(b'\n');
        for line in &hunk.lines {
            write!(out, "{}", line.kind.sign()).expect("writing to memory cannot fail");
            out.extend_from_slice(&line.text);
            if !line.text.ends_with(b"\n") {
                out.push(b'\n');
                out.extend_from_slice(NO_NEWLINE);
            }
        }
    }
    out
}

impl Hunk {
    /// `@@ -12,7 +12,8 @@`: first line (from 1) and number of lines of both sides. An empty side names the line above
    /// it, and a count of 1 is left out, as in git.
    pub fn header(&self) -> String {
        format!("@@ -{} +{} @@", span(&self.before), span(&self.after))
    }
}

fn span(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        length => format!("{},{length}", range.start + 1),
    }
}

/// A hunk does not apply to the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the change at line {line} does not apply to the file")]
pub struct HunkMismatch {
    /// The line, from 1, where the file differs from what the hunk expects.
    pub line: usize,
}

/// Apply `hunks` to `before`, at exactly the places they name.
///
/// # Errors
/// [`HunkMismatch`] for the first line that differs from the hunk.
pub fn apply(hunks: &[Hunk], before: &[u8]) -> Result<BString, HunkMismatch> {
    let lines: Vec<&[u8]> = before.lines_with_terminator().collect();
    let mut out = BString::default();
    let mut next = 0;
    for hunk in hunks {
        let unchanged =
            lines.get(next..hunk.before.start).ok_or(HunkMismatch { line: hunk.before.start + 1 })?;
        unchanged.iter().for_each(|line| out.extend_from_slice(line));
        next = hunk.before.start;
        for line in &hunk.lines {
            if line.kind != LineKind::Added {
                if lines.get(next).is_none_or(|there| *there != line.text.as_bytes()) {
                    return Err(HunkMismatch { line: next + 1 });
                }
                next += 1;
            }
            if line.kind != LineKind::Removed {
                out.extend_from_slice(&line.text);
            }
        }
    }
    lines[next..].iter().for_each(|line| out.extend_from_slice(line));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::{FileDiff, compare};
    use super::*;
    use proptest::prelude::*;

    fn hunks(before: &[u8], after: &[u8], context: usize) -> Vec<Hunk> {
        match compare(before, after, context) {
            FileDiff::Text(hunks) => hunks,
            FileDiff::Binary(_) => panic!("text"),
        }
    }

    #[test]
    fn a_patch_has_gits_form() {
        let text = patch(&hunks(b"# A\n\n1\n2\n3\n4\n5", b"# A\n\n1\n2\n3\n4\nfive\n6\n", 3));
        assert_eq!(text, "@@ -4,4 +4,5 @@ # A\n 2\n 3\n 4\n-5\n\\ No newline at end of file\n+five\n+6\n");
    }

    #[test]
    fn an_empty_side_names_the_line_above() {
        assert_eq!(hunks(b"", b"a\n", 3)[0].header(), "@@ -0,0 +1 @@");
        assert_eq!(hunks(b"a\nb\n", b"", 3)[0].header(), "@@ -1,2 +0,0 @@");
        assert_eq!(hunks(b"a\nb\n", b"a\nx\nb\n", 0)[0].header(), "@@ -1,0 +2 @@");
    }

    #[test]
    fn a_patch_for_another_file_is_refused_with_the_line() {
        assert_eq!(apply(&hunks(b"a\nb\n", b"a\nc\n", 3), b"a\nx\n"), Err(HunkMismatch { line: 2 }));
        assert_eq!(apply(&hunks(b"a\nb\n", b"a\nc\n", 0), b""), Err(HunkMismatch { line: 2 }));
    }

    /// Texts with few different lines, so that both sides share some; with and without a final newline.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let line =
            prop::sample::select(vec!["a\n", "b\n", "# h\n", "\n", "```\n", "c d\r\n", "\u{4e16}\u{754c}\n"]);
        (prop::collection::vec(line, 0..20), prop::sample::select(vec!["", "end", "a"]))
            .prop_map(|(lines, end)| [lines.concat(), end.to_string()].concat().into_bytes())
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn applying_the_difference_gives_the_other_side(a in text(), b in text(), context in 0usize..5) {
            let found = hunks(&a, &b, context);
            prop_assert_eq!(apply(&found, &a).unwrap(), b.clone());
            prop_assert_eq!(found.is_empty(), a == b);
        }

        #[test]
        fn ranges_count_the_lines_they_name(a in text(), b in text(), context in 0usize..5) {
            for hunk in hunks(&a, &b, context) {
                let count = |other| hunk.lines.iter().filter(|line| line.kind != other).count();
                prop_assert_eq!(hunk.before.len(), count(LineKind::Added));
                prop_assert_eq!(hunk.after.len(), count(LineKind::Removed));
            }
        }
    }
}
