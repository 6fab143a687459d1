//! What every command gets: working folder, environment, time, settings and a sink for progress.
//!
//! Everything else is opened when a command asks for it.

use crate::journal::Recovered;
use crate::open::inherited;
use crate::open::state::Inherited;
use crate::open::tree::{self, Places};
use crate::outcome::in_progress::{WAITING, WAITING_IN_HOST};
use crate::outcome::stop::{self, Stop};
use brv_base::clock::Clock;
use brv_base::config::Config;
use brv_base::environment::Environment;
use brv_base::fs::{self, Busy, Durability, WriteGuard};
use brv_base::progress::Progress;
use brv_git as git;
use brv_git::network::{Credentials, Network, Prompt};
use brv_git::{BrokenRefs, Limits, Scope};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The time limit for connecting to a remote.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The environment that one command runs in.
pub struct Context<'a> {
    /// The folder that the command was called in, absolute.
    pub cwd: PathBuf,
    pub environment: Environment,
    pub clock: Clock,
    /// Settings without those of the project.
    pub config: Config,
    pub progress: &'a dyn Progress,
    /// The caller: a person or an agent.
    pub actor: Actor,
    /// Who reads the output.
    pub audience: Audience,
    /// What is read instead of standard input, where that is not the caller's.
    pub input: Option<Vec<u8>>,
    /// The interrupted command that was recovered before this one.
    pub preceding: Preceding,
    /// The broken refs that the command passed over.
    pub broken_refs: BrokenRefs,
    /// The tree, once [`Context::keep_open`] opened it.
    pub kept: OnceLock<Opened>,
    /// Whether the process ends with this command, so that nothing is gained by freeing what it holds.
    pub ends_with_process: bool,
    /// When the process ends, whatever it does then; what takes longer is kept before, to go on from there.
    pub ends_at: Option<Instant>,
}

impl Context<'_> {
    /// Whether a model calls, as far as it can be seen: through a tool or a hook, or in a session that says so.
    pub fn is_by_agent(&self) -> bool {
        self.audience == Audience::Agent || self.actor.name.is_some() || self.actor.session.is_some()
    }

    /// Whether a person sits at the terminal, as far as it can be seen.
    pub fn is_by_person(&self) -> bool {
        self.audience == Audience::Terminal && !self.is_by_agent()
    }
}

/// What was done before the current command: an interrupted one was finished, or the state of an earlier brv was taken
/// over. It is reported with the result of the current command, even if that fails.
#[derive(Debug, Clone, Default)]
pub struct Preceding(Arc<PrecedingEvents>);

#[derive(Debug, Default)]
struct PrecedingEvents {
    recovered: OnceLock<Recovered>,
    inherited: OnceLock<Inherited>,
}

impl Preceding {
    /// Remember a recovery; only the first is kept.
    pub fn note(&self, recovered: &Recovered) {
        self.0.recovered.get_or_init(|| recovered.clone());
    }

    /// The recovery, if there was one.
    pub fn get(&self) -> Option<&Recovered> {
        self.0.recovered.get()
    }

    /// The state of an earlier brv that was taken over.
    pub fn inherited(&self) -> Option<&Inherited> {
        self.0.inherited.get()
    }
}

/// The parts of the context that the functions of this crate take, with the open tree.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    pub opened: &'a Opened,
    pub clock: Clock,
    pub progress: &'a dyn Progress,
    pub actor: &'a Actor,
    /// Whether the user may be prompted, e.g. for the passphrase of a key.
    pub prompt: Prompt,
    /// The interrupted command that was recovered before this one.
    pub preceding: &'a Preceding,
}

impl<'a> Parts<'a> {
    pub const fn scope(&self) -> &'a Scope {
        &self.opened.scope
    }
}

/// Who reads the output, and whether prompting is possible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Audience {
    /// A program, a pipe or an agent: never prompted.
    #[default]
    Headless,
    Terminal,
    /// A model, through a tool or a hook: never prompted, and shown only what its team may have read.
    Agent,
}

/// The caller, a person or an agent, as named by the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// `BRV_ACTOR`
    pub name: Option<String>,
    /// `BRV_SESSION`
    pub session: Option<String>,
    /// The way by which an agent came, where it is remembered what it is given; `None` of a person, and in CI.
    pub door: Option<CallDoor>,
}

/// The way by which a call of an agent comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallDoor {
    /// A tool or resource of the server.
    Mcp,
    /// A hook of the agent's host.
    Hook,
    /// The command line, in a session or for an actor that it names.
    Cli,
}

