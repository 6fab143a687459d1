//! What is archived: by records of brv, which every clone has, and by files of other tools.

mod candidates;
mod committed;
mod foreign;
mod inventory;
mod lookup;
mod typed_name;

pub use candidates::{ArchiveCandidate, ArchiveChoice, BELOW, choose};
pub use committed::{Committed, Why};
pub use foreign::{Stores, Where};
pub use inventory::{Inventory, Malformed, inventory, malformed, malformed_in, recorded_in};
pub use lookup::{Lookup, found};
pub use typed_name::TypedName;

use crate::open::context::Opened;
use crate::open::signals;
use crate::outcome::json;
use crate::{Mode, Stop};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_text::doc::ArchiveRecord;
use brv_text::lifecycle::Maturity;
use schemars::JsonSchema;
use serde::Serialize;

/// An archived entry.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ArchivedItem")]
pub struct Item {
    /// The path that the entry had.
    pub path: TreePath,
    /// The git blob ID of its content; `null` if only a stub of another tool is known.
    pub blob: Option<ContentId>,
    /// Its importance when it was archived, 0 to 100.
    pub importance: Option<f64>,
    /// When it was archived: `2026-11-20T12:30:00Z`.
    // in seconds since 1970
    #[serde(serialize_with = "json::optional_time")]
    #[schemars(with = "Option<String>")]
    pub archived_at: Option<i64>,
    /// Its stub, if that is on disk.
    pub stub: Option<TreePath>,
    /// Its full copy, if that is on disk.
    pub full: Option<TreePath>,
    /// Estimated tokens of the entry: characters divided by four.
    pub tokens: Option<u64>,
    /// Who archived it, and whether its content is here.
    pub state: ArchivedState,
    /// Whether another entry has its path now: it is restored once that one is moved away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub taken: bool,
    /// Its record; `None` for an archive of another tool.
    #[serde(skip)]
    pub record: Option<ArchiveRecord>,
    /// Where the files of another tool are.
    #[serde(skip)]
    pub found: Stores,
}

/// Who archived an entry, and whether its content is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ArchivedState")]
pub enum ArchivedState {
    /// brv, and the content is in this clone.
    Here,
    /// brv, and the content is not in this clone, such as a shallow one.
    Missing,
    /// Another tool: on disk, in the last commit, or in an earlier one.
    Foreign,
}

/// The `context.md` that records an entry.
pub fn overview_of(path: &TreePath) -> TreePath {
    let folder = path.folder();
    let overview = if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") };
    TreePath::parse(overview.as_bytes()).expect("an overview lies beside a portable path")
}

/// What this machine's signals say about these entries. They begin now if there are none, but not in a dry run; if they
/// cannot be read, every entry counts as first seen now.
pub fn signals(
    opened: &Opened,
    entries: Vec<TreePath>,
    (mode, now): (Mode, i64),
) -> (Vec<ArchiveCandidate>, Option<Stop>) {
    let (known, trouble) = match mode {
        Mode::DryRun => signals::preview(opened, now),
        Mode::Write => signals::read(opened, now),
    };
    let candidate = |path: TreePath| {
        let signal = known.of(&path);
        ArchiveCandidate {
            importance: signal.importance,
            is_draft: signal.maturity == Maturity::Draft,
            known_for: now - signal.first_seen,
            path,
        }
    };
    (entries.into_iter().map(candidate).collect(), trouble)
}
