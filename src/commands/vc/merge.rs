//! `brv vc merge`: merge another branch or commit into the current branch, or abort a merge.

use super::commit::{self, CreatedCommit};
use brv_engine::Stop;
use brv_engine::journal::{OperationKind, Recovered};
use brv_engine::merge::abort;
use brv_engine::merge::guards;
use brv_engine::merge::integrate::{self, Incoming};
use brv_engine::open::context::Context;
use brv_engine::outcome::in_progress::WAITING;
use brv_engine::read::history::gc_advice::{Tidying, tidying};
use brv_engine::vc::work_tree::ongoing;
use brv_engine::write::operation::{self, Writing};
use brv_engine::write::written::WrittenEffects;
use brv_git as git;
use brv_git::merge_state;
use brv_git::revision;
use brv_git::{CommitId, Door, Head, Scope};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::Mode;
pub use brv_engine::merge::abort::Aborted;
pub use brv_engine::merge::integrate::Outcome as Integrated;
pub use brv_engine::merge::integrate::{Derive, Forward, Made, Relation, Undecided, Unrelated};
pub use brv_engine::merge::reconcile::Record;
pub use brv_engine::write::overriding::{Allowed, Guard};

/// What to merge, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A branch, a tag or a commit.
    pub revision: String,
    /// The paragraphs of the message; empty: git's default message.
    pub message: Vec<String>,
    /// Whether a fast-forward is allowed or required; `None`: as configured.
    pub forward: Option<Forward>,
    pub made: Made,
    /// What to do about changes that need a person's decision.
    pub undecided: Undecided,
    /// The guards to override (`--allow`).
    pub allowed: Allowed,
    /// Whether to merge histories without a common commit.
    pub unrelated: Unrelated,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
    /// Whether anything is written.
    pub mode: Mode,
}

/// `brv.vc.merge/1`; paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Merge")]
pub struct Outcome {
    /// What was merged, as named on the command line; absent for `--abort` and `--continue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The result of the merge.
    #[serde(flatten)]
    pub brought: Option<integrate::Outcome>,
    /// The result of `--abort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aborted: Option<Aborted>,
    /// The commit that `--continue` made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CreatedCommit>,
    /// An interrupted command that was recovered first, if nothing was merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
    /// What else was written.
    #[serde(skip)]
    pub written: WrittenEffects,
    /// Whether `brv vc gc` is due.
    #[serde(skip)]
    pub tidying: Tidying,
}

/// Merge.
///
/// # Errors
/// The revision is unknown, or the state of the tree allows no merge; conflicts are an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("merge")?;
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(&opened))?;
    if merge_state::read(scope)?.is_some() {
        return Err(Stop::conflict("a merge is already in progress").hint(WAITING));
    }
    ongoing::refuse(scope)?;
    let head = scope.head()?;
    let theirs = revision::commit(scope, &options.revision)?;
    let forward = options.forward.map_or_else(|| git::forward(scope, Door::Merge), Ok)?;
    let Options { made, undecided, unrelated, derive, mode, .. } = *options;
    let manner = integrate::MergeOptions { forward, result: made, undecided, unrelated, derive, mode };
    let incoming = incoming(scope, &head, theirs, options)?;
    let brought = integrate::integrate(writing, &head, &incoming, &manner)?;
    let tidying = match mode {
        Mode::Write => tidying(scope, cx.clock.seconds()),
        Mode::DryRun => Tidying::NotDue,
    };
    let written = WrittenEffects::from(&brought.written);
    Ok(Outcome {
        name: Some(options.revision.clone()),
        brought: Some(brought),
        written,
        tidying,
        ..Outcome::default()
    })
}

/// Abort the merge in progress.
///
/// # Errors
/// There is none, or a file cannot be written.
pub fn abort(cx: &Context<'_>) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("merge")?;
    let aborted = operation::settle(Stop::kind, |_| abort::abort(Writing::begin(cx.parts(&opened))?))?;
    Ok(Outcome {
        recovered: aborted.written.recovered.clone(),
        written: WrittenEffects::from(&aborted.written),
        aborted: Some(aborted),
        ..Outcome::default()
    })
}

/// Commit the merge in progress.
///
/// # Errors
/// There is none, or it cannot be committed yet.
pub fn resume(cx: &Context<'_>, options: &commit::Options) -> Result<Outcome, Stop> {
    let commit::Outcome { commit, recovered, written, .. } = commit::run(cx, options)?;
    Ok(Outcome { commit, recovered, written, ..Outcome::default() })
}

fn incoming(scope: &Scope, head: &Head, theirs: CommitId, options: &Options) -> Result<Incoming, git::Error> {
    let name = options.revision.clone();
    let given = options.message.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n");
    let given = given.trim();
    let message = if given.is_empty() {
        integrate::of_branch(&described(scope, &name), head)
    } else {
        format!("{given}\n")
    };
    let full = revision::full_reference(scope, &name);
    let tracking = full.filter(|name| name.starts_with(b"refs/remotes/"));
    let rewrite = match &tracking {
        Some(tracking) => guards::rewritten(scope, tracking.as_bstr(), Some(theirs), theirs)?,
        None => None,
    };
    Ok(Incoming {
        theirs,
        message,
        kind: OperationKind::Merge,
        reason: format!("merge {name}"),
        action: format!("merge {name}"),
        name,
        settings: Vec::new(),
        settled: Vec::new(),
        tracking,
        rewrite,
        allowed: options.allowed.clone(),
    })
}

/// `branch 'topic'`, `remote-tracking branch 'origin/topic'`, `tag 'v1'`, `commit '1a2b3c4'`, as in git's messages.
fn described(scope: &Scope, name: &str) -> String {
    let full = revision::full_reference(scope, name).unwrap_or_default();
    let kinds =
        [("refs/heads/", "branch"), ("refs/remotes/", "remote-tracking branch"), ("refs/tags/", "tag")];
    for (prefix, kind) in kinds {
        if let Some(short) = full.strip_prefix(prefix.as_bytes()) {
            return format!("{kind} '{}'", short.to_str_lossy());
        }
    }
    format!("commit '{name}'")
}