impl CallDoor {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Hook => "hook",
            Self::Cli => "cli",
        }
    }
}

impl Actor {
    /// Read both from the environment.
    pub fn of(environment: &Environment) -> Self {
        let named = |name| environment.get_filled(name).map(str::to_owned);
        Self { name: named("BRV_ACTOR"), session: named("BRV_SESSION"), door: None }
    }

    /// The same caller, who came by this door. On the command line only one that names itself is taken for an agent.
    pub fn through(self, door: CallDoor, environment: &Environment) -> Self {
        let is_agent = door != CallDoor::Cli || self.name.is_some() || self.session.is_some();
        let is_ci = environment.get_filled("CI").is_some();
        Self { door: Some(door).filter(|_| is_agent && !is_ci), ..self }
    }
}

#[derive(Clone)]
pub struct Opened {
    pub places: Places,
    pub scope: Scope,
    /// The settings, including those of the project.
    pub config: Config,
}

/// The git command to use instead.
fn gits(verb: &str) -> String {
    match verb {
        "sync" => "git pull` and `git push".into(),
        verb => format!("git {verb}"),
    }
}

/// What that git command does, as a verb phrase for the error message.
fn purpose(verb: &str) -> &'static str {
    match verb {
        "push" | "pull" | "fetch" | "remote" | "sync" => "share it",
        "gc" => "clean it up",
        _ => "change its branches, tags or commits",
    }
}

impl Context<'_> {
    /// Find and open the tree for the folder that the command was called in.
    pub fn open(&self) -> Result<Opened, Stop> {
        let places = tree::discover(&self.cwd, &self.environment)?;
        let config = self.config.clone().with_project(&places.config())?;
        let scope = open_tree(&places, &self.environment)?.noting(&self.broken_refs);
        if self.ends_with_process {
            scope.keep_to_the_end();
        }
        let opened = Opened { places, scope, config };
        git::drop_abandoned(&opened.scope, || opened.lock_at_once());
        if let Some(inherited) =
            inherited::inherit(&opened.places, &opened.scope, opened.config.lock_timeout.value)
        {
            self.preceding.0.inherited.get_or_init(|| inherited);
        }
        Ok(opened)
    }

    /// As [`Context::open`], for as long as the context lives: for work that goes on after the answer.
    pub fn keep_open(&self) -> Result<&Opened, Stop> {
        if let Some(opened) = self.kept.get() {
            return Ok(opened);
        }
        let opened = self.open()?;
        Ok(self.kept.get_or_init(|| opened))
    }

    /// Like [`Context::open`], for commands that change more than files of the tree: if the tree is a folder of a
    /// bigger repository, these are left to git's own `verb`.
    pub fn open_whole(&self, verb: &str) -> Result<Opened, Stop> {
        let opened = self.open()?;
        opened.whole(verb)?;
        Ok(opened)
    }

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

    /// The content of a file, or of standard input for `-`. At most one byte more than `most` is read, which tells the
    /// caller that there is more.
    pub fn read_input(&self, file: &Path, most: usize) -> Result<Vec<u8>, fs::Error> {
        match (file == Path::new("-"), &self.input) {
            (true, Some(input)) => Ok(input[..input.len().min(most + 1)].to_vec()),
            (true, None) => fs::read_stdin(most as u64 + 1),
            (false, _) => fs::read_start(&self.cwd.join(file), most as u64 + 1),
        }
    }

    /// The JSON that another run wrote to a file, or to standard input for `-`.
    ///
    /// # Errors
    /// Wrong usage: it cannot be read, or has more than `most` bytes, a whole number of MiB.
    pub fn read_answer(&self, file: &Path, most: usize) -> Result<Vec<u8>, Stop> {
        let bytes = self.read_input(file, most).map_err(|error| Stop::usage(stop::message(&error)))?;
        match bytes.len() > most {
            true => Err(Stop::usage(format!("`{}` is larger than {} MiB", file.display(), most >> 20))),
            false => Ok(bytes),
        }
    }

    /// Write files with their text below `folder`, replacing existing ones. Returns their paths, in the same order.
    ///
    /// # Errors
    /// [`fs::Error`]; files before the one that failed are written.
    pub fn write_files(
        &self,
        folder: &Path,
        files: impl Iterator<Item = (String, String)>,
    ) -> Result<Vec<PathBuf>, fs::Error> {
        let write = |(name, text): (String, String)| {
            let path = self.cwd.join(folder).join(name);
            fs::replace(&path, text.as_bytes(), Durability::Later).map(|()| path)
        };
        files.map(write).collect()
    }

    /// Replace a file; a link to it stays one, and a device is written to.
    pub fn put(&self, file: &Path, bytes: &[u8]) -> Result<(), fs::Error> {
        fs::put(&self.cwd.join(file), bytes)
    }

    /// Append to a file, which is created if it does not exist.
    pub fn append(&self, file: &Path, bytes: &[u8]) -> Result<(), fs::Error> {
        fs::append(&self.cwd.join(file), bytes, u64::MAX)
    }

    /// Whether the user may be prompted.
    pub const fn prompt(&self) -> Prompt {
        match self.audience {
            Audience::Terminal => Prompt::Terminal,
            Audience::Headless | Audience::Agent => Prompt::Never,
        }
    }

    /// How to reach remotes.
    pub fn network(&self) -> Network<'_> {
        Network {
            credentials: Credentials::from_environment(&self.environment, self.prompt()),
            progress: self.progress,
            environment: &self.environment,
            interrupt: git::interrupt(),
            connect_timeout: CONNECT_TIMEOUT,
            // an invalid value was rejected when the program started
            limits: network_limits(&self.environment).unwrap_or_default(),
        }
    }
}

