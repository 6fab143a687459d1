//! Hints for commands that read and write the tree.

use crate::say::Failure;
use brv_engine::Stop;
use brv_engine::query::search::Refusal;

impl From<Refusal> for Failure {
    fn from(error: Refusal) -> Self {
        Stop::from(error).into()
    }
}
