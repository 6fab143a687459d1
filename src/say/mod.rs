//! What is said of an outcome: its JSON's envelope and schema; for people failures, hints, warnings, phrases, diff pages,
//! reviews, and CI files.
//!
//! Knows the outcomes of [`brv_commands`], and [`brv_text`]. Knows no terminal,
//! arguments or streams, so that the command line, the MCP server and pages for a browser share it.

pub mod address;
pub mod agent_hook;
pub mod blocked;
mod calling;
pub mod curate;
pub mod decisions;
pub mod described;
pub mod dream;
pub mod envelope;
mod exit;
mod failure;
pub mod gist;
pub mod guards;
pub mod knowledge;
pub mod last_changes;
pub mod page;
pub mod refs;
pub mod review;
mod sheet;
pub mod site;
pub mod versions;
pub mod warnings;
pub mod words;
pub mod workflow;

pub use calling::{CommandCall, Commands, Reply};
pub use exit::Exit;
pub use failure::Failure;
