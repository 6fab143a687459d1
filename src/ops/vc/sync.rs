//! `brv vc sync`: pull and push in one, again and again until both sides have the same, while others do so too.
//!
//! The merge is made in memory and shown to the remote first. Only when the remote has it are branch and files brought
//! there, in one operation. So a merge that others overtook leaves no trace, a conflict changes nothing, and whoever
//! dies in between is merely behind: the next sync or pull moves forward to what the remote has. Of the other order, a
//! merge that the remote did not take would stay here, and the next one would be made on top of it.
//!
//! The lock is held only while files are written, never while the remote is waited for.

use crate::git::branch_settings::Followed as UpstreamOf;
use crate::git::network;
use crate::git::push::{self, Evidence};
use crate::git::{self, CommitId, Head, Scope, Target, fetch, history};
use crate::journal::{Kind, OperationId, SettingsMove};
use crate::merge::Undecided;
use crate::ops::FailureKind;
use crate::ops::context::{Context, Opened};
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::merging::guards::{Allowed, Guard};
use crate::ops::steps::merging::integrate::{self, Incoming, Prepared};
use crate::ops::steps::merging::reconcile::Settled;
use crate::ops::steps::refresh;
use crate::ops::steps::remotes::fetch_options::Manner;
use crate::ops::steps::remotes::followed::{self, Followed, Seen, Unfollowed, Unsettled};
use crate::ops::steps::remotes::queue::{self, Turn};
use crate::ops::steps::remotes::retry::{Interrupted, Next, Tries};
use crate::ops::steps::remotes::sending::{self, Sending};
use crate::ops::steps::remotes::{failure, remote_choice};
use crate::ops::steps::telling::gc_advice::{Tidying, tidying};
use crate::ops::steps::work_tree::survey::Class;
use crate::ops::steps::writing::{self, Writing, settings_only};
use bstr::BString;
use std::num::NonZeroU32;
use std::path::Path;
use std::slice;

pub use crate::ops::Mode;
pub use crate::ops::steps::merging::integrate::Relation;
pub use crate::ops::steps::remotes::push_choice::Upstream;
pub use crate::ops::steps::remotes::sending::Sent;

/// How often is tried, unless said otherwise: in a model of 32 who write without a pause, most of each attempt spent on
/// the network, the slowest of 1,600 came close to 110.
pub const TRIES: NonZeroU32 = NonZeroU32::new(200).expect("it is not zero");

/// A remote that breaks off so often in a row is given up.
const BREAKS: u32 = 4;

/// What to sync.
#[derive(Debug, Clone)]
pub struct Options {
    /// A remote or an address; `None`: the one that the branch follows.
    pub remote: Option<String>,
    /// A branch there; `None`: the one that the branch follows, or of the same name.
    pub branch: Option<String>,
    /// What is done where a person would have to decide.
    pub undecided: Undecided,
    /// The guards that are opened.
    pub allowed: Allowed,
    /// Whether the branch follows what it was synced with.
    pub upstream: Upstream,
    /// How often at most.
    pub tries: NonZeroU32,
    /// Whether others on this machine are waited for.
    pub turns: Turns,
    /// Whether anything is written, here or there; objects are fetched in any case.
    pub mode: Mode,
}

/// Whether others on this machine are waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Turns {
    /// One after the other talks to the remote.
    #[default]
    Taken,
    /// As if each were on a machine of its own.
    Ignored,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            remote: None,
            branch: None,
            undecided: Undecided::default(),
            allowed: Allowed::default(),
            upstream: Upstream::default(),
            tries: TRIES,
            turns: Turns::default(),
            mode: Mode::default(),
        }
    }
}

