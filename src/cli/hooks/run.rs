//! `brv hooks run EVENT`: what git's hooks call.

use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::blocked::{self, Reader};
use brv_commands::hooks::Event;
use brv_commands::hooks::run::{self, Outcome};
use brv_commands::vc::check::Finding;
use brv_commands::work;
use brv_engine::Context;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::Path;

/// The most bytes of standard input that are read.
const MOST: usize = 64 << 20;

/// The arguments of `brv hooks run`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv hooks run post-commit
  brv hooks run worker")]
pub struct Arguments {
    /// The hook that git runs; `worker` works through the queue
    #[arg(value_name = "EVENT", value_parser = PossibleValuesParser::new(Event::ALL.map(Event::name).into_iter().chain(["worker"])))]
    event: String,
    /// What git gives to the hook
    #[arg(value_name = "ARGUMENT", allow_hyphen_values = true, trailing_var_arg = true)]
    arguments: Vec<String>,
}

impl Verb for Arguments {
    const NAME: &'static str = "hooks run";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let Some(event) = Event::ALL.into_iter().find(|event| event.name() == self.event) else {
            let done = Some(work::run(cx)?);
            return Ok(Answer::new(Outcome { done, ..Outcome::default() }));
        };
        let input = || cx.read_input(Path::new("-"), MOST).unwrap_or_default();
        let outcome = run::run(cx, event, &self.arguments, &input)?;
        let findings: Vec<Finding> = outcome.stopped.stopped.iter().map(Finding::from).collect();
        let unreviewed = &outcome.stopped.unreviewed;
        let (failure, said) =
            (blocked::failure(&findings, unreviewed, Reader::of(cx)), blocked::warnings(unreviewed));
        Ok(Answer::new(outcome).warning(said).failing(failure))
    }

    /// A hook says nothing but what stops a push.
    fn text(&self, _: &Outcome, _: &mut Screen) {}
}
