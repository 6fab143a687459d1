//! Which curated files and folders there are, kept up to date while they change.

use brv_base::fs::FileKind;
use brv_base::path::TreePath;
use std::collections::{HashMap, HashSet};

/// The curated files, and the folders that have some.
#[derive(Debug, Default)]
pub struct PresentFiles {
    files: HashSet<TreePath>,
    /// How many files are at or below each folder.
    folders: HashMap<String, usize>,
}

impl PresentFiles {
    /// Note whether a file is there.
    pub fn set(&mut self, path: &TreePath, is_there: bool) {
        let is_new = match is_there {
            true => self.files.insert(path.clone()),
            false => self.files.remove(path),
        };
        let mut folder = path.folder();
        while is_new && !folder.is_empty() {
            let count = self.folders.entry(folder.to_owned()).or_default();
            *count = if is_there { *count + 1 } else { count.saturating_sub(1) };
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    pub fn has_file(&self, path: &TreePath) -> bool {
        self.files.contains(path)
    }

    /// Whether there is a file, or a folder with one, leaving out the file `gone`.
    pub fn has(&self, path: &TreePath, kind: FileKind, gone: Option<&TreePath>) -> bool {
        if kind != FileKind::Folder {
            return gone != Some(path) && self.has_file(path);
        }
        let is_below = |gone: &TreePath| {
            let rest = gone.as_str().strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.starts_with('/')) && self.has_file(gone)
        };
        let count = self.folders.get(path.as_str()).copied().unwrap_or_default();
        count > usize::from(gone.is_some_and(is_below))
    }
}