/// What went which way.
#[derive(Debug)]
pub struct Outcome {
    /// With whom, without secrets.
    pub source: String,
    /// The branch there, without `refs/heads/`.
    pub branch: String,
    /// How many objects came.
    pub objects: usize,
    /// What came into the current branch.
    pub brought: integrate::Outcome,
    /// What the remote has now; `None`: it lacked nothing, or nothing was sent since somebody must decide first.
    pub sent: Option<Sent>,
    /// The branch that follows it from now on, with its name.
    pub followed: Option<(String, String)>,
    /// The operation in the journal that says so, where nothing came that it could be a part of.
    pub operation: Option<OperationId>,
    /// How many tries it took.
    pub tries: u32,
    /// Knowledge that is in no commit and so took no part, by path.
    pub uncommitted: Vec<BString>,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

/// Why a try was not the last.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Somebody else was faster.
    #[error("the remote had new commits each time")]
    Moved,
    /// The connection broke.
    #[error(transparent)]
    Broken(network::Error),
    /// Somebody committed here while the remote was asked.
    #[error("the local branch moved each time")]
    MovedHere,
}

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Which remote, which branch, and what it has.
    #[error(transparent)]
    Followed(#[from] followed::Error),
    /// An address is nothing that a branch may follow.
    #[error("a branch can only track a named remote, and `{0}` is an address")]
    NoName(String),
    /// Neither side has a commit.
    #[error("neither the branch `{0}` nor the remote has a commit yet")]
    NothingYet(String),
    /// The branch here is not as it was, or cannot take a merge in.
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
    /// Guards, merging, files.
    #[error(transparent)]
    Integrate(#[from] integrate::Error),
    /// What must not leave, and the remote.
    #[error(transparent)]
    Sending(#[from] sending::Error),
    /// The server said no.
    #[error("the remote rejected the push: {0}")]
    Rejected(String),
    /// Both sides have the same, but what the branch here follows is as it was.
    #[error("both sides are in sync, but the upstream could not be set: {0}")]
    NotFollowed(#[source] Cause),
    /// Others were faster each time, or the connection broke each time.
    #[error("gave up after {tries} attempts: {last}")]
    Exhausted {
        /// How many.
        tries: u32,
        /// What was in the way in the end.
        last: Trouble,
    },
    /// The remote has it, but branch and files here are still where they were.
    #[error("the remote is up to date, but the local branch and files could not be updated: {0}")]
    NotHere(#[source] Box<Error>),
    /// The user ended the waiting.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// What is no fault of remote or branch.
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Followed(error) => error.kind(),
            Self::NothingYet(_) | Self::NoName(_) => FailureKind::Usage,
            Self::NotFollowed(cause) => cause.kind(),
            Self::Unsettled(error) => error.kind(),
            Self::Integrate(error) => error.kind(),
            Self::Sending(error) => error.kind(),
            Self::Exhausted { last: Trouble::Broken(error), .. } => failure::of_network(error),
            Self::Rejected(_) | Self::Exhausted { .. } => FailureKind::Remote,
            Self::NotHere(error) => error.kind(),
            Self::Interrupted(_) => FailureKind::Interrupted,
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Bring the current branch and the one that it follows to the same commit.
///
/// # Errors
/// [`Error`]; conflicts are an outcome, with which nothing is written.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("sync")?;
    let recovered = writing::recover(cx.parts(&opened))?;
    let named = (options.remote.as_deref(), options.branch.as_deref());
    let (followed, upstream) = choose(&opened.scope, &cx.cwd, named, options.upstream)?;
    let following = match (upstream, options.mode) {
        (Upstream::Set, Mode::Write) => following(&opened.scope, &followed)?,
        _ => None,
    };
    let mut sync = Sync {
        cx,
        following: following.as_ref(),
        opened: &opened,
        followed: &followed,
        options,
        memory: Memory::default(),
    };
    let mut tries = Tries::new(options.tries);
    let mut brought = loop {
        let trouble = match sync.attempt()? {
            Attempt::Done(brought) => break brought,
            Attempt::Again(trouble) => trouble,
        };
        if sync.memory.breaks >= BREAKS || tries.again()? == Next::Exhausted {
            return Err(Error::Exhausted { tries: tries.made(), last: trouble });
        }
    };
    let Memory { objects, sent, .. } = sync.memory;
    let is_done = !matches!(brought.relation, Relation::Conflicted | Relation::Stopped);
    let following = following.filter(|_| is_done);
    // where it was not part of what came: by an operation of its own
    let follow =
        |one: &Following| settings_only::follow(cx.parts(&opened), Kind::Sync, slice::from_ref(&one.wanted));
    let operation = following.as_ref().map(follow).transpose().map_err(Error::NotFollowed)?;
    brought.written.recovered = recovered;
    Ok(Outcome {
        source: followed.target.to_string(),
        branch: followed.short_branch(),
        objects,
        brought: *brought,
        sent,
        followed: following.map(|one| (one.wanted.0, followed.name())),
        operation: operation.flatten(),
        tries: tries.made(),
        uncommitted: uncommitted(&opened)?,
        tidying: match options.mode {
            Mode::Write => tidying(&opened.scope, cx.clock.seconds()),
            Mode::DryRun => Tidying::NotDue,
        },
    })
}

/// With which branch, and whether ours follows it then: where it follows none, `push.autoSetupRemote` has a say.
fn choose(
    scope: &Scope,
    cwd: &Path,
    named: (Option<&str>, Option<&str>),
    upstream: Upstream,
) -> Result<(Followed, Upstream), Error> {
    if upstream == Upstream::Set {
        let followed = followed::choose(scope, cwd, named, Unfollowed::Namesake)?;
        return match followed.target {
            Target::Url(url) => Err(Error::NoName(url.to_string())),
            Target::Named(_) => Ok((followed, upstream)),
        };
    }
    match followed::choose(scope, cwd, named, Unfollowed::Refuse) {
        Err(followed::Error::Choice(remote_choice::Error::NoUpstream(branch))) => {
            let followed = followed::choose(scope, cwd, named, Unfollowed::Namesake)?;
            let settings = push::settings::read(scope, &followed.target).map_err(sending::Error::from)?;
            match settings.sets_upstream {
                true => Ok((followed, Upstream::Set)),
                false => Err(followed::Error::from(remote_choice::Error::NoUpstream(branch)).into()),
            }
        }
        found => Ok((found?, Upstream::Keep)),
    }
}

/// That the branch is to follow what it is synced with.
struct Following {
    /// The branch here, and the one there.
    wanted: (String, UpstreamOf),
    settings: SettingsMove,
}

/// What it takes; `None` where the branch follows it already.
fn following(scope: &Scope, followed: &Followed) -> Result<Option<Following>, Error> {
    let (Target::Named(remote), Some(into)) = (&followed.target, &followed.into) else { return Ok(None) };
    let branch = remote_choice::short_branch(into);
    let followed = UpstreamOf { remote: remote.to_string(), merge: followed.branch.clone() };
    let settings = SettingsMove::follow(scope, &branch, &followed)?;
    Ok((!settings.is_empty()).then_some(Following { wanted: (branch, followed), settings }))
}

/// What one try came to.
enum Attempt {
    Done(Box<integrate::Outcome>),
    Again(Trouble),
}

/// What later tries know of earlier ones.
#[derive(Default)]
struct Memory {
    /// Objects that came.
    objects: usize,
    /// What the remote took.
    sent: Option<Sent>,
    /// What was sent when the connection broke, with what was settled in it: the remote may have it.
    in_flight: Option<(CommitId, Vec<Settled>)>,
    /// What the server said no to while it was there, and its words.
    rejected: Option<(Option<CommitId>, String)>,
    /// Whether the remote has ever answered.
    has_met: bool,
    /// How often in a row the connection broke.
    breaks: u32,
}

struct Sync<'a, 'c> {
    cx: &'a Context<'c>,
    opened: &'a Opened,
    followed: &'a Followed,
    options: &'a Options,
    following: Option<&'a Following>,
    memory: Memory,
}

impl<'a> Sync<'a, '_> {
    fn attempt(&mut self) -> Result<Attempt, Error> {
        let scope = &self.opened.scope;
        let head = self.followed.head(scope)?;
        // until what is sent is there; files are brought over while others have theirs
        let turn = self.turn()?;
        let seen = match self.look()? {
            Ok(seen) => seen,
            Err(broken) => return Ok(Attempt::Again(Trouble::Broken(broken))),
        };
        let tip = seen.tip;
        if let Some((then, reason)) = self.memory.rejected.take()
            && then == tip
        {
            return Err(Error::Rejected(reason));
        }
        match (head.commit(), tip) {
            (None, None) => Err(Error::NothingYet(head.short_branch().unwrap_or_default())),
            (Some(ours), None) => self.send_ahead(&head, ours, None),
            (_, Some(theirs)) => self.meet(&head, theirs, seen, turn),
        }
    }

    fn turn(&self) -> Result<Option<Turn>, Error> {
        if (self.options.turns, self.options.mode) != (Turns::Taken, Mode::Write) {
            return Ok(None);
        }
        let addresses = push::addresses(&self.opened.scope, &self.followed.target);
        let first = addresses.ok().and_then(|addresses| addresses.into_iter().next());
        Ok(first.map(|address| queue::wait(self.opened.scope.environment(), address.shown())).transpose()?)
    }

    /// What the remote has. The inner error is worth another try.
    fn look(&mut self) -> Result<Result<Seen, network::Error>, Error> {
        let scope = &self.opened.scope;
        let seen = match self.followed.fetch(scope, Manner::default(), &self.cx.network()) {
            Ok(seen) => seen,
            Err(followed::Error::Fetch(fetch::Error::Network(
                error @ network::Error::Unreachable { .. },
            ))) if self.memory.has_met => {
                self.memory.breaks += 1;
                return Ok(Err(error));
            }
            Err(error) => return Err(error.into()),
        };
        self.memory.has_met = true;
        self.memory.objects += seen.fetched.objects;
        Ok(Ok(seen))
    }

    /// The remote has the branch: bring the two together.
    fn meet(
        &mut self,
        head: &Head,
        theirs: CommitId,
        seen: Seen,
        turn: Option<Turn>,
    ) -> Result<Attempt, Error> {
        let parts = self.cx.parts(self.opened);
        let settled = self.arrived(theirs)?;
        let Seen { tracking, rewrite, .. } = seen;
        let incoming = Incoming { tracking, rewrite, ..self.incoming(head, theirs, settled) };
        let manner = integrate::Manner {
            undecided: self.options.undecided,
            mode: self.options.mode,
            ..integrate::Manner::default()
        };
        let prepared = integrate::prepare(&parts, head, &incoming, &manner)?;
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

    /// Both sides have commits of their own: the remote gets the merge before anybody else.
    fn merge(
        &mut self,
        head: &Head,
        prepared: Prepared,
        incoming: &Incoming,
        turn: Option<Turn>,
    ) -> Result<Attempt, Error> {
        let parts = self.cx.parts(self.opened);
        if self.options.mode == Mode::DryRun {
            return Ok(Attempt::Done(Box::new(prepared.tell(&parts)?)));
        }
        // what the remote then has must be possible here, too
        prepared.check(&parts)?;
        let settled = prepared.settled().to_vec();
        let Some(merge) = prepared.commit(&parts, incoming)? else {
            return Ok(Attempt::Again(Trouble::Moved));
        };
        if let Some(trouble) = self.send(merge, Some(incoming.theirs), &settled)? {
            return Ok(Attempt::Again(trouble));
        }
        drop(turn);
        let needed = incoming.rewrite.as_ref().map(|_| Guard::Rewrite);
        let reason = incoming.allowed.told(&incoming.reason, needed.as_slice());
        let incoming = Incoming { theirs: merge, settled, reason, rewrite: None, ..incoming.clone() };
        self.bring_over(head, &incoming, Relation::Merged)
    }

    /// Only this side has commits of its own, if any.
    fn send_ahead(&mut self, head: &Head, ours: CommitId, there: Option<CommitId>) -> Result<Attempt, Error> {
        if there != Some(ours)
            && let Some(trouble) = self.send(ours, there, &[])?
        {
            return Ok(Attempt::Again(trouble));
        }
        Ok(Attempt::Done(Box::new(integrate::nothing_new(
            &self.cx.parts(self.opened),
            head,
            self.options.mode,
        )?)))
    }

    /// Send a commit; `None`: the remote has it.
    fn send(
        &mut self,
        commit: CommitId,
        there: Option<CommitId>,
        settled: &[Settled],
    ) -> Result<Option<Trouble>, Error> {
        let sending =
            sending::send(&self.opened.scope, self.followed, commit, self.options.mode, &self.cx.network())?;
        if !matches!(sending, Sending::Broken(_)) {
            self.memory.breaks = 0;
        }
        Ok(match sending {
            Sending::Sent(sent) => {
                self.memory.sent = Some(sent);
                None
            }
            Sending::Moved => Some(Trouble::Moved),
            Sending::Rejected(reason) => {
                self.memory.rejected = Some((there, reason));
                Some(Trouble::Moved)
            }
            Sending::Broken(error) => {
                self.memory.in_flight = Some((commit, settled.to_vec()));
                self.memory.breaks += 1;
                Some(Trouble::Broken(error))
            }
        })
    }

    /// Whether what was on its way when the connection broke is in what the remote has now; what was settled in it.
    fn arrived(&mut self, tip: CommitId) -> Result<Vec<Settled>, Error> {
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
            evidence: Evidence::SeenAgain,
        });
        Ok(settled)
    }

    /// Bring branch and files to what the remote has, if the branch is where it was when the remote was asked.
    fn bring_over(&mut self, head: &Head, incoming: &Incoming, relation: Relation) -> Result<Attempt, Error> {
        let late = |error: Error| match self.memory.sent {
            Some(_) => Error::NotHere(Box::new(error)),
            None => error,
        };
        let writing = Writing::begin(self.cx.parts(self.opened)).map_err(|error| late(error.into()))?;
        let now = self.followed.head(&self.opened.scope).map_err(|error| late(error.into()))?;
        if now.commit() != head.commit() {
            return Ok(Attempt::Again(Trouble::MovedHere));
        }
        let brought = integrate::integrate(writing, &now, incoming, &integrate::Manner::default());
        let brought = brought.map_err(|error| late(error.into()))?;
        Ok(Attempt::Done(Box::new(integrate::Outcome { relation, ..brought })))
    }

    fn incoming(&self, head: &Head, theirs: CommitId, settled: Vec<Settled>) -> Incoming {
        let name = self.followed.name();
        Incoming {
            theirs,
            message: integrate::of_branch(&self.followed.described(), head),
            kind: Kind::Sync,
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

/// Knowledge that is in no commit.
fn uncommitted(opened: &Opened) -> Result<Vec<BString>, Error> {
    let scope = &opened.scope;
    let survey = refresh::quick_survey(opened, git::index::read(scope)?)?;
    let staged = survey.staged(scope, git::trees::Renames::Ignore)?.into_iter().map(|change| change.path);
    let changed = survey.work_tree.changed.iter().map(|changed| changed.path.clone());
    let new = survey.unrecorded(scope)?.into_iter().filter(|file| file.class == Class::Untracked);
    let mut paths: Vec<BString> = staged.chain(changed).chain(new.map(|file| file.path)).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}
