//! What nobody has approved yet of a commit, and what was there before.

use super::flag::Flag;
use super::merged;
use super::status::{ReviewExtent, ReviewStanding, read_at};
use crate::Stop;
use crate::open::context::Opened;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId, history};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

/// The curated files of a commit with a change that waits for review, each with the last version before it; `None`: there was
/// no file. Of a deletion it is the file that went.
///
/// # Errors
/// The state or the repository cannot be read.
pub fn unapproved(opened: &Opened, commit: CommitId) -> Result<BTreeMap<TreePath, Option<ContentId>>, Stop> {
    let reviewed = read_at(opened, commit, ReviewExtent::Outgoing)?;
    let looked = CommitFiles { scope: &opened.scope, commit, tree: opened.scope.tree_of(commit)? };
    let pending: Vec<&Flag> = reviewed.pending().collect();
    let (mut before, mut beside) = (BTreeMap::new(), BTreeMap::new());
    // newest first: the oldest change that waits says what was there before all of them
    for flag in &pending {
        before.extend(looked.own(flag)?);
    }
    for flag in &pending {
        let decided = reviewed.flags.iter().filter(|(_, standing)| *standing != ReviewStanding::Pending);
        let is_sibling = |other: &&Flag| other.operation == flag.operation && other.commit == flag.commit;
        let others: Vec<&Flag> = decided.map(|(other, _)| other).filter(is_sibling).collect();
        beside.extend(looked.beside(flag, &others)?);
    }
    beside.extend(before);
    let curated = beside.into_iter().filter_map(|(path, id)| Some((TreePath::parse(&path).ok()?, id)));
    Ok(curated.filter(|(path, _)| path.kind().is_curated()).collect())
}

/// EarlierVersions by path: what was there before.
type EarlierVersions = Vec<(BString, Option<ContentId>)>;

struct CommitFiles<'a> {
    scope: &'a Scope,
    commit: CommitId,
    tree: TreeId,
}

impl CommitFiles<'_> {
    fn version(&self, tree: TreeId, path: &BStr) -> Result<Option<ContentId>, git::Error> {
        Ok(trees::file(self.scope, tree, path)?.map(|version| version.id))
    }

    /// The marked file, and of a merge those that went into it.
    fn own(&self, flag: &Flag) -> Result<EarlierVersions, Stop> {
        let mut found = Vec::new();
        for path in merged::of_merge(self.scope, flag)? {
            let name = path.as_bstr();
            let now = self.version(self.tree, name)?;
            let before = self.before(flag, name)?;
            if now == before {
                continue;
            }
            if now.is_some() || self.version(flag.sides[1], name)?.is_none() {
                found.push((path, before));
            } else if let Some(moved) = self.moved(flag, &path)? {
                found.push((moved, before));
            }
        }
        Ok(found)
    }

    /// What else goes back with the change, as far as it is as the change left it.
    fn beside(&self, flag: &Flag, others: &[&Flag]) -> Result<EarlierVersions, Stop> {
        let now = |path: &BStr| Ok(self.version(self.tree, path)?);
        let mut found = Vec::new();
        for path in merged::paths_in(self.scope, flag, others, &now)? {
            let name = path.as_bstr();
            let [before, after] = [self.version(flag.sides[0], name)?, self.version(flag.sides[1], name)?];
            if before != after && now(name)? == after {
                found.push((path, before));
            }
        }
        Ok(found)
    }

    /// The version before the change. What an operation changed without a commit was committed later, perhaps with more: then
    /// it is the last one that was committed before.
    fn before(&self, flag: &Flag, path: &BStr) -> Result<Option<ContentId>, git::Error> {
        let before = self.version(flag.sides[0], path)?;
        if flag.commit.is_some() {
            return Ok(before);
        }
        let mut at = Some(self.commit);
        while let Some(id) = at {
            let commit = history::read(self.scope, id)?;
            let version = self.version(commit.tree, path)?;
            if version == before || commit.committer.seconds < flag.seconds {
                return Ok(version);
            }
            at = commit.parents.first().copied();
        }
        Ok(None)
    }

    /// Where a file is now that was moved since.
    fn moved(&self, flag: &Flag, path: &BString) -> Result<Option<BString>, git::Error> {
        let changes = trees::diff(self.scope, flag.sides[1], self.tree, Renames::Always)?;
        let moved = changes.into_iter().find(|change| change.renamed_from.as_ref() == Some(path));
        Ok(moved.map(|change| change.path))
    }
}
