//! The server of the Model Context Protocol: what an agent calls, over standard input and output or over HTTP on this
//! machine.
//!
//! A tool is a row in [`tools`] over a command; this room knows no command. [`crate::say::Commands`], which the command line
//! implements, runs them. [`coerce`] reads arguments as hosts send them, [`desk`] calls a command for a caller, [`answer`]
//! makes what a model reads, [`server`] speaks the protocol; [`stdio`] and [`http`] carry it, and [`life`] ends
//! the process.

mod addresses;
pub mod answer;
mod client;
pub mod coerce;
pub mod desk;
mod exchange;
pub mod http;
mod instructions;
pub mod life;
mod notices;
mod progress;
mod prompts;
mod resources;
mod roots;
mod schema;
pub mod server;
pub mod stdio;
mod steering;
mod tool_list;
pub mod tools;
