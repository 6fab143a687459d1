//! `brv connectors list`: the hosts, and whether they are found here.

use super::Which;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use brv_commands::connectors::{Connectors, list};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv connectors list`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv connectors list
  brv connectors list --json")]
pub struct Arguments {
    #[command(flatten)]
    which: Which,
}

impl Verb for Arguments {
    const NAME: &'static str = "connectors list";
    type Outcome = Connectors;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Connectors>, Failure> {
        let found = list::run(cx, &self.which.of(&[]))?;
        let next = found.connectors.iter().find(|one| one.found && !one.state.is_there());
        let next = next.map(|one| format!("brv connectors install {}", one.host.id()));
        Ok(Answer::new(found).next(next))
    }

    fn text(&self, found: &Connectors, screen: &mut Screen) {
        for connector in &found.connectors {
            let word = if connector.found { "found" } else { "not found" };
            let style = if connector.found { Style::Good } else { Style::Dim };
            screen.text(style, format!("{word:<10}"));
            super::row(screen, connector, super::style(connector.state), connector.state.word());
        }
    }
}
