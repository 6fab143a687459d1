//! Hints for the reason why a command stopped.

use super::unfinished;
use crate::say::Failure;
use crate::say::words::perhaps;
use brv_engine::Stop;
use brv_engine::curate;
use brv_engine::query::search::{Refusal, Unaskable};
use brv_engine::write::landing;
use std::error::Error;

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        let of_engine = stop.source.as_deref().and_then(|source| of_engine(source));
        let near = stop.nearest.as_deref().map(perhaps);
        Self::stopped(&stop).hinting(of_engine).hinting(near).hinting(stop.hint)
    }
}

/// The hint for an error of the engine, which several commands may meet.
fn of_engine(error: &(dyn Error + 'static)) -> Option<String> {
    let landing = match error.downcast_ref() {
        Some(curate::Error::Landing(error)) => Some(error),
        _ => error.downcast_ref(),
    };
    if let Some(landing::Error::InProgress(kind)) = landing {
        return Some(unfinished(*kind));
    }
    match error.downcast_ref() {
        Some(Refusal::Unaskable(Unaskable::Scope { nearest, .. })) => Some(perhaps(nearest)),
        _ => None,
    }
}
