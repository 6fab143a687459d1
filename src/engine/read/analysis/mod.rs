//! What is known of each text, by its blob: made by the first command that needs it, kept in `cache/analysis/`, and made again
//! if it is lost or damaged. A blob never changes, so nothing here is ever out of date.

mod near;

pub use near::{Near, NearSet};

use crate::open::records::{RecordFile, RecordKey, Records};
use crate::open::state::project_id;
use crate::open::sweep::{OldCaches, is_other, sweep};
use brv_base::content::{ContentId, fnv};
use brv_base::fs;
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_git::Scope;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Which part of an analysis a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalysisKind {
    /// What it links to and makes claims about: [`Near`].
    Near,
    /// Its runs of words, packed: [`brv_text::lint::Runs`].
    Runs,
}

impl AnalysisKind {
    /// The name of its file, with the number of the format.
    const fn name(self) -> &'static str {
        match self {
            Self::Near => "near-1",
            Self::Runs => "runs-1",
        }
    }

    /// The limit of the file, in bytes for each text: about four times what one takes.
    const fn most(self) -> u64 {
        match self {
            Self::Near => 512,
            Self::Runs => 4096,
        }
    }

    /// What a text is found by: where links lead depends on its folder, too.
    fn key(self, path: &TreePath, blob: ContentId) -> RecordKey {
        let mut key = RecordKey::default();
        key.copy_from_slice(&blob.as_bytes()[..20]);
        if self == Self::Near {
            let folder = fnv(path.folder().bytes()).to_le_bytes();
            key.iter_mut().zip(folder).for_each(|(byte, other)| *byte ^= other);
        }
        key
    }
}

/// The analyses of one kind that are known, and those that are made now.
pub struct Analyses {
    kind: AnalysisKind,
    file: Option<RecordFile>,
    known: Records,
    made: Mutex<HashMap<RecordKey, Vec<u8>>>,
}

impl Analyses {
    /// The analyses in the cache of a tree with this number of texts. Without that folder, none are kept. Records of another
    /// project are not used.
    pub fn open(scope: &Scope, cache: &Path, kind: AnalysisKind, texts: usize) -> Self {
        let most = (1 << 20) + kind.most() * texts as u64;
        // a tree that brv keeps nothing of, such as a checkout of CI, stays as it is
        let project = cache.is_dir().then(|| project_id(scope)).flatten();
        let file = project.and_then(|project| {
            let name = format!("{}-{:016x}", kind.name(), fnv(project.bytes()));
            RecordFile::of_tree(&cache.join("analysis"), &name, most)
        });
        let known = file.as_ref().map(|file| match kind {
            AnalysisKind::Near => file.load(),
            AnalysisKind::Runs => file.read(),
        });
        Self { kind, file, known: known.unwrap_or_default(), made: Mutex::default() }
    }

    /// No known analyses, and no file for new ones: for a tree without a cache.
    pub fn none(kind: AnalysisKind) -> Self {
        Self { kind, file: None, known: Records::default(), made: Mutex::default() }
    }

