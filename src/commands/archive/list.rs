//! `brv archive list`: what is archived, by brv and by other tools.

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::read::archive;

pub use brv_engine::read::archive::{ArchivedState, Inventory, Item};

pub fn run(cx: &Context<'_>) -> Result<Inventory, Stop> {
    archive::inventory(&cx.open()?)
}
