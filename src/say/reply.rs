//! What a command answers to a surface that is not a terminal.

use super::failure::Failure;

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