    /// What is known of a text.
    pub fn get(&self, path: &TreePath, blob: ContentId) -> Option<Cow<'_, [u8]>> {
        let key = self.kind.key(path, blob);
        self.known.get(&key).or_else(|| {
            let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            made.get(&key).cloned().map(Cow::Owned)
        })
    }

    /// Whether what is made now serves the next command, too.
    pub const fn is_kept(&self) -> bool {
        self.file.is_some()
    }

    /// Remember what was made of a text whose blob this is.
    pub fn add(&self, path: &TreePath, blob: ContentId, made: Vec<u8>) {
        let key = self.kind.key(path, blob);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made);
    }

    /// The texts that may concern what is sought, in their order; `texts` has the blob of each, if it is known. A text without an
    /// analysis is read: `read` returns its bytes, and its blob if they are certainly the bytes of that blob.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn concerned<'p, R, E: Send>(
        &self,
        texts: &[(&'p TreePath, Option<ContentId>)],
        sought: &NearSet,
        start: impl Fn() -> R + Sync,
        read: impl Fn(&mut R, &TreePath, Option<ContentId>) -> Result<(Vec<u8>, Option<ContentId>), E> + Sync,
    ) -> Result<Vec<&'p TreePath>, E> {
        let may_concern = |reader: &mut R, (path, blob): &(&TreePath, Option<ContentId>)| {
            if let Some(known) = blob.and_then(|blob| self.get(path, blob)) {
                return Ok(sought.may_concern(&known));
            }
            let (bytes, blob) = read(reader, path, *blob)?;
            let made = Near::of(path, &bytes).to_bytes();
            let may_concern = sought.may_concern(&made);
            blob.into_iter().for_each(|blob| self.add(path, blob, made.clone()));
            Ok(may_concern)
        };
        let found = parallel::try_map(texts, start, may_concern)?;
        Ok(texts.iter().zip(found).filter_map(|((path, _), is_near)| is_near.then_some(*path)).collect())
    }

    /// Keep what was made. That it cannot be written, or that another process writes, only costs time later.
    pub fn keep(self) {
        let made = self.made.into_inner().unwrap_or_else(PoisonError::into_inner);
        if made.is_empty() {
            return;
        }
        if let Some(mut appender) = self.file.as_ref().and_then(|file| file.append(Duration::ZERO)) {
            made.iter().for_each(|(key, bytes)| appender.add(*key, bytes));
            appender.finish();
        }
        if let Some(folder) = self.file.as_ref().and_then(RecordFile::folder) {
            let ours = [AnalysisKind::Near.name(), AnalysisKind::Runs.name()];
            sweep(folder, OldCaches::Files, |name| is_other(name, &["near", "runs"], &ours));
        }
    }
}

/// Remove all analyses, because a file has to be forgotten and they hold hashes of its words.
pub fn forget(cache: &Path) {
    let folder = cache.join("analysis");
    let is_real = std::fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
    for name in is_real.then(|| fs::names(&folder).unwrap_or_default()).into_iter().flatten() {
        // what cannot be removed holds no text
        let _ = fs::remove_file(&folder.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::environment::Environment;

    #[test]
    fn what_was_made_is_known_in_its_folder_and_by_its_blob() {
        let root = tempfile::tempdir().unwrap();
        let scope = brv_git::init(&root.path().join("repository"), "main", &Environment::default()).unwrap();
        let path = |text: &str| TreePath::parse(text.as_bytes()).unwrap();
        let [one, other] = ["1", "2"].map(|text| ContentId::of(text.as_bytes()));
        let cache = root.path().join("cache");
        brv_base::fs::create_folder(&cache).unwrap();
        for (kind, is_known_elsewhere) in [(AnalysisKind::Near, false), (AnalysisKind::Runs, true)] {
            let open = || Analyses::open(&scope, &cache, kind, 10);
            let analyses = open();
            assert_eq!(analyses.get(&path("a/b.md"), one), None);
            analyses.add(&path("a/b.md"), one, b"made".to_vec());
            analyses.keep();
            let analyses = open();
            assert_eq!(analyses.get(&path("a/c.md"), one).as_deref(), Some(&b"made"[..]));
            assert_eq!(analyses.get(&path("a/b.md"), other), None);
            assert_eq!(analyses.get(&path("b/b.md"), one).is_some(), is_known_elsewhere, "{kind:?}");
        }
    }

    /// Whoever changes what links, claims or runs of words are found in a text must give the files another number, in
    /// [`AnalysisKind::name`]: what was kept before would be believed.
    #[test]
    fn what_is_kept_has_the_bytes_that_the_number_stands_for() {
        let text = "---\nrelated: [a/b, c]\n---\n# T\n\n[x](../d/e.md#f) and [[g]], ![i](i.png)\n\n## Relations\n@h/i.md\n\n## Facts\n\n\
                    - **Token  Lifetime**: 12 hours, as `src/a.rs` says\n- **有效期**：30 天 for all users of the old door\n";
        let path = TreePath::parse(b"a/t.md").unwrap();
        let near = Near::of(&path, text.as_bytes()).to_bytes();
        let runs = brv_text::lint::Runs::of(brv_text::doc::Document::parse(text).body()).packed();
        assert_eq!([fnv(near), fnv(runs)], [0xd065_05a1_9401_6068, 0x7e7c_5717_b429_bd7f]);
    }
}
