//! `brv curate`: apply operations to entries, and learn what became of each.

mod one;

use crate::ops::context::Context;
use crate::ops::steps::curating;

pub use crate::curation::MAX_INPUT_BYTES;
pub use crate::ops::Mode;
pub use crate::ops::steps::curating::{Applied, Done, Error, Options, Outcome, Similar};
pub use one::{One, Verb};

/// Apply the operations, in order.
///
/// # Errors
/// [`Error`]; then nothing was written. An operation that fails is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    curating::curate(cx.parts(&opened), options)
}
