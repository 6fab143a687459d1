//! `brv vc push`: send the objects that the remote lacks, and update its refs.

pub use brv_engine::Mode;
use brv_engine::journal::OperationKind;
use brv_engine::open::context::{Context, Opened};
use brv_engine::outcome::bytes::text;
pub use brv_engine::vc::check::gate::Verify;
use brv_engine::vc::check::gate::{PushGate, PushVerdict, Unreviewed};
use brv_engine::vc::check::{CheckFinding, Reported};
use brv_engine::vc::remotes::push_choice;
pub use brv_engine::vc::remotes::push_choice::{PushUpstream, Selection};
pub use brv_engine::vc::remotes::transfer::{Moved, NewUpstream, Ref, Unreached};
pub use brv_engine::vc::work_tree::ongoing::InProgressKind as InProgress;
use brv_engine::write::operation::{self, WriteOutcome, settings_only};
pub use brv_engine::write::overriding::{Allowed, Guard};
use brv_engine::write::written::Logged;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::branch_settings::Followed;
use brv_git::host_remote::Naming;
use brv_git::push::refspec::Refspec;
use brv_git::push::settings::PushSettings;
use brv_git::push::{self, Forcing, PlannedPush, PushAddress, PushLease, PushRequest, Unmatched};
pub use brv_git::push::{Atomicity, FollowTags, PushEvidence};
use brv_git::revision;
use brv_git::{ObjectName, Scope, Target};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

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
    pub force: ForcePolicy,
    /// Whether the rejection of one ref rejects the others.
    pub atomicity: Atomicity,
    /// Whether to set the upstream of the branches that are pushed.
    pub upstream: PushUpstream,
    /// Whether to send anything.
    pub mode: Mode,
    /// Which errors in the content stop the push.
    pub verify: Verify,
    /// The secrets that may be sent (`--allow`).
    pub allowed: Allowed,
}

/// When refs may be updated without a fast-forward.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ForcePolicy {
    /// If the refspec begins with `+`.
    #[default]
    AsWritten,
    /// Always (`--force`).
    Everything,
    /// If these leases hold: `""`, `REF`, `REF:`, `REF:REVISION`.
    Leased(Vec<String>),
}

/// `brv.vc.push/1`
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Push")]
pub struct Outcome {
    /// The address, without secrets.
    pub destination: String,
    /// The refs to update, at every address of the remote.
    pub refs: Vec<Ref>,
    objects: usize,
    bytes: u64,
    /// Messages from the servers.
    messages: Vec<String>,
    /// What blocked the push: errors in the commits that it would send.
    pub findings: Vec<Reported>,
    /// Changes that nobody has reviewed; they block it, or are a warning.
    #[serde(flatten)]
    pub unreviewed: Unreviewed,
    /// Addresses of the remote that failed while others succeeded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Unreached>,
    /// Branches whose upstream was set.
    pub followed: Vec<NewUpstream>,
    /// The operation, only if an upstream changed; and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
    /// Why the first of `failed` failed, in order; the others were blocked.
    #[serde(skip)]
    pub stopped: Vec<Stop>,
    /// Addresses that did not report the result of the push and were checked again; printed as a warning.
    #[serde(skip)]
    pub seen_again: Vec<String>,
    /// Allowed secrets that no outgoing commit has; printed as a warning.
    #[serde(skip)]
    pub unused: Vec<Guard>,
    /// The git operation in progress here, which prevents a pull; printed in a hint.
    #[serde(skip)]
    pub in_progress: Option<InProgress>,
}

