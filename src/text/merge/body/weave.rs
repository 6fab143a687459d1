//! Order everything that survives the merge: first the sections, then the blocks of each.

use super::super::order::{Stretch, order};
use super::super::{MergePlace, Reason, Record, Settled, Undecided};
use super::fate::{Fate, Fates, heading};
use super::{Ground, starts};
use crate::doc::BlockKind;
use std::cmp::Reverse;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Thread {
    Block(usize),
    /// What both sides added in one place, if it is a conflict.
    Open(Reason, [Vec<usize>; 2]),
}

/// The result before it is written.
pub(super) struct Woven {
    pub threads: Vec<Thread>,
    /// The merged numbers of numbered items.
    pub counts: std::collections::HashMap<usize, u64>,
    pub records: Vec<Record>,
    /// Headings below which the numbered items of both sides were kept.
    pub undecided: Vec<String>,
}

/// Order everything that survives.
pub(super) fn weave(ground: &Ground<'_>, fates: &Fates) -> Woven {
    let mut woven = Woven {
        threads: Vec::new(),
        counts: std::collections::HashMap::new(),
        records: Vec::new(),
        undecided: Vec::new(),
    };
    let sequences = &ground.sections.of;
    let mut blocks = in_sections(ground, fates);
    for stretch in order(&sequences[0], [&sequences[1], &sequences[2]]) {
        match stretch {
            Stretch::Common(section) => put_section(ground, fates, section, &mut blocks, &mut woven),
            Stretch::New(mut runs) => {
                // nested sections come before others, so that none changes its parent
                let key = |run: &Vec<usize>| {
                    let first = run.first().and_then(|section| heading(ground, *section))?;
                    let (version, at) = ground.somewhere(first);
                    let BlockKind::Heading { level, .. } = ground.parts[version].kind(at) else {
                        return None;
                    };
                    Some((Reverse(*level), ground.parts[version].block(at)))
                };
                if runs.iter().all(|run| !run.is_empty()) {
                    woven.records.push(both_kept(
                        ground,
                        &runs
                            .clone()
                            .map(|run| run.iter().filter_map(|section| heading(ground, *section)).collect()),
                    ));
                }
                // where it makes no difference to that, by bytes or ours first
                ground.cx.arrange(&mut runs, key);
                runs.sort_by_key(|run| key(run).map(|(level, _)| level));
                for section in runs.into_iter().flatten() {
                    put_section(ground, fates, section, &mut blocks, &mut woven);
                }
            }
        }
    }
    woven
}

/// The blocks of each section, in the order of each version. Removed blocks still mark the place of what came after
/// them.
fn in_sections(ground: &Ground<'_>, fates: &Fates) -> Vec<[Vec<usize>; 3]> {
    let mut found = vec![[const { Vec::new() }; 3]; ground.sections.len()];
    for (version, part) in ground.parts.iter().enumerate() {
        for (at, number) in ground.blocks.of[version].iter().enumerate() {
            let is_heading = part.opens_section(at) || *part.kind(at) == BlockKind::Blank;
            let section = ground.sections.of[version][part.section_of[at]];
            if !is_heading && fates.section_of[*number] == section {
                found[section][version].push(*number);
            }
        }
    }
    found
}

fn put_section(
    ground: &Ground<'_>,
    fates: &Fates,
    section: usize,
    blocks: &mut [[Vec<usize>; 3]],
    woven: &mut Woven,
) {
    if let Some(heading) = heading(ground, section)
        && fates.blocks[heading] != Fate::Gone
    {
        woven.threads.push(Thread::Block(heading));
    }
    let [base, first, second] = std::mem::take(&mut blocks[section]);
    for stretch in order(&base, [&first, &second]) {
        match stretch {
            Stretch::Common(block) if fates.blocks[block] == Fate::Gone => {}
            Stretch::Common(block) => woven.threads.push(Thread::Block(block)),
            Stretch::New(mut runs) => {
                let told = if ground.sections.at[section][0].is_none() {
                    RecordedBlocks::All
                } else {
                    RecordedBlocks::Prose
                };
                runs.iter_mut().for_each(|run| run.retain(|block| fates.blocks[*block] != Fate::Gone));
                put_new(ground, runs, told, woven);
            }
        }
    }
}

/// Which blocks that both sides added in one place get a record: a list accepts new items of both, unless all of it is
/// new.
#[derive(Clone, Copy)]
enum RecordedBlocks {
    Prose,
    All,
}

/// Keep what both sides added in one place: each side's run stays together, in the order of their bytes.
fn put_new(ground: &Ground<'_>, mut runs: [Vec<usize>; 2], told: RecordedBlocks, woven: &mut Woven) {
    let text = |number: usize| {
        let (version, at) = ground.somewhere(number);
        ground.parts[version].block(at)
    };
    if runs.iter().all(|run| !run.is_empty()) {
        if ground.cx.stops_at_disputes() {
            open_claims(ground, &mut runs, woven);
        }
        if runs.iter().all(|run| run.iter().any(|number| is_numbered(ground, *number))) {
            // only the items themselves: what is before and after them is kept from both sides
            let spans = runs.each_ref().map(|run| numbered_span(ground, run));
            let behind = [runs[0].split_off(spans[0].end), runs[1].split_off(spans[1].end)];
            let items = [runs[0].split_off(spans[0].start), runs[1].split_off(spans[1].start)];
            put_new(ground, runs, told, woven);
            numbered(ground, items, woven);
            return put_new(ground, behind, told, woven);
        }
        let is_told = |number: &&usize| match told {
            RecordedBlocks::Prose => !is_item(ground, **number),
            RecordedBlocks::All => !is_fact(ground, **number),
        };
        let prose = |run: &Vec<usize>| run.iter().filter(is_told).copied().collect();
        let told: [Vec<usize>; 2] = runs.each_ref().map(prose);
        if told.iter().all(|run| !run.is_empty()) {
            woven.records.push(both_kept(ground, &told));
        }
    }
    ground.cx.arrange(&mut runs, |run| run.iter().map(|number| text(*number)).collect::<Vec<_>>());
    woven.threads.extend(runs.into_iter().flatten().map(Thread::Block));
}

