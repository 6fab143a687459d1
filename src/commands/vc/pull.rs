//! `brv vc pull`: fetch, fast-forward or merge, update the files, regenerate the derived ones.

use brv_engine::journal::OperationKind;
use brv_engine::merge::integrate::{self, Forward, Incoming};
use brv_engine::open::context::{Context, Opened};
use brv_engine::outcome::unknown_name::UnknownName;
use brv_engine::read::history::gc_advice::{Tidying, tidying};
use brv_engine::vc::remotes::fetch_options::{FetchOptions, History};
use brv_engine::vc::remotes::followed::{self, FetchedBranch, FollowedBranch, Unfollowed};
use brv_engine::write::operation::{self, Writing};
use brv_engine::write::overriding::Allowed;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::{CommitId, Door, End, Head};
use brv_text::merge::Undecided;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::Mode;
pub use brv_engine::merge::integrate::Relation;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A remote or a URL; `None`: the remote of the branch's upstream.
    pub remote: Option<String>,
    /// A branch there; `None`: the upstream, or the branch of the same name.
    pub branch: Option<String>,
    pub manner: FetchOptions,
    /// Whether a fast-forward is allowed or required; `None`: as configured.
    pub forward: Option<Forward>,
    /// What to do about changes that need a person's decision.
    pub undecided: Undecided,
    /// The guards to override (`--allow`).
    pub allowed: Allowed,
    /// Whether to write anything here; objects are fetched in any case.
    pub mode: Mode,
}

/// `brv.vc.pull/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Pull")]
pub struct Outcome {
    /// The address, without secrets.
    pub source: String,
    /// The remote branch.
    pub branch: String,
    pub objects: usize,
    /// How the depth of the history changed.
    pub history: History,
    /// The result of the merge.
    #[serde(flatten)]
    pub brought: integrate::Outcome,
    /// Whether `brv vc gc` is due.
    #[serde(skip)]
    pub tidying: Tidying,
}

/// Fetch, then update the current branch and the files.
///
/// # Errors
/// The remote or its branch is unknown, or the histories cannot be merged; conflicts are an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("pull")?;
    let scope = &opened.scope;
    let followed = followed::choose(
        scope,
        &cx.cwd,
        (options.remote.as_deref(), options.branch.as_deref()),
        Unfollowed::Refuse,
    )?;
    let end = End::of(scope)?;
    let seen = followed.fetch(scope, options.manner, &cx.network())?;
    let history = History::since(&end, scope, options.manner.depth)?;
    let theirs = seen.tip.ok_or_else(|| {
        let name = followed.short_branch();
        Stop::new(FailureKind::Remote, format!("the remote has no branch `{name}`"))
            .seeking(UnknownName::RemoteBranch(name))
    })?;
    let (brought, tidying) =
        operation::settle(Stop::kind, |_| bring(cx, &opened, (&followed, &seen, theirs), options))?;
    Ok(Outcome {
        source: followed.target.to_string(),
        branch: followed.short_branch(),
        objects: seen.fetched.objects,
        history,
        brought,
        tidying,
    })
}

/// Update the current branch and the files to what was fetched.
fn bring(
    cx: &Context<'_>,
    opened: &Opened,
    (followed, seen, theirs): (&FollowedBranch, &FetchedBranch, CommitId),
    options: &Options,
) -> Result<(integrate::Outcome, Tidying), Stop> {
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(opened))?;
    let head = followed.head(scope)?;
    let tidying = match options.mode {
        Mode::Write => tidying(scope, cx.clock.seconds()),
        Mode::DryRun => Tidying::NotDue,
    };
    let forward = options.forward.map_or_else(|| git::forward(scope, Door::Pull), Ok)?;
    let Options { undecided, mode, .. } = *options;
    let manner = integrate::MergeOptions { forward, undecided, mode, ..integrate::MergeOptions::default() };
    let incoming = Incoming {
        tracking: seen.tracking.clone(),
        rewrite: seen.rewrite.clone(),
        allowed: options.allowed.clone(),
        ..incoming(followed, &head, theirs)
    };
    let brought = integrate::integrate(writing, &head, &incoming, &manner)?;
    Ok((brought, tidying))
}

fn incoming(followed: &FollowedBranch, head: &Head, theirs: CommitId) -> Incoming {
    let name = followed.name();
    Incoming {
        theirs,
        message: integrate::of_branch(&followed.described(), head),
        kind: OperationKind::Pull,
        reason: format!("pull {name}"),
        action: "pull".into(),
        name,
        settings: Vec::new(),
        settled: Vec::new(),
        tracking: None,
        rewrite: None,
        allowed: Allowed::default(),
    }
}
