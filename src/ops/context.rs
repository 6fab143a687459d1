//! What every command gets: where it was called, the time, the settings, a sink for progress.
//!
//! Everything else is opened when a command asks for it.

use super::FailureKind;
use crate::clock::Clock;
use crate::config::{self, Config};
use crate::environment::Environment;
use crate::fs::{Busy, WriteGuard};
use crate::git::network::{Credentials, Network, Prompt};
use crate::git::{self, Limits, Scope};
use crate::journal::Recovered;
use crate::progress::Progress;
use crate::tree::{self, Places};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long connecting to a remote may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The surroundings of one command.
pub struct Context<'a> {
    /// The folder it was called in, absolute.
    pub cwd: PathBuf,
    /// The variables of whoever calls.
    pub environment: Environment,
    /// Time.
    pub clock: Clock,
    /// Settings without those of the project.
    pub config: Config,
    /// Where progress is shown.
    pub progress: &'a dyn Progress,
    /// Who calls.
    pub actor: Actor,
    /// Who listens.
    pub audience: Audience,
    /// What was put right before.
    pub preceding: Preceding,
}

/// The interrupted command that was finished before the one that runs, if there was one. Whoever answers tells it, also
/// where the one that runs fails.
#[derive(Debug, Clone, Default)]
pub struct Preceding(Arc<OnceLock<Recovered>>);

impl Preceding {
    /// Remember it; of several the first.
    pub fn note(&self, recovered: &Recovered) {
        self.0.get_or_init(|| recovered.clone());
    }

    /// Which it was.
    #[must_use]
    pub fn get(&self) -> Option<&Recovered> {
        self.0.get()
    }
}

/// What a step takes of the context, and the open tree.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The tree.
    pub opened: &'a Opened,
    /// Time.
    pub clock: Clock,
    /// Where progress is shown.
    pub progress: &'a dyn Progress,
    /// Who calls.
    pub actor: &'a Actor,
    /// Whether somebody may be asked, for the passphrase of a key say.
    pub prompt: Prompt,
    /// What was put right before.
    pub preceding: &'a Preceding,
}

impl<'a> Parts<'a> {
    /// The repository of the tree.
    #[must_use]
    pub const fn scope(&self) -> &'a Scope {
        &self.opened.scope
    }
}

/// Who listens, and whether they may be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Audience {
    /// A program, a pipe, an agent: never asked.
    #[default]
    Headless,
    /// Somebody at a terminal.
    Terminal,
}

/// Who calls: person or agent, as they say themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// `BRV_ACTOR`
    pub name: Option<String>,
    /// `BRV_SESSION`
    pub session: Option<String>,
}

impl Actor {
    /// As the variables say.
    #[must_use]
    pub fn of(environment: &Environment) -> Self {
        let named = |name| environment.get_filled(name).map(str::to_owned);
        Self { name: named("BRV_ACTOR"), session: named("BRV_SESSION") }
    }
}

/// A project's tree, open.
pub struct Opened {
    /// Where it is.
    pub places: Places,
    /// Its repository.
    pub scope: Scope,
    /// Settings, those of the project included.
    pub config: Config,
}

/// Why there is no tree to work on.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// None was found.
    #[error(transparent)]
    Discover(#[from] tree::DiscoverError),
    /// Its repository could not be opened.
    #[error(transparent)]
    Repository(#[from] git::OpenError),
    /// Its settings could not be read.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// Another process is writing.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// Branches, remotes and objects are those of the repository that the tree is a folder of.
    #[error("the tree is a folder of the repository at `{}`; to {}, use `{}`", host.display(), purpose(verb), gits(verb))]
    HostsOwn {
        /// The work tree of that repository.
        host: PathBuf,
        /// git's command.
        verb: &'static str,
    },
}

/// What git's own command is typed as.
fn gits(verb: &str) -> String {
    match verb {
        "sync" => "git pull` and `git push".into(),
        verb => format!("git {verb}"),
    }
}

/// What git's command is for, in a word.
fn purpose(verb: &str) -> &'static str {
    match verb {
        "push" | "pull" | "fetch" | "remote" | "sync" => "share it",
        "gc" => "clean it up",
        _ => "change its branches and commits",
    }
}

impl OpenError {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Discover(tree::DiscoverError::Absent(_)) => FailureKind::NotInitialised,
            Self::Discover(tree::DiscoverError::ForeignOwner(_) | tree::DiscoverError::Link(_)) => {
                FailureKind::Refused
            }
            Self::Repository(error) => FailureKind::of_open(error),
            Self::Busy(Busy::Held { .. }) => FailureKind::Busy,
            Self::HostsOwn { .. } => FailureKind::Refused,
            Self::Discover(tree::DiscoverError::File(_)) | Self::Config(_) | Self::Busy(Busy::File(_)) => {
                FailureKind::Failed
            }
        }
    }
}

