//! What taking back an `add` makes of files that were recorded anew since: the entry of the index keeps what came later and
//! loses what the operation brought, by the same merge as a file on disk.

use super::Error;
use super::layers::Around;
use crate::git::{Drafts, Scope, TreeId};
use crate::journal::{IndexSides, Staged};
use crate::merge::Undecided;
use crate::ops::steps::merging::reconcile::{self, Conflict, Reconciled, Settled, Trees};
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeMap;

/// What comes of it.
#[derive(Default)]
pub(super) struct Again {
    /// What the index gets, by full path.
    pub entries: BTreeMap<BString, Staged>,
    /// What a person must decide; the index has no place for it.
    pub open: Vec<Conflict>,
    /// What was settled without a person.
    pub settled: Vec<Settled>,
    /// Reads the bytes of it; `None` where nothing had to be merged.
    pub reconciled: Option<Reconciled>,
}

/// Merge, on top of what `over` reads.
pub(super) fn merge(
    around: &Around<'_>,
    over: &Scope,
    recorded: &IndexSides,
    undecided: Undecided,
    (name, committed): (&str, [i64; 2]),
) -> Result<Again, Error> {
    let found = around.recorded_anew(recorded)?;
    if found.is_empty() {
        return Ok(Again::default());
    }
    let drafts = Drafts::over(over);
    let tree = |side: usize| {
        let versions = found.iter().map(|(path, sides)| (path, sides[side]));
        drafts.tree_with(TreeId::empty(), versions)
    };
    let trees = Trees { base: tree(0)?, ours: tree(1)?, theirs: tree(2)? };
    let options = super::strict(name, undecided);
    let mut reconciled = reconcile::reconcile_trees(drafts.scope(), trees, committed, &options)?;
    let mut again = Again {
        open: std::mem::take(&mut reconciled.conflicts),
        settled: std::mem::take(&mut reconciled.settled),
        ..Again::default()
    };
    let whole = reconciled.scope().whole();
    for (path, [_, now, _]) in found {
        let merged = super::disk::version_in(&whole, reconciled.tree, path.as_bstr())?;
        if merged != now {
            again.entries.insert(path, super::layers::staged(merged));
        }
    }
    again.reconciled = Some(reconciled);
    Ok(again)
}
