//! What differs on disk, as changes from the index or from a commit.

use crate::open::survey::Survey;
use brv_base::fs;
use brv_git as git;
use brv_git::status::{Now, StatusChange};
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, Version};
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeMap;

/// The tracked files that differ between the index, or a commit, and the disk; with renames, sorted by path.
pub fn changes(scope: &Scope, commit: Option<CommitId>, survey: &Survey) -> Result<Vec<Change>, git::Error> {
    let base = match commit {
        None => Vec::new(),
        Some(commit) => trees::diff_index(scope, scope.tree_of(commit)?, &survey.index, Renames::Ignore)?,
    };
    let changes = overlay(scope, base, survey);
    trees::join_renames_on_disk(scope, changes, Renames::Detect, &survey.work_tree.new_bytes())
}

/// Reads the bytes of changed files from the disk; `None` for a file that is not changed there.
pub fn reader(scope: &Scope, survey: &Survey) -> impl Fn(&Change) -> Option<Vec<u8>> + Sync {
    let root = scope.root();
    let on_disk: BTreeMap<BString, Now> =
        survey.work_tree.changed.iter().map(|file| (file.path.clone(), file.now)).collect();
    move |change: &Change| {
        let Now::Modified(..) = on_disk.get(&change.path)? else { return None };
        fs::read(&fs::below(&root, change.path.as_bstr()).ok()?).ok()
    }
}

/// The changes in the index, combined with the changes on disk.
fn overlay(scope: &Scope, base: Vec<Change>, survey: &Survey) -> Vec<Change> {
    let mut changes: BTreeMap<BString, Change> =
        base.into_iter().map(|change| (change.path.clone(), change)).collect();
    for changed in survey.work_tree.shown() {
        let after = after_on_disk(changed);
        let is_new = survey.is_meant_to_be_added(scope, changed);
        let change = changes.entry(changed.path.clone()).or_insert_with(|| Change {
            path: changed.path.clone(),
            renamed_from: None,
            before: (!is_new).then(|| ours(scope, survey, changed)),
            after: None,
        });
        change.after = after;
        if change.before == change.after {
            changes.remove(&changed.path);
        }
    }
    changes.into_values().collect()
}

fn after_on_disk(changed: &StatusChange) -> Option<Version> {
    match changed.now {
        Now::Modified(id, _) => Some(Version { id, ..changed.recorded }),
        Now::Deleted | Now::NotAFile => None,
    }
}

/// Our version of a file in conflict, which the disk is compared with.
fn ours(scope: &Scope, survey: &Survey, changed: &StatusChange) -> Version {
    let stages = survey.index.stages(scope.full(&changed.path).as_bstr());
    stages[1].unwrap_or(changed.recorded)
}
