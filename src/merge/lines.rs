//! Lines of three texts: where only one side changed them, and where both did.
//!
//! Knows no markdown.

use bstr::ByteSlice;

/// A stretch of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Lines that are settled.
    Clean(&'a [u8]),
    /// Lines that both sides changed.
    Conflict { base: &'a [u8], ours: &'a [u8], theirs: &'a [u8] },
}

/// Merges whole lines. All of a stretch that both sides changed differently is one conflict.
pub(super) fn merge<'a>(base: &'a [u8], ours: &'a [u8], theirs: &'a [u8]) -> Vec<Piece<'a>> {
    let head = |side: &[u8]| {
        base.lines_with_terminator()
            .zip(side.lines_with_terminator())
            .take_while(|(a, b)| a == b)
            .map(|(line, _)| line.len())
            .sum::<usize>()
    };
    let head = head(ours).min(head(theirs));
    vec![
        Piece::Clean(&base[..head]),
        Piece::Conflict { base: &base[head..], ours: &ours[head..], theirs: &theirs[head..] },
    ]
}
