//! `brv completions`: prints the shell script that completes brv's commands, flags, names and paths.

use super::Shell;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use brv_engine::Context;
use clap::{Args, ValueEnum as _};
use schemars::JsonSchema;
use serde::Serialize;

/// The arguments of `brv completions`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv completions bash
  brv completions zsh
  brv completions fish
  brv completions powershell")]
pub struct Arguments {
    /// The shell: bash, zsh, fish or powershell. The script begins with installation instructions
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

/// `brv.completions/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Completions")]
pub struct Outcome {
    /// `bash`, `zsh`, `fish` or `powershell`.
    shell: String,
    /// The shell script.
    script: &'static str,
}

impl Verb for Arguments {
    const NAME: &'static str = "completions";
    type Outcome = Outcome;

    fn run<'a>(&self, _cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let shell = self.shell.to_possible_value().map(|value| value.get_name().to_owned());
        Ok(Answer::new(Outcome { shell: shell.unwrap_or_default(), script: self.shell.script() }))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        screen.plain(outcome.script);
    }
}
