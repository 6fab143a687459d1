//! Whether an agent is told something: once for each event, again after its context was made shorter, and after 30 minutes
//! what is new.

use super::call::{Call, Event};
use brv_base::content::{ContentId, fnv};
use brv_engine::open::context::Opened;
use brv_engine::open::state::{self, HookCall, HookKey, HookRow, Missing, Place, State};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// For how long an event is silent after it spoke, in seconds.
const SILENT_SECONDS: i64 = 30 * 60;

/// Within how many seconds two calls are about one compaction: hooks that are registered twice run at the same time, and
/// hosts report one compaction by two events.
const ONE_COMPACTION_SECONDS: i64 = 10;

/// For how long it is known what an agent was told.
const KNOWN_SECONDS: i64 = 7 * 24 * 60 * 60;

/// How long to wait for other processes, which hold the state for milliseconds.
const PATIENCE: Duration = Duration::from_millis(700);

/// What the agents of a project were told.
pub(super) struct Memory<'a> {
    opened: &'a Opened,
    agent: String,
    now: i64,
}

impl<'a> Memory<'a> {
    pub fn of(opened: &'a Opened, call: &Call, now: i64) -> Self {
        let agent = short(&format!("{}\n{}", call.session, call.agent));
        Self { opened, agent, now }
    }

    /// If the event says that the agent forgot, forget what it was told.
    pub fn follow(&self, event: &Event) -> Option<()> {
        if !event.is_forgetful() {
            return Some(());
        }
        let is_new = |before: Option<HookCall>| match before {
            Some(before) if self.age(&before).is_some_and(|age| age < ONE_COMPACTION_SECONDS) => {
                HookRow::Keep
            }
            _ => HookRow::Restart(HookCall { at: self.now, said: String::new() }),
        };
        self.decide(&[self.forgot()], &is_new).map(drop)
    }

    /// A name for the agent until it forgets: with it `--for` knows which entries were shown.
    pub fn epoch(&self) -> Option<String> {
        let forgot = self.read(|state| state.hook_call(&self.forgot()))?;
        Some(format!("hook {} {}", self.agent, forgot.map_or(0, |call| call.at)))
    }

    /// The events that may speak now.
    pub fn open(&self, about: &[About]) -> Option<Vec<About>> {
        self.read(|state| {
            let mut open = Vec::new();
            for about in about {
                let before = state.hook_call(&self.key(about))?;
                let age = before.and_then(|before| self.age(&before));
                if age.is_none_or(|age| age >= SILENT_SECONDS) {
                    open.push(about.clone());
                }
            }
            Ok(open)
        })
    }

    /// Whether this process is the one that tells the agent a document. Afterwards no other one does.
    pub fn claim(&self, about: &[About], document: &str) -> Option<bool> {
        let lines: Vec<String> = document.lines().filter(|line| !line.is_empty()).map(mark).collect();
        let decide = |before: Option<HookCall>| {
            let before = before.unwrap_or_default();
            let known: HashSet<&str> = before.said.split(' ').collect();
            let is_silent = self.age(&before).is_some_and(|age| age < SILENT_SECONDS);
            if is_silent || lines.iter().all(|line| known.contains(line.as_str())) {
                return HookRow::Keep;
            }
            HookRow::Put(HookCall { at: self.now, said: lines.join(" ") })
        };
        let keys: Vec<HookKey> = about.iter().map(|about| self.key(about)).collect();
        self.decide(&keys, &decide)
    }

    /// In seconds; `None` of one that was told in the future, by a clock that was wrong.
    fn age(&self, call: &HookCall) -> Option<i64> {
        Some(self.now - call.at).filter(|age| *age >= 0)
    }

    fn key(&self, about: &About) -> HookKey {
        HookKey { agent: self.agent.clone(), event: short(&format!("{} {}", about.event, about.what)) }
    }

    fn forgot(&self) -> HookKey {
        HookKey { agent: self.agent.clone(), event: "forgot".to_owned() }
    }

    fn place(&self) -> Option<Place> {
        Place::of(&self.opened.places, self.opened.scope.environment()).ok()
    }

    fn read<T>(&self, work: impl Fn(&State) -> Result<T, state::Error>) -> Option<T> {
        Some(state::with(&self.place()?, Missing::Make, PATIENCE, |state| work(state)).ok()??.result)
    }

    fn decide(&self, keys: &[HookKey], decide: &dyn Fn(Option<HookCall>) -> HookRow) -> Option<bool> {
        let work = |state: &mut State| state.decide_hook_calls(keys, self.now - KNOWN_SECONDS, decide);
        Some(state::with(&self.place()?, Missing::Make, PATIENCE, work).ok()??.result)
    }
}

/// What is told apart: an event, and its source, kind of agent or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct About {
    pub event: &'static str,
    pub what: String,
}

impl About {
    pub fn file(event: &'static str, file: &Path) -> Self {
        Self { event, what: file.to_string_lossy().into_owned() }
    }
}

fn short(name: &str) -> String {
    ContentId::of(name.as_bytes()).to_string()
}

fn mark(line: &str) -> String {
    format!("{:016x}", fnv(line.bytes()))
}
