//! What is archived: by records of brv, which every clone has, and by files of other tools.

mod candidates;
mod committed;
mod foreign;
mod inventory;
mod lookup;
mod sought;

pub use candidates::{Candidate, Chosen, choose};
pub use committed::{Committed, Why};
pub use foreign::{Stores, Where};
pub use inventory::{Inventory, Malformed, inventory, malformed, malformed_in};
pub use lookup::{Lookup, found};
pub use sought::Sought;

use crate::content::ContentId;
use crate::doc::ArchiveRecord;
use crate::lifecycle::Maturity;
use crate::ops::Mode;
use crate::ops::context::Opened;
use crate::ops::steps::signals::{self, Trouble};
use crate::path::TreePath;

/// An archived entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The path that the entry had.
    pub path: TreePath,
    /// Its content, if that is known.
    pub blob: Option<ContentId>,
    /// Its importance when it was archived.
    pub importance: Option<f64>,
    /// When it was archived, in seconds since 1970.
    pub archived_at: Option<i64>,
    /// Its stub on disk.
    pub stub: Option<TreePath>,
    /// Its full copy on disk.
    pub full: Option<TreePath>,
    /// The estimated tokens of the entry.
    pub tokens: Option<u64>,
    /// Who archived it, and whether its content is here.
    pub state: State,
    /// Its record; `None` for an archive of another tool.
    pub record: Option<ArchiveRecord>,
    /// Where the files of another tool are.
    pub found: Stores,
}

/// Who archived an entry, and whether its content is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// brv did, and its content is here.
    Here,
    /// brv did, and its content is not in this clone.
    Missing,
    /// Another tool did.
    Foreign,
}

/// The `context.md` that records an entry.
#[must_use]
pub fn overview_of(path: &TreePath) -> TreePath {
    let folder = path.folder();
    let overview = if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") };
    TreePath::parse(overview.as_bytes()).expect("an overview lies beside a portable path")
}

/// What this machine's signals say about these entries. They begin now if there are none, but not in a dry run; if they
/// cannot be read, every entry counts as first seen now.
#[must_use]
pub fn signals(
    opened: &Opened,
    entries: Vec<TreePath>,
    (mode, now): (Mode, i64),
) -> (Vec<Candidate>, Option<Trouble>) {
    let (known, trouble) = match mode {
        Mode::DryRun => signals::preview(opened, now),
        Mode::Write => signals::read(opened, now),
    };
    let candidate = |path: TreePath| {
        let signal = known.of(&path);
        Candidate {
            importance: signal.importance,
            is_draft: signal.maturity == Maturity::Draft,
            known_for: now - signal.first_seen,
            path,
        }
    };
    (entries.into_iter().map(candidate).collect(), trouble)
}
