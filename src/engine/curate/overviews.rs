//! The overviews of folders: made with the first entry of a folder, and removed with the last one as long as nobody has
//! edited them.

use super::view::CurateView;
use crate::Stop;
use brv_base::path::{PathKind, TreePath};
use brv_text::curate::TreeNames as _;
use brv_text::doc::{self, Document};

/// Make the overview of every folder above a new file that has none.
pub(super) fn make(view: &mut CurateView<'_>, file: &TreePath, title: &str) -> Result<Vec<TreePath>, Stop> {
    let mut made = Vec::new();
    let (mut folder, mut first) = (file.folder().to_owned(), title.to_owned());
    // the overview itself was just written
    if file.kind() == PathKind::NodeOverview {
        (folder, first) = above(&folder);
    }
    while !folder.is_empty() {
        if view.spelled(&folder, "context.md").is_none()
            && let Some(text) = doc::overview(&folder, &first)
            && let Ok(path) = TreePath::parse(format!("{folder}/context.md").as_bytes())
            && !view.is_off_disk(&path)?
        {
            view.set(&path, Some(text.into_bytes()))?;
            made.push(path);
        }
        (folder, first) = above(&folder);
    }
    made.reverse();
    Ok(made)
}

/// The folder above, and the name of this one in it.
fn above(folder: &str) -> (String, String) {
    let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    (above.to_owned(), name.to_owned())
}

/// Remove the overviews above a removed entry that say only what was written for it, where nothing else is left.
pub(super) fn clear(view: &mut CurateView<'_>, file: &TreePath, title: &str) -> Result<Vec<TreePath>, Stop> {
    let mut removed = Vec::new();
    let (mut folder, mut first) = (file.folder().to_owned(), title.to_owned());
    while !folder.is_empty() {
        let Ok(path) = TreePath::parse(format!("{folder}/context.md").as_bytes()) else { break };
        let written = doc::overview(&folder, &first).map(String::into_bytes);
        if view.has_others(&folder, &path) || written.is_none() || view.read(&path)? != written {
            break;
        }
        view.set(&path, None)?;
        removed.push(path);
        (folder, first) = above(&folder);
    }
    Ok(removed)
}

/// The title of an entry, as an overview names it.
pub(super) fn title_of(bytes: &[u8]) -> String {
    Document::parse(bytes).title().unwrap_or_default()
}
