//! Access to the stored jobs of a project.

use crate::open::context::Opened;
use crate::open::state::{self, Missing, State, StatePlace};
use crate::open::tree::{DiscoverError, Places};
use crate::{Fails, FailureKind};
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

/// Why the jobs cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Place(#[from] DiscoverError),
    #[error(transparent)]
    State(#[from] state::Error),
}

impl Fails for StoreError {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Place(DiscoverError::ForeignOwner(_) | DiscoverError::Link(_)) => FailureKind::Refused,
            Self::State(state::Error::Lock(_)) => FailureKind::Busy,
            Self::State(error) if error.is_busy() => FailureKind::Busy,
            Self::Place(_) | Self::State(_) => FailureKind::Failed,
        }
    }
}

impl Store {
    /// The jobs of the project at these places, waiting at most `patience` for other processes.
    pub fn at(places: &Places, environment: &Environment, patience: Duration) -> Result<Self, StoreError> {
        let place = StatePlace::of(places, environment)?;
        Ok(Self { place, patience, clock: Clock::from_environment(environment) })
    }

    /// The jobs of an open project.
    pub fn of(opened: &Opened) -> Result<Self, StoreError> {
        Self::at(&opened.places, opened.scope.environment(), opened.config.lock_timeout.value)
    }

    /// Work with the state, which is made if it is missing.
    pub fn with<T>(&self, work: impl Fn(&mut State) -> Result<T, state::Error>) -> Result<T, StoreError> {
        let done = state::with(&self.place, Missing::Make, self.patience, work)?;
        Ok(done.expect("a missing file is made").result)
    }

    /// Read the state; `T`'s default if there is none.
    pub fn read<T: Default>(
        &self,
        work: impl Fn(&State) -> Result<T, state::Error>,
    ) -> Result<T, StoreError> {
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
