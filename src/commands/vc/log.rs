//! `brv vc log`: list the history, newest first.

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::open::naming::{moments, revisions};
use brv_engine::outcome::bytes::text;
use brv_engine::outcome::change::FileDifference;
use brv_engine::read::history::changes::{ChangedFiles, Contents, Detail, FileChange};
use brv_engine::read::history::commit_filter::Sieve;
use brv_engine::read::history::decorations;
pub use brv_engine::read::history::decorations::Name;
pub use brv_engine::read::history::decorations::ShownCommit;
use brv_engine::read::history::knowledge::{self, ChangeReport};
use brv_git as git;
use brv_git::history::{self, Interest, Range, Walked};
use brv_git::lineage::{self, Kinship};
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::trees::{self, Renames, TreeItem};
use brv_git::{CommitId, Scope, TreeId, revision, topology};
use brv_text::diff::knowledge::Entry;
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::ControlFlow;

pub use brv_engine::read::history::commit_filter::{
    Case, CommitFilter, Merges, PatternMatching, Sense, Syntax,
};
pub use brv_git::history::Parents;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Revisions, then paths, as typed before `--`. Without a revision: `HEAD`.
    pub arguments: Vec<String>,
    /// Paths, as typed after `--`.
    pub paths: Vec<String>,
    /// Where the walk begins, in addition to the revisions.
    pub tips: Tips,
    pub wanted: CommitFilter,
    /// Only commits made at this time or later, in git's date syntax.
    pub since: Option<String>,
    /// Only commits made at this time or before, in git's date syntax.
    pub until: Option<String>,
    pub parents: Parents,
    /// How many commits to skip first.
    pub skip: usize,
    /// The maximum number of commits.
    pub limit: Option<usize>,
    pub order: LogOrder,
    /// Whether to follow a file through renames.
    pub follow: Follow,
    /// How much of the changes of each commit to show.
    pub detail: Option<Detail>,
    /// Whether the changed lines and entries are data.
    pub with_lines: bool,
    /// Whether to look up the names that point to each commit.
    pub names: LogDecoration,
    /// Whether to abbreviate IDs as far as they are unambiguous, or just cut them.
    pub ids: Ids,
}

/// Where the walk begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tips {
    #[default]
    Named,
    /// Also at every reference, except those of the journal.
    All,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogOrder {
    /// By committer date, newest first.
    #[default]
    NewestFirst,
    /// By committer date, oldest first.
    OldestFirst,
    /// Branch by branch, for a graph.
    Picture,
}

/// Whether to follow a file through renames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Follow {
    /// If a single file is named.
    #[default]
    OneFile,
    /// Also to files that it was copied from (`--follow`).
    Copies,
    Nothing,
}

/// Names that point to commits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogDecoration {
    #[default]
    Pointing,
    Omitted,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ids {
    /// As short as possible without ambiguity.
    #[default]
    Unambiguous,
    /// Cut to seven digits.
    Cut,
}

/// `brv.vc.log/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Log")]
pub struct Outcome {
    /// The commits, newest first unless `--reverse`.
    pub commits: Vec<LoggedCommit>,
}

/// A commit in the history.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Logged")]
pub struct LoggedCommit {
    /// The commit.
    #[serde(flatten)]
    pub commit: ShownCommit,
    #[serde(skip)]
    pub short: String,
    /// Its id, for the graph.
    #[serde(skip)]
    pub id: CommitId,
    /// In a graph, the listed commits that it connects to.
    #[serde(skip)]
    pub below: Vec<CommitId>,
    /// The path of the followed file in this commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The files it changes, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<FileDifference>>")]
    files: Option<ChangedFiles>,
    /// Its changes by meaning, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
}

impl LoggedCommit {
    /// The files as they are drawn, if requested.
    pub fn drawn(&self) -> &[FileChange] {
        self.files.as_ref().map_or(&[], |files| &files.drawn)
    }
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let arguments = revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths)
        .map_err(revisions::behind_dashes)?;
    let date = |text: &String| moments::moment(text, cx.clock);
    let mut range = revisions::range(scope, &arguments.revisions)?;
    add_tips(scope, options.tips, &mut range)?;
    range.parents = options.parents;
    range.since = options.since.as_ref().map(date).transpose()?;
    range.interest = interest(scope, options, &range, &arguments.paths)?;
    let until = options.until.as_ref().map(date).transpose()?;
    let sieve = Sieve::new(&CommitFilter { until, ..options.wanted.clone() })?;
    let names = match options.names {
        LogDecoration::Pointing => decorations::pointing(scope)?,
        LogDecoration::Omitted => HashMap::new(),
    };
    let shorten = revision::shortener(scope);
    let with_lines = options.with_lines;
    let commits = walked(scope, options, &range, &sieve)?.into_iter().map(|(walked, below)| {
        let told = match options.detail {
            Some(detail) => tell(scope, &walked, options.parents, &arguments.paths, detail)?,
            None => ChangeReport::default(),
        };
        let Walked { commit, path } = walked;
        let short = match options.ids {
            Ids::Unambiguous => shorten(commit.id.into())?,
            Ids::Cut => commit.id.prefix(7),
        };
        Ok(LoggedCommit {
            commit: ShownCommit::new(&commit, names.get(&commit.id).cloned().unwrap_or_default()),
            short,
            id: commit.id,
            below,
            path: path.as_ref().map(|path| text(path)),
            files: options.detail.map(|_| ChangedFiles { drawn: told.files, with_lines }),
            entries: with_lines.then_some(told.entries),
        })
    });
    Ok(Outcome { commits: commits.collect::<Result<_, git::Error>>()? })
}

