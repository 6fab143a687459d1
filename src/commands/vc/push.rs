//! `brv vc push`: send the objects that the remote lacks, and update its refs.

pub use brv_engine::Mode;
use brv_engine::journal::Kind;
use brv_engine::open::context::{Context, Opened};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::vc::check::Found;
pub use brv_engine::vc::check::gate::Verify;
use brv_engine::vc::check::gate::{Gate, Unreviewed, Verdict};
pub use brv_engine::vc::remotes::push_choice::{Selection, Upstream};
use brv_engine::vc::remotes::transfer::NewUpstream;
use brv_engine::vc::remotes::{failure, push_choice, remote_choice};
pub use brv_engine::vc::work_tree::ongoing::Kind as InProgress;
use brv_engine::write::operation::{self, WriteOutcome, settings_only};
use brv_engine::write::overriding::ByAgent;
pub use brv_engine::write::overriding::{Allowed, Guard};
use brv_engine::{Fails, FailureKind};
use brv_git as git;
use brv_git::branch_settings::Followed;
use brv_git::host_remote::Naming;
use brv_git::push::{self, Address, Forcing, Lease, Planned, Request, Unmatched};
pub use brv_git::push::{Atomicity, Error as PushError, Evidence, FollowTags};
use brv_git::revision::{self, RevisionError};
use brv_git::{ObjectName, Scope, Target};
use bstr::{BString, ByteSlice as _};

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A remote or a URL; `None`: the push remote of the branch.
    pub remote: Option<String>,
    /// `[+]SOURCE[:DESTINATION]`, or names to delete; empty: as configured.
    pub refspecs: Vec<String>,
    /// Which refs to push besides those, or what to do with those.
    pub selection: Selection,
    /// Whether to push annotated tags along; `None`: as `push.followTags` says.
    pub tags: Option<FollowTags>,
    /// When refs may be updated without a fast-forward.
    pub force: Force,
    /// Whether the rejection of one ref rejects the others.
    pub atomicity: Atomicity,
    /// Whether to set the upstream of the branches that are pushed.
    pub upstream: Upstream,
    /// Whether to send anything.
    pub mode: Mode,
    /// Which errors in the content stop the push.
    pub verify: Verify,
    /// The secrets that may be sent (`--allow`).
    pub allowed: Allowed,
}

/// When refs may be updated without a fast-forward.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Force {
    /// If the refspec begins with `+`.
    #[default]
    AsWritten,
    /// Always (`--force`).
    Everything,
    /// If these leases hold: `""`, `REF`, `REF:`, `REF:REVISION`.
    Leased(Vec<String>),
}

#[derive(Debug, Default)]
pub struct Outcome {
    /// The remote or URL, without secrets.
    pub destination: String,
    /// The result for each URL of the remote, in order, without those that failed.
    pub pushed: Vec<Pushed>,
    /// URLs that failed while others succeeded.
    pub failed: Vec<(String, Error)>,
    /// URLs that were sent nothing because of the content.
    pub blocked: Vec<String>,
    /// What must not be sent to those, each once.
    pub findings: Vec<Found>,
    /// Changes that nobody has reviewed.
    pub unreviewed: Unreviewed,
    /// The allowed secrets that no outgoing commit has.
    pub unused: Vec<Guard>,
    /// Branches whose upstream was set, with the name of the upstream.
    pub followed: Vec<NewUpstream>,
    /// The git operation in progress here, if any, that prevents a pull.
    pub in_progress: Option<InProgress>,
    /// What else was written; there is an operation only if an upstream was set.
    pub written: WriteOutcome,
}

