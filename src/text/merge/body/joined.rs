//! Blocks that a side joined into one or split in two: the merge treats them as one block in all three versions and
//! merges it by line. Taken separately, text absorbed by a neighbour would look removed, and an edit of it on the other
//! side would be kept beside it.
//!
//! Knows blocks and their lines, but no sections. Headings and facts are never joined.

use super::facts::Verdicts;
use super::part::{self, VersionBody};
use crate::diff;
use crate::doc::{BlockKind, Outline};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Three versions in which some blocks are joined.
pub(super) struct Joined {
    outlines: [Outline; 3],
    /// For each version and each original block, the block that it is now, or is now part of.
    places: [Vec<usize>; 3],
    /// The joined blocks, by version.
    pub links: Vec<[Option<usize>; 3]>,
}

/// Join the blocks that a side absorbed or split; `None` if there are none.
pub(super) fn join(parts: [&VersionBody<'_>; 3]) -> Option<Joined> {
    let hunks = [1, 2].map(|side| hunks(parts[0], parts[side]));
    let mut found: Vec<Range<usize>> = [1, 2]
        .into_iter()
        .flat_map(|side| hunks[side - 1].iter().map(move |hunk| (side, hunk)))
        .flat_map(|(side, hunk)| ran_together(parts[0], parts[side], hunk))
        .collect();
    if found.is_empty() {
        return None;
    }
    found.iter_mut().for_each(|range| widen(range, &hunks));
    found.sort_by_key(|range| (range.start, range.end));
    let mut ranges: Vec<[Range<usize>; 3]> = Vec::new();
    for range in found {
        let [first, second] = hunks.each_ref().map(|hunks| place(&range, hunks));
        let own = [range, first, second];
        let is_free = ranges.last().is_none_or(|last| (0..3).all(|at| last[at].end <= own[at].start));
        if is_free && (0..3).all(|version| own[version].clone().all(|at| is_joinable(parts[version], at))) {
            ranges.push(own);
        }
    }
    (!ranges.is_empty()).then(|| Joined::new(parts, &ranges))
}

/// The places between blocks that are equal in both.
fn hunks(base: &VersionBody<'_>, side: &VersionBody<'_>) -> Vec<diff::DiffRange> {
    let [before, after] = [base, side]
        .map(|part| (0..part.outline.blocks().len()).map(|at| part.block(at)).collect::<Vec<_>>());
    diff::changes(&before, &after)
}

/// The base blocks that a side joined into one block, and the base block that it split into several.
fn ran_together(base: &VersionBody<'_>, side: &VersionBody<'_>, hunk: &diff::DiffRange) -> Vec<Range<usize>> {
    if hunk.before.is_empty() || hunk.after.is_empty() || hunk.before.len() + hunk.after.len() < 3 {
        return Vec::new();
    }
    let absorbed = several_in_one([base, side], [hunk.before.clone(), hunk.after.clone()]);
    let cut = several_in_one([side, base], [hunk.after.clone(), hunk.before.clone()]);
    let absorbed = absorbed.into_iter().map(|(several, _)| several);
    absorbed.chain(cut.into_iter().map(|(_, one)| one..one + 1)).collect()
}

/// A line in more blocks than this does not show which of them it came from.
const COMMON: usize = 8;

/// Each block of the second range that has at least half the lines of several blocks of the first, with the first and
/// last of those. An index of lines keeps the running time proportional to the text.
fn several_in_one(
    [first, second]: [&VersionBody<'_>; 2],
    [several, ones]: [Range<usize>; 2],
) -> Vec<(Range<usize>, usize)> {
    let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for at in several.filter(|at| is_joinable(first, *at)) {
        let own: BTreeSet<&str> = lines(first, at).collect();
        counts.insert(at, own.len());
        own.into_iter().for_each(|line| index.entry(line).or_default().push(at));
    }
    let parts_of = |one: usize| {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for line in lines(second, one).collect::<BTreeSet<&str>>() {
            let blocks = index.get(line).filter(|blocks| blocks.len() <= COMMON);
            blocks.into_iter().flatten().for_each(|at| *shared.entry(*at).or_default() += 1);
        }
        shared.retain(|at, shared| *shared * 2 >= counts[at]);
        let (start, end) = (*shared.keys().next()?, *shared.keys().next_back()?);
        (end > start).then_some((start..end + 1, one))
    };
    ones.filter(|one| is_joinable(second, *one)).filter_map(parts_of).collect()
}

/// The lines of a block that contain words, without list markers.
fn lines<'a>(part: &VersionBody<'a>, at: usize) -> impl Iterator<Item = &'a str> {
    let lines = part::lines(part.block(at));
    lines.filter(|line| line.contains(char::is_alphanumeric))
}

