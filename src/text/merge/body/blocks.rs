//! Pair the blocks of each side with those of the base: facts by their statement, other blocks by their bytes, words
//! and place.

use super::part::{FactKey, PartPairing, VersionBody};
use crate::diff;
use crate::diff::Bag;
use crate::doc::BlockKind;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The share of words that two blocks must have in common to be paired by their words alone.
const EDITED: f64 = 0.5;

/// With more pairs than this in one place, words are not compared.
const MAX_COMPARED: usize = 4096;

/// A block with fewer bytes than this says too little to be recognised in another section.
const TELLING: usize = 4;

/// Pair the blocks of the three versions: headings as their sections are paired, and the blocks in `links` first.
pub(super) fn pair(
    parts: [&VersionBody<'_>; 3],
    sections: &PartPairing,
    links: &[[Option<usize>; 3]],
) -> PartPairing {
    let mut to_base = [1, 2].map(|side| to_base(parts, sections, links, side));
    agree(parts, &mut to_base);
    let new = new_on_both(parts, sections, &to_base);
    PartPairing::new(parts[0].outline.blocks().len(), [&to_base[0], &to_base[1]], &new)
}

fn to_base(
    parts: [&VersionBody<'_>; 3],
    sections: &PartPairing,
    links: &[[Option<usize>; 3]],
    side: usize,
) -> Vec<Option<usize>> {
    let (base, own) = (parts[0], parts[side]);
    let mut found = vec![None; own.outline.blocks().len()];
    let linked = links.iter().filter_map(|link| Some((link[0]?, link[side]?)));
    linked.for_each(|(before, after)| found[after] = Some(before));
    facts(base, own, &mut found);
    let mut places = Vec::new();
    for at in &sections.at {
        if let (Some(before), Some(after)) = (at[0], at[side]) {
            if let (Some(before), Some(after)) = (base.heading_of(before), own.heading_of(after)) {
                found[after] = Some(before);
            }
            places.extend(within([base, own], [before, after], links, &mut found));
        }
    }
    // a block that left its section unchanged was not edited into the block in its place
    elsewhere(base, own, &mut found);
    let mut taken = vec![false; base.outline.blocks().len()];
    found.iter().flatten().for_each(|at| taken[*at] = true);
    for MergeGap { mut before, mut after } in places {
        before.retain(|at| !taken[*at]);
        after.retain(|at| found[*at].is_none());
        edited(base, own, &before, &after, &mut found);
    }
    found
}

/// Blocks of the base and of a side between two equal pairs.
struct MergeGap {
    before: Vec<usize>,
    after: Vec<usize>,
}

/// Facts are the same if their statements are, wherever they are.
fn facts(base: &VersionBody<'_>, own: &VersionBody<'_>, found: &mut [Option<usize>]) {
    let known = by_count(base.facts.iter().enumerate().filter_map(|(at, fact)| Some((fact.as_ref()?, at))));
    let sought = by_count(own.facts.iter().enumerate().filter_map(|(at, fact)| Some((fact.as_ref()?, at))));
    for (key, at) in sought {
        found[at] = known.get(&key).copied();
    }
    replaced(base, own, found);
}

/// If a subject lost one statement and gained one, the statement was replaced.
fn replaced(base: &VersionBody<'_>, own: &VersionBody<'_>, found: &mut [Option<usize>]) {
    let mut taken = vec![false; base.facts.len()];
    found.iter().flatten().for_each(|at| taken[*at] = true);
    let subject =
        |part: &'_ VersionBody<'_>, at: usize| part.facts[at].as_ref().and_then(|fact| fact.subject.clone());
    let gone =
        once((0..taken.len()).filter(|at| !taken[*at]).filter_map(|at| Some((subject(base, at)?, at))));
    let free: Vec<usize> = (0..found.len()).filter(|at| found[*at].is_none()).collect();
    for (subject, at) in once(free.into_iter().filter_map(|at| Some((subject(own, at)?, at)))) {
        found[at] = gone.get(&subject).copied();
    }
}

/// A block that both sides have alike is one block. If it is an edit of a base block on one side and new on the other,
/// it counts as that edit on both; or as new on both, if the other side still has the base block.
fn agree(parts: [&VersionBody<'_>; 3], to_base: &mut [Vec<Option<usize>>; 2]) {
    let written = |side: usize, at: usize, found: &[Vec<Option<usize>>; 2]| -> Option<BlockIdentity<'_>> {
        let part = parts[side + 1];
        if matches!(part.kind(at), BlockKind::Heading { .. } | BlockKind::Blank) {
            return None;
        }
        let own = BlockIdentity::of(part, at);
        let before = found[side][at].map(|before| BlockIdentity::of(parts[0], before));
        (before.as_ref() != Some(&own)).then_some(own)
    };
    let changed = |side: usize, found: &[Vec<Option<usize>>; 2]| {
        let all = 0..found[side].len();
        once(all.filter_map(|at| Some((written(side, at, found)?, at))))
    };
    let [first, second] = [changed(0, to_base), changed(1, to_base)];
    let mut alike: Vec<[usize; 2]> =
        first.iter().filter_map(|(same, at)| Some([*at, *second.get(same)?])).collect();
    // sorted, since the result of each step depends on those before
    alike.sort_unstable();
    let mut taken = to_base.each_ref().map(|found| found.iter().flatten().copied().collect::<HashSet<_>>());
    for pair in alike {
        let (own, before) = match (to_base[0][pair[0]], to_base[1][pair[1]]) {
            (Some(before), None) => (0, before),
            (None, Some(before)) => (1, before),
            _ => continue,
        };
        let other = 1 - own;
        if taken[other].insert(before) {
            to_base[other][pair[other]] = Some(before);
        } else {
            to_base[own][pair[own]] = None;
            taken[own].remove(&before);
        }
    }
}

/// What makes two blocks the same: the statement of a fact, or all bytes.
#[derive(PartialEq, Eq, Hash)]
enum BlockIdentity<'a> {
    Fact(&'a FactKey),
    Text(&'a str),
}

impl<'a> BlockIdentity<'a> {
    fn of(part: &'a VersionBody<'_>, at: usize) -> BlockIdentity<'a> {
        part.facts[at].as_ref().map_or_else(|| BlockIdentity::Text(part.block(at)), BlockIdentity::Fact)
    }
}

/// Number equal keys, so that the n-th of one side pairs with the n-th of the other.
fn by_count<K: Eq + Hash + Copy>(items: impl Iterator<Item = (K, usize)>) -> HashMap<(K, usize), usize> {
    let mut counts: HashMap<K, usize> = HashMap::new();
    items
        .map(|(key, at)| {
            let count = counts.entry(key).or_default();
            *count += 1;
            ((key, *count), at)
        })
        .collect()
}

/// Pair the equal blocks of one section in order, and return the places between them.
fn within(
    [base, own]: [&VersionBody<'_>; 2],
    sections: [usize; 2],
    links: &[[Option<usize>; 3]],
    found: &mut [Option<usize>],
) -> Vec<MergeGap> {
    let before: Vec<usize> = base
        .blocks_of(sections[0])
        .filter(|at| base.facts[*at].is_none() && links.iter().all(|link| link[0] != Some(*at)))
        .collect();
    let after: Vec<usize> =
        own.blocks_of(sections[1]).filter(|at| own.facts[*at].is_none() && found[*at].is_none()).collect();
    let changes = diff::changes(&comparables(base, &before), &comparables(own, &after));
    let (mut left, mut right) = (0, 0);
    let mut places = Vec::new();
    for change in &changes {
        for offset in 0..change.before.start - left {
            found[after[right + offset]] = Some(before[left + offset]);
        }
        places.push(MergeGap {
            before: before[change.before.clone()].to_vec(),
            after: after[change.after.clone()].to_vec(),
        });
        (left, right) = (change.before.end, change.after.end);
    }
    for offset in 0..before.len() - left {
        found[after[right + offset]] = Some(before[left + offset]);
    }
    places
}

/// The form in which blocks are compared: a numbered item without its number.
fn comparable<'a>(part: &VersionBody<'a>, at: usize) -> &'a str {
    let text = part.block(at);
    match part.kind(at) {
        BlockKind::Item { ordered: Some(_), .. } => text.trim_start_matches(|c: char| c.is_ascii_digit()),
        _ => text,
    }
}

fn comparables<'a>(part: &VersionBody<'a>, blocks: &[usize]) -> Vec<&'a str> {
    blocks.iter().map(|at| comparable(part, *at)).collect()
}

