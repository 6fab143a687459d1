//! `brv completions`: prints the shell script that completes brv's commands, flags, names and paths.

use super::Shell;
use crate::cli::session::{Report, Run, Session};
use crate::say::{Exit, Failure};
use crate::wire;
use clap::{Args, ValueEnum as _};

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

impl Run for Arguments {
    const NAME: &'static str = "completions";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let script = self.shell.script();
        let shell =
            self.shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let data = wire::Completions { shell, script };
        Ok(session.report(Report::new(&data), |screen| {
            screen.plain(script);
        }))
    }
}
