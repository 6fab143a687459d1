//! `brv vc sync`: pull and push in one command, repeated until both sides are the same, even while others sync at the
//! same time.
//!
//! The merge is made in memory and pushed first. Only once the remote has it are the local branch and files updated, in
//! one operation. So a merge that others overtook leaves no trace, a conflict changes nothing, and a sync that is
//! killed in between only leaves the clone behind: the next sync or pull fast-forwards to the remote. In the reverse
//! order, a merge that the remote rejected would stay here, and the next one would be made on top of it.
//!
//! The lock is held only while files are written, never while waiting for the remote.

use brv_engine::derive;
use brv_engine::journal::{OperationId, OperationKind, SettingsMove};
use brv_engine::merge::integrate::{self, Incoming, Prepared};
use brv_engine::merge::reconcile::Settled;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::survey::Class;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::read::history::gc_advice::{Tidying, tidying};
use brv_engine::vc::check::gate::{PushGate, PushVerdict, Unreviewed, Verify};
use brv_engine::vc::check::{CheckFinding, Reported};
use brv_engine::vc::remotes::fetch_options::FetchOptions;
use brv_engine::vc::remotes::followed::{self, FetchedBranch, FollowedBranch, Unfollowed};
use brv_engine::vc::remotes::queue::{self, QueueTurn};
use brv_engine::vc::remotes::retry::{Next, Tries};
use brv_engine::vc::remotes::sending::{self, Parcel, Passed, Sending};
use brv_engine::vc::remotes::transfer::NewUpstream;
use brv_engine::vc::remotes::{failure, remote_choice};
use brv_engine::write::operation::{self, Writing, settings_only};
use brv_engine::{FailureKind, OrStop, Stop};
use brv_git as git;
use brv_git::branch_settings::Followed as UpstreamOf;
use brv_git::network;
use brv_git::push;
use brv_git::{CommitId, Head, Scope, Target, fetch, history};
use brv_text::merge::Undecided;
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;
use std::num::NonZeroU32;
use std::path::Path;
use std::slice;

pub use brv_engine::Mode;
pub use brv_engine::merge::integrate::Relation;
pub use brv_engine::vc::remotes::push_choice::PushUpstream;
pub use brv_engine::vc::remotes::sending::Sent;
pub use brv_engine::write::overriding::{Allowed, Guard};

/// The default number of attempts: in a model of 32 clones that write without a pause, with most of each attempt spent
/// on the network, the slowest of 1,600 syncs needed close to 110.
pub const TRIES: NonZeroU32 = NonZeroU32::new(200).expect("it is not zero");

/// After so many broken connections in a row the sync gives up.
const BREAKS: u32 = 4;

#[derive(Debug, Clone)]
pub struct Options {
    /// A remote or a URL; `None`: the remote of the branch's upstream.
    pub remote: Option<String>,
    /// A branch there; `None`: the upstream, or the branch of the same name.
    pub branch: Option<String>,
    /// What to do about changes that need a person's decision.
    pub undecided: Undecided,
    /// The guards to override (`--allow`).
    pub allowed: Allowed,
    /// Whether to set the upstream to the branch that was synced with.
    pub upstream: PushUpstream,
    /// The maximum number of attempts.
    pub tries: NonZeroU32,
    /// Whether to wait for other syncs on this machine.
    pub turns: Queueing,
    /// Whether to write anything, here or there; objects are fetched in any case.
    pub mode: Mode,
}

/// Whether to wait for other syncs on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Queueing {
    /// Talk to the remote one at a time.
    #[default]
    Taken,
    /// Act as if each were on a machine of its own.
    Ignored,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            remote: None,
            branch: None,
            undecided: Undecided::default(),
            allowed: Allowed::default(),
            upstream: PushUpstream::default(),
            tries: TRIES,
            turns: Queueing::default(),
            mode: Mode::default(),
        }
    }
}

