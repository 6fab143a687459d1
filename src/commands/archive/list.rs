//! `brv archive list`: what is archived, by brv and by other tools.

use brv_engine::Stop;
use brv_engine::archive as archived;
use brv_engine::context::Context;

pub use brv_engine::archive::{Inventory, Item, State};

pub fn run(cx: &Context<'_>) -> Result<Inventory, Stop> {
    Ok(archived::inventory(&cx.open()?)?)
}
