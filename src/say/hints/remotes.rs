//! Hints for files that cannot be written.

use crate::say::Failure;
use brv_engine::Fails as _;
use brv_engine::outcome::cause::Cause;

/// The hint and the details of a shared failure.
pub fn caused(failure: Failure, cause: &Cause) -> Failure {
    failure.detailing(cause.details()).hinting(cause.hint())
}
