//! Fetching: objects that are missing here, then the refs that remember where the remote's branches are.
//!
//! The received pack is on the disk before a ref moves. Never touches the work tree or a checked-out branch.

mod connected;
mod ends;
mod map;
mod quarantine;
mod receive;
mod tracked;
mod update;

pub(super) use tracked::Tracked;

use super::config_file;
use super::error::{During, Error as GitError};
use super::id::ObjectName;
use super::network::{self, Network};
use super::scope::Scope;
use super::transport::{self, Peer, Target};
use bstr::BString;
use gix::protocol::handshake::Ref;
use gix::protocol::transport::Service;
use gix::remote::Direction;

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
}

/// What happens to tracking refs whose branch the remote no longer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prune {
    /// They stay.
    #[default]
    Keep,
    /// They are deleted.
    Delete,
}

/// Which tags are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tags {
    /// Those that point into the fetched history, as git does.
    #[default]
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
    let mut repo = config_file::reloaded(scope)?;
    repo.committer_or_set_generic_fallback().during("prepare the log of refs")?;
    let endpoint = transport::endpoint(&repo, &options.target, Direction::Fetch)?;
    let specs = map::specs(&repo, &endpoint, &options.refspecs)?;
    let mut peer = transport::open(&repo, &endpoint, Service::UploadPack, network)?;
    let offered = refs_of(&mut peer, &specs.prefixes())?;
    let wanted = map::wanted(&repo, &specs, &offered, options.tags)?;
    let received = receive::receive(&repo, &mut peer, &wanted, &offered, options.tags, network)?;
    drop(peer);
    let updates = update::update(&repo, &specs, &wanted, &offered, options)?;
    received.release()?;
    Ok(Outcome { updates, objects: received.objects, default_branch: default_branch(&offered) })
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