impl Context<'_> {
    /// Find and open the tree that the command was called for.
    ///
    /// # Errors
    /// [`OpenError`]
    pub fn open(&self) -> Result<Opened, OpenError> {
        let places = tree::discover(&self.cwd, &self.environment)?;
        let config = self.config.clone().with_project(&places.config())?;
        let scope = open_tree(&places, &self.environment)?;
        let opened = Opened { places, scope, config };
        git::drop_abandoned(&opened.scope, || opened.lock_at_once());
        Ok(opened)
    }

    /// As [`Context::open`], for a command about more than files of the tree: one that is a folder of a bigger repository
    /// leaves that to git's own `verb`.
    ///
    /// # Errors
    /// [`OpenError`]
    pub fn open_whole(&self, verb: &'static str) -> Result<Opened, OpenError> {
        let opened = self.open()?;
        opened.whole(verb)?;
        Ok(opened)
    }

    /// What steps take of it.
    #[must_use]
    pub fn parts<'a>(&'a self, opened: &'a Opened) -> Parts<'a> {
        Parts {
            opened,
            clock: self.clock,
            progress: self.progress,
            actor: &self.actor,
            prompt: self.prompt(),
            preceding: &self.preceding,
        }
    }

    /// Whether somebody may be asked.
    #[must_use]
    pub const fn prompt(&self) -> Prompt {
        match self.audience {
            Audience::Terminal => Prompt::Terminal,
            Audience::Headless => Prompt::Never,
        }
    }

    /// How to talk to remotes.
    #[must_use]
    pub fn network(&self) -> Network<'_> {
        Network {
            credentials: Credentials::from_environment(&self.environment, self.prompt()),
            progress: self.progress,
            environment: &self.environment,
            interrupt: git::interrupt(),
            connect_timeout: CONNECT_TIMEOUT,
            // what cannot be understood was refused when the program started
            limits: network_limits(&self.environment).unwrap_or_default(),
        }
    }
}

/// The repository that the tree is, or the folder that it is of the one around it.
fn open_tree(places: &Places, environment: &Environment) -> Result<Scope, OpenError> {
    if !places.has_own_repository()
        && let Some((host, prefix)) = places.in_host()
    {
        let scope = git::open(&host, &prefix, environment)?;
        if git::in_repo::is_kept(&scope).map_err(git::OpenError::from)? {
            git::in_repo::refuse_link(&scope)?;
            return Ok(scope);
        }
    }
    Ok(git::open(&places.tree(), "", environment)?)
}

/// How many seconds a remote may be silent; others are given with it.
const TIMEOUT_VARIABLE: &str = "BRV_NETWORK_TIMEOUT";

/// A variable that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{TIMEOUT_VARIABLE}` is `{0}`: expected a number of seconds from 1 to 86400 (one day)")]
pub struct BadTimeout(String);

/// How long a remote may be silent, as the environment says; the default if it says nothing.
///
/// # Errors
/// [`BadTimeout`]
pub fn network_limits(environment: &Environment) -> Result<Limits, BadTimeout> {
    let Some(text) = environment.get_filled(TIMEOUT_VARIABLE) else {
        return Ok(Limits::default());
    };
    match text.trim().parse() {
        Ok(seconds @ 1..=86_400) => Ok(Limits::of_silence(Duration::from_secs(seconds))),
        _ => Err(BadTimeout(text.into())),
    }
}

impl Opened {
    /// Whether the tree is all of its repository; see [`Context::open_whole`].
    ///
    /// # Errors
    /// [`OpenError::HostsOwn`]
    pub fn whole(&self, verb: &'static str) -> Result<(), OpenError> {
        if self.scope.prefix().is_empty() {
            return Ok(());
        }
        Err(OpenError::HostsOwn { host: self.scope.work_tree().to_path_buf(), verb })
    }

    /// Take the lock that every writing command holds.
    ///
    /// # Errors
    /// [`Busy`] when another process keeps it.
    pub fn lock(&self) -> Result<WriteGuard, Busy> {
        self.lock_within(self.config.lock_timeout.value)
    }

    /// Take the lock if nobody has it: for what is only a saving or tidying up.
    #[must_use]
    pub fn lock_at_once(&self) -> Option<WriteGuard> {
        self.lock_within(Duration::ZERO).ok()
    }

    fn lock_within(&self, patience: Duration) -> Result<WriteGuard, Busy> {
        WriteGuard::acquire(&self.scope.common_dir().join("brv").join("lock"), patience)
    }
}