/// Pair the blocks between two equal pairs: the most similar first, then the rest in order, if equally many of a kind
/// are left.
fn edited(
    base: &VersionBody<'_>,
    own: &VersionBody<'_>,
    before: &[usize],
    after: &[usize],
    found: &mut [Option<usize>],
) {
    if before.is_empty() || after.is_empty() {
        return;
    }
    let mut before: Vec<usize> = before.iter().copied().filter(|at| is_prose(base, *at)).collect();
    let mut after: Vec<usize> = after.iter().copied().filter(|at| is_prose(own, *at)).collect();
    if before.len() * after.len() <= MAX_COMPARED {
        let bags: Vec<Bag> = before.iter().map(|at| Bag::of_text(head(base.block(*at)))).collect();
        let mut pairs = Vec::new();
        for at in &after {
            let bag = Bag::of_text(head(own.block(*at)));
            for (before, known) in before.iter().zip(&bags) {
                let is_turned = !same_kind(base, own, *before, *at);
                if !is_turned || (may_turn(base, *before) && may_turn(own, *at)) {
                    pairs.push((known.likeness(&bag), is_turned, *before, *at));
                }
            }
        }
        pairs.retain(|(likeness, ..)| *likeness >= EDITED);
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
        for (_, _, at, new) in pairs {
            if found[new].is_none() && before.contains(&at) {
                found[new] = Some(at);
                before.retain(|left| *left != at);
                after.retain(|left| *left != new);
            }
        }
    }
    if before.len() == after.len()
        && before.iter().zip(&after).all(|(at, new)| same_kind(base, own, *at, *new))
    {
        before.iter().zip(&after).for_each(|(at, new)| found[*new] = Some(*at));
    }
}

