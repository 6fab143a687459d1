//! `brv curate`: apply operations to entries, and learn what became of each.

mod again;
pub mod commits;
mod grouped;
mod history;
pub mod model;
mod named;
mod one;
pub mod plan;
pub mod propose;
mod taking;

use brv_engine::curate;
use brv_engine::open::context::Context;
use brv_engine::open::hosting;

pub use brv_engine::Mode;
use brv_engine::Stop;
pub use brv_engine::curate::{Applied, Done, Extent, Options, Outcome, Similar};
pub use brv_text::curate::{MAX_INPUT_BYTES, Operations};
pub use named::followed;
pub use one::{One, Verb};
pub use taking::Again;

/// Apply the operations, in order.
///
/// # Errors
/// [`Stop`]; then nothing was written. An operation that fails is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let options = Options { code_head: hosting::code_head(&opened, &cx.cwd), ..options.clone() };
    if grouped::have_sources(&options.operations) {
        return grouped::curate(cx, &opened, &options);
    }
    Ok(curate::curate(cx.parts(&opened), &options)?)
}