/// `brv.vc.sync/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Sync")]
pub struct Outcome {
    /// The address, without secrets.
    pub source: String,
    /// The remote branch.
    pub branch: String,
    /// Number of objects received.
    pub objects: usize,
    /// What was merged into the current branch; in a dry run, with conflicts, and with findings, what would be merged.
    #[serde(flatten)]
    pub brought: integrate::Outcome,
    /// What was pushed; absent if the remote lacked nothing, or if there are conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// What blocked the push: errors in the commits that it would send. If there are any, nothing was changed.
    pub findings: Vec<Reported>,
    /// Changes that nobody has reviewed; they block it, or are a warning.
    #[serde(flatten)]
    pub unreviewed: Unreviewed,
    /// The branch whose upstream was set.
    pub followed: Vec<NewUpstream>,
    /// The operation that set the upstream, if nothing was merged in the same operation.
    #[serde(rename = "follow_operation", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub operation: Option<OperationId>,
    /// Number of attempts; more than one if others pushed first or the connection broke.
    pub tries: u32,
    /// Files that are not committed, and so not synced.
    pub uncommitted: Vec<Bytes>,
    /// The allowed secrets that no outgoing commit has.
    #[serde(skip)]
    pub unused: Vec<Guard>,
    /// Whether `brv vc gc` is due.
    #[serde(skip)]
    pub tidying: Tidying,
}

/// Bring the current branch and its upstream to the same commit.
///
/// # Errors
/// The remote or its branch is unknown, or the attempts failed; conflicts and content that must not be sent are an outcome, and then nothing is written.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    options.allowed.check_caller(cx.is_by_agent())?;
    let home = cx.open_whole("sync")?;
    let recovered = operation::recover(cx.parts(&home))?;
    let named = (options.remote.as_deref(), options.branch.as_deref());
    let (followed, upstream) = choose(&home.scope, &cx.cwd, named, options.upstream)?;
    let following = match (upstream, options.mode) {
        (PushUpstream::Set, Mode::Write) => following(&home.scope, &followed)?,
        _ => None,
    };
    let mut sync = Sync {
        cx,
        following: following.as_ref(),
        opened: &home,
        followed: &followed,
        options,
        memory: SyncMemory::default(),
    };
    let mut tries = Tries::new(options.tries);
    let mut brought = loop {
        let trouble = match sync.attempt()? {
            Attempt::Done(brought) => break brought,
            Attempt::Again(trouble) => trouble,
        };
        if sync.memory.breaks >= BREAKS || tries.again()? == Next::Exhausted {
            let message = format!("gave up after {} attempts: {}", tries.made(), trouble.message);
            return Err(Stop::new(trouble.kind, message)
                .hint("nothing changed here, and nothing is lost: try again, or use a larger `--tries`"));
        }
    };
    let SyncMemory { objects, sent, findings, unreviewed, passed, .. } = sync.memory;
    let Passed { opened, unreviewed: rows } = passed;
    let unreviewed = if unreviewed.stops { unreviewed } else { Unreviewed { rows, stops: false } };
    let is_done = findings.is_empty()
        && !unreviewed.stops
        && !matches!(brought.relation, Relation::Conflicted | Relation::Stopped);
    let following = following.filter(|_| is_done);
    // the upstream is set by an operation of its own unless it was part of the update
    let told = |what: String| options.allowed.told(&what, &opened);
    let follow = |one: &Following| {
        settings_only::follow(cx.parts(&home), OperationKind::Sync, slice::from_ref(&one.wanted), told)
    };
    let operation = following.as_ref().map(follow).transpose().map_err(|stop| {
        let why = stop.message;
        Stop::new(stop.kind, format!("both sides are in sync, but the upstream could not be set: {why}"))
            .hint("set it with `brv vc branch --set-upstream-to REMOTE/BRANCH`")
    })?;
    brought.written.recovered = recovered;
    Ok(Outcome {
        source: followed.target.to_string(),
        branch: followed.short_branch(),
        objects,
        brought: *brought,
        sent,
        findings: findings.iter().map(Reported::from).collect(),
        unreviewed,
        unused: options.allowed.unused(&opened),
        followed: following
            .map(|one| NewUpstream { branch: one.wanted.0, upstream: followed.name() })
            .into_iter()
            .collect(),
        operation: operation.flatten(),
        tries: tries.made(),
        uncommitted: uncommitted(&home)?,
        tidying: match options.mode {
            Mode::Write => tidying(&home.scope, cx.clock.seconds()),
            Mode::DryRun => Tidying::NotDue,
        },
    })
}

