//! Files that would be withheld if they came from a remote but belong to this disk: images and other unmanaged files
//! that were staged here, or that a command removed from the disk here, and edits that made an entry invalid. These are
//! written to disk again, while unmanaged files that only a remote brought stay in their commits.
//!
//! A file of blob ids below `.git/brv`. Knows no path: a moved file is the same file.

use super::incoming;
use crate::journal;
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, WriteGuard};
use brv_base::path::{self, PathKind, TreePath};
use brv_git::switch::{Admission, Admit, Content};
use brv_git::{BlobId, Scope, SparseCheckout, trees};
use bstr::BStr;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct LocalFiles {
    ids: BTreeSet<BlobId>,
    sparse: SparseCheckout,

    /// How many of them are written to the file.
    written: usize,
}

impl LocalFiles {
    /// Read the ids kept so far.
    pub fn read(scope: &Scope) -> Result<Self, fs::Error> {
        let text = fs::read_if_there(&place(scope))?.unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        let ids: BTreeSet<_> = lines.filter_map(ContentId::from_hex).collect();
        let sparse = SparseCheckout::read(scope)?;
        Ok(Self { written: ids.len(), ids, sparse })
    }

    /// Read the ids kept so far, and add these files; see [`LocalFiles::extend`] and [`LocalFiles::save`].
    pub fn with<P: AsRef<[u8]>>(
        scope: &Scope,
        guard: &WriteGuard,
        files: impl IntoIterator<Item = (P, BlobId)>,
    ) -> Result<Self, fs::Error> {
        let mut kept = Self::read(scope)?;
        kept.extend(files);
        kept.save(scope, guard)?;
        Ok(kept)
    }

    /// Add these files, by path relative to the tree; only files that brv does not manage count.
    pub fn extend<P: AsRef<[u8]>>(&mut self, files: impl IntoIterator<Item = (P, BlobId)>) {
        let files = files.into_iter().filter(|(path, _)| is_foreign(path.as_ref().into()));
        self.ids.extend(files.map(|(_, id)| id));
    }

    /// Add this file, which the caller knows to be invalid as an entry.
    pub fn add_unfit(&mut self, id: BlobId) {
        self.ids.insert(id);
    }

    /// Save the ids. Durable on return, so that the ids are saved before a file is removed.
    pub fn save(&mut self, scope: &Scope, _guard: &WriteGuard) -> Result<(), fs::Error> {
        if self.ids.len() > self.written {
            let lines: String = self.ids.iter().map(|id| format!("{id}\n")).collect();
            fs::replace(&place(scope), lines.as_bytes(), Durability::Now)?;
            self.written = self.ids.len();
        }
        Ok(())
    }

    /// The policy of the tree, extended by the kept files, for what a sparse checkout has on disk.
    pub fn admit(&self, path: &BStr, content: Content<'_>) -> Admission {
        let is_incoming = !matches!(content, Content::InTheWay(_));
        if is_incoming && self.sparse.leaves_out(path) {
            return Admission::LeftOut;
        }
        let judged = incoming::admit(path, content);
        let is_kept = || match content {
            Content::Unread(version) => version.mode.is_file() && self.ids.contains(&version.id),
            Content::Bytes(bytes) => self.ids.contains(&ContentId::of(bytes)),
            Content::InTheWay(_) => false,
        };
        let is_withheld = judged != Admission::Admitted;
        if is_withheld && !self.ids.is_empty() && may_stand(path) && is_kept() {
            return Admission::Admitted;
        }
        judged
    }

    /// The same policy as an owned function.
    pub fn into_admit(self) -> Arc<Admit<'static>> {
        Arc::new(move |path: &BStr, content: Content<'_>| self.admit(path, content))
    }
}

/// Which files of an operation may be written to disk: if the operation changed files from this disk, all may, since
/// they were on it; otherwise those that the policy of the tree admits, since they may come from elsewhere, and the
/// kept ones.
pub fn admits(scope: &Scope, kind: journal::OperationKind) -> Result<Arc<Admit<'static>>, fs::Error> {
    use journal::OperationKind;
    Ok(match kind {
        OperationKind::Adopt
        | OperationKind::Repair
        | OperationKind::Resolve
        | OperationKind::Restore
        | OperationKind::Move
        | OperationKind::Remove => Arc::new(admit_regular),
        _ => LocalFiles::read(scope)?.into_admit(),
    })
}

/// Files that were on this disk may be written again, whatever their name.
fn admit_regular(path: &BStr, content: Content<'_>) -> Admission {
    match content {
        Content::Unread(version) if version.mode.is_file() => Admission::Admitted,
        Content::Bytes(_) => Admission::Admitted,
        _ => incoming::admit(path, content),
    }
}

fn place(scope: &Scope) -> PathBuf {
    scope.common_dir().join("brv").join("kept")
}

/// Whether a file with this name is withheld for its name alone although it could be written.
pub fn is_foreign(path: &BStr) -> bool {
    match TreePath::parse(path) {
        Ok(path) => path.kind() == PathKind::Foreign,
        Err(_) => path::check(path).is_err_and(|why| !why.is_unsafe()),
    }
}

/// Whether the file has the name of an entry and bytes that no entry may have. A blob that is missing has none.
pub fn is_unfit(scope: &Scope, path: &BStr, id: BlobId) -> Result<bool, brv_git::Error> {
    if incoming::admit_name(path) != Admission::Admitted {
        return Ok(false);
    }
    let bytes = trees::find_blob(scope, id)?;
    Ok(bytes.is_some_and(|bytes| incoming::admit(path, Content::Bytes(&bytes)) != Admission::Admitted))
}

/// Whether the file could be written and is not derived.
fn may_stand(path: &BStr) -> bool {
    is_foreign(path) || TreePath::parse(path).is_ok_and(|path| path.kind().is_curated())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_git::{FileMode, Version};

    #[test]
    fn only_what_is_no_knowledge_has_a_safe_name_and_the_same_bytes_is_let_in() {
        let kept = LocalFiles {
            ids: [ContentId::of(b"image"), ContentId::of(b"\xff")].into(),
            ..LocalFiles::default()
        };
        let admits = |path: &str, bytes: &[u8], mode| {
            let unread = Content::Unread(Version { mode, id: ContentId::of(bytes) });
            let by_name = kept.admit(path.into(), unread) == Admission::Admitted;
            by_name && kept.admit(path.into(), Content::Bytes(bytes)) == Admission::Admitted
        };
        assert!(admits("a/p.png", b"image", FileMode::Regular));
        assert!(admits("elsewhere.png", b"image", FileMode::Executable));
        assert!(admits("a.md", b"other", FileMode::Regular));
        assert!(admits("a.md", b"\xff", FileMode::Regular));
        assert!(!admits("a.md", b"\xfe", FileMode::Regular));
        for path in ["_index.md", "_manifest.json", "../p.png", ".git/p.png", "a/.GIT/hooks/p"] {
            for bytes in [&b"image"[..], b"\xff"] {
                assert!(!admits(path, bytes, FileMode::Regular), "{path}");
            }
        }
        assert!(!admits("a/p.png", b"other", FileMode::Regular));
        assert!(!admits("a/p.png", b"image", FileMode::Symlink));
    }
}