/// The repository that holds the tree: its own, or the one around it.
fn open_tree(places: &Places, environment: &Environment) -> Result<Scope, Stop> {
    if !places.has_own_repository()
        && let Some((host, prefix)) = places.in_host()
    {
        let scope = git::open(&host, &prefix, environment)?;
        if git::in_repo::is_kept(&scope)? {
            git::in_repo::refuse_link(&scope)?;
            return Ok(scope);
        }
    }
    Ok(git::open(&places.tree(), "", environment)?)
}

/// The tree of a folder, and its repository; `None` if there is none that can be opened.
pub fn places_of(folder: &Path, environment: &Environment) -> Option<(Places, Scope)> {
    let places = tree::discover(folder, environment).ok()?;
    let scope = open_tree(&places, environment).ok()?;
    Some((places, scope))
}

/// Whether a folder is in a project with a tree.
pub fn has_tree(folder: &Path, environment: &Environment) -> bool {
    tree::discover(folder, environment).is_ok()
}

/// How many seconds a remote may stay silent; the other limits are derived from it.
const TIMEOUT_VARIABLE: &str = "BRV_NETWORK_TIMEOUT";

/// The variable has an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{TIMEOUT_VARIABLE}` is `{0}`: expected a number of seconds from 1 to 86400 (one day)")]
pub struct BadTimeout(String);

/// How long a remote may stay silent, from the environment; the default if it is not set.
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
    /// Fail if the tree is a folder of a bigger repository, whose branches, remotes and objects are not the tree's own; see
    /// [`Context::open_whole`].
    pub fn whole(&self, verb: &str) -> Result<(), Stop> {
        if self.scope.prefix().is_empty() {
            return Ok(());
        }
        let (host, purpose, git) = (self.scope.work_tree().display(), purpose(verb), gits(verb));
        Err(Stop::refused(format!(
            "the tree is a folder of the repository at `{host}`; to {purpose}, use `{git}`"
        )))
    }

    /// Take the lock that every writing command holds.
    ///
    /// # Errors
    /// [`Busy`] when another process keeps it.
    pub fn lock(&self) -> Result<WriteGuard, Busy> {
        self.lock_within(self.config.lock_timeout.value)
    }

    /// Take the lock if it is free, for work that is optional, such as tidying up.
    pub fn lock_at_once(&self) -> Option<WriteGuard> {
        self.lock_within(Duration::ZERO).ok()
    }

    fn lock_within(&self, patience: Duration) -> Result<WriteGuard, Busy> {
        WriteGuard::acquire(&self.scope.common_dir().join("brv").join("lock"), patience)
    }
}

/// Which repository owns the branches and merges that a command finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    Tree,
    /// The host repository that the tree is a folder of: the user moves and ends them with git.
    Host,
}

impl Keeper {
    pub fn of(scope: &git::Scope) -> Self {
        if scope.prefix().is_empty() { Self::Tree } else { Self::Host }
    }

    /// The hint for a merge in progress.
    pub const fn waiting(self) -> &'static str {
        match self {
            Self::Tree => WAITING,
            Self::Host => WAITING_IN_HOST,
        }
    }
}