/// The branch to sync with, and whether to set it as the upstream: for a branch without one, `push.autoSetupRemote`
/// counts, too.
fn choose(
    scope: &Scope,
    cwd: &Path,
    named: (Option<&str>, Option<&str>),
    upstream: PushUpstream,
) -> Result<(FollowedBranch, PushUpstream), Stop> {
    if upstream == PushUpstream::Set {
        let followed = followed::choose(scope, cwd, named, Unfollowed::Namesake)?;
        return match followed.target {
            Target::Url(url) => {
                Err(Stop::usage(format!("a branch can only track a named remote, and `{url}` is an address"))
                    .hint("nothing was sent; give it a name with `brv vc remote add NAME ADDRESS`"))
            }
            Target::Named(_) => Ok((followed, upstream)),
        };
    }
    match followed::choose(scope, cwd, named, Unfollowed::Refuse) {
        Err(OrStop::This(no_upstream)) => {
            let followed = followed::choose(scope, cwd, named, Unfollowed::Namesake)?;
            let settings = push::settings::read(scope, &followed.target)?;
            match settings.sets_upstream {
                true => Ok((followed, PushUpstream::Set)),
                false => Err(Stop::from(no_upstream).hint(
                    "sync with the branch of the same name and track it with `brv vc sync -u`; or name remote and branch",
                )),
            }
        }
        found => Ok((found?, PushUpstream::Keep)),
    }
}

/// The upstream that is to be set.
struct Following {
    /// The local branch, and the branch it is to track.
    wanted: (String, UpstreamOf),
    settings: SettingsMove,
}

/// The settings to change; `None` if the upstream is already set.
fn following(scope: &Scope, followed: &FollowedBranch) -> Result<Option<Following>, Stop> {
    let (Target::Named(remote), Some(into)) = (&followed.target, &followed.into) else { return Ok(None) };
    let branch = remote_choice::short_branch(into);
    let followed = UpstreamOf { remote: remote.to_string(), merge: followed.branch.clone() };
    let settings = SettingsMove::follow(scope, &branch, &followed)?;
    Ok((!settings.is_empty()).then_some(Following { wanted: (branch, followed), settings }))
}

enum Attempt {
    Done(Box<integrate::Outcome>),
    /// For this reason.
    Again(Stop),
}

/// The remote had other commits than those the attempt was made for.
fn moved() -> Stop {
    Stop::new(FailureKind::Remote, "the remote had new commits each time")
}

fn broken(error: &network::Error) -> Stop {
    Stop::new(failure::of_network(error), error.to_string())
}

fn rejected(reason: &str) -> Stop {
    Stop::new(FailureKind::Remote, format!("the remote rejected the push: {reason}"))
}

/// What is remembered between attempts.
#[derive(Default)]
struct SyncMemory {
    /// How many objects were received.
    objects: usize,
    sent: Option<Sent>,
    /// The commit that was being sent when the connection broke, with what its merge settled: the remote may have it.
    in_flight: Option<(CommitId, Vec<Settled>)>,
    /// The tip of the remote at the last rejection, and the server's message.
    rejected: Option<(Option<CommitId>, String)>,
    /// Whether the remote has ever answered.
    has_met: bool,
    /// How many connections in a row broke.
    breaks: u32,
    findings: Vec<CheckFinding>,
    unreviewed: Unreviewed,
    passed: Passed,
}

/// What came of sending a commit.
enum Delivery {
    Arrived,
    /// It is worth another attempt, for this reason.
    Again(Stop),
    /// It must not be sent.
    Blocked,
}

