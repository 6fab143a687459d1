//! `brv index push`: bring the index up to date with the trees of many remotes.
//!
//! What is sent follows from commits: the paths in which the commit that the index has, that of a push under way, and the
//! tip of the branch differ. So a push that was killed, repeated or overtaken ends in the same documents.

mod offers;
mod tree;

use super::{EngineName, Place};
use brv_engine::query::index::engine::SearchEngine;
use brv_engine::query::index::mark::{self, ReadMark};
use brv_engine::query::index::remote_list::{self, RemoteLine};
use brv_engine::query::index::{mirror, schema};
use brv_engine::{Context, FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// After so many remotes the mirrors are brought back to their limit.
const LIMITED_AFTER: usize = 50;

/// The largest list of remotes that is read, in bytes.
const LARGEST_LIST: usize = 16 << 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub place: Place,
    /// A file with a remote a line; `-` is standard input.
    pub list: Option<PathBuf>,
    /// Remotes that are named singly.
    pub remotes: Vec<String>,
    /// The branch of those that name none.
    pub branch: Option<String>,
    /// Whether everything is sent again.
    pub full: bool,
    /// Whether nothing is sent.
    pub dry_run: bool,
    /// How many shards an index gets that is created.
    pub shards: u32,
}

/// `brv.index.push/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexPush")]
pub struct Outcome {
    /// The engine.
    pub engine: EngineName,
    /// The name of the index.
    pub index: String,
    /// The trees, in the order of the list.
    pub trees: Vec<PushedTree>,
    /// The sums.
    pub summary: PushSums,
    /// Whether nothing was sent, and the numbers are those of what would be.
    pub dry_run: bool,
}

/// A tree that was pushed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IndexPushedTree")]
pub struct PushedTree {
    /// By which it is known in the index.
    pub tree: String,
    /// Its remote, without secrets.
    pub remote: String,
    /// Its branch; `null` if it is not known.
    pub branch: Option<String>,
    /// The commit that the index had; `null` if none.
    pub from: Option<String>,
    /// The commit that was pushed; `null` if it is not known.
    pub to: Option<String>,
    /// Entries that were sent.
    pub sent: usize,
    /// Documents that a later push had written already.
    pub newer: usize,
    /// Entries that were marked as gone.
    pub gone: usize,
    /// Of the entries that changed, those that were kept back.
    pub withheld: Vec<KeptBackEntry>,
    /// How it ended.
    pub state: PushState,
    /// Why it failed, or is behind; or which remote had this name until now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How the push of a tree ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "IndexPushState")]
pub enum PushState {
    /// The index has the commit.
    Done,
    /// A later push of this tree is under way, and has the last word.
    Behind,
    /// The index has what it had, or a part of the commit; the next push mends that.
    Failed,
}

/// An entry that was kept back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IndexWithheldEntry")]
pub struct KeptBackEntry {
    /// Its path in the tree, without secrets.
    pub path: String,
    /// A secret by its kind, `instructions` or `hidden`, or its size.
    pub why: String,
}

/// The sums of a push.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IndexPushSums")]
pub struct PushSums {
    /// Entries that were sent.
    pub sent: usize,
    /// Documents that later pushes had written already.
    pub newer: usize,
    /// Entries that were marked as gone.
    pub gone: usize,
    /// Trees that failed.
    pub failed: usize,
    /// Requests to the engine.
    pub requests: usize,
    /// Bytes of documents that were sent to the engine.
    pub bytes: u64,
}

/// Push.
///
/// # Errors
/// A bad list, an engine that does not answer, an index that is not ours: nothing was sent. Trees that fail singly are in the
/// outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let remotes = remotes(cx, options)?;
    let engine = super::open(cx, &options.place)?;
    let name = EngineName::of(&engine)?;
    let is_there = schema::is_there(&engine, schema::MappingRights::Needed)?;
    let offered = offers::ask(cx, &remotes)?;
    let found = offered.iter().flat_map(|one| one.trees.iter().flatten());
    remote_list::check_twice(found.clone().map(|found| (&*found.tree.name, &*found.tree.remote)))?;
    let names: Vec<&str> = found.map(|found| &*found.tree.name).collect();
    if !is_there && !options.dry_run {
        schema::create(&engine, options.shards)?;
    }
    let is_new = !is_there && options.dry_run;
    let mut marks = if is_new { BTreeMap::new() } else { mark::of_trees(&engine, &names)? };
    // before anything is fetched
    for known in marks.values() {
        schema::check_tokens(known.mark.tokens_version)?;
    }
    let trees = push_all(cx, &engine, options, (&remotes, &offered), &mut marks)?;
    mirror::limit(&cx.environment);
    let mut summary = PushSums { requests: engine.requests(), ..PushSums::default() };
    summary.bytes = trees.iter().map(|(_, bytes)| bytes).sum();
    let trees: Vec<PushedTree> = trees.into_iter().map(|(tree, _)| tree).collect();
    for tree in &trees {
        summary.sent += tree.sent;
        summary.newer += tree.newer;
        summary.gone += tree.gone;
        summary.failed += usize::from(tree.state == PushState::Failed);
    }
    let index = engine.index().to_owned();
    Ok(Outcome { engine: name, index, trees, summary, dry_run: options.dry_run })
}

