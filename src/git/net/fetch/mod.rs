//! Fetching: objects that are missing here, then the refs that remember where the remote's branches are.
//!
//! The received pack is on the disk before a ref moves. Never touches the work tree or a checked-out branch.

mod connected;
mod depth;
mod fetch_head;
mod forbidden;
mod local_refs;
mod map;
mod quarantine;
mod receive;
mod settings;
mod tracked;
mod update;

pub(super) use tracked::Tracked;

use super::network::{self, Network};
use super::transport::{self, Peer};
use crate::git::error::{During, Error as GitError};
use crate::git::history::shallow::{Depth, Roots};
use crate::git::id::ObjectName;
use crate::git::mode::Mode;
use crate::git::repository::config_file;
use crate::git::repository::scope::Scope;
use crate::git::settings::remotes::Target;
use bstr::BString;
use gix::ObjectId;
use gix::protocol::handshake::Ref;
use gix::protocol::transport::Service;
use gix::remote::Direction;
use local_refs::LocalRefs;
use std::collections::HashSet;

/// What to fetch.
#[derive(Debug, Clone)]
pub struct Options {
    /// From where.
    pub target: Target,
    /// Which refs, as `git fetch` takes them (`main`, `+refs/heads/*:refs/remotes/x/*`, an id). None: what the
    /// settings of the remote say, or `HEAD` for a URL.
    pub refspecs: Vec<String>,
    /// Tracking refs whose branch is gone.
    pub prune: Prune,
    /// Which tags come along.
    pub tags: Tags,
    /// How much history.
    pub depth: Depth,
    /// What happens when the remote has not all history itself.
    pub roots: Roots,
    /// What it means that an object is here.
    pub presence: Presence,
    /// What is kept of the fetch beside objects and refs.
    pub record: Record,
    /// Whether refs move.
    pub mode: Mode,
}

impl Options {
    /// What the settings of the target say, from now on.
    #[must_use]
    pub fn configured(target: Target) -> Self {
        Self {
            target,
            refspecs: Vec::new(),
            prune: Prune::Configured,
            tags: Tags::Configured,
            depth: Depth::Unchanged,
            roots: Roots::Refuse,
            presence: Presence::Checked,
            record: Record::FetchHead,
            mode: Mode::Write,
        }
    }
}

/// What it means that an object is here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Presence {
    /// Little: a fetch that was refused or cut off may have brought it without its history, which is looked at.
    #[default]
    Checked,
    /// That all it leads to is here, too, if it is one of these: the caller has brought whole files of a repository
    /// that had them before. What the repository got meanwhile may have come in part.
    Whole(HashSet<ObjectId>),
}

/// What is kept of a fetch beside objects and refs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Record {
    /// git's `FETCH_HEAD`, for git run by hand.
    #[default]
    FetchHead,
    /// Nothing, as after a clone.
    Nothing,
}

/// What happens to tracking refs whose branch the remote no longer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prune {
    /// What `remote.<name>.prune` and `fetch.prune` say.
    #[default]
    Configured,
    /// They stay.
    Keep,
    /// They are deleted.
    Delete,
}

/// Which tags are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tags {
    /// What `remote.<name>.tagOpt` says.
    #[default]
    Configured,
    /// Those that point into the fetched history, as git does.
    Following,
    /// All.
    All,
    /// None.
    None,
}

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Every ref that was asked for, ordered as the remote lists them, then the deleted ones.
    pub updates: Vec<Update>,
    /// How many objects were received.
    pub objects: usize,
    /// The branch that the remote's `HEAD` names (`refs/heads/main`), also when it has no commit yet.
    pub default_branch: Option<BString>,
}

/// What became of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Its name there; empty for an id that was asked for, or a ref that is gone there.
    pub remote: BString,
    /// Its name here, if it is remembered.
    pub local: Option<BString>,
    /// Where the ref here was.
    pub before: Option<ObjectName>,
    /// Where the remote's is.
    pub after: Option<ObjectName>,
    /// What was done.
    pub kind: Kind,
    /// The ref that keeps where the ref here was, if the remote's history was rewritten, or is gone and nothing else has it.
    pub rescue: Option<BString>,
}

/// What was done with a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Made here.
    New,
    /// Moved to a descendant.
    FastForward,
    /// Moved to something else: the remote's history was rewritten.
    Forced,
    /// Already there.
    Unchanged,
    /// Fetched without a ref here.
    Unnamed,
    /// Deleted here, because it is gone there.
    Deleted,
    /// Left alone.
    Refused(Refusal),
}

