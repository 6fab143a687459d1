//! The header of a hunk in unified diff format.

use super::Hunk;
use std::ops::Range;

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

#[cfg(test)]
mod tests {
    use super::super::{FileDiff, LineKind, compare};
    use super::*;
    use bstr::ByteSlice as _;
    use proptest::prelude::*;

    fn hunks(before: &[u8], after: &[u8], context: usize) -> Vec<Hunk> {
        match compare(before, after, context) {
            FileDiff::Text(hunks) => hunks,
            FileDiff::Binary(_) => panic!("text"),
        }
    }

    #[test]
    fn an_empty_side_names_the_line_above() {
        assert_eq!(hunks(b"", b"a\n", 3)[0].header(), "@@ -0,0 +1 @@");
        assert_eq!(hunks(b"a\nb\n", b"", 3)[0].header(), "@@ -1,2 +0,0 @@");
        assert_eq!(hunks(b"a\nb\n", b"a\nx\nb\n", 0)[0].header(), "@@ -1,0 +2 @@");
    }

    /// The other side, by the hunks alone; `None` if they expect another file.
    fn apply(hunks: &[Hunk], before: &[u8]) -> Option<Vec<u8>> {
        let lines: Vec<&[u8]> = before.lines_with_terminator().collect();
        let mut out: Vec<u8> = Vec::new();
        let mut next = 0;
        for hunk in hunks {
            out.extend(lines.get(next..hunk.before.start)?.concat());
            next = hunk.before.start;
            for line in &hunk.lines {
                if line.kind != LineKind::Added {
                    (*lines.get(next)? == line.text).then_some(())?;
                    next += 1;
                }
                if line.kind != LineKind::Removed {
                    out.extend_from_slice(&line.text);
                }
            }
        }
        out.extend(lines[next..].concat());
        Some(out)
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
