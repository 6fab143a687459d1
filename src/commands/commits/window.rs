//! The commits that a commit of the host stands on, from which the topics of a project are found: the last 2,000 before it
//! that are not merges, itself included.
//!
//! Whether a commit teaches something is found by reading its message, and its files by comparing two trees, so what was
//! found is kept by the commit. The file may be lost at any time; a commit that is not in it is read again.

use super::HostCommit;
use brv_base::fs::{self, Durability, Form};
use brv_engine::Stop;
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_git::history::{self, Range};
use brv_git::{self as git, CommitId};
use brv_text::commits::{RULES_VERSION, Reading};
use brv_text::topics::Past;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// How many commits are looked at.
const MOST: usize = 2_000;

/// How many files of one commit are kept.
pub(super) const FILES: usize = 60;

const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct CachedWindow {
    format: u32,
    rules: u32,
    commits: HashMap<String, Past>,
}

fn file(opened: &Opened) -> PathBuf {
    opened.places.cache().join("commits.json")
}

/// The commits, the newest first.
///
/// # Errors
/// A commit or tree of the host that cannot be read.
pub(super) fn window(
    opened: &Opened,
    (host, tree): (&Host, &str),
    tip: CommitId,
) -> Result<Vec<(CommitId, Past)>, Stop> {
    let mut known = kept(opened);
    let mut ids = Vec::new();
    let range = Range { tips: vec![tip], ..Range::default() };
    history::walk(&host.scope, &range, |walked| {
        if walked.commit.parents.len() <= 1 {
            ids.push(walked.commit.id);
        }
        if ids.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let missing: Vec<CommitId> =
        ids.iter().copied().filter(|id| !known.contains_key(&id.to_string())).collect();
    let read = missing.iter().map(|id| past(host, tree, *id)).collect::<Result<Vec<Past>, _>>()?;
    let is_new = !missing.is_empty();
    known.extend(missing.iter().map(ToString::to_string).zip(read));
    let found: Vec<(CommitId, Past)> =
        ids.into_iter().filter_map(|id| Some((id, known.remove(&id.to_string())?))).collect();
    if is_new {
        keep(opened, &found);
    }
    Ok(found)
}

fn past(host: &Host, tree: &str, id: CommitId) -> Result<Past, git::Error> {
    let commit = HostCommit::read(host, id)?;
    let is_taken = matches!(commit.reading(tree), Reading::Lesson(_));
    let files = commit.code_files(tree).map(str::to_owned).take(FILES).collect();
    Ok(Past { subject: commit.subject, files, is_taken })
}

fn kept(opened: &Opened) -> HashMap<String, Past> {
    let bytes = fs::read_shipped(&file(opened), Form::Json).ok().flatten().unwrap_or_default();
    let kept = serde_json::from_slice::<CachedWindow>(&bytes).ok();
    let kept = kept.filter(|kept| kept.format == FORMAT && kept.rules == RULES_VERSION);
    kept.map(|kept| kept.commits).unwrap_or_default()
}

fn keep(opened: &Opened, found: &[(CommitId, Past)]) {
    let commits = found.iter().map(|(id, past)| (id.to_string(), past.clone())).collect();
    let kept = CachedWindow { format: FORMAT, rules: RULES_VERSION, commits };
    if let Ok(bytes) = serde_json::to_vec(&kept) {
        let _ = fs::replace(&file(opened), &bytes, Durability::Later);
    }
}
