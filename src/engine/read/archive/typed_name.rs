//! Which archived entry a typed name means.

use super::{Committed, Inventory, Item};
use crate::open::naming::paths;
use brv_base::fs;
use brv_base::path::{PathKind, TreePath, archived_original};
use brv_git::Scope;
use brv_text::doc;
use std::path::Path;

/// The paths of entries that a typed name may mean, the likeliest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedName {
    paths: Vec<TreePath>,
}

impl TypedName {
    /// A name typed in `cwd`: a path from there or from the tree, with or without `.md`, of the entry, of its stub or
    /// of its full copy.
    pub fn of(scope: &Scope, cwd: &Path, typed: &str) -> Self {
        let root = scope.root();
        let from = |cwd: &Path| {
            let specs = paths::pathspecs(&root, cwd, &[typed.to_owned()]).ok()?;
            Some(specs.first()?.as_bstr().to_string())
        };
        let names = [from(cwd), from(&root), doc::relation(typed)].into_iter().flatten();
        let mut paths: Vec<TreePath> = Vec::new();
        for path in names.flat_map(|name| meant(name.trim_end_matches('/'))) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        Self { paths }
    }

    /// The paths, the likeliest first.
    pub fn paths(&self) -> &[TreePath] {
        &self.paths
    }

    pub fn committed(self, committed: &Committed) -> Option<TreePath> {
        self.paths.into_iter().find(|path| committed.version(path).is_some())
    }

    /// Whether something is at one of the paths.
    pub fn is_there(&self, scope: &Scope) -> Result<bool, fs::Error> {
        let root = scope.root();
        for path in &self.paths {
            if fs::stat(&path.on_disk(&root))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Inventory {
    /// The archived entry that is meant; of several versions the one archived last.
    pub fn find(&self, sought: &TypedName) -> Option<&Item> {
        sought.paths.iter().find_map(|path| self.items.iter().find(|item| item.path == *path))
    }

    /// Whether a malformed item begins with the name that is meant.
    pub fn is_malformed(&self, sought: &TypedName) -> bool {
        self.malformed.iter().any(|bad| {
            sought.paths.iter().any(|path| {
                bad.path.folder() == path.folder()
                    && bad
                        .item
                        .strip_prefix(path.file_name())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
        })
    }
}

/// The paths of entries that a path may mean: of the entry, with or without `.md`, of its stub, or of its full copy.
pub(super) fn meant(path: &str) -> Vec<TreePath> {
    let path = archived_original(path).unwrap_or_else(|| path.to_owned());
    let names = [path.clone(), format!("{path}.md")];
    let parsed = names.iter().filter_map(|path| TreePath::parse(path.as_bytes()).ok());
    parsed.filter(|path| path.kind() == PathKind::Entry).collect()
}
