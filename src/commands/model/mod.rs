//! `brv model`: the model that brv may ask: its settings, whether it answers, what it was asked.

pub mod show;
pub mod test;
pub mod usage;