/// Widen the range to everything that either side changed together with blocks in it.
fn widen(range: &mut Range<usize>, hunks: &[Vec<diff::DiffRange>; 2]) {
    loop {
        let touching = hunks.iter().flatten().filter(|hunk| {
            !hunk.before.is_empty() && hunk.before.start < range.end && hunk.before.end > range.start
        });
        let wide = touching.fold(range.clone(), |wide, hunk| {
            wide.start.min(hunk.before.start)..wide.end.max(hunk.before.end)
        });
        if wide == *range {
            return;
        }
        *range = wide;
    }
}

/// The range in a side that corresponds to a range of the base; no hunk may cross its ends.
fn place(range: &Range<usize>, hunks: &[diff::DiffRange]) -> Range<usize> {
    let moved = |at: usize, is_end: bool| {
        let before = hunks.iter().rev().find(|hunk| match hunk.before.is_empty() {
            // an insertion at an end of the range is not part of it
            true => hunk.before.start < at || (hunk.before.start == at && !is_end),
            false => hunk.before.end <= at,
        });
        before.map_or(at, |hunk| at - hunk.before.end + hunk.after.end)
    };
    moved(range.start, false)..moved(range.end, true)
}

fn is_joinable(part: &VersionBody<'_>, at: usize) -> bool {
    !matches!(part.kind(at), BlockKind::Heading { .. } | BlockKind::Blank) && part.facts[at].is_none()
}

impl Joined {
    fn new(parts: [&VersionBody<'_>; 3], ranges: &[[Range<usize>; 3]]) -> Joined {
        let of = |version: usize| ranges.iter().map(|range| range[version].clone()).collect::<Vec<_>>();
        let places = [0, 1, 2].map(|version| places(parts[version].outline.blocks().len(), &of(version)));
        let links = ranges.iter().map(|range| {
            [0, 1, 2].map(|version| {
                Some(places[version].get(range[version].start).copied()?)
                    .filter(|_| !range[version].is_empty())
            })
        });
        let links = links.collect();
        let outlines = [0, 1, 2].map(|version| parts[version].outline.joined(&of(version)));
        Joined { outlines, places, links }
    }

    /// The three versions with the blocks joined.
    pub fn parts<'a>(&'a self, parts: [&VersionBody<'a>; 3]) -> [VersionBody<'a>; 3] {
        [0, 1, 2].map(|version| parts[version].joined(&self.outlines[version], &self.places[version]))
    }

    /// The verdicts on facts, with the places that the blocks have now.
    pub fn verdicts(&self, verdicts: &Verdicts) -> Verdicts {
        let moved = |blocks: &HashSet<(usize, usize)>| {
            blocks.iter().map(|(version, at)| (*version, self.places[*version][*at])).collect()
        };
        let Verdicts { dropped, held, open } = verdicts;
        Verdicts { dropped: moved(dropped), held: moved(held), open: moved(open) }
    }
}

/// For each of `count` blocks, its number after each of these ranges has become one block.
fn places(count: usize, ranges: &[Range<usize>]) -> Vec<usize> {
    let mut next = 0;
    (0..count)
        .map(|at| {
            let goes_on = ranges.iter().any(|range| range.contains(&at) && at > range.start);
            next += usize::from(!goes_on && at > 0);
            next
        })
        .collect()
}
