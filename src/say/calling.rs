//! How a surface that is not a terminal calls a command, and what it is answered.

use super::failure::Failure;
use brv_engine::Context;
use serde_json::Value;

/// Runs the commands of the table for a surface that may not know them.
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
    pub command: &'a str,
    /// Its options by name: an object.
    pub input: &'a Value,
    /// The format of the text, where the command has several.
    pub format: Option<&'static str>,
}

/// The answer of a command, as JSON and as text.
#[derive(Debug)]
pub struct Reply {
    /// What `--json` prints, in one line.
    pub json: String,
    /// The text for people, without colours; empty if there is no outcome.
    pub text: String,
    /// The warnings that the text does not show by itself.
    pub warnings: Vec<String>,
    /// Why the command failed, in part or as a whole.
    pub failure: Option<Failure>,
}

impl Reply {
    /// The reply where no command ran.
    pub const fn refusing(failure: Failure) -> Self {
        Self { json: String::new(), text: String::new(), warnings: Vec::new(), failure: Some(failure) }
    }
}