/// Take out claims of both sides about one subject; they become conflicts.
fn open_claims(ground: &Ground<'_>, runs: &mut [Vec<usize>; 2], woven: &mut Woven) {
    let subject = |number: usize| {
        let (version, at) = ground.somewhere(number);
        ground.parts[version].facts[at].as_ref().and_then(|fact| fact.subject.as_deref())
    };
    let mut subjects: Vec<&str> = runs[0].iter().filter_map(|number| subject(*number)).collect();
    subjects.retain(|name| runs[1].iter().any(|number| subject(*number) == Some(name)));
    subjects.dedup();
    for name in subjects {
        let claims = runs.each_mut().map(|run| {
            let (claims, rest) = run.drain(..).partition(|number| subject(*number) == Some(name));
            *run = rest;
            claims
        });
        if claims.iter().all(|run: &Vec<usize>| !run.is_empty()) {
            woven.threads.push(Thread::Open(Reason::Fact, claims));
        }
    }
}

/// The range from the first numbered item of a run to the last.
fn numbered_span(ground: &Ground<'_>, run: &[usize]) -> std::ops::Range<usize> {
    let is_item = |number: &usize| is_numbered(ground, *number);
    let first = run.iter().position(is_item).unwrap_or_default();
    first..run.iter().rposition(is_item).map_or(first, |last| last + 1)
}

fn numbered(ground: &Ground<'_>, runs: [Vec<usize>; 2], woven: &mut Woven) {
    let kept: Vec<usize> = match ground.cx.rules.undecided {
        Undecided::Mark => return woven.threads.push(Thread::Open(Reason::NumberedList, runs)),
        Undecided::Base => Vec::new(),
        Undecided::Both => {
            if ground.cx.swapped {
                [&runs[1][..], &runs[0]].concat()
            } else {
                runs.concat()
            }
        }
        Undecided::Ours => runs[usize::from(ground.cx.swapped)].clone(),
        Undecided::Theirs => runs[usize::from(!ground.cx.swapped)].clone(),
    };
    if ground.cx.rules.undecided == Undecided::Both
        && let MergePlace::Block { headings, .. } = ground.place(runs[0][0])
    {
        woven.undecided.extend(headings.last().cloned());
    }
    let settled = match ground.cx.rules.undecided {
        Undecided::Ours => Settled::Chosen(super::Side::Ours),
        Undecided::Theirs => Settled::Chosen(super::Side::Theirs),
        Undecided::Base => Settled::BaseTaken,
        Undecided::Both | Undecided::Mark => Settled::BothKept,
    };
    woven.records.push(Record { settled, ..both_kept(ground, &runs) });
    woven.threads.extend(kept.into_iter().map(Thread::Block));
}

fn is_item(ground: &Ground<'_>, number: usize) -> bool {
    let (version, at) = ground.somewhere(number);
    matches!(ground.parts[version].kind(at), BlockKind::Item { .. })
}

fn is_fact(ground: &Ground<'_>, number: usize) -> bool {
    let (version, at) = ground.somewhere(number);
    ground.parts[version].facts[at].is_some()
}

pub(super) fn is_numbered(ground: &Ground<'_>, number: usize) -> bool {
    let (version, at) = ground.somewhere(number);
    matches!(ground.parts[version].kind(at), BlockKind::Item { ordered: Some(_), .. })
}

/// The record that both sides added something in one place.
fn both_kept(ground: &Ground<'_>, runs: &[Vec<usize>; 2]) -> Record {
    let texts = runs.each_ref().map(|run| run_text(ground, run));
    let place = match runs[0].first() {
        Some(first) => match ground.place(*first) {
            MergePlace::Block { headings, .. } => {
                let ours = &texts[usize::from(ground.cx.swapped)];
                MergePlace::Block { headings, starts: starts(ours) }
            }
            other => other,
        },
        None => MergePlace::Whole,
    };
    let texts = ground.cx.texts([None, Some(&texts[0]), Some(&texts[1])]);
    Record { place, settled: Settled::BothKept, texts }
}

pub(super) fn run_text(ground: &Ground<'_>, run: &[usize]) -> String {
    let mut text = String::new();
    for (at, number) in run.iter().enumerate() {
        if at > 0 {
            text.push_str(&ground.newline().repeat(if is_item(ground, *number) { 1 } else { 2 }));
        }
        let (version, block) = ground.somewhere(*number);
        text.push_str(ground.parts[version].block(block));
    }
    text
}
