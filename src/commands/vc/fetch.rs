//! `brv vc fetch`: download objects and update the tracking refs of a remote. Writes no file of the tree.

use brv_engine::open::context::Context;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::vc::remotes::fetch_options::Impossible;
use brv_engine::vc::remotes::{failure, remote_choice};
use brv_engine::{Fails, FailureKind};
use brv_git::host_remote::Naming;
use brv_git::remotes;
use brv_git::{End, fetch, network};

pub use brv_engine::Mode;
pub use brv_engine::vc::remotes::fetch_options::{Depth, FetchOptions, History, Prune, Tags};
pub use brv_git::Roots;

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub from: From,
    /// Refspecs as git takes them; empty: those of the remote's settings.
    pub refspecs: Vec<String>,
    pub manner: FetchOptions,
    /// What to do if the remote's own history is shallow.
    pub roots: Roots,
    /// Whether to update refs.
    pub mode: Mode,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// A remote or a URL; `None`: the remote of the branch's upstream.
    One(Option<String>),
    /// Every configured remote, except those with `remote.<name>.skipFetchAll`.
    All,
}

impl Default for From {
    fn default() -> Self {
        Self::One(None)
    }
}

#[derive(Debug)]
pub struct Outcome {
    /// One item per remote, ordered by name; at least one.
    pub received: Vec<Received>,
    /// Remotes that could not be reached while others could.
    pub failed: Vec<(String, fetch::Error)>,
}

#[derive(Debug)]
pub struct Received {
    /// The URL, without secrets.
    pub source: String,
    /// Every ref, and the number of objects.
    pub fetched: fetch::Outcome,
    /// How far back the history now reaches.
    pub history: History,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Choice(#[from] remote_choice::Error),
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    #[error(transparent)]
    Impossible(#[from] Impossible),
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Choice(error) => error.kind(),
            Self::Fetch(error) => failure::of_fetch(error),
            Self::Impossible(error) => error.kind(),
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("fetch")?;
    let scope = &opened.scope;
    let targets = match &options.from {
        From::One(typed) => vec![remote_choice::target(scope, &cx.cwd, &scope.head()?, typed.as_deref())?],
        From::All => remotes::fetched_with_all(scope).map_err(remote_choice::Error::from)?,
    };
    if targets.is_empty() {
        return Err(remote_choice::Error::NoRemote.into());
    }
    let mut outcome = Outcome { received: Vec::new(), failed: Vec::new() };
    for target in &targets {
        let naming = Naming::of(scope, target)?;
        let refspecs = options.refspecs.iter().map(|typed| naming.fetched(typed));
        let wanted = fetch::Options {
            refspecs: refspecs.collect::<Result<_, _>>().map_err(remote_choice::Error::from)?,
            roots: options.roots,
            mode: options.mode,
            ..options.manner.of(naming)?.options(scope, target.clone())?
        };
        let source = target.to_string();
        let end = End::of(scope)?;
        match fetch::fetch(scope, &wanted, &cx.network()) {
            Ok(fetched) => {
                let history = History::since(&end, scope, options.manner.depth)?;
                outcome.received.push(Received { source, fetched, history });
            }
            Err(error) if targets.len() > 1 && !is_final(&error) => outcome.failed.push((source, error)),
            Err(error) => return Err(error.into()),
        }
    }
    match outcome.failed.pop() {
        // if every remote failed, that is an error, as it is for a single one
        Some((_, error)) if outcome.received.is_empty() => Err(error.into()),
        Some(last) => {
            outcome.failed.push(last);
            Ok(outcome)
        }
        None => Ok(outcome),
    }
}

/// Whether the error means that trying the other remotes is pointless.
const fn is_final(error: &fetch::Error) -> bool {
    matches!(error, fetch::Error::Network(network::Error::Interrupted) | fetch::Error::Git(_))
}
