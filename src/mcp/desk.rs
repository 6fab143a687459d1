//! Where the calls of all clients arrive: finds the project that a call is about, and runs the command.

use super::life::Activity;
use super::tools::ToolOffer;
use crate::say::{CommandCall, Commands, Failure, Reply};
use brv_base::clock::Clock;
use brv_base::config::{Config, Flags};
use brv_base::environment::Environment;
use brv_base::progress::{Progress, Silent};
use brv_commands::derive::embed;
use brv_engine::{Actor, Audience, BrokenRefs, CallDoor, Context, FailureKind, Interrupt, Preceding};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Which folders a caller may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All that the process can read: the client started it.
    Anywhere,
    /// The folder that the server was started in, and what is below.
    Below,
}

/// After so long without a call a dream may begin.
const QUIET: Duration = Duration::from_secs(600);

/// How many calls run at a time, of all clients.
const TURNS: usize = 16;

/// How a server was started.
#[derive(Debug, Clone)]
pub struct Setup {
    pub environment: Environment,
    pub clock: Clock,
    /// The folder that it was started in, absolute.
    pub folder: PathBuf,
    pub is_read_only: bool,
    pub reach: Reach,
    /// The session of all calls; `None`: they belong to none.
    pub session: Option<String>,
}

pub struct Desk {
    pub commands: Box<dyn Commands>,
    pub setup: Setup,
    pub activity: Activity,
    /// Cancelled when the client sends nothing any more.
    pub ending: CancellationToken,
    /// Cancelled when the client has left: who waits for changes stops.
    pub leaving: CancellationToken,
    turns: Arc<Semaphore>,
}

/// A call that may run, until this is dropped.
pub type CallPermit = OwnedSemaphorePermit;

/// Who calls, and for which project.
pub struct McpCaller {
    /// The name of the client.
    pub name: Option<String>,
    pub root: PathBuf,
    pub progress: Box<dyn Progress>,
    pub interrupt: Arc<Interrupt>,
}

impl Desk {
    pub fn new(commands: Box<dyn Commands>, setup: Setup) -> Self {
        Self {
            commands,
            setup,
            activity: Activity::new(),
            ending: CancellationToken::new(),
            leaving: CancellationToken::new(),
            turns: Arc::new(Semaphore::new(TURNS)),
        }
    }

    /// Wait until a call may run: those that came first run first. `None`: none may begin any more.
    pub async fn turn(&self) -> Option<CallPermit> {
        self.turns.clone().acquire_owned().await.ok()
    }

    /// Drop the calls that wait.
    pub fn drop_waiting(&self) {
        self.turns.close();
    }

    /// Run a command for a client, and hand on its reply; `read` is what it reads instead of standard input.
    pub fn reply(
        &self,
        call: &CommandCall<'_>,
        caller: &McpCaller,
        read: Vec<u8>,
        answer: &mut dyn FnMut(Reply),
    ) {
        let _running = self.activity.begin();
        match self.context(caller, read) {
            Ok(cx) => caller.interrupt.during(|| self.commands.reply(call, &cx, answer)),
            Err(failure) => answer(Reply::refusing(failure)),
        }
    }

    fn context<'c>(&self, caller: &'c McpCaller, read: Vec<u8>) -> Result<Context<'c>, Failure> {
        let config = Config::load(Flags::default(), &self.setup.environment);
        let config = config.map_err(|error| Failure::because(FailureKind::Usage, &error))?;
        let of_environment = Actor::of(&self.setup.environment);
        let actor = Actor {
            name: of_environment.name.or_else(|| caller.name.clone()),
            session: self.setup.session.clone(),
            door: None,
        };
        Ok(Context {
            cwd: caller.root.clone(),
            environment: self.setup.environment.clone(),
            clock: self.setup.clock,
            config,
            progress: &*caller.progress,
            actor: actor.through(CallDoor::Mcp, &self.setup.environment),
            audience: Audience::Agent,
            input: Some(read),
            preceding: Preceding::default(),
            broken_refs: BrokenRefs::default(),
            kept: OnceLock::new(),
            ends_with_process: false,
            ends_at: None,
        })
    }

    /// Which tools are offered, by the settings as they are now.
    pub fn offer(&self) -> ToolOffer {
        let config = Config::load(Flags::default(), &self.setup.environment);
        let has_engine = config.is_ok_and(|config| config.index.engine.value.is_some());
        ToolOffer { is_read_only: self.setup.is_read_only, has_engine }
    }

    /// A caller that is the server itself.
    pub fn itself(&self) -> McpCaller {
        let root = self.setup.folder.clone();
        McpCaller { name: None, root, progress: Box::new(Silent), interrupt: Arc::new(Interrupt::new()) }
    }

    /// Dream, and have the encoder embed what it has not yet, while nobody asks for anything: once in each rest, where the
    /// settings say so. Never ends.
    pub async fn dreams(self: &Arc<Self>) {
        loop {
            self.activity.idles(QUIET).await;
            let desk = self.clone();
            // why it did not is in the log of dreams
            let rest = move || {
                desk.dream();
                desk.embed();
            };
            tokio::task::spawn_blocking(rest).await.ok();
            while self.activity.idle() >= QUIET {
                tokio::time::sleep(QUIET / 10).await;
            }
        }
    }

    fn dream(&self) {
        let caller = self.itself();
        let Ok(cx) = self.context(&caller, Vec::new()) else { return };
        let wants_it = cx.open().is_ok_and(|opened| opened.config.dream_auto.value);
        if !wants_it || self.setup.is_read_only {
            return;
        }
        let model = &cx.config.model;
        let by_model =
            (model.is_set() && model.background.value).then(|| json!({"if_due": true, "model": true}));
        // after a model that failed; where it decided, none is due any more
        for input in by_model.into_iter().chain([json!({ "if_due": true })]) {
            let call = CommandCall { command: "dream", input: &input, format: None };
            self.commands.reply(&call, &cx, &mut |_| {});
        }
    }

    fn embed(&self) {
        let caller = self.itself();
        let Ok(cx) = self.context(&caller, Vec::new()) else { return };
        embed::in_background(&cx);
    }

    /// The folder that a caller names, or else the first that it may mean.
    ///
    /// # Errors
    /// A folder that is none, or out of reach.
    pub fn root(&self, named: Option<&str>, usual: &Path) -> Result<PathBuf, Failure> {
        let Some(named) = named else { return Ok(usual.to_path_buf()) };
        let wrong = |why: &str| Failure::usage(format!("`root` is `{named}`: {why}"));
        let root = std::fs::canonicalize(usual.join(named)).map_err(|error| wrong(&error.to_string()))?;
        if !root.is_dir() {
            return Err(wrong("it is not a folder"));
        }
        if self.setup.reach == Reach::Below {
            let start =
                std::fs::canonicalize(&self.setup.folder).map_err(|error| wrong(&error.to_string()))?;
            if !root.starts_with(&start) {
                return Err(wrong("this server serves only what is below the folder that it was started in"));
            }
        }
        Ok(root)
    }
}