/// Push to every URL of the remote. Rejections of single refs are part of the outcome, as are content that must not be
/// sent, and URLs that fail while others succeed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    options.allowed.check_caller(cx.is_by_agent())?;
    let home = cx.open_whole("push")?;
    let scope = &home.scope;
    let head = scope.head()?;
    let target = push_choice::target(scope, &cx.cwd, &head, options.remote.as_deref())?;
    let settings = push::settings::read(scope, &target)?;
    if settings.is_mirror {
        return Err(Stop::refused(format!("`{target}` is set up as a mirror, and brv does not push to mirrors"))
            .hint("a mirror push would delete every remote ref that is missing here, and push brv's own refs; unset `remote.NAME.mirror` and name what to push"));
    }
    let typed = push_choice::PushArguments {
        remote: options.remote.as_deref(),
        refspecs: &options.refspecs,
        selection: options.selection,
        upstream: options.upstream,
    };
    let choice = push_choice::choose(scope, &head, &target, &settings, typed)?;
    push::check_sources(scope, &choice.refspecs)?;
    let is_to_follow = (choice.upstream, options.mode) == (PushUpstream::Set, Mode::Write);
    if options.upstream == PushUpstream::Set
        && let Target::Url(url) = &target
    {
        return Err(Stop::usage(format!(
            "a branch can only track a named remote, and `{url}` is an address"
        ))
        .hint("nothing was sent; give it a name with `brv vc remote add NAME ADDRESS`"));
    }
    let recovered = if is_to_follow { operation::recover(cx.parts(&home))? } else { None };
    let request = request(scope, (choice.refspecs, &settings), options)?;
    let addresses = push::addresses(scope, &target)?;
    let mut outcome = Outcome {
        destination: target.to_string(),
        in_progress: git::in_progress::committing(scope)?,
        ..Outcome::default()
    };
    let (mut blocked, mut wanted, mut opened) = (Vec::new(), Vec::new(), Vec::new());
    for address in &addresses {
        match to(cx, &home, (address, settings.naming), &request, options, &mut opened) {
            Ok(Reached::Blocked(verdict)) => {
                blocked.push(address.shown().to_owned());
                outcome.block(&verdict.stopped);
                outcome.note(verdict.unreviewed);
            }
            Ok(Reached::Pushed(planned, pushed, unreviewed)) => {
                outcome.note(unreviewed);
                if is_to_follow {
                    note_followed((&target, settings.naming), (&planned, &pushed), &mut wanted);
                }
                outcome.add((address, addresses.len() > 1), &planned, pushed);
            }
            Err(stop) if stop.kind == FailureKind::Interrupted => return Err(stop),
            Err(stop) => outcome.fail(address, stop),
        }
    }
    if outcome.stopped.len() == addresses.len() && !addresses.is_empty() {
        return Err(outcome.stopped.swap_remove(0));
    }
    if addresses.len() > 1 {
        let reason = || "blocked by the findings".to_owned();
        outcome.failed.extend(blocked.into_iter().map(|address| Unreached { address, reason: reason() }));
    }
    outcome.unused = options.allowed.unused(&opened);
    let mut written = WriteOutcome { recovered, ..WriteOutcome::default() };
    if !wanted.is_empty() {
        let told = |what: String| options.allowed.told(&what, &opened);
        let operation = settings_only::follow(cx.parts(&home), OperationKind::Push, &wanted, told);
        written.operation = operation.map_err(not_followed)?;
        outcome.followed = wanted.into_iter().map(|wanted| new_upstream(settings.naming, wanted)).collect();
    }
    outcome.written = Logged::from(&written);
    Ok(outcome)
}

fn request(
    scope: &Scope,
    (refspecs, settings): (Vec<Refspec>, &PushSettings),
    options: &Options,
) -> Result<PushRequest, Stop> {
    Ok(PushRequest {
        refspecs,
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
    })
}

fn new_upstream(naming: Naming, (branch, followed): (String, Followed)) -> NewUpstream {
    let upstream = format!("{}/{}", followed.remote, naming.short(followed.merge.as_bstr()));
    NewUpstream { branch, upstream }
}

/// The remote has it, but what the branches here follow is as it was.
fn not_followed(error: impl Into<Stop>) -> Stop {
    let stop = error.into().hint("set it with `brv vc branch --set-upstream-to REMOTE/BRANCH`");
    Stop { message: format!("pushed, but the upstream could not be set: {}", stop.message), ..stop }
}

