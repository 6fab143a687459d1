//! What a session was asked, and when it began.

use crate::agent_hook::call::Call;
use crate::agent_hook::memory::short;
use crate::agent_hook::rows::AgentRows;
use brv_engine::open::context::Opened;
use brv_engine::open::state::{HookCall, HookKey, HookRow};
use brv_git::CommitId;

/// The most questions in a session.
const MOST: usize = 3;

/// For how long it is not asked again, in seconds.
const PAUSE_SECONDS: i64 = 10 * 60;

/// A session of an agent, kept apart from what it got: it does not forget.
pub(super) struct OfferSession<'a> {
    rows: AgentRows<'a>,
    name: String,
}

impl<'a> OfferSession<'a> {
    pub fn of(opened: &'a Opened, call: &Call, now: i64) -> Self {
        Self { rows: AgentRows { opened, now }, name: short(&format!("{}\noffers", call.session)) }
    }

    /// When its first event was seen, in seconds since 1970. Of one that is seen first now it is remembered.
    pub fn began(&self) -> Option<i64> {
        let key = self.key("began");
        if let Some(before) = self.rows.read(|state| state.hook_call(&key))? {
            return Some(before.at);
        }
        let first = HookCall { at: self.rows.now, said: String::new() };
        let keep = |before: Option<HookCall>| before.map_or(HookRow::Put(first.clone()), |_| HookRow::Keep);
        self.rows.decide(std::slice::from_ref(&key), &keep)?;
        self.rows.read(|state| state.hook_call(&key))?.map(|call| call.at)
    }

    /// Whether it may be asked once more, now.
    pub fn may_be_asked(&self) -> Option<bool> {
        let asked = self.rows.read(|state| state.hook_call(&self.key("asked")))?;
        Some(self.next(asked).is_some())
    }

    /// Whether a commit was offered to any session.
    pub fn was_offered(&self, commit: CommitId) -> Option<bool> {
        Some(self.rows.read(|state| state.hook_call(&of_commit(commit)))?.is_some())
    }

    /// Whether this process is the one that asks about a commit.
    pub fn claim(&self, commit: CommitId) -> Option<bool> {
        let now = HookCall { at: self.rows.now, said: String::new() };
        let first = |before: Option<HookCall>| before.map_or(HookRow::Put(now.clone()), |_| HookRow::Keep);
        let once_more = |before| self.next(before).map_or(HookRow::Keep, HookRow::Put);
        Some(
            self.rows.decide(&[of_commit(commit)], &first)?
                && self.rows.decide(&[self.key("asked")], &once_more)?,
        )
    }

    /// The row after one more question; a letter in it stands for each. `None` if there must be none.
    fn next(&self, asked: Option<HookCall>) -> Option<HookCall> {
        let Some(asked) = asked else { return Some(HookCall { at: self.rows.now, said: "x".to_owned() }) };
        let is_soon = self.rows.age(&asked).is_some_and(|age| age < PAUSE_SECONDS);
        let is_left = asked.said.len() < MOST && !is_soon;
        is_left.then(|| HookCall { at: self.rows.now, said: asked.said + "x" })
    }

    fn key(&self, event: &str) -> HookKey {
        HookKey { agent: self.name.clone(), event: event.to_owned() }
    }
}

fn of_commit(commit: CommitId) -> HookKey {
    HookKey { agent: "offers".to_owned(), event: commit.to_string() }
}