/// The text of a block without the list nested in it, which may come from elsewhere.
fn head(block: &str) -> &str {
    let nested = block.match_indices('\n').find(|(at, _)| {
        let line = block[at + 1..].trim_start();
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with(['-', '*', '+']) || (digits.len() < line.len() && digits.starts_with(['.', ')']))
    });
    nested.map_or(block, |(at, _)| &block[..at])
}

fn same_kind(base: &VersionBody<'_>, own: &VersionBody<'_>, before: usize, after: usize) -> bool {
    std::mem::discriminant(base.kind(before)) == std::mem::discriminant(own.kind(after))
}

/// A paragraph may become a list item, and an item a paragraph.
fn may_turn(part: &VersionBody<'_>, at: usize) -> bool {
    matches!(part.kind(at), BlockKind::Paragraph | BlockKind::Item { .. })
}

/// An item of a list of paths belongs to a set: another path is another item.
fn is_prose(part: &VersionBody<'_>, at: usize) -> bool {
    !(matches!(part.kind(at), BlockKind::Item { .. }) && is_path(part.block(at)))
}

/// Whether a list item is a single path, as below `**Files:**`.
fn is_path(item: &str) -> bool {
    let text = item.trim_start_matches(['-', '*', '+', ' ', '\t']).trim_matches('`');
    !text.contains(|c: char| c.is_whitespace() || "[]()<>".contains(c)) && text.contains(['/', '.'])
}

/// Pair blocks that left their section unchanged.
fn elsewhere(base: &VersionBody<'_>, own: &VersionBody<'_>, found: &mut [Option<usize>]) {
    let mut taken = vec![false; base.outline.blocks().len()];
    found.iter().flatten().for_each(|at| taken[*at] = true);
    let is_telling =
        |part: &VersionBody<'_>, at: usize| !part.opens_section(at) && part.block(at).len() >= TELLING;
    let left = (0..taken.len()).filter(|at| !taken[*at] && is_telling(base, *at));
    let known = once(left.map(|at| (comparable(base, at), at)));
    let new = (0..found.len()).filter(|at| found[*at].is_none() && is_telling(own, *at)).collect::<Vec<_>>();
    for (text, at) in once(new.into_iter().map(|at| (comparable(own, at), at))) {
        found[at] = known.get(&text).copied();
    }
}

fn once<K: Eq + Hash>(items: impl Iterator<Item = (K, usize)>) -> HashMap<K, usize> {
    let mut found: HashMap<K, Option<usize>> = HashMap::new();
    for (key, at) in items {
        found.entry(key).and_modify(|at| *at = None).or_insert(Some(at));
    }
    found.into_iter().filter_map(|(key, at)| Some((key, at?))).collect()
}

