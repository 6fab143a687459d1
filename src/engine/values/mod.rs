//! Values of the JSON output that several commands have.

pub mod bytes;
pub mod recovered;
pub mod written;
