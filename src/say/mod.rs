//! The words for people: what went wrong and what may help, warnings, phrases, pages.
//!
//! Knows the data of [`crate::wire`], the errors of [`crate::ops`] and the pure rooms. Knows no terminal, no arguments and
//! no streams: the command line, an MCP server and a web page say the same.

pub mod escape;
mod exit;
mod failure;
pub mod knowledge;
pub mod page;
mod sought;
pub mod words;

pub use exit::Exit;
pub use failure::Failure;
