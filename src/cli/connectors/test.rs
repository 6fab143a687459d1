//! `brv connectors test HOST`: runs what is registered, and shows what a model would get.

use super::{Which, hosts, kinds, scopes};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::connectors::test::{self, Outcome};
use brv_commands::connectors::{ConnectorType, Host, Scope};
use brv_engine::{Context, FailureKind};
use clap::Args;

/// The arguments of `brv connectors test`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv connectors test claude
  brv connectors test codex --type hook",
    after_help = "Runs the registered command as the host does at the start of a session, and ends it after ten seconds. \
It does not start the host, so it does not test the host's own approvals: see `brv connectors status`."
)]
pub struct Arguments {
    /// The host
    #[arg(value_name = "HOST", value_parser = hosts(), hide_possible_values = true)]
    host: Host,
    /// Whose files: those of the project, or your own
    #[arg(long, value_name = "SCOPE", value_parser = scopes(), hide_possible_values = true)]
    scope: Option<Scope>,
    /// What to run: mcp or hook; if neither is named, the server before the hook
    #[arg(long = "type", id = "type", value_name = "TYPE", value_parser = kinds(), hide_possible_values = true)]
    kinds: Vec<ConnectorType>,
}

impl Verb for Arguments {
    const NAME: &'static str = "connectors test";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let which = Which { scope: self.scope, kinds: self.kinds.clone() };
        let outcome = test::run(cx, &which.of(&[self.host]))?;
        let failure = (!outcome.fired).then(|| {
            Failure::new(FailureKind::Failed, format!("brv did not answer: {}", outcome.text))
                .hinting(Some("`brv connectors status` shows what is registered"))
        });
        Ok(Answer::new(outcome).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.fired {
            for line in outcome.text.lines() {
                screen.line(line);
            }
            screen.line(format!("brv answered; it took {} ms.", outcome.ms));
        }
    }
}
