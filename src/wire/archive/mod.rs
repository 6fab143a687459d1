//! JSON of `brv archive`: a file for each command.

mod list;
mod show;

pub use list::{ArchiveList, ArchivedItem, ArchivedState, MalformedItem};
pub use show::ArchiveShow;
