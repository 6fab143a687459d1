//! How much of the tree a source may change: who wrote it may want to see all of it rewritten.

use brv_base::path::{PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::curate::{Options, Outcome};
use brv_engine::derive;
use brv_engine::open::context::Opened;
use brv_git as git;
use brv_text::curate::{Act, Code, Refused};
use std::collections::BTreeSet;

/// From this many entries on, at most so many percent of them are changed.
const FEW: usize = 10;
const SHARE: usize = 30;

/// Refuse the operations that, in their order, would change more entries than that. New ones are not part of it.
pub(super) fn limit(opened: &Opened, options: &mut Options, tried: &Outcome) -> Result<(), Stop> {
    let survey = derive::quick_survey(opened, git::index::read(&opened.scope)?)?;
    let there = derive::curated_paths(&opened.scope, &survey)?;
    let there: BTreeSet<TreePath> = there.into_iter().filter(|path| path.kind() == PathKind::Entry).collect();
    if there.len() < FEW {
        return Ok(());
    }
    let mut changed: BTreeSet<&TreePath> = BTreeSet::new();
    for (read, one) in options.operations.iter_mut().zip(&tried.applied) {
        let Some(done) = one.result.as_ref().ok().filter(|done| done.act != Act::Unchanged) else { continue };
        let own = [&done.file].into_iter().chain(&done.removed).filter_map(|path| there.get(path));
        let more: BTreeSet<&TreePath> = own.filter(|path| !changed.contains(path)).collect();
        if (changed.len() + more.len()) * 100 > there.len() * SHARE {
            let why = format!("a source may change {SHARE} % of the {} entries", there.len());
            read.operation = Err(Refused::new(Code::OverLimit, why));
            continue;
        }
        changed.extend(more);
    }
    Ok(())
}
