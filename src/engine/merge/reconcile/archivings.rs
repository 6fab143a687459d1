//! Say of each kept file whether the other side archived it: a deletion with a record in the folder's overview.

use super::Trees;
use super::fate::MergedFile;
use super::outcome::Event;
use crate::read::history::archiving;
use brv_git as git;
use brv_git::Scope;
use brv_git::trees::{self, Change};
use brv_text::merge::Side;

/// Note it in the event of each of these landings whose change was kept.
pub(super) fn note(scope: &Scope, trees: Trees, landings: &mut [MergedFile]) -> Result<(), git::Error> {
    for landing in landings {
        let Some(Event::ChangeKept { by, from, is_archived }) = &mut landing.event else { continue };
        let tree = match by {
            Side::Ours => trees.theirs,
            Side::Theirs => trees.ours,
        };
        let path = from.as_ref().unwrap_or(&landing.path).clone();
        let gone = Change { path, renamed_from: None, before: landing.versions[0], after: None };
        *is_archived =
            !archiving::archived(&[gone], &|path| trees::file_bytes(scope, tree, path))?.is_empty();
    }
    Ok(())
}
