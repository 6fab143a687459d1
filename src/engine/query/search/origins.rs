//! Who changed an entry last, and in which commit.

use crate::open::context::Opened;
use crate::query::Origin;
use crate::read::history::fact_history::{self, FactStart};
use crate::read::history::provenance::Provenance;
use brv_base::clock::Clock;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::history::{self, Interest, Range};
use brv_git::lineage::Lineage;
use brv_git::trees;
use brv_git::{CommitId, Scope};
use brv_text::brain::LastChange;
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The last commit that changed each of these files, by the history of `HEAD`. Leaves out files that `HEAD` has with
/// other bytes or not at all, and those not found in time.
pub fn last_changes(
    scope: &Scope,
    files: &[(TreePath, ContentId)],
    until: Option<Instant>,
) -> Result<BTreeMap<String, Origin>, git::Error> {
    let mut found = BTreeMap::new();
    let Some(head) = scope.head()?.commit() else { return Ok(found) };
    let tree = scope.tree_of(head)?;
    let mut open: Vec<&TreePath> = Vec::new();
    for (path, id) in files {
        let recorded = trees::find(scope, tree, path.as_bytes().as_bstr())?;
        if matches!(recorded, Some(trees::TreeItem::File(version)) if version.id == *id) {
            open.push(path);
        }
    }
    if open.is_empty() {
        return Ok(found);
    }
    let interest = Interest::Paths(open.iter().map(|path| path.as_bytes().into()).collect());
    let range = Range { tips: vec![head], interest, ..Range::default() };
    let mut failed = None;
    history::walk(scope, &range, |walked| {
        let commit = &walked.commit;
        let mut left = Vec::new();
        for path in std::mem::take(&mut open) {
            match is_changed(scope, commit.tree, commit.parents.first().copied(), path) {
                Ok(true) => drop(found.insert(path.to_string(), origin(commit, path))),
                Ok(false) => left.push(path),
                Err(error) => {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
        }
        open = left;
        let is_late = until.is_some_and(|until| Instant::now() >= until);
        if open.is_empty() || is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    failed.map_or(Ok(found), Err)
}

/// As [`last_changes`], of files as they are on disk.
pub fn last_changes_on_disk<'p>(
    opened: &Opened,
    paths: impl Iterator<Item = &'p str>,
    until: Option<Instant>,
) -> Result<BTreeMap<String, Origin>, git::Error> {
    let root = opened.scope.root();
    let on_disk = |path: &str| {
        let path = TreePath::parse(path.as_bytes()).ok()?;
        let bytes = fs::read(&path.on_disk(&root)).ok()?;
        Some((path, ContentId::of(&bytes)))
    };
    let files: Vec<(TreePath, ContentId)> = paths.filter_map(on_disk).collect();
    last_changes(&opened.scope, &files, until)
}

/// How long somebody who waits may wait for the last changes.
const PATIENCE: Duration = Duration::from_millis(300);

/// The last changes of entries as they are on disk, those of one commit together. Some are left out where the history is
/// so long that finding them takes longer than a reader waits.
pub fn grouped(opened: &Opened, clock: Clock, paths: &[String]) -> Vec<LastChange> {
    let until = (clock == Clock::Wall).then(|| Instant::now() + PATIENCE);
    let all = paths.iter().map(String::as_str);
    let mut found = last_changes_on_disk(opened, all, until).unwrap_or_default();
    let is_late = until.is_some_and(|until| Instant::now() >= until);
    let mut all: Vec<LastChange> = Vec::new();
    for path in paths.iter().collect::<BTreeSet<_>>() {
        let (author, actor, commit) = match found.remove(path.as_str()) {
            Some(Origin { author, actor, commit }) => (Some(author), actor, Some(commit)),
            None if is_late => continue,
            None => (None, None, None),
        };
        match all.iter_mut().find(|one| one.commit == commit) {
            Some(one) => one.paths.push(path.clone()),
            None => all.push(LastChange { paths: vec![path.clone()], author, actor, commit }),
        }
    }
    all
}

/// The commit that first made a statement about a subject, in the version of an entry that `HEAD` has; `None` if that has
/// other bytes than `id`.
pub fn origin_of_fact(
    scope: &Scope,
    path: &TreePath,
    id: ContentId,
    (subject, statement): (&str, &str),
) -> Result<Option<Origin>, git::Error> {
    let Some(head) = scope.head()?.commit() else { return Ok(None) };
    let file = Lineage::new(scope)?.file(head, path.as_bytes().as_bstr())?;
    let Some(file) = file.filter(|file| file.version.id == id) else { return Ok(None) };
    let stated = fact_history::trace(scope, subject, FactStart::Commit(head, file))?;
    let made = stated.into_iter().find(|one| one.statement == statement).and_then(|one| one.commit);
    Ok(match made {
        Some(commit) => Some(origin(&git::commit::read(scope, commit)?, path)),
        None => None,
    })
}

fn is_changed(
    scope: &Scope,
    tree: git::TreeId,
    parent: Option<CommitId>,
    path: &TreePath,
) -> Result<bool, git::Error> {
    let path = path.as_bytes().as_bstr();
    let here = trees::find(scope, tree, path)?;
    let before = match parent {
        Some(parent) => trees::find(scope, scope.tree_of(parent)?, path)?,
        None => None,
    };
    Ok(here.is_some() && here != before)
}

fn origin(commit: &git::commit::Commit, path: &TreePath) -> Origin {
    let said = Provenance::of(commit, Some(path.as_str()));
    Origin {
        author: said.source_author.unwrap_or_else(|| commit.author.to_string()),
        actor: said.actor,
        commit: commit.id.to_string(),
    }
}