/// The remotes of the list and of the flags.
fn remotes(cx: &Context<'_>, options: &Options) -> Result<Vec<RemoteLine>, Stop> {
    let mut remotes = Vec::new();
    if let Some(list) = &options.list {
        let bytes = cx.read_answer(list, LARGEST_LIST)?;
        let text = String::from_utf8(bytes).map_err(|_| Stop::usage("the list of remotes is not text"))?;
        remotes = remote_list::read(&text, &cx.cwd)?;
    }
    for remote in &options.remotes {
        remotes.push(remote_list::listed(&[remote.as_str()], &cx.cwd).map_err(Stop::usage)?);
    }
    for remote in &mut remotes {
        remote.branch = remote.branch.take().or_else(|| options.branch.clone());
    }
    if remotes.is_empty() {
        return Err(
            Stop::usage("no remote is named").hint("`--remotes FILE` has one a line, `--remote URL` is one")
        );
    }
    let same: Vec<(String, String)> =
        remotes.iter().map(|remote| (remote.key(), remote.url.to_string())).collect();
    remote_list::check_twice(same.iter().map(|(key, url)| (&**key, &**url)))?;
    Ok(remotes)
}

/// Push each tree of each remote; beside each the bytes that were sent. Once the engine does not answer, the others are not
/// tried.
fn push_all(
    cx: &Context<'_>,
    engine: &SearchEngine,
    options: &Options,
    (remotes, offered): (&[RemoteLine], &[offers::RemoteOffer]),
    marks: &mut BTreeMap<String, ReadMark>,
) -> Result<Vec<(PushedTree, u64)>, Stop> {
    let mut pushed = Vec::new();
    let mut lost: Option<String> = None;
    for (number, (remote, offer)) in remotes.iter().zip(offered).enumerate() {
        if number % LIMITED_AFTER == LIMITED_AFTER - 1 {
            mirror::limit(&cx.environment);
        }
        let found = match &offer.trees {
            Ok(found) => found,
            Err(why) => {
                pushed.push((PushedTree::failed(&remote.key(), remote, why.clone()), 0));
                continue;
            }
        };
        for found in found {
            let known = marks.remove(&found.tree.name);
            let failed = PushedTree {
                branch: Some(found.tree.branch.clone()),
                from: known.as_ref().and_then(|known| known.mark.commit.clone()),
                ..PushedTree::failed(&found.tree.name, remote, String::new())
            };
            let failed = |why: String| (PushedTree { message: Some(why), ..failed.clone() }, 0);
            if let Some(why) = &lost {
                pushed.push(failed(format!("not tried: {why}")));
                continue;
            }
            let job =
                tree::PushJob { cx, engine, remote, found, full: options.full, dry_run: options.dry_run };
            let mut done = job.run(known.clone());
            if matches!(done, Err(tree::PushFault::Mirror(_))) {
                // a mirror can be made anew at any time
                done = mirror::forget(&remote.mirror_name(), &cx.environment)
                    .map_err(|stop| tree::PushFault::Tree(stop.message))
                    .and_then(|()| job.run(known));
            }
            match done {
                Ok(done) => pushed.push(done),
                Err(tree::PushFault::Stop(stop)) => return Err(stop),
                Err(tree::PushFault::Tree(why) | tree::PushFault::Mirror(why)) => {
                    pushed.push(failed(why));
                }
                Err(tree::PushFault::Engine(why)) => {
                    pushed.push(failed(why.clone()));
                    lost = Some(why);
                }
            }
        }
    }
    Ok(pushed)
}

impl PushedTree {
    fn failed(tree: &str, remote: &RemoteLine, message: String) -> Self {
        Self {
            tree: tree.to_owned(),
            remote: remote.url.to_string(),
            branch: remote.branch.clone(),
            from: None,
            to: None,
            sent: 0,
            newer: 0,
            gone: 0,
            withheld: Vec::new(),
            state: PushState::Failed,
            message: Some(message),
        }
    }
}

impl Outcome {
    /// Why the push as a whole is no success.
    pub fn failure(&self) -> Option<Stop> {
        let failed = self.summary.failed;
        let trees = if failed == 1 { "tree" } else { "trees" };
        (failed > 0).then(|| {
            Stop::new(FailureKind::Failed, format!("{failed} {trees} of {} failed", self.trees.len()))
                .hint("once what is named there is mended, the same push sends what is missing")
        })
    }
}
