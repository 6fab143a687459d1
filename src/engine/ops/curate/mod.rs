//! `brv curate`: apply operations to entries, and learn what became of each.

pub mod commits;
mod grouped;
mod history;
pub mod model;
mod one;
pub mod plan;

use crate::ops::context::Context;
use crate::ops::steps::{curating, hosting};

pub use crate::ops::Mode;
use crate::ops::Stop;
pub use crate::ops::steps::curating::{Applied, Done, Extent, Options, Outcome, Similar};
pub use brv_text::curation::MAX_INPUT_BYTES;
pub use one::{One, Verb};

/// Apply the operations, in order.
///
/// # Errors
/// [`Stop`]; then nothing was written. An operation that fails is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    match grouped::sources(&options.operations) {
        Some(groups) => grouped::curate(cx, &opened, options, &groups),
        None => {
            let options = Options { code_head: hosting::code_head(&opened, &cx.cwd), ..options.clone() };
            Ok(curating::curate(cx.parts(&opened), &options)?)
        }
    }
}
