//! Write the merged body: blocks, markers, and the gaps between them.

use super::super::{Conflict, MergePlace, Reason, Undecided, markers};
use super::fate::{Fate, Fates};
use super::hunks::Hunk;
use super::numbering::renumbered;
use super::weave::{Thread, Woven, run_text};
use super::{Ground, Merged};
use crate::doc::{BlockKind, Outline};

pub(super) fn write(ground: &Ground<'_>, fates: &Fates, woven: Woven) -> Merged {
    let (undecided, revived) = (fates.undecided.clone(), fates.revived.clone());
    let mut merged = Merged { undecided, revived, ..Merged::default() };
    merged.records.extend(fates.records.iter().cloned());
    merged.records.extend(woven.records.iter().cloned());
    merged.undecided.extend(woven.undecided.iter().cloned());
    merged.text.push_str(around(ground.parts.map(|part| part.lead())));
    let mut before: Option<&Thread> = None;
    for thread in &woven.threads {
        if let Some(before) = before {
            let gap = gap(ground, before, thread);
            merged.text.push_str(&gap);
        }
        match thread {
            Thread::Block(number) => put_block(ground, fates, &woven, *number, &mut merged),
            Thread::Open(reason, runs) => {
                let texts = [None, Some(run_text(ground, &runs[0])), Some(run_text(ground, &runs[1]))];
                let texts = texts.each_ref().map(Option::as_deref);
                put_conflict(ground, ground.place(runs[0][0]), *reason, texts, &mut merged);
            }
        }
        before = Some(thread);
    }
    if before.is_some() {
        let ends_open = matches!(merged.conflicts.last(), Some(last) if last.span.as_ref().is_some_and(|span| span.end == merged.text.len()));
        let trail = around(ground.parts.map(|part| part.trail()));
        merged.text.push_str(if ends_open && trail.is_empty() { ground.newline() } else { trail });
    }
    merged
}

fn put_block(ground: &Ground<'_>, fates: &Fates, woven: &Woven, number: usize, merged: &mut Merged) {
    match &fates.blocks[number] {
        Fate::Gone => {}
        Fate::Stands(text) => {
            let text = match woven.counts.get(&number) {
                Some(count) => renumbered(text, *count),
                None => text.clone(),
            };
            merged.text.push_str(&text);
            if ground.is_joined(number) {
                let outline = Outline::of(&text);
                let blocks =
                    outline.blocks().iter().map(|block| Some(text[block.content.clone()].to_owned()));
                merged.blocks.extend(blocks);
            } else {
                merged.blocks.push(Some(text));
            }
        }
        Fate::Both(text) => {
            merged.text.push_str(text);
            merged.blocks.push(None);
        }
        Fate::Rows(reason, hunks) => put_hunks(ground, number, *reason, hunks, merged),
        Fate::Open(reason) => match ground.hunks_of(number) {
            Some(hunks) => put_hunks(ground, number, *reason, &hunks, merged),
            None => put_conflict(ground, ground.place(number), *reason, ground.texts_of(number), merged),
        },
    }
}

/// Write a block in which only some lines are conflicts.
fn put_hunks(ground: &Ground<'_>, number: usize, reason: Reason, hunks: &[Hunk], merged: &mut Merged) {
    let has_base = ground.texts_of(number)[0].is_some();
    for hunk in hunks {
        match hunk {
            Hunk::Settled(text) => merged.text.push_str(text),
            Hunk::Open([base, first, second]) => {
                let texts = [Some(base).filter(|_| has_base), Some(first), Some(second)];
                let texts = texts.map(|text| text.map(String::as_str));
                put_conflict(ground, ground.place_of(number, texts), reason, texts, merged);
                merged.text.push_str(ground.newline());
            }
        }
    }
    // the block ends before its last line ending
    let content = merged.text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text).len());
    merged.text.truncate(content.unwrap_or(merged.text.len()));
}

