//! Renumber ordered lists: if all versions count up, the result does.

use super::weave::{Thread, Woven, is_numbered};
use super::{Ground, part::VersionBody};
use crate::doc::BlockKind;

/// Number the items of every list that counts up in all versions it comes from.
pub(super) fn count(ground: &Ground<'_>, woven: &mut Woven) {
    let mut at = 0;
    while at < woven.threads.len() {
        let run = woven.threads[at..].iter().map_while(|thread| match thread {
            Thread::Block(number) if is_numbered(ground, *number) => Some(*number),
            _ => None,
        });
        let run: Vec<usize> = run.collect();
        if run.len() > 1 && run.iter().all(|number| counts_up(ground, *number)) {
            let start = run.iter().filter_map(|number| start(ground, *number)).min().unwrap_or(1);
            woven.counts.extend(run.iter().zip(start..).map(|(number, count)| (*number, count)));
        }
        at += run.len().max(1);
    }
}

/// Whether the item's number follows that of the item before it, in every version that has it.
fn counts_up(ground: &Ground<'_>, number: usize) -> bool {
    let at = ground.blocks.at[number];
    (0..3).filter_map(|version| Some((ground.parts[version], at[version]?))).all(|(part, at)| {
        let before = at
            .checked_sub(1)
            .and_then(|before| count_of(part, before).filter(|_| same_list(part, before, at)));
        match (before, count_of(part, at)) {
            (Some(before), Some(own)) => own == before + 1,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    })
}

fn start(ground: &Ground<'_>, number: usize) -> Option<u64> {
    let (version, at) = ground.somewhere(number);
    match ground.parts[version].kind(at) {
        BlockKind::Item { ordered, .. } => *ordered,
        _ => None,
    }
}

fn same_list(part: &VersionBody<'_>, before: usize, at: usize) -> bool {
    let list = |at: usize| match part.kind(at) {
        BlockKind::Item { list, .. } => Some(*list),
        _ => None,
    };
    list(before) == list(at)
}

fn count_of(part: &VersionBody<'_>, at: usize) -> Option<u64> {
    let text = part.block(at).trim_start();
    text[..text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()].parse().ok()
}

pub(super) fn renumbered(item: &str, count: u64) -> String {
    let lead = item.len() - item.trim_start().len();
    let rest = item[lead..].trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{}{count}{rest}", &item[..lead])
}
