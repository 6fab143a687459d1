//! Merge rows of cells in three versions: table rows or link definitions. Like facts, rows are added, changed and
//! removed by each side, and a conflict is about one row.
//!
//! Knows keys and cells; does not know how a row is written.

use super::super::order::{Stretch, order};
use super::super::{Settled, Side, Undecided};
use super::part::PartPairing;
use super::{Context, Removed};
use std::collections::{HashMap, HashSet};

pub(super) struct MergeRow<'a> {
    /// The subject of the row; may be empty.
    pub key: String,
    /// By column number; `None` if its version does not have the column.
    pub cells: Vec<Option<&'a str>>,
    pub line: &'a str,
}

/// How to write the result.
pub(super) struct RowLayout<'a> {
    pub columns: &'a [usize],
    /// Whether a line of each version can be kept as written.
    pub fits: [bool; 3],
    /// Writes a row with these cells that no version has.
    pub row: &'a dyn Fn(&[&str]) -> String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    /// A conflict: the line in base, first and second.
    Open([Option<String>; 3]),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MergedRows {
    pub lines: Vec<Line>,
    /// The settled rows, with the lines of base, first and second.
    pub settled: Vec<(Settled, [Option<String>; 3])>,
}

/// Merge the rows of base, first and second.
pub(super) fn merge(rows: [&[MergeRow<'_>]; 3], way: &RowLayout<'_>, cx: &Context<'_>) -> MergedRows {
    let to_base = [pair(rows[0], rows[1], Gaps::Pair), pair(rows[0], rows[2], Gaps::Pair)];
    let new = new_on_both([rows[1], rows[2]], &to_base);
    let pairing = PartPairing::new(rows[0].len(), [&to_base[0], &to_base[1]], &new);
    let mut merged = MergedRows::default();
    let merger = RowMerger { rows, way, cx };
    for stretch in order(&pairing.of[0], [&pairing.of[1], &pairing.of[2]]) {
        let numbers = match stretch {
            Stretch::Common(number) => vec![number],
            Stretch::New(mut runs) => {
                let line = |number: &usize| {
                    let at = pairing.at[*number];
                    at[1].map_or_else(|| at[2].map(|at| rows[2][at].line), |at| Some(rows[1][at].line))
                };
                runs.sort_by(|a, b| a.iter().map(line).cmp(b.iter().map(line)));
                runs.concat()
            }
        };
        for number in numbers {
            merger.put(pairing.at[number], &mut merged);
        }
    }
    merged
}

/// Whether rows between two pairs may be paired if they only have a cell in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gaps {
    Pair,
    Keep,
}

/// Pair each row of a side with one of the base: by its key, by all its cells, or by its place.
fn pair(base: &[MergeRow<'_>], side: &[MergeRow<'_>], gaps: Gaps) -> Vec<Option<usize>> {
    let known = once(base);
    let mut found = vec![None; side.len()];
    for (key, at) in once(side) {
        found[at] = known.get(key).copied();
    }
    let mut taken: HashSet<usize> = found.iter().flatten().copied().collect();
    for at in 0..side.len() {
        if found[at].is_none() {
            let same = |other: &usize| !taken.contains(other) && base[*other].cells == side[at].cells;
            found[at] = (0..base.len()).find(same);
            taken.extend(found[at]);
        }
    }
    if gaps == Gaps::Pair {
        by_place(base, side, &mut found);
    }
    found
}

fn once<'a>(rows: &'a [MergeRow<'_>]) -> HashMap<&'a str, usize> {
    let mut found: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| !row.key.is_empty()) {
        found.entry(&row.key).and_modify(|at| *at = None).or_insert(Some(at));
    }
    found.into_iter().filter_map(|(key, at)| Some((key, at?))).collect()
}

/// If both sides have equally many rows left between two pairs, each with a cell in common, their keys were changed.
fn by_place(base: &[MergeRow<'_>], side: &[MergeRow<'_>], found: &mut [Option<usize>]) {
    let taken: HashSet<usize> = found.iter().flatten().copied().collect();
    let mut at = 0;
    while at < side.len() {
        let end = (at..side.len()).find(|own| found[*own].is_some()).unwrap_or(side.len());
        let start = at.checked_sub(1).and_then(|before| found[before]).map_or(0, |before| before + 1);
        let free = (start..base.len()).take_while(|other| !taken.contains(other)).count();
        let alike = |own: usize| {
            let other = &base[start + own - at];
            let cells = side[own].cells.iter().zip(&other.cells);
            let is_same =
                |(a, b): (&Option<&str>, &Option<&str>)| a == b && a.is_some_and(|cell| !cell.is_empty());
            cells.filter(|pair| is_same(*pair)).count() > 0
        };
        if end > at && free == end - at && (at..end).all(alike) {
            (at..end).for_each(|own| found[own] = Some(start + own - at));
        }
        at = end + 1;
    }
}

/// Pair what both sides added: for each row of the second side, the one of the first.
fn new_on_both(sides: [&[MergeRow<'_>]; 2], to_base: &[Vec<Option<usize>>; 2]) -> Vec<Option<usize>> {
    let is_new = |side: usize, at: usize| to_base[side][at].is_none();
    pair(sides[0], sides[1], Gaps::Keep)
        .into_iter()
        .enumerate()
        .map(|(at, found)| found.filter(|first| is_new(0, *first) && is_new(1, at)))
        .collect()
}

struct RowMerger<'a> {
    rows: [&'a [MergeRow<'a>]; 3],
    way: &'a RowLayout<'a>,
    cx: &'a Context<'a>,
}

impl<'a> RowMerger<'a> {
    fn put(&self, at: [Option<usize>; 3], merged: &mut MergedRows) {
        let rows = [0, 1, 2].map(|version| at[version].map(|at| &self.rows[version][at]));
        match rows {
            [_, None, None] => {}
            [None, Some(_), None] | [None, None, Some(_)] => {
                self.stands(rows, usize::from(rows[1].is_none()), merged)
            }
            [Some(base), Some(_), None] | [Some(base), None, Some(_)] => {
                let side = usize::from(rows[1].is_none());
                if rows[side + 1].is_some_and(|own| self.is_changed(base, own)) {
                    self.changed_and_removed(rows, side, merged);
                }
            }
            [base, Some(first), Some(second)] => match self.cells([base, Some(first), Some(second)]) {
                Some(cells) => self.write(rows, &cells, merged),
                None => self.undecided(rows, merged),
            },
        }
    }

    /// The cells of the result's columns; empty if the version does not have the column.
    fn cells_of(&self, row: &MergeRow<'a>) -> Vec<&'a str> {
        self.way.columns.iter().map(|column| row.cells[*column].unwrap_or_default()).collect()
    }

    fn is_changed(&self, base: &MergeRow<'_>, own: &MergeRow<'_>) -> bool {
        let both =
            self.way.columns.iter().filter_map(|column| Some((base.cells[*column]?, own.cells[*column]?)));
        both.into_iter().any(|(before, after)| before != after)
    }

    /// Merge three rows cell by cell; `None` if both sides changed a cell.
    fn cells(&self, rows: [Option<&MergeRow<'a>>; 3]) -> Option<Vec<&'a str>> {
        let cell = |column: &usize| {
            let [base, first, second] = rows.map(|row| row.and_then(|row| row.cells[*column]));
            match (first, second) {
                (Some(first), Some(second)) => match base {
                    _ if first == second => Some(first),
                    Some(base) if base == first => Some(second),
                    Some(base) if base == second => Some(first),
                    _ => None,
                },
                (one, other) => Some(one.or(other).unwrap_or_default()),
            }
        };
        self.way.columns.iter().map(cell).collect()
    }

    /// Keep one side's row as written.
    fn stands(&self, rows: [Option<&MergeRow<'a>>; 3], side: usize, merged: &mut MergedRows) {
        if let Some(row) = rows[side + 1] {
            self.write(rows, &self.cells_of(row), merged);
        }
    }

    /// Write a row with these cells, as a version has it if one does; otherwise add a record.
    fn write(&self, rows: [Option<&MergeRow<'a>>; 3], cells: &[&str], merged: &mut MergedRows) {
        let as_is = |version: usize| {
            let own = rows[version].filter(|own| self.way.fits[version] && self.cells_of(own) == cells);
            own.map(|own| own.line)
        };
        let before = rows[0].map(|base| base.line);
        let line = match (as_is(1), as_is(2)) {
            (Some(first), Some(second)) if before == Some(first) => Some(second),
            (Some(first), Some(second)) if before == Some(second) => Some(first),
            (Some(first), Some(second)) => Some(first.max(second)),
            (one, other) => one.or(other),
        };
        let line = line.map_or_else(|| (self.way.row)(cells), str::to_owned);
        let is_lost =
            |row: &Option<&MergeRow<'_>>| row.is_some_and(|row| row.line != line && Some(row.line) != before);
        if rows[1..].iter().any(is_lost) {
            merged.settled.push((Settled::Combined, lines(rows)));
        }
        merged.lines.push(Line::Text(line));
    }

    fn changed_and_removed(&self, rows: [Option<&MergeRow<'a>>; 3], side: usize, merged: &mut MergedRows) {
        match self.cx.removed() {
            Removed::Open => merged.lines.push(Line::Open(lines(rows))),
            Removed::Stays => {
                merged.settled.push((Settled::ChangeKept(self.cx.side(side)), lines(rows)));
                self.stands(rows, side, merged);
            }
            Removed::Taken(winner) => {
                merged.settled.push((Settled::Chosen(winner), lines(rows)));
                if winner == self.cx.side(side) {
                    self.stands(rows, side, merged);
                }
            }
        }
    }

    /// Both sides changed one cell.
    fn undecided(&self, rows: [Option<&MergeRow<'a>>; 3], merged: &mut MergedRows) {
        let side = |side: Side| usize::from(self.cx.side(0) != side);
        let settled = match self.cx.rules.undecided {
            Undecided::Mark => return merged.lines.push(Line::Open(lines(rows))),
            Undecided::Ours => Settled::Chosen(Side::Ours),
            Undecided::Theirs => Settled::Chosen(Side::Theirs),
            Undecided::Both => Settled::BothKept,
            Undecided::Base => Settled::BaseTaken,
        };
        let taken = match settled {
            Settled::Chosen(chosen) => vec![side(chosen) + 1],
            Settled::BothKept => vec![side(Side::Ours) + 1, side(Side::Theirs) + 1],
            _ => vec![0],
        };
        merged.settled.push((settled, lines(rows)));
        for row in taken.into_iter().filter_map(|version| rows[version]) {
            merged.lines.push(Line::Text((self.way.row)(&self.cells_of(row))));
        }
    }
}

fn lines(rows: [Option<&MergeRow<'_>>; 3]) -> [Option<String>; 3] {
    rows.map(|row| row.map(|row| row.line.to_owned()))
}
