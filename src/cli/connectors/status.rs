//! `brv connectors status`: what is installed, and whether the hosts use it.

use super::{Which, hosts};
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use brv_commands::connectors::{Connector, ConnectorState, Connectors, Host, Scope, status};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv connectors status`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv connectors status
  brv connectors status claude",
    after_help = "States: installed; drifted (differs from what this brv writes; install fixes it); foreign \
(another entry is called brv); unreadable (the host could not read the file); untrusted (the host waits for your \
approval); shadowed (another entry comes first); disabled; stale_binary (the program is missing or of another version)."
)]
pub struct Arguments {
    /// Only these hosts
    #[arg(value_name = "HOST", value_parser = hosts())]
    hosts: Vec<Host>,
    #[command(flatten)]
    which: Which,
}

impl Verb for Arguments {
    const NAME: &'static str = "connectors status";
    type Outcome = Connectors;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Connectors>, Failure> {
        let found = status::run(cx, &self.which.of(&self.hosts))?;
        // a file of the project names a program on PATH, where no install puts one
        let is_mended = |one: &&Connector| match one.state {
            ConnectorState::Drifted => true,
            ConnectorState::StaleBinary => one.scope == Scope::User,
            _ => false,
        };
        let mended = found.connectors.iter().filter(is_mended);
        let next: Vec<String> = mended
            .map(|one| {
                let (host, kind, scope) = (one.host.id(), one.kind.word(), one.scope.word());
                format!("brv connectors install {host} --type {kind} --scope {scope}")
            })
            .collect();
        Ok(Answer::new(found).next(next))
    }

    fn text(&self, found: &Connectors, screen: &mut Screen) {
        if found.connectors.is_empty() {
            screen.line("Nothing of brv is installed. `brv connectors list` shows the hosts.");
        }
        for connector in &found.connectors {
            super::row(screen, connector, super::style(connector.state), connector.state.word());
            super::reasons(screen, connector);
            if let Some(last) = &connector.last_fired {
                screen.plain("  last called ").word(Style::Dim, last).end();
            }
        }
    }
}
