//! Arguments that many commands have: the form of the output, counts above zero.

use super::ui::Form;
use clap::{Args, ValueEnum};
use std::str::FromStr;

/// The form of the output, for commands that know no others.
#[derive(Debug, Args)]
pub struct Format {
    /// The form of the output: text or json
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<TextOrJson>,
}

/// The forms that every command knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextOrJson {
    /// For people
    Text,
    /// For programs
    Json,
}

impl Format {
    /// The form asked for.
    #[must_use]
    pub fn form(&self) -> Form {
        if self.format == Some(TextOrJson::Json) { Form::Json } else { Form::Text }
    }
}

/// A number that must not be zero, in words for people.
///
/// # Errors
/// What is needed.
pub fn above_zero<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "a number above zero is needed")
}