/// The result of the push to one URL.
#[derive(Debug)]
pub struct Pushed {
    /// The URL, without secrets.
    pub address: String,
    /// The refs that the server has now.
    pub outcome: push::Outcome,
    /// For each ref of the outcome, the full name of the local ref that it comes from, if it comes from one.
    pub sources: Vec<Option<BString>>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Choice(#[from] push_choice::Error),
    #[error(transparent)]
    ByAgent(#[from] ByAgent),
    /// The remote is one that gets everything and loses what is not here.
    #[error("`{0}` is set up as a mirror, and brv does not push to mirrors")]
    Mirror(String),
    #[error(transparent)]
    Revision(#[from] RevisionError),
    #[error(transparent)]
    Push(#[from] push::Error),
    #[error("a branch can only track a named remote, and `{0}` is an address")]
    NoName(String),
    /// The remote has it, but what the branches here follow is as it was.
    #[error("pushed, but the upstream could not be set: {0}")]
    NotFollowed(#[source] Cause),
    /// What is no fault of the remote or the refs.
    #[error(transparent)]
    Cause(Cause),
}

impl From<remote_choice::Error> for Error {
    fn from(error: remote_choice::Error) -> Self {
        Self::Choice(error.into())
    }
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::NotFollowed(cause) => cause.kind(),
            Self::Choice(error) => error.kind(),
            Self::Mirror(_) | Self::ByAgent(_) => FailureKind::Refused,
            Self::Revision(error) => FailureKind::of_revision(error),
            Self::NoName(_) => FailureKind::Usage,
            Self::Push(error) => failure::of_push(error),
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Push to every URL of the remote. Rejections of single refs are part of the outcome, as are content that must not be
/// sent, and URLs that fail while others succeed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    options.allowed.check_caller(cx.is_by_agent())?;
    let home = cx.open_whole("push")?;
    let scope = &home.scope;
    let head = scope.head()?;
    let target = push_choice::target(scope, &cx.cwd, &head, options.remote.as_deref())?;
    let settings = push::settings::read(scope, &target)?;
    if settings.is_mirror {
        return Err(Error::Mirror(target.to_string()));
    }
    let typed = push_choice::Typed {
        remote: options.remote.as_deref(),
        refspecs: &options.refspecs,
        selection: options.selection,
        upstream: options.upstream,
    };
    let choice = push_choice::choose(scope, &head, &target, &settings, typed)?;
    push::check_sources(scope, &choice.refspecs)?;
    let is_to_follow = (choice.upstream, options.mode) == (Upstream::Set, Mode::Write);
    if options.upstream == Upstream::Set
        && let Target::Url(url) = &target
    {
        return Err(Error::NoName(url.to_string()));
    }
    let recovered = if is_to_follow { operation::recover(cx.parts(&home))? } else { None };
    let request = Request {
        refspecs: choice.refspecs,
        unmatched: match options.selection {
            Selection::Branches => Unmatched::Push,
            _ => Unmatched::Keep,
        },
        tags: match options.selection {
            Selection::Deletion => FollowTags::No,
            // a global `push.followTags` is not meant for a push to the repository of the code
            _ if settings.naming == Naming::Host => options.tags.unwrap_or_default(),
            _ => options.tags.unwrap_or(settings.tags),
        },
        force: forcing(scope, settings.naming, &options.force)?,
    };
    let mut outcome = Outcome {
        destination: target.to_string(),
        in_progress: git::in_progress::committing(scope)?,
        written: WriteOutcome { recovered, ..WriteOutcome::default() },
        ..Outcome::default()
    };
    let (mut wanted, mut opened) = (Vec::new(), Vec::new());
    for address in push::addresses(scope, &target)? {
        match to(cx, &home, (&address, settings.naming), &request, options, &mut opened) {
            Ok(Reached::Blocked(verdict)) => outcome.block(&address, verdict),
            Ok(Reached::Pushed(planned, pushed, unreviewed)) => {
                outcome.note(unreviewed);
                if is_to_follow {
                    note_followed((&target, settings.naming), (&planned, &pushed), &mut wanted);
                }
                let sources = planned.into_iter().map(|planned| planned.source).collect();
                outcome.pushed.push(Pushed { address: address.shown().to_owned(), outcome: pushed, sources });
            }
            Err(error) if error.kind() == FailureKind::Interrupted => return Err(error),
            Err(error) => outcome.failed.push((address.shown().to_owned(), error)),
        }
    }
    outcome.unused = options.allowed.unused(&opened);
    if !wanted.is_empty() {
        let told = |what: String| options.allowed.told(&what, &opened);
        let operation = settings_only::follow(cx.parts(&home), Kind::Push, &wanted, told);
        outcome.written.operation = operation.map_err(Error::NotFollowed)?;
        let told = |(branch, followed): (String, Followed)| {
            let upstream = format!("{}/{}", followed.remote, settings.naming.short(followed.merge.as_bstr()));
            NewUpstream { branch, upstream }
        };
        outcome.followed = wanted.into_iter().map(told).collect();
    }
    if outcome.pushed.is_empty() && outcome.blocked.is_empty() && !outcome.failed.is_empty() {
        return Err(outcome.failed.swap_remove(0).1);
    }
    Ok(outcome)
}

impl Outcome {
    fn block(&mut self, address: &Address, verdict: Verdict) {
        self.blocked.push(address.shown().to_owned());
        for one in verdict.stopped {
            if !self.findings.contains(&one) {
                self.findings.push(one);
            }
        }
        self.note(verdict.unreviewed);
    }

    fn note(&mut self, unreviewed: Unreviewed) {
        self.unreviewed.stops |= unreviewed.stops;
        for row in unreviewed.rows {
            if !self.unreviewed.rows.contains(&row) {
                self.unreviewed.rows.push(row);
            }
        }
    }
}

/// What came of the push to one URL.
enum Reached {
    Pushed(Vec<Planned>, push::Outcome, Unreviewed),
    /// This must not be sent.
    Blocked(Verdict),
}

/// Push to one URL. Adds to `met` the guards that are overridden.
fn to(
    cx: &Context<'_>,
    opened: &Opened,
    (address, naming): (&Address, Naming),
    request: &Request,
    options: &Options,
    met: &mut Vec<Guard>,
) -> Result<Reached, Error> {
    let network = cx.network();
    let mut connection = push::connect(&opened.scope, address, &network)?;
    let planned = connection.plan(request)?;
    for one in &planned {
        naming.check(one.update.destination.as_ref()).map_err(remote_choice::Error::from)?;
    }
    let updates: Vec<_> = planned.iter().map(|planned| planned.update.clone()).collect();
    let decided = connection.decide(&updates, options.atomicity)?;
    let gate = Gate { opened, allowed: &options.allowed, verify: options.verify };
    let mut verdict = gate.judge(&decided.leaving(), &connection.known())?;
    met.append(&mut verdict.opened);
    if verdict.stops() {
        connection.leave();
        return Ok(Reached::Blocked(verdict));
    }
    let pushed = connection.finish(decided, options.mode, &network)?;
    Ok(Reached::Pushed(planned, pushed, verdict.unreviewed))
}

fn forcing(scope: &Scope, naming: Naming, force: &Force) -> Result<Forcing, Error> {
    Ok(match force {
        Force::AsWritten => Forcing::AsWritten,
        Force::Everything => Forcing::Everything,
        Force::Leased(leases) => {
            let leases = leases.iter().map(|lease| self::lease(scope, naming, lease));
            Forcing::Leased(leases.collect::<Result<_, Error>>()?)
        }
    })
}

/// `""`, `REF`, `REF:`, `REF:REVISION`
fn lease(scope: &Scope, naming: Naming, text: &str) -> Result<Lease, Error> {
    let (name, expected) = match text.split_once(':') {
        None => (text, push::Expected::Tracking),
        Some((name, "")) => (name, push::Expected::Absent),
        // the object at the remote need not exist here
        Some((name, text)) => {
            let id = ObjectName::from_hex(text).map_or_else(|| revision::object(scope, text), Ok)?;
            (name, push::Expected::Is(id))
        }
    };
    let name = (!name.is_empty()).then(|| match naming {
        Naming::Same => name.into(),
        Naming::Host => naming.branch(name),
    });
    Ok(Lease { name, expected })
}

/// The upstreams to set, for branches that were pushed to a branch.
fn note_followed(
    (target, naming): (&Target, Naming),
    (planned, pushed): (&[Planned], &push::Outcome),
    wanted: &mut Vec<(String, Followed)>,
) {
    let Target::Named(remote) = target else { return };
    for (planned, result) in planned.iter().zip(&pushed.refs) {
        let source = planned.source.as_ref().and_then(|name| name.strip_prefix(b"refs/heads/"));
        let destination = &planned.update.destination;
        let Some(branch) = source.filter(|_| result.status.is_done()) else { continue };
        let branch = String::from_utf8_lossy(branch).into_owned();
        if destination.starts_with(b"refs/heads/") && naming.check(destination.as_ref()).is_ok() {
            wanted.retain(|(other, _)| *other != branch);
            wanted.push((branch, Followed { remote: remote.to_string(), merge: destination.clone() }));
        }
    }
}
