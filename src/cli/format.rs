//! Arguments shared by many commands: the output format, choices, and numbers above zero.

use super::ui::Form;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
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

/// A parser of a choice: each value with the word that is typed for it, and what the help says about it, if anything.
pub fn choice<T: Clone + Send + Sync + 'static, const N: usize>(
    all: [(T, &'static str, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let possible = all.each_ref().map(|(_, word, about)| {
        let value = PossibleValue::new(*word);
        if about.is_empty() { value } else { value.help(*about) }
    });
    PossibleValuesParser::new(possible).map(move |typed| {
        let chosen = all.iter().find(|(_, word, _)| word.eq_ignore_ascii_case(&typed));
        chosen.expect("one of the words").0.clone()
    })
}

/// Parse a number that must not be zero, with a readable error.
///
/// # Errors
/// The text is not a number above zero.
pub fn above_zero<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "must be a number above zero")
}
