//! The server of the Model Context Protocol: what an agent calls, over standard input and output or over HTTP on this
//! machine.
//!
//! A tool is a row in [`tools`] over a command; this room knows no command. [`Commands`], which the command line
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

use crate::say::Reply;
use brv_engine::Context;
use serde_json::Value;

/// Runs the commands behind the tools.
pub trait Commands: Send + Sync + 'static {
    /// The JSON Schema of the input of a command: an object.
    fn input(&self, command: &str) -> Value;

    /// Run a command with this input, and hand on its reply, once. A wrong input is a failure in the reply. Work that
    /// nobody waits for is done behind it.
    fn reply(&self, call: &CommandCall<'_>, cx: &Context<'_>, answer: &mut dyn FnMut(Reply));
}

/// The call of a command.
#[derive(Debug)]
pub struct CommandCall<'a> {
    /// What is typed after `brv`.
    pub command: &'static str,
    /// Its options by name: an object.
    pub input: &'a Value,
    /// The format of the text, where the command has several.
    pub format: Option<&'static str>,
}
