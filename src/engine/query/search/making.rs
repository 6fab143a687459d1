//! Make the index on disk.

use super::{folder, walk};
use crate::open::context::Opened;
use brv_base::fs::Busy;
use brv_base::path::TreePath;
use brv_base::progress::Progress;
use brv_git::status::StatusError;
use brv_search::Index;

/// Why the index is not kept on disk.
#[derive(Debug, thiserror::Error)]
pub enum Unkept {
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error(transparent)]
    Files(#[from] StatusError),
    #[error(transparent)]
    Index(#[from] brv_search::Error),
    #[error("it was removed as soon as it was made")]
    Removed,
}

/// Make the index, unless another process did meanwhile.
pub(super) fn make(opened: &Opened, progress: &dyn Progress) -> Result<(), Unkept> {
    let folder = folder(opened);
    let guard = brv_search::lock(&folder, opened.config.lock_timeout.value)?;
    if Index::open(&folder).is_none() {
        let (paths, root) = (walk::paths(opened)?, opened.scope.root());
        let read = |path: &TreePath| walk::on_disk(&root, path);
        Index::build(&folder, &paths, &read, progress, &guard)?;
    }
    Ok(())
}
