//! `brv vc push`: send what the remote lacks, and move its refs.

pub use crate::git::push::Mode;
use crate::git::push::{self, Atomicity, Force, RefUpdate, Status};
use crate::git::remotes;
use crate::git::revision::{self, RevisionError};
use crate::git::{self, CommitId, Head, Scope, Target};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::outgoing::{self, Finding};
use crate::ops::steps::{remote_choice, remote_failure};
use bstr::{BString, ByteSlice};

/// What to push.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A remote or an address; `None`: the one that the branch follows.
    pub remote: Option<String>,
    /// `[+]SOURCE[:DESTINATION]`; none: the current branch.
    pub refspecs: Vec<String>,
    /// Whether the branches follow what they were pushed to.
    pub upstream: Upstream,
    /// Whether anything is sent.
    pub mode: Mode,
    /// Whether the content is looked at first.
    pub verify: Verify,
}

/// Whether pushed branches follow what they were pushed to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Upstream {
    /// As before.
    #[default]
    Keep,
    /// From now on (`-u`), once the server has them.
    Set,
}

/// Whether the content is looked at first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verify {
    /// It is.
    #[default]
    Content,
    /// It is not (`--no-verify`).
    Nothing,
}

/// What became of the push.
#[derive(Debug)]
pub struct Outcome {
    /// Where to, without secrets.
    pub destination: String,
    /// What the server has now.
    pub pushed: push::Outcome,
    /// Branches that follow a branch of the remote from now on, with its name.
    pub followed: Vec<(String, String)>,
}

/// Why nothing was pushed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Which remote, which branch.
    #[error(transparent)]
    Choice(#[from] remote_choice::Error),
    /// The branch here and the one it follows have different names.
    #[error("the branch `{branch}` follows `{upstream}`, which has another name")]
    OtherName {
        /// The branch here.
        branch: String,
        /// The branch there.
        upstream: String,
    },
    /// The branch has no commits.
    #[error("the branch `{0}` has no commits yet")]
    Unborn(String),
    /// The source of a refspec.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// The content must not leave.
    #[error("what would be pushed must not leave as it is")]
    Blocked(Vec<Finding>),
    /// The remote.
    #[error(transparent)]
    Push(#[from] push::Error),
    /// The settings.
    #[error(transparent)]
    Remotes(#[from] remotes::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Choice(error) => error.kind(),
            Self::OtherName { .. } | Self::Unborn(_) => FailureKind::Usage,
            Self::Revision(RevisionError::Git(_)) | Self::Git(_) | Self::Remotes(_) => FailureKind::Failed,
            Self::Revision(_) => FailureKind::Usage,
            Self::Blocked(_) => FailureKind::Blocked,
            Self::Push(error) => push_kind(error),
        }
    }
}

const fn push_kind(error: &push::Error) -> FailureKind {
    match error {
        push::Error::Network(error) => remote_failure::of_network(error),
        push::Error::Own(_) => FailureKind::Refused,
        push::Error::RefName(_) => FailureKind::Usage,
        push::Error::Incapable(_) => FailureKind::Remote,
        push::Error::Git(_) => FailureKind::Failed,
    }
}

/// Push. Refusals of single refs are part of the outcome.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let head = scope.head()?;
    let target = remote_choice::target(scope, &cx.cwd, &head, options.remote.as_deref())?;
    let moves = if options.refspecs.is_empty() {
        vec![current_branch(scope, &head, &target, options)?]
    } else {
        options.refspecs.iter().map(|spec| parse(scope, spec)).collect::<Result<Vec<_>, Error>>()?
    };
    if options.verify == Verify::Content {
        check_content(scope, &target, &moves)?;
    }
    let wanted = push::Options {
        target: target.clone(),
        updates: moves.iter().map(|wanted| wanted.update.clone()).collect(),
        mode: options.mode,
        atomicity: Atomicity::EachRef,
    };
    let pushed = push::push(scope, &wanted, &cx.network())?;
    let followed = match (options.upstream, options.mode) {
        (Upstream::Set, Mode::Send) => follow(scope, &target, &moves, &pushed)?,
        _ => Vec::new(),
    };
    Ok(Outcome { destination: target.to_string(), pushed, followed })
}

/// A ref to move, and the branch here that it comes from.
struct Planned {
    update: RefUpdate,
    branch: Option<String>,
}