/// Pair what both sides added alike: for each block of the second side, the one of the first.
fn new_on_both(
    parts: [&VersionBody<'_>; 3],
    sections: &PartPairing,
    to_base: &[Vec<Option<usize>>; 2],
) -> Vec<Option<usize>> {
    let mut found = vec![None; to_base[1].len()];
    let new = |side: usize| (0..to_base[side].len()).filter(move |at| to_base[side][*at].is_none());
    let facts = [0, 1].map(|side: usize| -> HashMap<(&FactKey, usize), usize> {
        by_count(new(side).filter_map(|at| Some((parts[side + 1].facts[at].as_ref()?, at))))
    });
    for (key, at) in &facts[1] {
        found[*at] = facts[0].get(key).copied();
    }
    for section in &sections.at {
        let (Some(first), Some(second)) = (section[1], section[2]) else { continue };
        if section[0].is_none()
            && let (Some(first), Some(second)) = (parts[1].heading_of(first), parts[2].heading_of(second))
        {
            found[second] = Some(first);
        }
        let blocks = |side: usize, section: usize| -> Vec<usize> {
            let is_new = |at: &usize| to_base[side - 1][*at].is_none() && parts[side].facts[*at].is_none();
            parts[side].blocks_of(section).filter(is_new).collect()
        };
        let whole = if section[0].is_none() { Whole::Pair } else { Whole::Keep };
        added(parts, [&blocks(1, first), &blocks(2, second)], whole, &mut found);
    }
    both_elsewhere(parts, to_base, &mut found);
    found
}

/// Whether two fences or tables that both sides added in one place of a section are versions of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Pair,
    Keep,
}

fn added(parts: [&VersionBody<'_>; 3], blocks: [&[usize]; 2], whole: Whole, found: &mut [Option<usize>]) {
    let texts =
        |side: usize| -> Vec<&str> { blocks[side].iter().map(|at| parts[side + 1].block(*at)).collect() };
    let changes = diff::changes(&texts(0), &texts(1));
    let (mut left, mut right) = (0, 0);
    for change in &changes {
        for offset in 0..change.before.start - left {
            found[blocks[1][right + offset]] = Some(blocks[0][left + offset]);
        }
        wholes(parts, [&blocks[0][change.before.clone()], &blocks[1][change.after.clone()]], whole, found);
        (left, right) = (change.before.end, change.after.end);
    }
    for offset in 0..blocks[0].len() - left {
        found[blocks[1][right + offset]] = Some(blocks[0][left + offset]);
    }
}

/// The n-th fence of one side is the n-th of the other; the same for tables. Link definitions always pair.
fn wholes(parts: [&VersionBody<'_>; 3], blocks: [&[usize]; 2], whole: Whole, found: &mut [Option<usize>]) {
    let is_fence = |kind: &BlockKind| whole == Whole::Pair && matches!(kind, BlockKind::Fence { .. });
    let is_table = |kind: &BlockKind| whole == Whole::Pair && matches!(kind, BlockKind::Table);
    let is_definition = |kind: &BlockKind| matches!(kind, BlockKind::Definition);
    for is_one in [&is_fence as &dyn Fn(&BlockKind) -> bool, &is_table, &is_definition] {
        let of = |side: usize| blocks[side].iter().filter(move |at| is_one(parts[side + 1].kind(**at)));
        of(0).zip(of(1)).for_each(|(first, second)| found[*second] = Some(*first));
    }
}

/// A block that both sides added alike in different places is kept once.
fn both_elsewhere(
    parts: [&VersionBody<'_>; 3],
    to_base: &[Vec<Option<usize>>; 2],
    found: &mut [Option<usize>],
) {
    let taken: Vec<usize> = found.iter().flatten().copied().collect();
    let is_telling = |side: usize, at: usize| {
        let part = parts[side + 1];
        to_base[side][at].is_none()
            && !matches!(part.kind(at), BlockKind::Heading { .. })
            && part.block(at).len() >= TELLING
    };
    let first = (0..to_base[0].len()).filter(|at| is_telling(0, *at) && !taken.contains(at));
    let first = once(first.map(|at| (parts[1].block(at), at)));
    let left: Vec<usize> = (0..found.len()).filter(|at| found[*at].is_none() && is_telling(1, *at)).collect();
    for (text, at) in once(left.into_iter().map(|at| (parts[2].block(at), at))) {
        found[at] = first.get(text).copied();
    }
}
