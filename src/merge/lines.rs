//! Lines of three texts: where only one side changed them, and where both did.
//!
//! The law is git's: what `git merge` settles with Myers' search is settled here to the same bytes, and where it finds
//! a conflict there is one, between the same lines as its `zdiff3` style. So the alignment must be git's too, down to
//! where a repeated line or a blank one is counted as new: the search is the one git has, with its shortcuts and its
//! sliding of changes, and with no regard to indentation, as in every merge of git's.
//!
//! One case differs, on purpose. Two sides may arrive at the same lines by changes that are cut differently: `diff3` and
//! `zdiff3` mark that as a conflict between equal sides, git's plain style (`merge`) takes the lines. Here they are
//! taken: a person would have nothing to decide.
//!
//! Knows no markdown, and no markers.

use bstr::ByteSlice;
use imara_diff::{Algorithm, Diff, Hunk, Interner, NoSliderHeuristic, Token};
use std::ops::Range;

/// A stretch of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Lines that are settled.
    Clean(&'a [u8]),
    /// Lines that both sides changed.
    Conflict { base: &'a [u8], ours: &'a [u8], theirs: &'a [u8] },
}

/// Merges whole lines. A conflict is as small as both sides' first and last lines allow.
pub(super) fn merge<'a>(base: &'a [u8], ours: &'a [u8], theirs: &'a [u8]) -> Vec<Piece<'a>> {
    let mut interner = Interner::new(base.len() / TYPICAL_LINE);
    let [base, ours, theirs] = [base, ours, theirs].map(|text| Text::read(text, &mut interner));
    let tokens = interner.num_tokens();
    let mut merging = Merging { base: &base, ours: &ours, theirs: &theirs, pieces: Vec::new() };
    merging.run(&changes(&base, &ours, tokens), &changes(&base, &theirs, tokens));
    merging.pieces
}

/// Bytes of a line, for a first guess of how many there are.
const TYPICAL_LINE: usize = 32;

/// A text by lines.
struct Text<'a> {
    bytes: &'a [u8],
    /// Equal lines have equal numbers, in all three texts.
    lines: Vec<Token>,
    /// Where each line starts, and the end of the last.
    starts: Vec<usize>,
}

impl<'a> Text<'a> {
    fn read(bytes: &'a [u8], interner: &mut Interner<&'a [u8]>) -> Self {
        let guess = bytes.len() / TYPICAL_LINE;
        let (mut lines, mut starts) = (Vec::with_capacity(guess), Vec::with_capacity(guess + 1));
        let mut start = 0;
        for line in bytes.lines_with_terminator() {
            lines.push(interner.intern(line));
            starts.push(start);
            start += line.len();
        }
        starts.push(start);
        Self { bytes, lines, starts }
    }

    fn bytes(&self, lines: Range<usize>) -> &'a [u8] {
        &self.bytes[self.starts[lines.start]..self.starts[lines.end]]
    }
}

/// Lines of the base and what a side has in their place; one of the ranges may be empty.
struct Change {
    base: Range<usize>,
    side: Range<usize>,
}

/// What a side changed, in order, with at least one unchanged line between neighbours.
fn changes(base: &Text<'_>, side: &Text<'_>, tokens: u32) -> Vec<Change> {
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &base.lines, &side.lines, tokens);
    diff.postprocess_with(&base.lines, &side.lines, NoSliderHeuristic);
    let range = |lines: Range<u32>| lines.start as usize..lines.end as usize;
    diff.hunks().map(|Hunk { before, after }| Change { base: range(before), side: range(after) }).collect()
}

struct Merging<'a, 't> {
    base: &'t Text<'a>,
    ours: &'t Text<'a>,
    theirs: &'t Text<'a>,
    pieces: Vec<Piece<'a>>,
}

/// The changes of one side that are not merged yet.
struct Pending<'c> {
    changes: &'c [Change],
    /// How many lines the merged ones took from the base, and how many they put there: their difference is how far
    /// the side's lines are ahead of the base's.
    taken: usize,
    put: usize,
}

impl<'c> Pending<'c> {
    const fn new(changes: &'c [Change]) -> Self {
        Self { changes, taken: 0, put: 0 }
    }

    fn start(&self) -> usize {
        self.changes.first().map_or(usize::MAX, |change| change.base.start)
    }

    /// Takes the next change if it starts at or before `end`, which becomes the farther end of the two.
    fn take_until(&mut self, end: &mut usize) -> bool {
        let Some((next, rest)) = self.changes.split_first().filter(|(next, _)| next.base.start <= *end)
        else {
            return false;
        };
        self.changes = rest;
        self.taken += next.base.len();
        self.put += next.side.len();
        *end = next.base.end.max(*end);
        true
    }

    /// The side's line for one of the base that no change waits before.
    const fn line(&self, base: usize) -> usize {
        base - self.taken + self.put
    }
}

impl<'a> Merging<'a, '_> {
    /// Goes through the base from change to change. Changes of the two sides that overlap or touch make one stretch:
    /// between them is no line to say which comes first.
    fn run(&mut self, ours: &[Change], theirs: &[Change]) {
        let (mut ours, mut theirs) = (Pending::new(ours), Pending::new(theirs));
        let mut done = 0;
        loop {
            let start = ours.start().min(theirs.start());
            if start == usize::MAX {
                return self.clean(self.base.bytes(done..self.base.lines.len()));
            }
            self.clean(self.base.bytes(done..start));
            let (our_start, their_start) = (ours.line(start), theirs.line(start));
            let (mut by_us, mut by_them, mut end) = (false, false, start);
            loop {
                let (us, them) = (ours.take_until(&mut end), theirs.take_until(&mut end));
                by_us |= us;
                by_them |= them;
                if !us && !them {
                    break;
                }
            }
            let (our_lines, their_lines) = (our_start..ours.line(end), their_start..theirs.line(end));
            match (by_us, by_them) {
                (true, false) => self.clean(self.ours.bytes(our_lines)),
                (false, true) => self.clean(self.theirs.bytes(their_lines)),
                _ => self.contested(start..end, our_lines, their_lines),
            }
            done = end;
        }
    }

    /// A stretch that both sides changed: what they agree on at its ends is settled.
    fn contested(&mut self, base: Range<usize>, ours: Range<usize>, theirs: Range<usize>) {
        let our_lines = &self.ours.lines[ours.clone()];
        let their_lines = &self.theirs.lines[theirs.clone()];
        let head = our_lines.iter().zip(their_lines).take_while(|(our, their)| our == their).count();
        let (our_rest, their_rest) = (&our_lines[head..], &their_lines[head..]);
        let tail = our_rest
            .iter()
            .rev()
            .zip(their_rest.iter().rev())
            .take_while(|(our, their)| our == their)
            .count();
        let (our_end, their_end) = (ours.end - tail, theirs.end - tail);
        self.clean(self.ours.bytes(ours.start..ours.start + head));
        if our_rest.len() > tail || their_rest.len() > tail {
            self.pieces.push(Piece::Conflict {
                base: self.base.bytes(base),
                ours: self.ours.bytes(ours.start + head..our_end),
                theirs: self.theirs.bytes(theirs.start + head..their_end),
            });
        }
        self.clean(self.ours.bytes(our_end..ours.end));
    }

    fn clean(&mut self, lines: &'a [u8]) {
        if !lines.is_empty() {
            self.pieces.push(Piece::Clean(lines));
        }
    }
}
