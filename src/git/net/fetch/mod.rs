//! Fetching: downloads missing objects, then updates the tracking refs.
//!
//! The received pack is durable before a ref moves. Never touches the work tree or a checked-out branch.

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
use crate::error::{During, Error as GitError};
use crate::history::shallow::{Depth, Roots};
use crate::id::ObjectName;
use crate::mode::Mode;
use crate::repository::config_file;
use crate::repository::scope::Scope;
use crate::settings::remotes::Target;
use bstr::BString;
use gix::ObjectId;
use gix::protocol::handshake::Ref;
use gix::protocol::transport::Service;
use gix::remote::Direction;
use local_refs::LocalRefs;
use std::collections::HashSet;

#[derive(Debug, Clone)]
pub struct Options {
    pub target: Target,
    /// The refspecs, as in `git fetch` (`main`, `+refs/heads/*:refs/remotes/x/*`, an id). If empty, those in the
    /// settings of the remote, or `HEAD` for a URL.
    pub refspecs: Vec<String>,
    /// Whether tracking refs of deleted branches are pruned.
    pub prune: Prune,
    pub tags: Tags,
    /// How much history.
    pub depth: Depth,
    /// What happens when the remote itself is shallow.
    pub roots: Roots,
    /// What may be assumed of objects that exist here.
    pub presence: ConnectivityTrust,
    /// Whether `FETCH_HEAD` is written.
    pub record: FetchRecord,
    /// Whether refs move.
    pub mode: Mode,
}

impl Options {
    /// With the current settings of the target.
    pub fn configured(target: Target) -> Self {
        Self {
            target,
            refspecs: Vec::new(),
            prune: Prune::Configured,
            tags: Tags::Configured,
            depth: Depth::Unchanged,
            roots: Roots::Refuse,
            presence: ConnectivityTrust::Checked,
            record: FetchRecord::FetchHead,
            mode: Mode::Write,
        }
    }
}

/// What may be assumed of objects that exist here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ConnectivityTrust {
    /// Nothing: a failed fetch may have left objects without their history, so it is checked.
    #[default]
    Checked,
    /// Everything reachable from these exists too: the caller has copied whole files of a repository that had them
    /// before. Objects that the repository got meanwhile may be incomplete.
    Whole(HashSet<ObjectId>),
}

/// Whether `FETCH_HEAD` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FetchRecord {
    /// git's `FETCH_HEAD`, for git run by hand.
    #[default]
    FetchHead,
    /// Nothing, as after a clone.
    Nothing,
}

/// Whether tracking refs of branches that the remote no longer has are pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prune {
    /// As set in `remote.<name>.prune` and `fetch.prune`.
    #[default]
    Configured,
    Keep,
    Delete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tags {
    /// As set in `remote.<name>.tagOpt`.
    #[default]
    Configured,
    /// Tags that point into the fetched history, as in git.
    Following,
    All,
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Every requested ref, in the remote's order, then the deleted ones.
    pub updates: Vec<Update>,
    /// How many objects were received.
    pub objects: usize,
    /// The branch that the remote's `HEAD` names (`refs/heads/main`), also when it has no commit yet.
    pub default_branch: Option<BString>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Its name on the remote; empty for a requested id, or a ref that the remote no longer has.
    pub remote: BString,
    /// Its local name, if it has one.
    pub local: Option<BString>,
    pub before: Option<ObjectName>,
    pub after: Option<ObjectName>,
    pub kind: FetchUpdateKind,
    /// The rescue ref that keeps the old commit, if the remote's history was rewritten, or the ref was deleted and
    /// nothing else reaches it.
    pub rescue: Option<BString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchUpdateKind {
    New,
    FastForward,
    /// Force-updated: the remote's history was rewritten.
    Forced,
    Unchanged,
    /// Fetched without a local ref.
    Unnamed,
    /// Pruned, because the remote deleted it.
    Deleted,
    Refused(FetchRefusal),
}

/// Why an update was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchRefusal {
    /// Not a fast-forward, and the refspec has no `+`.
    NonFastForward,
    /// A different tag of that name exists here.
    TagExists,
    CheckedOut,
    ShallowRemote,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Network(#[from] network::Error),
    #[error("`{0}` is not a refspec")]
    Refspec(String),
    /// The server cannot do what was asked for, and would do something else.
    #[error("the server of `{url}` does not support {what}")]
    Incapable { url: String, what: &'static str },
    #[error("the remote has no ref `{0}`")]
    NoSuchRef(String),
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

/// The refs that the remote offers, to choose from.
pub(super) struct FetchOffer<'a> {
    refs: &'a [Ref],
    default_branch: Option<&'a BString>,
}

impl FetchOffer<'_> {
    /// The full name of the branch that the remote's `HEAD` names.
    pub fn default_branch(&self) -> Option<&str> {
        self.default_branch.and_then(|name| std::str::from_utf8(name).ok())
    }

    /// Whether the remote has this branch (without `refs/heads/`), with commits.
    pub fn has_branch(&self, branch: &str) -> bool {
        let is_it = |name: &[u8]| name.strip_prefix(b"refs/heads/") == Some(branch.as_bytes());
        self.refs.iter().map(Ref::unpack).any(|(name, id, _)| id.is_some() && is_it(name))
    }
}

/// Fetches refspecs that are chosen once the remote's default branch is known.
pub(super) fn fetch_choosing(
    scope: &Scope,
    options: &Options,
    network: &Network<'_>,
    choose: impl FnOnce(&FetchOffer<'_>) -> Vec<String>,
) -> Result<Outcome, Error> {
    let mut repo = config_file::reloaded(scope)?;
    repo.committer_or_set_generic_fallback().during("prepare the reflog")?;
    let endpoint = transport::endpoint(&repo, &options.target, Direction::Fetch, network.environment)?;
    let options = settings::settled(&repo, options);
    let specs = map::specs(&repo, &endpoint, &options.refspecs)?;
    let mut peer = transport::open(&repo, &endpoint, Service::UploadPack, network)?;
    let offered = refs_of(&mut peer, &specs.prefixes())?;
    let default_branch = default_branch(&offered);
    let chosen = choose(&FetchOffer { refs: &offered, default_branch: default_branch.as_ref() });
    let specs = if chosen == options.refspecs { specs } else { map::specs(&repo, &endpoint, &chosen)? };
    let local = LocalRefs::read(&repo, scope.broken_refs(), offered.len())?;
    let wanted = map::wanted(&repo, &specs, &offered, options.tags, &local)?;
    let order = receive::ReceiveRequest {
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
    let job = update::TrackingUpdate {
        specs: &specs,
        wanted: &wanted,
        offered: &offered,
        local: &local,
        forbidden: &forbidden,
    };
    let updates = update::update(&repo, &job, &options)?;
    if options.record == FetchRecord::FetchHead && options.mode == Mode::Write {
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