impl Outcome {
    /// Add what an address has now; it is named if there are several.
    fn add(
        &mut self,
        (address, named): (&PushAddress, bool),
        planned: &[PlannedPush],
        pushed: push::Outcome,
    ) {
        let refs = pushed.refs.iter().zip(planned).map(|(moved, planned)| Ref {
            address: named.then(|| address.shown().to_owned()),
            source: planned.source.as_ref().map(|name| text(name)),
            ..Ref::from(moved)
        });
        self.refs.extend(refs);
        self.objects += pushed.objects;
        self.bytes += pushed.bytes;
        self.messages.extend(pushed.messages);
        if pushed.evidence == PushEvidence::SeenAgain {
            self.seen_again.push(address.shown().to_owned());
        }
    }

    fn fail(&mut self, address: &PushAddress, stop: Stop) {
        self.failed.push(Unreached { address: address.shown().to_owned(), reason: stop.message.clone() });
        self.stopped.push(stop);
    }

    fn block(&mut self, found: &[CheckFinding]) {
        for one in found.iter().map(Reported::from) {
            if !self.findings.contains(&one) {
                self.findings.push(one);
            }
        }
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
    Pushed(Vec<PlannedPush>, push::Outcome, Unreviewed),
    /// This must not be sent.
    Blocked(PushVerdict),
}

/// Push to one URL. Adds to `met` the guards that are overridden.
fn to(
    cx: &Context<'_>,
    opened: &Opened,
    (address, naming): (&PushAddress, Naming),
    request: &PushRequest,
    options: &Options,
    met: &mut Vec<Guard>,
) -> Result<Reached, Stop> {
    let network = cx.network();
    let mut connection = push::connect(&opened.scope, address, &network)?;
    let planned = connection.plan(request)?;
    for one in &planned {
        naming.check(one.update.destination.as_ref())?;
    }
    let updates: Vec<_> = planned.iter().map(|planned| planned.update.clone()).collect();
    let decided = connection.decide(&updates, options.atomicity)?;
    let gate = PushGate { opened, allowed: &options.allowed, verify: options.verify };
    let mut verdict = gate.judge(&decided.leaving(), &connection.known())?;
    met.append(&mut verdict.opened);
    if verdict.stops() {
        connection.leave();
        return Ok(Reached::Blocked(verdict));
    }
    let pushed = connection.finish(decided, options.mode, &network)?;
    Ok(Reached::Pushed(planned, pushed, verdict.unreviewed))
}

fn forcing(scope: &Scope, naming: Naming, force: &ForcePolicy) -> Result<Forcing, Stop> {
    Ok(match force {
        ForcePolicy::AsWritten => Forcing::AsWritten,
        ForcePolicy::Everything => Forcing::Everything,
        ForcePolicy::Leased(leases) => {
            let leases = leases.iter().map(|lease| self::lease(scope, naming, lease));
            Forcing::Leased(leases.collect::<Result<_, Stop>>()?)
        }
    })
}

/// `""`, `REF`, `REF:`, `REF:REVISION`
fn lease(scope: &Scope, naming: Naming, text: &str) -> Result<PushLease, Stop> {
    let (name, expected) = match text.split_once(':') {
        None => (text, push::LeaseExpectation::Tracking),
        Some((name, "")) => (name, push::LeaseExpectation::Absent),
        // the object at the remote need not exist here
        Some((name, text)) => {
            let id = ObjectName::from_hex(text).map_or_else(|| revision::object(scope, text), Ok)?;
            (name, push::LeaseExpectation::Is(id))
        }
    };
    let name = (!name.is_empty()).then(|| match naming {
        Naming::Same => name.into(),
        Naming::Host => naming.branch(name),
    });
    Ok(PushLease { name, expected })
}

/// The upstreams to set, for branches that were pushed to a branch.
fn note_followed(
    (target, naming): (&Target, Naming),
    (planned, pushed): (&[PlannedPush], &push::Outcome),
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
