//! Turn the links to an entry that goes into another one.

use super::view::View;
use crate::ops::context::Opened;
use crate::ops::steps::links::repointing::{self, Moves};
use crate::ops::steps::refresh;
use crate::ops::steps::telling::source::Reading;
use crate::path::TreePath;
use std::collections::BTreeMap;

/// The links of the whole tree, read when the first MERGE asks for them.
pub(super) struct Links<'a> {
    opened: &'a Opened,
    on_disk: Option<Vec<TreePath>>,
}

/// The documents whose links change, with their new bytes.
pub(super) type Turned = BTreeMap<TreePath, Vec<u8>>;

impl<'a> Links<'a> {
    pub(super) const fn of(opened: &'a Opened) -> Self {
        Self { opened, on_disk: None }
    }

    /// The documents with links that must change when `source` goes into `target`, the source itself included: its
    /// links must lead where they led, from another folder.
    pub(super) fn turned(
        &mut self,
        view: &View<'_>,
        (source, target): (&TreePath, &TreePath),
    ) -> Result<Turned, super::Error> {
        let scope = &self.opened.scope;
        if self.on_disk.is_none() {
            let survey = refresh::quick_survey(self.opened, crate::git::index::read(scope)?)?;
            self.on_disk = Some(refresh::curated_paths(scope, &survey)?);
        }
        let changed = view.in_memory();
        let mut curated: Vec<TreePath> = self.on_disk.iter().flatten().cloned().collect();
        curated.extend(changed.keys().filter(|path| path.kind().is_curated()).cloned());
        curated.retain(|path| !matches!(changed.get(path), Some(None)));
        curated.sort();
        curated.dedup();
        let reading = Reading::on_disk(scope.root()).changed(changed);
        let moves = Moves { files: [(source.clone(), target.clone())].into(), folders: Vec::new() };
        let found = repointing::repointed(&reading, &curated, &moves)?;
        Ok(found.into_iter().filter_map(|one| Some((one.path, one.bytes?))).collect())
    }
}