fn current_branch(scope: &Scope, head: &Head, target: &Target, options: &Options) -> Result<Planned, Error> {
    let branch = head.short_branch().ok_or(remote_choice::Error::Detached)?;
    let commit = head.commit().ok_or_else(|| Error::Unborn(branch.clone()))?;
    let own = remote_choice::full_branch(&branch);
    let followed = remote_choice::followed_branch(scope, head, target)?;
    if followed.is_none() && options.remote.is_none() && options.upstream == Upstream::Keep {
        return Err(remote_choice::Error::NoUpstream(branch).into());
    }
    // git's `push.default=simple`: never to a branch of another name
    if let Some(upstream) = followed.filter(|upstream| *upstream != own && options.upstream == Upstream::Keep)
    {
        return Err(Error::OtherName { branch, upstream: remote_choice::short_branch(&upstream) });
    }
    let update = RefUpdate { source: Some(commit.into()), destination: own, force: Force::No };
    Ok(Planned { update, branch: Some(branch) })
}

fn parse(scope: &Scope, spec: &str) -> Result<Planned, Error> {
    let (force, spec) = match spec.strip_prefix('+') {
        Some(rest) => (Force::Yes, rest),
        None => (Force::No, spec),
    };
    let (source, destination) = match spec.split_once(':') {
        Some((source, destination)) => (source, Some(destination)),
        None => (spec, None),
    };
    if source.is_empty() {
        let name = destination.unwrap_or_default();
        let update = RefUpdate { source: None, destination: remote_choice::full_branch(name), force };
        return Ok(Planned { update, branch: None });
    }
    let id = revision::object(scope, source)?;
    let full = match source {
        "HEAD" | "@" => scope.head()?.branch().map(ToOwned::to_owned),
        name => revision::full_reference(scope, name),
    };
    if let Some(own) = full.as_ref().filter(|full| full.starts_with(b"refs/brv/")) {
        // what operations hold was never meant for others, whatever it is called there
        return Err(push::Error::Own(own.clone()).into());
    }
    let is_tag = full.as_ref().is_some_and(|full| full.starts_with(b"refs/tags/"));
    let branch = full.as_ref().and_then(|full| full.strip_prefix(b"refs/heads/"));
    let branch = branch.map(|name| name.to_str_lossy().into_owned());
    let destination = match destination {
        Some(name) if name.starts_with("refs/") => name.into(),
        Some(name) if is_tag => format!("refs/tags/{name}").into(),
        Some(name) => remote_choice::full_branch(name),
        None => full.clone().unwrap_or_else(|| remote_choice::full_branch(source)),
    };
    Ok(Planned { update: RefUpdate { source: Some(id), destination, force }, branch })
}

/// Look at what differs from the branch as the remote had it when we last saw it.
fn check_content(scope: &Scope, target: &Target, moves: &[Planned]) -> Result<(), Error> {
    let mut findings = Vec::new();
    for planned in moves {
        let Some(tip) = planned.update.source.and_then(|id| revision::commit(scope, &id.to_string()).ok())
        else {
            continue;
        };
        let known = tracking(scope, target, &planned.update.destination)?;
        findings.extend(outgoing::check(scope, known, tip)?);
    }
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    findings.dedup();
    if findings.is_empty() { Ok(()) } else { Err(Error::Blocked(findings)) }
}

/// The branch as the remote had it, or its default branch for one that is new there.
fn tracking(scope: &Scope, target: &Target, destination: &BString) -> Result<Option<CommitId>, Error> {
    let Target::Named(remote) = target else { return Ok(None) };
    let short = remote_choice::short_branch(destination);
    for name in [format!("refs/remotes/{remote}/{short}"), format!("refs/remotes/{remote}/HEAD")] {
        if let Some(commit) = git::refs::commit(scope, name.as_bytes().as_bstr())? {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

fn follow(
    scope: &Scope,
    target: &Target,
    moves: &[Planned],
    pushed: &push::Outcome,
) -> Result<Vec<(String, String)>, Error> {
    let Target::Named(remote) = target else { return Ok(Vec::new()) };
    let mut followed = Vec::new();
    for (planned, result) in moves.iter().zip(&pushed.refs) {
        let is_done = matches!(result.status, Status::Ok | Status::UpToDate);
        let Some(branch) = planned.branch.as_ref().filter(|_| is_done) else { continue };
        remotes::set_upstream(scope, branch, remote, planned.update.destination.as_ref())?;
        followed.push((
            branch.clone(),
            format!("{remote}/{}", remote_choice::short_branch(&planned.update.destination)),
        ));
    }
    Ok(followed)
}