/// Why a ref here was left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The refspec does not allow moving it to something that is no descendant.
    NonFastForward,
    /// A tag of that name is here and names something else.
    TagExists,
    /// The branch is checked out.
    CheckedOut,
    /// Its history ends in the middle, over there.
    ShallowRemote,
}

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The conversation.
    #[error(transparent)]
    Network(#[from] network::Error),
    /// A refspec that is none.
    #[error("`{0}` is not a refspec")]
    Refspec(String),
    /// The server cannot do what was asked for, and would do something else.
    #[error("the server of `{url}` does not support {what}")]
    Incapable {
        /// The remote.
        url: String,
        /// In words: `shallow repositories`.
        what: &'static str,
    },
    /// The remote has no such ref.
    #[error("the remote has no `{0}`")]
    NoSuchRef(String),
    /// Anything else.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Fetch.
///
/// # Errors
/// [`Error`]; then no ref was moved.
pub fn fetch(scope: &Scope, options: &Options, network: &Network<'_>) -> Result<Outcome, Error> {
    fetch_choosing(scope, options, network, |_| options.refspecs.clone())
}

/// What the remote has, for a choice of what to fetch.
pub(super) struct Offer<'a> {
    refs: &'a [Ref],
    default_branch: Option<&'a BString>,
}

impl Offer<'_> {
    /// The full name of the branch that `HEAD` names there.
    pub fn default_branch(&self) -> Option<&str> {
        self.default_branch.and_then(|name| std::str::from_utf8(name).ok())
    }

    /// Whether there is such a branch (without `refs/heads/`), with commits.
    pub fn has_branch(&self, branch: &str) -> bool {
        let is_it = |name: &[u8]| name.strip_prefix(b"refs/heads/") == Some(branch.as_bytes());
        self.refs.iter().map(Ref::unpack).any(|(name, id, _)| id.is_some() && is_it(name))
    }
}

/// Fetch what is chosen when it is known which branch the remote's `HEAD` names.
pub(super) fn fetch_choosing(
    scope: &Scope,
    options: &Options,
    network: &Network<'_>,
    choose: impl FnOnce(&Offer<'_>) -> Vec<String>,
) -> Result<Outcome, Error> {
    let mut repo = config_file::reloaded(scope)?;
    repo.committer_or_set_generic_fallback().during("prepare the reflog")?;
    let endpoint = transport::endpoint(&repo, &options.target, Direction::Fetch, network.environment)?;
    let options = settings::settled(&repo, options);
    let specs = map::specs(&repo, &endpoint, &options.refspecs)?;
    let mut peer = transport::open(&repo, &endpoint, Service::UploadPack, network)?;
    let offered = refs_of(&mut peer, &specs.prefixes())?;
    let default_branch = default_branch(&offered);
    let chosen = choose(&Offer { refs: &offered, default_branch: default_branch.as_ref() });
    let specs = if chosen == options.refspecs { specs } else { map::specs(&repo, &endpoint, &chosen)? };
    let local = LocalRefs::read(&repo, offered.len())?;
    let wanted = map::wanted(&repo, &specs, &offered, options.tags, &local)?;
    let order = receive::Order {
        wanted: &wanted,
        offered: &offered,
        local: &local,
        tags: options.tags,
        depth: options.depth,
        roots: options.roots,
        presence: &options.presence,
    };
    let mut received = receive::receive(&repo, &mut peer, &order, network)?;
    drop(peer);
    let forbidden = received.settle_boundary(&repo, &order)?;
    let job = update::Job {
        specs: &specs,
        wanted: &wanted,
        offered: &offered,
        local: &local,
        forbidden: &forbidden,
    };
    let updates = update::update(&repo, &job, &options)?;
    if options.record == Record::FetchHead && options.mode == Mode::Write {
        fetch_head::write(&repo, &endpoint, &wanted, &updates, &options)?;
    }
    received.release()?;
    Ok(Outcome { updates, objects: received.objects, default_branch })
}

fn refs_of(peer: &mut Peer, prefixes: &[String]) -> Result<Vec<Ref>, network::Error> {
    match peer {
        Peer::Session(session) => session.refs(prefixes),
        Peer::Folder(folder) => folder.refs(),
    }
}

fn default_branch(offered: &[Ref]) -> Option<BString> {
    offered.iter().find_map(|reference| match reference {
        Ref::Symbolic { full_ref_name, target, .. } | Ref::Unborn { full_ref_name, target }
            if full_ref_name == "HEAD" =>
        {
            Some(target.clone())
        }
        _ => None,
    })
}
