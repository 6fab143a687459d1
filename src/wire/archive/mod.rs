//! JSON of `brv archive`: a file for each command.

mod list;
mod restore;
mod run;
mod show;

pub use list::{ArchiveList, ArchivedItem, ArchivedState, MalformedItem};
pub use restore::ArchiveRestore;
pub use run::{ArchiveRun, Skipped as ArchiveSkipped};
pub use show::ArchiveShow;
