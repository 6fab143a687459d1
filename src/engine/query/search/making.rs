//! Make the index on disk.

use super::{folder, walk};
use crate::open::context::Opened;
use crate::open::sweep::{OldCaches, is_other, sweep};
use crate::{FailureKind, Stop};
use brv_base::path::TreePath;
use brv_base::progress::Progress;
use brv_search::Index;

/// Make the index, unless another process did meanwhile.
pub(super) fn make(opened: &Opened, progress: &dyn Progress) -> Result<(), Stop> {
    let folder = folder(opened);
    let guard = brv_search::lock(&folder, opened.config.lock_timeout.value)?;
    if Index::open(&folder).is_none() {
        let (paths, root) = (walk::paths(opened)?, opened.scope.root());
        let read = |path: &TreePath| walk::on_disk(&root, path);
        let built = Index::build(&folder, &paths, &read, progress, &guard);
        built.map_err(|error| Stop::because(FailureKind::Failed, &error))?;
        let own = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        sweep(&opened.places.cache(), OldCaches::Folders, |name| is_other(name, &["search"], &[own]));
    }
    Ok(())
}
