//! Access to the stored jobs of a project.

use crate::Stop;
use crate::open::context::Opened;
use crate::open::state::{self, Missing, State, StatePlace};
use crate::open::tree::Places;
use brv_base::clock::Clock;
use brv_base::environment::Environment;
use std::time::Duration;

/// The stored jobs of a project. Each use opens the file anew, for as long as it takes.
#[derive(Debug, Clone)]
pub struct Store {
    place: StatePlace,
    patience: Duration,
    clock: Clock,
}

impl Store {
    /// The jobs of the project at these places, waiting at most `patience` for other processes.
    pub fn at(places: &Places, environment: &Environment, patience: Duration) -> Result<Self, Stop> {
        let place = StatePlace::of(places, environment)?;
        Ok(Self { place, patience, clock: Clock::from_environment(environment) })
    }

    /// The jobs of an open project.
    pub fn of(opened: &Opened) -> Result<Self, Stop> {
        Self::at(&opened.places, opened.scope.environment(), opened.config.lock_timeout.value)
    }

    /// Work with the state, which is made if it is missing.
    pub fn with<T>(&self, work: impl Fn(&mut State) -> Result<T, state::Error>) -> Result<T, Stop> {
        let done = state::with(&self.place, Missing::Make, self.patience, work)?;
        Ok(done.expect("a missing file is made").result)
    }

    /// Read the state; `T`'s default if there is none.
    pub fn read<T: Default>(&self, work: impl Fn(&State) -> Result<T, state::Error>) -> Result<T, Stop> {
        let done = state::with(&self.place, Missing::Leave, self.patience, |state| work(state))?;
        Ok(done.map(|done| done.result).unwrap_or_default())
    }

    /// The current time, in seconds since 1970.
    pub fn now(&self) -> i64 {
        self.clock.seconds()
    }

    /// The folder of the state.
    pub(super) fn folder(&self) -> &std::path::Path {
        self.place.folder()
    }
}