/// Add the references to start from; without any, start at `HEAD`.
fn add_tips(scope: &Scope, tips: Tips, range: &mut Range) -> Result<(), Stop> {
    if tips == Tips::All {
        let all = git::refs::commits(scope, "refs/")?;
        range.tips.extend(scope.head()?.commit());
        range
            .tips
            .extend(all.into_iter().filter(|(name, _)| !name.starts_with(b"refs/brv/")).map(|(_, id)| id));
    } else if range.tips.is_empty() {
        let head = scope.head()?;
        let unborn = || {
            let branch = head.short_branch().unwrap_or_default();
            Stop::failed(format!("the branch `{branch}` has no commits yet"))
                .hint("create the first commit with `brv vc commit -m MSG`")
        };
        range.tips.push(head.commit().ok_or_else(unborn)?);
    }
    Ok(())
}

fn interest(scope: &Scope, options: &Options, range: &Range, paths: &[Pathspec]) -> Result<Interest, Stop> {
    let paths: Vec<BString> =
        paths.iter().map(|spec| spec.as_bstr().to_owned()).filter(|path| !path.is_empty()).collect();
    Ok(match (options.follow, paths.as_slice()) {
        (Follow::Copies, [path]) => Interest::File(path.clone(), Kinship::Copied),
        (Follow::Copies, _) => return Err(Stop::usage("only one path can be followed")),
        (_, []) if scope.prefix().is_empty() => Interest::All,
        // the history of the folder, not of the repository around it
        (_, []) => Interest::Paths(vec![BString::default()]),
        (Follow::OneFile, [path]) if is_file(scope, range, path)? => {
            Interest::File(path.clone(), Kinship::Renamed)
        }
        _ => Interest::Paths(paths),
    })
}

/// Whether the path is a file in the commits where the walk begins.
fn is_file(scope: &Scope, range: &Range, path: &BString) -> Result<bool, git::Error> {
    for tip in &range.tips {
        if let Some(found) = trees::find(scope, scope.tree_of(*tip)?, path.as_bstr())? {
            return Ok(matches!(found, TreeItem::File(_)));
        }
    }
    Ok(false)
}

type DrawnCommit = (Walked, Vec<CommitId>);

/// The matching commits, and where each connects to in a graph.
fn walked(
    scope: &Scope,
    options: &Options,
    range: &Range,
    sieve: &Sieve,
) -> Result<Vec<DrawnCommit>, git::Error> {
    let limit = options.limit.unwrap_or(usize::MAX);
    if options.order == LogOrder::Picture {
        let nodes = topology::sorted(scope, range, |commit| sieve.keeps(commit))?;
        let nodes = nodes.into_iter().skip(options.skip).take(limit);
        return Ok(nodes.map(|node| (node.walked, node.below)).collect());
    }
    let mut found = Vec::new();
    let mut skip = options.skip;
    if limit > 0 {
        history::walk(scope, range, |walked| {
            if !sieve.keeps(&walked.commit) {
                return ControlFlow::Continue(());
            }
            if skip > 0 {
                skip -= 1;
                return ControlFlow::Continue(());
            }
            found.push((walked, Vec::new()));
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
    }
    if options.order == LogOrder::OldestFirst {
        found.reverse();
    }
    Ok(found)
}

/// The changes of a commit; for a merge none, as in git, unless only first parents are walked.
fn tell(
    scope: &Scope,
    walked: &Walked,
    parents: Parents,
    paths: &[Pathspec],
    detail: Detail,
) -> Result<ChangeReport, git::Error> {
    let commit = &walked.commit;
    let before = match (commit.parents.as_slice(), parents) {
        ([], _) => TreeId::empty(),
        ([parent], _) | ([parent, ..], Parents::First) => scope.tree_of(*parent)?,
        _ => return Ok(ChangeReport::default()),
    };
    let changes = match &walked.path {
        Some(path) => {
            let mut changes = trees::diff(scope, before, commit.tree, Renames::Ignore)?;
            changes.retain(|change| change.path == *path);
            for new in changes.iter_mut().filter(|change| change.before.is_none()) {
                let source = lineage::source(scope, before, commit.tree, path.as_bstr(), Kinship::Renamed)?;
                if let Some(source) = source {
                    new.before = Some(source.version);
                    new.renamed_from = Some(source.path);
                }
            }
            changes
        }
        None => {
            let mut changes = trees::diff(scope, before, commit.tree, Renames::Ignore)?;
            let specs = Pathspecs::of(paths);
            changes.retain(|change| specs.is_empty() || specs.matches(change.path.as_bstr()));
            trees::join_renames(scope, changes, Renames::Detect)?
        }
    };
    knowledge::tell_all(scope, changes, detail, &Contents::default())
}
