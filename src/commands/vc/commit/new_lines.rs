//! For which commit of the code each new line of a commit was written, and the trailers that say so in the fewest words.

use brv_engine::journal::{CodeHead, LineMark, LinesHead};
use std::collections::{BTreeMap, BTreeSet};

/// The most lines that the trailers of a commit name. Where it would be more, all heads are said to be of all lines, and the
/// oldest counts.
const MOST: usize = 5_000;

pub(super) type LineTrailer = (&'static str, String);

/// What a new line was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LinePurpose {
    /// What the trailers say about the commit as a whole.
    AsMost,
    For(CodeHead),
}

/// What is said of a commit as a whole, if any of its lines is as most.
#[derive(Debug, Default)]
pub(super) struct Most {
    pub(super) heads: BTreeSet<CodeHead>,
    /// Whether its message names the commit of the code that its lines were learned from.
    pub(super) is_learned: bool,
}

/// The new lines of a commit.
#[derive(Debug, Default)]
pub(super) struct NewLines(BTreeMap<LineMark, BTreeSet<LinePurpose>>);

impl NewLines {
    /// A line with this text; a blank one does not count.
    pub(super) fn add(&mut self, line: &[u8], written: impl IntoIterator<Item = LinePurpose>) {
        if let Some(mark) = LineMark::of(line) {
            self.0.entry(mark).or_default().extend(written);
        }
    }

    /// The trailers, where the head of the code is `now`.
    pub(super) fn trailers(&self, most: Most, now: Option<CodeHead>) -> Vec<LineTrailer> {
        let Most { heads, is_learned } = most;
        let mut heads =
            match is_learned || self.0.is_empty() || self.has(|written| written == LinePurpose::AsMost) {
                true => heads,
                false => self.commonest(now).into_iter().collect(),
            };
        let mut others: BTreeMap<CodeHead, BTreeSet<LineMark>> = BTreeMap::new();
        for (mark, written) in &self.0 {
            for head in named(written, &heads) {
                others.entry(head).or_default().insert(*mark);
            }
        }
        if others.values().map(BTreeSet::len).sum::<usize>() > MOST {
            let others = std::mem::take(&mut others);
            // where time decides, a head would be newer
            if is_learned || !heads.is_empty() {
                heads.extend(others.into_keys());
            }
        }
        let of_all = heads.iter().map(|head| (CodeHead::TRAILER, head.to_string()));
        let of_lines = others.iter().flat_map(|(head, marks)| LinesHead::all(*head, marks));
        of_all.chain(of_lines.map(|one| (LinesHead::TRAILER, one.to_string()))).collect()
    }

    fn has(&self, is_it: impl Fn(LinePurpose) -> bool) -> bool {
        self.0.values().flatten().any(|written| is_it(*written))
    }

    /// The head of now if a line is of it, else the one that all lines have.
    fn commonest(&self, now: Option<CodeHead>) -> Option<CodeHead> {
        if let Some(now) = now.filter(|now| self.has(|written| written == LinePurpose::For(*now))) {
            return Some(now);
        }
        let mut heads = self.0.values().flatten().filter_map(|written| match written {
            LinePurpose::For(head) => Some(*head),
            LinePurpose::AsMost => None,
        });
        let first = heads.next()?;
        heads.all(|head| head == first).then_some(first)
    }
}

/// The heads that must be named for lines of one text; none if they are those of the most.
fn named(written: &BTreeSet<LinePurpose>, most: &BTreeSet<CodeHead>) -> BTreeSet<CodeHead> {
    let mut heads = BTreeSet::new();
    for one in written {
        match one {
            // time decides, or a source: no head can say so of one line, and both are older
            LinePurpose::AsMost if most.is_empty() => return BTreeSet::new(),
            LinePurpose::AsMost => heads.extend(most),
            LinePurpose::For(head) => drop(heads.insert(*head)),
        }
    }
    if heads == *most { BTreeSet::new() } else { heads }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(digit: u8) -> CodeHead {
        CodeHead::parse(&digit.to_string().repeat(40)).unwrap()
    }

    /// The first digit of each head, and how many lines it is of; `None`: of all others.
    fn said(lines: &NewLines, most: &[u8], now: u8) -> Vec<(char, Option<usize>)> {
        let most = Most { heads: most.iter().map(|digit| head(*digit)).collect(), is_learned: false };
        let count = |(key, value): &LineTrailer| {
            let marks = LinesHead::parse(value).filter(|_| *key == LinesHead::TRAILER);
            (value.chars().next().unwrap(), marks.map(|one| one.marks.len()))
        };
        lines.trailers(most, Some(head(now))).iter().map(count).collect()
    }

    #[test]
    fn the_head_of_most_is_said_once_and_the_others_by_line() {
        let mut lines = NewLines::default();
        assert_eq!(said(&lines, &[1], 2), [('1', None)], "nothing is new");
        lines.add(b"  ", [LinePurpose::For(head(3))]);
        lines.add(b"a", [LinePurpose::For(head(2))]);
        assert_eq!(said(&lines, &[1], 2), [('2', None)], "nothing is as before");
        assert_eq!(said(&lines, &[1], 4), [('2', None)]);
        lines.add(b"b", [LinePurpose::AsMost]);
        assert_eq!(said(&lines, &[1], 2), [('1', None), ('2', Some(1))]);
        assert_eq!(said(&lines, &[], 2), [('2', Some(1))], "time decides of the others");
        lines.add(b"b", [LinePurpose::For(head(2))]);
        assert_eq!(said(&lines, &[1], 2), [('1', None), ('1', Some(1)), ('2', Some(2))], "the older counts");
        assert_eq!(said(&lines, &[], 2), [('2', Some(1))]);
    }

    #[test]
    fn too_many_lines_have_all_heads_and_never_only_the_newest() {
        let mut lines = NewLines::default();
        lines.add(b"old", [LinePurpose::AsMost]);
        (0..MOST).for_each(|at| lines.add(at.to_string().as_bytes(), [LinePurpose::For(head(2))]));
        assert_eq!(said(&lines, &[1], 2).len(), 1 + MOST / LinesHead::MOST);
        lines.add(b"one more", [LinePurpose::For(head(2))]);
        assert_eq!(said(&lines, &[1], 2), [('1', None), ('2', None)]);
        assert_eq!(said(&lines, &[], 2), [], "time is older");
    }
}
