//! The rows of the state that say what agents got through hooks.

use brv_engine::open::context::Opened;
use brv_engine::open::state::{self, HookCall, HookKey, HookRow, Missing, State, StatePlace};
use std::time::Duration;

/// How long brv remembers what an agent got, in seconds.
const KNOWN_SECONDS: i64 = 7 * 24 * 60 * 60;

/// How long to wait for other processes, which hold the state for milliseconds.
const PATIENCE: Duration = Duration::from_millis(700);

/// The rows of a project, at a time.
pub(super) struct AgentRows<'a> {
    pub opened: &'a Opened,
    /// In seconds since 1970.
    pub now: i64,
}

impl AgentRows<'_> {
    /// How long ago a row was put, in seconds; `None` of one that was put in the future, by a clock that was wrong.
    pub fn age(&self, call: &HookCall) -> Option<i64> {
        Some(self.now - call.at).filter(|age| *age >= 0)
    }

    pub fn read<T>(&self, work: impl Fn(&State) -> Result<T, state::Error>) -> Option<T> {
        Some(state::with(&self.place()?, Missing::Make, PATIENCE, |state| work(state)).ok()??.result)
    }

    /// Decide about rows, as [`State::decide_hook_calls`] does.
    pub fn decide(&self, keys: &[HookKey], decide: &dyn Fn(Option<HookCall>) -> HookRow) -> Option<bool> {
        let work = |state: &mut State| state.decide_hook_calls(keys, self.now - KNOWN_SECONDS, decide);
        Some(state::with(&self.place()?, Missing::Make, PATIENCE, work).ok()??.result)
    }

    fn place(&self) -> Option<StatePlace> {
        StatePlace::of(&self.opened.places, self.opened.scope.environment()).ok()
    }
}