fn put_conflict(
    ground: &Ground<'_>,
    place: MergePlace,
    reason: Reason,
    texts: [Option<&str>; 3],
    merged: &mut Merged,
) {
    debug_assert_eq!(ground.cx.rules.undecided, Undecided::Mark);
    let texts = ground.cx.texts(texts);
    let start = merged.text.len();
    let sides =
        [&texts.base, &texts.ours, &texts.theirs].map(|text| text.as_deref().unwrap_or_default().as_bytes());
    let mut marked = std::mem::take(&mut merged.text).into_bytes();
    markers::write(&mut marked, sides, ground.cx.rules.names, ground.newline());
    merged.text = String::from_utf8(marked).expect("texts with markers are text");
    let span = Some(start..merged.text.len());
    merged.conflicts.push(Conflict { place, reason, texts, span });
    merged.blocks.push(None);
}

/// Merge three gaps: the changed one, else the longer.
fn three([base, first, second]: [&str; 3]) -> &str {
    match (base == first, base == second) {
        _ if first == second => first,
        (true, _) => second,
        (_, true) => first,
        _ => {
            if (first.len(), first) > (second.len(), second) {
                first
            } else {
                second
            }
        }
    }
}

/// The text before or after all blocks; a version without blocks does not count.
fn around<'a>([base, first, second]: [Option<&'a str>; 3]) -> &'a str {
    let or = |own: Option<&'a str>, other: Option<&'a str>| own.or(base).or(other).unwrap_or_default();
    let (one, other) = (or(first, second), or(second, first));
    three([base.unwrap_or(one), one, other])
}

/// The gap between two blocks: the one a version has there, else the one their kinds need.
fn gap(ground: &Ground<'_>, before: &Thread, after: &Thread) -> String {
    let (last, first) = match (before, after) {
        (Thread::Block(last), Thread::Block(first)) => (*last, *first),
        (Thread::Open(..), Thread::Block(first)) | (Thread::Block(first), Thread::Open(..)) => {
            let is_item = is_item(ground, *first);
            return ground.newline().repeat(if is_item { 1 } else { 2 });
        }
        (Thread::Open(..), Thread::Open(..)) => return ground.newline().to_owned(),
    };
    let between = [0, 1, 2].map(|version| {
        let at = ground.blocks.at[last][version]?;
        (ground.blocks.at[first][version] == Some(at + 1)).then(|| ground.parts[version].gap_after(at))
    });
    match between {
        [base, Some(one), Some(other)] => three([base.unwrap_or(one), one, other]).to_owned(),
        [_, Some(one), None] | [_, None, Some(one)] => one.to_owned(),
        [_, None, None] => needed(ground, last, first),
    }
}

fn is_item(ground: &Ground<'_>, number: usize) -> bool {
    let (version, at) = ground.somewhere(number);
    matches!(ground.parts[version].kind(at), BlockKind::Item { .. })
}

fn is_heading(ground: &Ground<'_>, number: usize) -> bool {
    let (version, at) = ground.somewhere(number);
    matches!(ground.parts[version].kind(at), BlockKind::Heading { .. })
}

/// The gap between two blocks that are not neighbours in any version: items as close as in their lists, everything else
/// separated by a blank line, or by more if there was more.
fn needed(ground: &Ground<'_>, last: usize, first: usize) -> String {
    let newline = ground.newline();
    if is_item(ground, last) && is_item(ground, first) {
        let own = own_gaps(ground, last, first);
        return own.unwrap_or(newline).to_owned();
    }
    let at = ground.blocks.at[last];
    let known = (0..3).filter_map(|version| Some(ground.parts[version].gap_after(at[version]?)));
    let widest = known.max_by_key(|gap| gap.matches('\n').count()).unwrap_or_default();
    let least = if is_heading(ground, last) && widest.contains('\n') { 1 } else { 2 };
    if widest.matches('\n').count() >= least { widest.to_owned() } else { newline.repeat(least) }
}

/// The gap that one of the two lists has between its items.
fn own_gaps<'a>(ground: &Ground<'a>, last: usize, first: usize) -> Option<&'a str> {
    let near = |number: usize| {
        let at = ground.blocks.at[number];
        (1..3).find_map(|version| {
            let (part, at) = (ground.parts[version], at[version]?);
            let is_item = |at: usize| {
                part.outline
                    .blocks()
                    .get(at)
                    .is_some_and(|block| matches!(block.kind, BlockKind::Item { .. }))
            };
            let before = at.checked_sub(1).filter(|before| is_item(*before));
            before.or(Some(at).filter(|_| is_item(at + 1))).map(|at| part.gap_after(at))
        })
    };
    near(first).or_else(|| near(last))
}
