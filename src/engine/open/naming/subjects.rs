//! The entries that typed names stand for: an entry, or all entries of a folder.

use super::resolve::{self, Named};
use crate::Stop;
use brv_base::path::{PathKind, TreePath};
use std::path::Path;

/// The entries among `curated` that the names, typed in `cwd`, stand for, by path; all of them without names. `root` is
/// the root of the tree.
///
/// # Errors
/// A name that stands for no entry and no folder, with those that were probably meant.
pub fn entries<'a>(
    (root, cwd): (&Path, &Path),
    curated: &'a [TreePath],
    names: &[String],
) -> Result<Vec<&'a TreePath>, Stop> {
    let mut subjects = Vec::new();
    for name in names {
        let missing = || resolve::missing(name, curated);
        let subject = match resolve::resolve(root, cwd, name)?.ok_or_else(missing)? {
            Named::File(path) | Named::Abstract(path) | Named::Overview(path) => match path.kind() {
                PathKind::Entry => path.to_string(),
                PathKind::NodeOverview => path.folder().to_owned(),
                _ => return Err(missing()),
            },
            Named::Folder(path) => path,
            Named::NotKnowledge(_) => return Err(missing()),
        };
        if !(subject.is_empty() || curated.iter().any(|path| is_of(path, &subject))) {
            return Err(missing());
        }
        subjects.push(subject);
    }
    let is_wanted = |path: &TreePath| subjects.is_empty() || subjects.iter().any(|one| is_of(path, one));
    Ok(curated.iter().filter(|path| path.kind() == PathKind::Entry && is_wanted(path)).collect())
}

/// Whether a path is the subject, or lies below it.
fn is_of(path: &TreePath, subject: &str) -> bool {
    let rest = path.as_str().strip_prefix(subject);
    subject.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
