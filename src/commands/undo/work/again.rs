//! Undo an `add` whose files have been staged again since: the index entry keeps the later changes and loses the
//! operation's, by the same merge as a file on disk.

use super::Error;
use super::layers::Around;
use brv_engine::journal::{IndexSides, Staged};
use brv_engine::merge::reconcile::{self, Conflict, Reconciled, Settled, Trees};
use brv_git::{Drafts, Scope, TreeId, trees};
use brv_text::merge::Undecided;
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Again {
    /// The new index entries, by full path.
    pub entries: BTreeMap<BString, Staged>,
    /// Conflicts, for which the index has no place.
    pub open: Vec<Conflict>,
    pub settled: Vec<Settled>,
    /// Reads the merged bytes; `None` if no merge was needed.
    pub reconciled: Option<Reconciled>,
}

/// Merge, on top of the objects that `over` reads.
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
        let merged = trees::file(&whole, reconciled.tree, path.as_bstr())?;
        if merged != now {
            again.entries.insert(path, super::layers::staged(merged));
        }
    }
    again.reconciled = Some(reconciled);
    Ok(again)
}
