//! The statements whose commits are on no branch of the code, as a page takes them.

use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_text::brain::Left;
use std::collections::BTreeMap;

/// By the paths of their entries. `now` is in seconds since 1970.
pub(super) fn by_path(unmerged: &Unmerged, now: i64) -> BTreeMap<String, Vec<Left>> {
    let mut all: BTreeMap<String, Vec<Left>> = BTreeMap::new();
    for (path, title, left) in unmerged.iter() {
        let (title, branch) = (title.to_owned(), left.branch.clone());
        let is_hidden = left.is_long_ago(now);
        all.entry(path.to_owned()).or_default().push(Left { title, branch, is_hidden });
    }
    all
}
