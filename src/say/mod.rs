//! Text for people: failures, hints, warnings, phrases, and diff pages.
//!
//! Knows the data of [`crate::wire`], the errors of [`crate::ops`] and the pure rooms. Knows no terminal, arguments or
//! streams, so that the command line, an MCP server and a web page can share it.

mod blocked;
pub mod decisions;
pub mod escape;
mod exit;
pub mod failing;
mod failure;
pub mod guards;
pub mod hints;
pub mod knowledge;
pub mod page;
pub mod refs;
mod sought;
pub mod warnings;
pub mod words;

pub use exit::Exit;
pub use failure::Failure;
