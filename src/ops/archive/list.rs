//! `brv archive list`: what is archived, by brv and by other tools.

use crate::ops::FailureKind;
use crate::ops::cause::{Cause, caused};
use crate::ops::context::Context;
use crate::ops::steps::archived;

pub use crate::ops::steps::archived::{Inventory, Item, Malformed, State};

/// Why nothing is listed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        let Self::Cause(cause) = self;
        cause.kind()
    }
}

caused!(Error);

/// List what is archived.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>) -> Result<Inventory, Error> {
    Ok(archived::inventory(&cx.open()?)?)
}
