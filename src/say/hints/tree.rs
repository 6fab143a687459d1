//! Hints for commands that read and write the tree.

use crate::say::Failure;
use crate::say::words::perhaps;
use brv_engine::Fails;
use brv_engine::query::search::{Refusal, Unaskable};

impl From<Refusal> for Failure {
    fn from(error: Refusal) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            Refusal::Unaskable(Unaskable::Scope { nearest, .. }) => failure.hinting(Some(perhaps(nearest))),
            _ => failure,
        }
    }
}
