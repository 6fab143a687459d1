//! The archive: entries that left the tree, with their bytes kept by a record in the `context.md` of their folder.

pub mod list;
pub mod restore;
pub mod run;
pub mod show;

const LIST: &str = "`brv archive list` lists what is archived";
const NOT_HERE: &str = "`brv vc fetch --unshallow` brings the history that a shallow clone left out";
const MALFORMED: &str = "its item in `archived:` of context.md cannot be read: NAME.md, blob ID, importance and time, separated by spaces";
