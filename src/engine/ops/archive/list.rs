//! `brv archive list`: what is archived, by brv and by other tools.

use crate::ops::Stop;
use crate::ops::context::Context;
use crate::ops::steps::archived;

pub use crate::ops::steps::archived::{Inventory, Item, State};

pub fn run(cx: &Context<'_>) -> Result<Inventory, Stop> {
    Ok(archived::inventory(&cx.open()?)?)
}
