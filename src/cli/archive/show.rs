//! `brv archive show`: prints an archived entry byte for byte.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::archive::show::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv archive show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv archive show auth/old_draft
  brv archive show _archived/auth/old_draft.stub.md --json")]
pub struct Arguments {
    /// The entry, with or without .md, or its stub
    #[arg(value_name = "PATH")]
    path: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "archive show";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let (outcome, missing) = show::run(cx, &self.path)?;
        Ok(Answer::new(outcome).failing(missing.map(Failure::from)))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let stub = outcome.stub.as_deref().filter(|stub| std::str::from_utf8(stub).is_ok());
        screen.bytes(Style::Plain, outcome.content.as_deref().or(stub).unwrap_or_default());
    }
}
