//! The archive: entries that left the tree, with their bytes kept by a record in the `context.md` of their folder.

pub mod list;
pub mod restore;
pub mod run;
pub mod show;

use brv_base::path::TreePath;
use bstr::{BStr, ByteSlice as _};
use std::collections::BTreeSet;

const LIST: &str = "`brv archive list` lists what is archived";
const NOT_HERE: &str = "`brv vc fetch --unshallow` brings the history that a shallow clone left out";
const MALFORMED: &str = "its item in `archived:` of context.md cannot be read: NAME.md, blob ID, importance and time, separated by spaces";

/// Which of these entries a commit with these paths has, and a line for each in its body.
fn words<'a>(
    entries: impl Iterator<Item = (&'a TreePath, String)>,
    paths: &BTreeSet<&BStr>,
) -> (String, Vec<String>) {
    let done = entries.filter(|(path, _)| paths.contains(path.as_bytes().as_bstr()));
    let (done, lines): (Vec<_>, Vec<_>) = done.map(|(path, what)| (path, format!("- {path}{what}"))).unzip();
    let what = match &done[..] {
        [path] => path.to_string(),
        several => format!("{} entries", several.len()),
    };
    (what, lines)
}
