//! Whether an agent gets a document: once for each event, again after its context was compacted, and after 30 minutes
//! what is new.

use super::call::{Call, Event};
use super::rows::AgentRows;
use brv_base::content::{ContentId, fnv};
use brv_engine::open::context::Opened;
use brv_engine::open::state::{HookCall, HookKey, HookRow};
use std::collections::HashSet;
use std::path::Path;

/// For how long an event is silent after it spoke, in seconds.
const SILENT_SECONDS: i64 = 30 * 60;

/// Within how many seconds two calls are about one compaction: hooks that are registered twice run at the same time, and
/// hosts report one compaction by two events.
const ONE_COMPACTION_SECONDS: i64 = 10;

/// What the agents of a project got.
pub(super) struct AgentMemory<'a> {
    rows: AgentRows<'a>,
    agent: String,
}

impl<'a> AgentMemory<'a> {
    pub fn of(opened: &'a Opened, call: &Call, now: i64) -> Self {
        let agent = short(&format!("{}\n{}", call.session, call.agent));
        Self { rows: AgentRows { opened, now }, agent }
    }

    /// If the event says that the agent forgot, forget what it got.
    pub fn follow(&self, event: &Event) -> Option<()> {
        if !event.is_forgetful() {
            return Some(());
        }
        let is_new = |before: Option<HookCall>| match before {
            Some(before) if self.rows.age(&before).is_some_and(|age| age < ONE_COMPACTION_SECONDS) => {
                HookRow::Keep
            }
            _ => HookRow::Restart(HookCall { at: self.rows.now, said: String::new() }),
        };
        self.rows.decide(&[self.forgot()], &is_new).map(drop)
    }

    /// A name for the agent until it forgets: with it `--for` knows which entries were shown.
    pub fn epoch(&self) -> Option<String> {
        let forgot = self.rows.read(|state| state.hook_call(&self.forgot()))?;
        Some(format!("hook {} {}", self.agent, forgot.map_or(0, |call| call.at)))
    }

    /// The events that may speak now.
    pub fn open(&self, about: &[About]) -> Option<Vec<About>> {
        self.rows.read(|state| {
            let mut open = Vec::new();
            for about in about {
                let before = state.hook_call(&self.key(about))?;
                let age = before.and_then(|before| self.rows.age(&before));
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
            let is_silent = self.rows.age(&before).is_some_and(|age| age < SILENT_SECONDS);
            if is_silent || lines.iter().all(|line| known.contains(line.as_str())) {
                return HookRow::Keep;
            }
            HookRow::Put(HookCall { at: self.rows.now, said: lines.join(" ") })
        };
        let keys: Vec<HookKey> = about.iter().map(|about| self.key(about)).collect();
        self.rows.decide(&keys, &decide)
    }

    fn key(&self, about: &About) -> HookKey {
        HookKey { agent: self.agent.clone(), event: short(&format!("{} {}", about.event, about.what)) }
    }

    fn forgot(&self) -> HookKey {
        HookKey { agent: self.agent.clone(), event: "forgot".to_owned() }
    }
}

/// The key of a delivery: an event, and its source, kind of agent or file.
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

pub(super) fn short(name: &str) -> String {
    ContentId::of(name.as_bytes()).to_string()
}

fn mark(line: &str) -> String {
    format!("{:016x}", fnv(line.bytes()))
}
