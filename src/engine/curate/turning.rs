//! Turn the links to an entry that goes into another one.

use super::view::CurateView;
use crate::Stop;
use crate::open::context::Opened;
use crate::read::links::link_graph::LinkGraph;
use brv_base::path::TreePath;
use std::collections::BTreeMap;

/// The links of the whole tree, read when the first MERGE asks for them.
pub(super) struct Links<'a> {
    opened: &'a Opened,
    known: Option<LinkGraph>,
}

/// The documents whose links change, with their new bytes.
pub(super) type RepointedDocuments = BTreeMap<TreePath, Vec<u8>>;

impl<'a> Links<'a> {
    pub(super) const fn of(opened: &'a Opened) -> Self {
        Self { opened, known: None }
    }

    /// The documents with links that must change when `source` goes into `target`, the source itself included: its
    /// links must lead where they led, from another folder.
    pub(super) fn turned(
        &mut self,
        view: &CurateView<'_>,
        (source, target): (&TreePath, &TreePath),
    ) -> Result<RepointedDocuments, Stop> {
        let root = self.opened.scope.root();
        let known = match self.known.take() {
            Some(known) => known,
            None => self.read(view)?,
        };
        let found = known.turned(&root, (source, target), |path| view.read(path));
        self.known = Some(known);
        Ok(found?.into_iter().filter_map(|one| Some((one.path, one.bytes?))).collect())
    }

    fn read(&self, view: &CurateView<'_>) -> Result<LinkGraph, Stop> {
        let reading = view.reading();
        let mut curated = reading.curated_paths(self.opened)?;
        let changed = view.in_memory();
        curated.extend(changed.keys().filter(|path| path.kind().is_curated()).cloned());
        curated.retain(|path| !matches!(changed.get(path), Some(None)));
        curated.sort();
        curated.dedup();
        LinkGraph::of(&reading, &curated)
    }

    /// Keep up with a file that an operation changed.
    pub(super) fn note(&mut self, view: &CurateView<'_>, path: &TreePath) -> Result<(), Stop> {
        if let Some(known) = &mut self.known {
            known.note(path, view.read(path)?.as_deref());
        }
        Ok(())
    }
}
