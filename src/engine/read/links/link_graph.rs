//! The curated files of a tree and what each of them links to, kept up to date while operations change the tree: a
//! command that turns links many times reads the tree once.

use super::pointing::each;
use super::present::PresentFiles;
use super::references::Places;
use super::repointing::{PathMoves, Repointed, Turning};
use crate::Stop;
use crate::read::history::source::Reading;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_text::doc::link_target;
use brv_text::doc::{Document, LinkKind, may_link, may_show, percent_decoded};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// What there is, and who links to what.
pub struct LinkGraph {
    present: PresentFiles,
    /// The documents with a link that may lead to an entry, by its path without `.md`. A link that is gone may still be
    /// in it.
    linking: HashMap<String, BTreeSet<TreePath>>,
}

impl LinkGraph {
    pub fn of(reading: &Reading, curated: &[TreePath]) -> Result<Self, Stop> {
        let found = each(reading, curated, |path, bytes| {
            Ok(ends(path, bytes).into_iter().map(|end| (end, path.clone())).collect())
        })?;
        let mut known =
            Self { present: PresentFiles::default(), linking: HashMap::with_capacity(found.len()) };
        curated.iter().for_each(|path| known.present.set(path, true));
        for (end, path) in found {
            known.linking.entry(end).or_default().insert(path);
        }
        Ok(known)
    }

    /// Note what became of a file; `None`: it is gone.
    pub fn note(&mut self, path: &TreePath, bytes: Option<&[u8]>) {
        if !path.kind().is_curated() {
            return;
        }
        self.present.set(path, bytes.is_some());
        for end in bytes.map(|bytes| ends(path, bytes)).unwrap_or_default() {
            self.linking.entry(end).or_default().insert(path.clone());
        }
    }

    /// The documents with links that must change when the entry `source` goes into `target`, the source itself
    /// included, with what becomes of them.
    ///
    /// # Errors
    /// What `read` fails with, and places that cannot be accessed.
    pub fn turned<E: From<fs::Error>>(
        &self,
        root: &Path,
        (source, target): (&TreePath, &TreePath),
        read: impl Fn(&TreePath) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Vec<Repointed>, E> {
        let moves = PathMoves { files: [(source.clone(), target.clone())].into(), folders: Vec::new() };
        let (gone, come) = (moves.files.keys(), moves.files.values());
        let turning = Turning {
            before: Places::within(root, &self.present, None),
            after: Places::within(root, &self.present, Some(source)).with_moved(gone, come),
            moves: &moves,
        };
        let linking = self.linking.get(end(source.as_str())).into_iter().flatten();
        let documents: BTreeSet<&TreePath> = linking.chain([source]).collect();
        let mut turned = Vec::new();
        for path in documents.into_iter().filter(|path| self.present.has_file(path)) {
            let Some(bytes) = read(path)? else { continue };
            if may_link(&bytes) || path == source && may_show(&bytes) {
                turned.extend(turning.turn(path, &bytes)?);
            }
        }
        Ok(turned)
    }
}

/// A path without `.md`.
pub(in crate::read) fn end(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// The paths that the links of a document may mean, without `.md`, and of a derived file those of its entry.
pub(super) fn ends(path: &TreePath, bytes: &[u8]) -> BTreeSet<String> {
    match may_link(bytes) {
        true => ends_of(path, &Document::parse(bytes)),
        false => BTreeSet::new(),
    }
}

/// As [`ends`], of a document that was parsed.
pub(in crate::read) fn ends_of(path: &TreePath, document: &Document) -> BTreeSet<String> {
    let mut ends = BTreeSet::new();
    for pointer in document.pointers() {
        let is_markdown = pointer.kind == LinkKind::Markdown;
        let decoded = if is_markdown { percent_decoded(&pointer.target) } else { None };
        for written in [Some(pointer.target.as_str()), decoded.as_deref()].into_iter().flatten() {
            let Some(at) = link_target(path.folder(), pointer.kind, written) else { continue };
            let bare = end(&at);
            let source = bare.strip_suffix(".abstract").or_else(|| bare.strip_suffix(".overview"));
            ends.extend([bare, source.unwrap_or(bare)].map(str::to_owned));
            ends.insert(at);
        }
    }
    ends
}
