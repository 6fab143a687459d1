//! What may not come from elsewhere and is this disk's own all the same: images and the like that were recorded here, or
//! stood here when a command took them off, and edits that made an entry what no entry may be. They are written again,
//! where what only a remote brought stays in commits.
//!
//! A file of blob ids below `.git/brv`. Knows no path: a file that was moved is the same file.

use super::incoming;
use crate::content::ContentId;
use crate::fs::{self, Durability, WriteGuard};
use crate::git::switch::{Admission, Admit, Content};
use crate::git::{BlobId, Scope};
use crate::journal;
use crate::path::{self, Kind, TreePath};
use bstr::BStr;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The blobs.
#[derive(Debug, Default)]
pub struct Kept {
    ids: BTreeSet<BlobId>,
    /// How many of them stand in the file.
    written: usize,
}

impl Kept {
    /// What was kept so far.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(scope: &Scope) -> Result<Self, fs::Error> {
        let text = fs::read_if_there(&place(scope))?.unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        let ids: BTreeSet<_> = lines.filter_map(ContentId::from_hex).collect();
        Ok(Self { written: ids.len(), ids })
    }

    /// What was kept so far and these files from now on; see [`Kept::extend`] and [`Kept::save`].
    ///
    /// # Errors
    /// A file that cannot be read or written.
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

    /// These files, too, by path relative to the tree; only those count that are no knowledge.
    pub fn extend<P: AsRef<[u8]>>(&mut self, files: impl IntoIterator<Item = (P, BlobId)>) {
        let files = files.into_iter().filter(|(path, _)| is_foreign(path.as_ref().into()));
        self.ids.extend(files.map(|(_, id)| id));
    }

    /// This file, too, of which the caller knows that it is what no knowledge may be.
    pub fn add_unfit(&mut self, id: BlobId) {
        self.ids.insert(id);
    }

    /// From now on. Durable before it returns, so that it comes before the file goes.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&mut self, scope: &Scope, _guard: &WriteGuard) -> Result<(), fs::Error> {
        if self.ids.len() > self.written {
            let lines: String = self.ids.iter().map(|id| format!("{id}\n")).collect();
            fs::replace(&place(scope), lines.as_bytes(), Durability::Now)?;
            self.written = self.ids.len();
        }
        Ok(())
    }

    /// The policy of the tree, and what is kept beside.
    #[must_use]
    pub fn admit(&self, path: &BStr, content: Content<'_>) -> Admission {
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

    /// As a judge of its own.
    #[must_use]
    pub fn into_admit(self) -> Arc<Admit<'static>> {
        Arc::new(move |path: &BStr, content: Content<'_>| self.admit(path, content))
    }
}

/// Which files of an operation may stand on disk: where it changes files by what was on this disk, all may, since they
/// stood there; else those that the policy of the tree lets in, since they may come from elsewhere, and those that are kept.
///
/// # Errors
/// A file that cannot be read.
pub fn admits(scope: &Scope, kind: journal::Kind) -> Result<Arc<Admit<'static>>, fs::Error> {
    use journal::Kind;
    Ok(match kind {
        Kind::Adopt | Kind::Repair | Kind::Resolve | Kind::Restore | Kind::Move | Kind::Remove => {
            Arc::new(admit_regular)
        }
        _ => Kept::read(scope)?.into_admit(),
    })
}

/// What stood on this disk may stand there again, whatever its name.
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

/// Whether a file of that name stays off the disk for its name alone, and could stand there.
#[must_use]
pub fn is_foreign(path: &BStr) -> bool {
    match TreePath::parse(path) {
        Ok(path) => path.kind() == Kind::Foreign,
        Err(_) => path::check(path).is_err_and(|why| !why.is_unsafe()),
    }
}

/// Whether it could stand there and is not derived.
fn may_stand(path: &BStr) -> bool {
    is_foreign(path) || TreePath::parse(path).is_ok_and(|path| path.kind().is_curated())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{FileMode, Version};

    #[test]
    fn only_what_is_no_knowledge_has_a_safe_name_and_the_same_bytes_is_let_in() {
        let kept = Kept { ids: [ContentId::of(b"image"), ContentId::of(b"\xff")].into(), written: 0 };
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
