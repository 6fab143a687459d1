//! Mark changes of entries that are core by their use on this machine.
//!
//! Signals stay on one machine, so it is decided where the operation is made. A pinned entry counts as core and is marked as
//! pinned.

use super::{Applied, Done};
use crate::open::context::Opened;
use crate::open::signals;
use brv_text::curate::{Act, Why};
use brv_text::lifecycle::Maturity;

/// Add [`Why::Core`] to the operations that changed or removed such an entry.
pub(super) fn mark(opened: &Opened, applied: &mut [Applied], now: i64) {
    let done = |applied: &[Applied]| -> Vec<usize> {
        let is_change =
            |done: &Done| done.before.is_some() && done.act != Act::Unchanged && !done.is_of_items;
        let all = applied.iter().enumerate();
        all.filter(|(_, one)| one.result.as_ref().is_ok_and(is_change)).map(|(at, _)| at).collect()
    };
    let changed = done(applied);
    if changed.is_empty() {
        return;
    }
    let core = signals::with_signals(opened, now, &|signal| {
        let is_core = |at: &&usize| {
            let done = applied[**at].result.as_ref();
            done.is_ok_and(|done| signal(&done.file).is_some_and(|one| one.maturity == Maturity::Core))
        };
        changed.iter().filter(is_core).copied().collect::<Vec<usize>>()
    });
    for at in core {
        if let Ok(done) = &mut applied[at].result
            && !done.review.contains(&Why::Pinned)
        {
            done.review.push(Why::Core);
        }
    }
}
