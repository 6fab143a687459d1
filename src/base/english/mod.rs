//! Numbers, months and units as they are said in English, and the reader of lists of words.
//!
//! Pure, the same on every machine. Does not judge what a text says.

pub mod list;
mod numbers;
mod quantities;

pub use numbers::{cardinal, day_of_month, meant_number, month, month_name, spelled_number};
pub use quantities::{Dimension, Unit, is_same_amount, plain_number, unit};
