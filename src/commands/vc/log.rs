//! `brv vc log`: list the history, newest first.

use brv_base::clock;
use brv_engine::open::context::Context;
use brv_engine::open::naming::revisions;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::read::history::changes::{Contents, Detail};
use brv_engine::read::history::commit_filter::{BadPattern, Sieve};
use brv_engine::read::history::decorations;
pub use brv_engine::read::history::decorations::Name;
use brv_engine::read::history::knowledge::{self, Told};
use brv_engine::{Fails, FailureKind};
use brv_git as git;
pub use brv_git::commit::Commit;
use brv_git::history::{self, Interest, Range, Walked};
use brv_git::lineage::{self, Kinship};
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::trees::{self, Found, Renames};
use brv_git::{CommitId, Scope, TreeId, revision, topology};
use bstr::{BString, ByteSlice as _};
use std::collections::HashMap;
use std::ops::ControlFlow;

pub use brv_engine::read::history::commit_filter::{Case, Matching, Merges, Sense, Syntax, Wanted};
pub use brv_git::history::Parents;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Revisions, then paths, as typed before `--`. Without a revision: `HEAD`.
    pub arguments: Vec<String>,
    /// Paths, as typed after `--`.
    pub paths: Vec<String>,
    /// Where the walk begins, in addition to the revisions.
    pub tips: Tips,
    pub wanted: Wanted,
    /// Only commits made at this time or later, in git's date syntax.
    pub since: Option<String>,
    /// Only commits made at this time or before, in git's date syntax.
    pub until: Option<String>,
    pub parents: Parents,
    /// How many commits to skip first.
    pub skip: usize,
    /// The maximum number of commits.
    pub limit: Option<usize>,
    pub order: Order,
    /// Whether to follow a file through renames.
    pub follow: Follow,
    /// How much of the changes of each commit to show.
    pub detail: Option<Detail>,
    /// Whether to look up the names that point to each commit.
    pub names: Names,
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
pub enum Order {
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
pub enum Names {
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

#[derive(Debug)]
pub struct Outcome {
    /// In the requested order.
    pub entries: Vec<Entry>,
}

#[derive(Debug)]
pub struct Entry {
    pub commit: Commit,
    pub short: String,
    /// The branches and tags that point to it.
    pub names: Vec<Name>,
    /// The path of the followed file in that commit.
    pub path: Option<BString>,
    /// In a graph, the listed commits that it connects to.
    pub below: Vec<CommitId>,
    /// Its changes, if requested.
    pub told: Told,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Arguments(#[from] revisions::Error),
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    #[error("`{0}` is not a date or time")]
    Date(String),
    #[error("only one path can be followed")]
    NotOnePath,
    #[error("the branch `{0}` has no commits yet")]
    Unborn(String),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Arguments(error) => error.kind(),
            Self::Pattern(_) | Self::Date(_) | Self::NotOnePath => FailureKind::Usage,
            Self::Unborn(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let arguments = revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths)?;
    let date = |text: &Option<String>| match text {
        Some(text) => {
            Ok(Some(clock::moment(text, cx.clock.seconds()).ok_or_else(|| Error::Date(text.clone()))?))
        }
        None => Ok::<_, Error>(None),
    };
    let mut range = revisions::range(scope, &arguments.revisions)?;
    add_tips(scope, options.tips, &mut range)?;
    range.parents = options.parents;
    range.since = date(&options.since)?;
    range.interest = interest(scope, options, &range, &arguments.paths)?;
    let sieve = Sieve::new(&Wanted { until: date(&options.until)?, ..options.wanted.clone() })?;
    let names = match options.names {
        Names::Pointing => decorations::pointing(scope)?,
        Names::Omitted => HashMap::new(),
    };
    let shorten = revision::shortener(scope);
    let entries = walked(scope, options, &range, &sieve)?.into_iter().map(|(walked, below)| {
        let told = match options.detail {
            Some(detail) => tell(scope, &walked, options.parents, &arguments.paths, detail)?,
            None => Told::default(),
        };
        let Walked { commit, path } = walked;
        let short = match options.ids {
            Ids::Unambiguous => shorten(commit.id.into())?,
            Ids::Cut => commit.id.prefix(7),
        };
        Ok(Entry {
            short,
            names: names.get(&commit.id).cloned().unwrap_or_default(),
            path,
            below,
            told,
            commit,
        })
    });
    Ok(Outcome { entries: entries.collect::<Result<_, git::Error>>()? })
}

/// Add the references to start from; without any, start at `HEAD`.
fn add_tips(scope: &Scope, tips: Tips, range: &mut Range) -> Result<(), Error> {
    if tips == Tips::All {
        let all = git::refs::commits(scope, "refs/")?;
        range.tips.extend(scope.head()?.commit());
        range
            .tips
            .extend(all.into_iter().filter(|(name, _)| !name.starts_with(b"refs/brv/")).map(|(_, id)| id));
    } else if range.tips.is_empty() {
        let head = scope.head()?;
        range.tips.push(head.commit().ok_or_else(|| Error::Unborn(head.short_branch().unwrap_or_default()))?);
    }
    Ok(())
}

fn interest(scope: &Scope, options: &Options, range: &Range, paths: &[Pathspec]) -> Result<Interest, Error> {
    let paths: Vec<BString> =
        paths.iter().map(|spec| spec.as_bstr().to_owned()).filter(|path| !path.is_empty()).collect();
    Ok(match (options.follow, paths.as_slice()) {
        (Follow::Copies, [path]) => Interest::File(path.clone(), Kinship::Copied),
        (Follow::Copies, _) => return Err(Error::NotOnePath),
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
            return Ok(matches!(found, Found::File(_)));
        }
    }
    Ok(false)
}

type Drawn = (Walked, Vec<CommitId>);

/// The matching commits, and where each connects to in a graph.
fn walked(scope: &Scope, options: &Options, range: &Range, sieve: &Sieve) -> Result<Vec<Drawn>, git::Error> {
    let limit = options.limit.unwrap_or(usize::MAX);
    if options.order == Order::Picture {
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
    if options.order == Order::OldestFirst {
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
) -> Result<Told, git::Error> {
    let commit = &walked.commit;
    let before = match (commit.parents.as_slice(), parents) {
        ([], _) => TreeId::empty(),
        ([parent], _) | ([parent, ..], Parents::First) => scope.tree_of(*parent)?,
        _ => return Ok(Told::default()),
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
    knowledge::tell(scope, &changes, detail, &Contents::default())
}