struct Sync<'a, 'c> {
    cx: &'a Context<'c>,
    opened: &'a Opened,
    followed: &'a FollowedBranch,
    options: &'a Options,
    following: Option<&'a Following>,
    memory: SyncMemory,
}

impl<'a> Sync<'a, '_> {
    fn attempt(&mut self) -> Result<Attempt, Stop> {
        let scope = &self.opened.scope;
        let head = self.followed.head(scope)?;
        // until the remote has what is sent; the files are updated while others take their turn
        let turn = self.turn()?;
        let seen = match self.look()? {
            Ok(seen) => seen,
            Err(error) => return Ok(Attempt::Again(broken(&error))),
        };
        let tip = seen.tip;
        if let Some((then, reason)) = self.memory.rejected.take()
            && then == tip
        {
            return Err(rejected(&reason));
        }
        match (head.commit(), tip) {
            (None, None) => {
                let branch = head.short_branch().unwrap_or_default();
                Err(Stop::usage(format!("neither the branch `{branch}` nor the remote has a commit yet"))
                    .hint("create the first commit with `brv vc commit -m MSG`"))
            }
            (Some(ours), None) => self.send_ahead(&head, ours, None),
            (_, Some(theirs)) => self.meet(&head, theirs, seen, turn),
        }
    }

    fn turn(&self) -> Result<Option<QueueTurn>, Stop> {
        if (self.options.turns, self.options.mode) != (Queueing::Taken, Mode::Write) {
            return Ok(None);
        }
        let addresses = push::addresses(&self.opened.scope, &self.followed.target);
        let first = addresses.ok().and_then(|addresses| addresses.into_iter().next());
        Ok(first.map(|address| queue::wait(self.opened.scope.environment(), address.shown())).transpose()?)
    }

    /// Fetch what the remote has. The inner error is worth another attempt.
    fn look(&mut self) -> Result<Result<FetchedBranch, network::Error>, Stop> {
        let scope = &self.opened.scope;
        let seen = match self.followed.fetch(scope, FetchOptions::default(), &self.cx.network()) {
            Ok(seen) => seen,
            Err(OrStop::This(fetch::Error::Network(error @ network::Error::Unreachable { .. })))
                if self.memory.has_met =>
            {
                self.memory.breaks += 1;
                return Ok(Err(error));
            }
            Err(error) => return Err(error.into()),
        };
        self.memory.has_met = true;
        self.memory.objects += seen.fetched.objects;
        Ok(Ok(seen))
    }

    /// The remote has the branch: bring both sides together.
    fn meet(
        &mut self,
        head: &Head,
        theirs: CommitId,
        seen: FetchedBranch,
        turn: Option<QueueTurn>,
    ) -> Result<Attempt, Stop> {
        let parts = self.cx.parts(self.opened);
        let settled = self.arrived(theirs)?;
        let FetchedBranch { tracking, rewrite, .. } = seen;
        let incoming = Incoming { tracking, rewrite, ..self.incoming(head, theirs, settled) };
        let prepared = self.prepare(head, &incoming)?;
        match (prepared.relation(), head.commit()) {
            (Relation::UpToDate, Some(ours)) => self.send_ahead(head, ours, Some(theirs)),
            (Relation::Conflicted | Relation::Stopped, _) => {
                Ok(Attempt::Done(Box::new(prepared.tell(&parts)?)))
            }
            (Relation::Merged, _) => self.merge(head, prepared, &incoming, turn),
            _ if self.options.mode == Mode::DryRun => Ok(Attempt::Done(Box::new(prepared.tell(&parts)?))),
            (relation, _) => {
                drop(turn);
                self.bring_over(head, &incoming, relation)
            }
        }
    }

    fn prepare(&self, head: &Head, incoming: &Incoming) -> Result<Prepared, Stop> {
        let Options { undecided, mode, .. } = *self.options;
        let manner = integrate::MergeOptions { undecided, mode, ..integrate::MergeOptions::default() };
        integrate::prepare(&self.cx.parts(self.opened), head, incoming, &manner)
    }

    /// Both sides have new commits: send the merge to the remote before anything else.
    fn merge(
        &mut self,
        head: &Head,
        prepared: Prepared,
        incoming: &Incoming,
        turn: Option<QueueTurn>,
    ) -> Result<Attempt, Stop> {
        let parts = self.cx.parts(self.opened);
        if self.options.mode == Mode::DryRun {
            self.examine(head, incoming.theirs)?;
            return Ok(Attempt::Done(Box::new(prepared.tell(&parts)?)));
        }
        // what the remote gets must also be possible here
        prepared.check(&parts)?;
        let settled = prepared.settled().to_vec();
        let Some(merge) = prepared.commit(&parts, incoming)? else {
            return Ok(Attempt::Again(moved()));
        };
        match self.send(merge, Some(incoming.theirs), &settled)? {
            Delivery::Arrived => drop(turn),
            Delivery::Again(trouble) => return Ok(Attempt::Again(trouble)),
            Delivery::Blocked => {
                let told = self.prepare(head, incoming)?.tell(&parts)?;
                return Ok(Attempt::Done(Box::new(told)));
            }
        }
        let needed = incoming.rewrite.as_ref().map(|_| Guard::Rewrite);
        let reason = incoming.allowed.told(&incoming.reason, needed.as_slice());
        let incoming = Incoming { theirs: merge, settled, reason, rewrite: None, ..incoming.clone() };
        self.bring_over(head, &incoming, Relation::Merged)
    }

    /// Only this side has new commits, if any.
    fn send_ahead(&mut self, head: &Head, ours: CommitId, there: Option<CommitId>) -> Result<Attempt, Stop> {
        let delivery = if there == Some(ours) { Delivery::Arrived } else { self.send(ours, there, &[])? };
        let mode = match delivery {
            Delivery::Again(trouble) => return Ok(Attempt::Again(trouble)),
            Delivery::Arrived => self.options.mode,
            Delivery::Blocked => Mode::DryRun,
        };
        Ok(Attempt::Done(Box::new(integrate::nothing_new(&self.cx.parts(self.opened), head, mode)?)))
    }

    fn parcel(&self, commit: CommitId) -> Parcel<'a> {
        let gate = PushGate { opened: self.opened, allowed: &self.options.allowed, verify: Verify::Content };
        Parcel { commit, gate, mode: self.options.mode }
    }

    /// Look at what a merge would send, without making it.
    fn examine(&mut self, head: &Head, theirs: CommitId) -> Result<(), Stop> {
        let Some(ours) = head.commit() else { return Ok(()) };
        let (scope, network) = (&self.opened.scope, self.cx.network());
        let verdict = sending::examine(scope, self.followed, (self.parcel(ours), theirs), &network)?;
        self.block(verdict);
        Ok(())
    }

    fn block(&mut self, verdict: PushVerdict) {
        let PushVerdict { stopped, unreviewed, mut opened } = verdict;
        (self.memory.findings, self.memory.unreviewed) = (stopped, unreviewed);
        if !self.memory.unreviewed.stops {
            self.memory.passed.unreviewed = std::mem::take(&mut self.memory.unreviewed.rows);
        }
        self.memory.passed.opened.append(&mut opened);
    }

    fn send(
        &mut self,
        commit: CommitId,
        there: Option<CommitId>,
        settled: &[Settled],
    ) -> Result<Delivery, Stop> {
        let (parcel, network) = (self.parcel(commit), self.cx.network());
        let passed = &mut self.memory.passed;
        let sending = sending::send(&self.opened.scope, self.followed, parcel, &network, passed)?;
        if !matches!(sending, Sending::Broken(_) | Sending::Stumbled(_)) {
            self.memory.breaks = 0;
        }
        Ok(match sending {
            Sending::Sent(sent) => {
                self.memory.sent = Some(sent);
                Delivery::Arrived
            }
            Sending::Blocked(verdict) => {
                self.block(verdict);
                Delivery::Blocked
            }
            Sending::Moved => Delivery::Again(moved()),
            Sending::Rejected(reason) => {
                self.memory.rejected = Some((there, reason));
                Delivery::Again(moved())
            }
            Sending::Stumbled(reason) => {
                self.memory.breaks += 1;
                if self.memory.breaks >= BREAKS {
                    return Err(rejected(&reason));
                }
                Delivery::Again(moved())
            }
            Sending::Broken(error) => {
                self.memory.in_flight = Some((commit, settled.to_vec()));
                self.memory.breaks += 1;
                Delivery::Again(broken(&error))
            }
        })
    }

    /// Whether the commit that was in flight when the connection broke is in the remote's branch now; returns what its
    /// merge settled.
    fn arrived(&mut self, tip: CommitId) -> Result<Vec<Settled>, Stop> {
        let scope = &self.opened.scope;
        let Some((commit, settled)) = self.memory.in_flight.take() else { return Ok(Vec::new()) };
        if !history::is_ancestor(scope, commit, tip)? {
            return Ok(Vec::new());
        }
        self.memory.sent = Some(Sent {
            before: None,
            after: commit,
            commits: 0,
            objects: 0,
            bytes: 0,
            messages: Vec::new(),
            seen_again: true,
        });
        Ok(settled)
    }

    /// Update branch and files to what the remote has, if the branch has not moved since the remote was asked.
    fn bring_over(&mut self, head: &Head, incoming: &Incoming, relation: Relation) -> Result<Attempt, Stop> {
        // the remote has it, but branch and files here are still where they were
        let late = |stop: Stop| match self.memory.sent {
            Some(_) => Stop::new(
                stop.kind,
                format!(
                    "the remote is up to date, but the local branch and files could not be updated: {}",
                    stop.message
                ),
            )
            .hint("resolve that, then run `brv vc pull`"),
            None => stop,
        };
        let reason = self.options.allowed.told(&incoming.reason, &self.memory.passed.opened);
        let incoming = &Incoming { reason, ..incoming.clone() };
        let brought = operation::settle(Stop::kind, |_| {
            let writing = Writing::begin(self.cx.parts(self.opened))?;
            let now = self.followed.head(&self.opened.scope)?;
            if now.commit() != head.commit() {
                return Ok(None);
            }
            let brought = integrate::integrate(writing, &now, incoming, &integrate::MergeOptions::default())?;
            Ok(Some(brought))
        });
        Ok(match brought.map_err(late)? {
            Some(brought) => Attempt::Done(Box::new(integrate::Outcome { relation, ..brought })),
            None => Attempt::Again(Stop::new(FailureKind::Remote, "the local branch moved each time")),
        })
    }

    fn incoming(&self, head: &Head, theirs: CommitId, settled: Vec<Settled>) -> Incoming {
        let name = self.followed.name();
        Incoming {
            theirs,
            message: integrate::of_branch(&self.followed.described(), head),
            kind: OperationKind::Sync,
            reason: format!("sync {name}"),
            action: "sync".into(),
            name,
            settings: self.following.map(|one| one.settings.clone()).into_iter().collect(),
            settled,
            tracking: None,
            rewrite: None,
            allowed: self.options.allowed.clone(),
        }
    }
}

/// Knowledge that is not committed.
fn uncommitted(opened: &Opened) -> Result<Vec<Bytes>, Stop> {
    let scope = &opened.scope;
    let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
    let staged = survey.staged(scope, git::trees::Renames::Ignore)?.into_iter().map(|change| change.path);
    let changed = survey.work_tree.shown().map(|changed| changed.path.clone());
    let new = survey.unrecorded(scope)?.into_iter().filter(|file| file.class == Class::Untracked);
    let mut paths: Vec<BString> = staged.chain(changed).chain(new.map(|file| file.path)).collect();
    paths.sort();
    paths.dedup();
    Ok(Bytes::of(&paths))
}
