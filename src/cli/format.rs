//! Arguments shared by many commands: the output format, and numbers above zero.

use super::ui::Form;
use clap::{Args, ValueEnum};
use std::str::FromStr;

/// The output format, for commands that have only text and JSON.
#[derive(Debug, Args)]
pub struct Format {
    /// Output format: text or json
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<TextOrJson>,
}

/// The formats that every command has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextOrJson {
    /// For people
    #[value(alias = "markdown")]
    Text,
    /// For programs
    Json,
}

impl Format {
    pub fn form(&self) -> Form {
        if self.format == Some(TextOrJson::Json) { Form::Json } else { Form::Text }
    }
}

/// Parse a number that must not be zero, with a readable error.
///
/// # Errors
/// The text is not a number above zero.
pub fn above_zero<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "must be a number above zero")
}
