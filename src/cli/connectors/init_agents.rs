//! `brv init --agents`: shows what would be registered with the agents found here, asks, and registers it.

use crate::cli::ui::{Destination, Form, Screen};
use crate::say::{Failure, warnings};
use brv_commands::connectors::{Changes, ConnectorChange, Mode, init_agents};
use brv_engine::{Audience, Context, FailureKind, Stop};
use std::io::{BufRead as _, Write as _};

/// Whether the user wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    Given,
    /// Asked for on a terminal; elsewhere it is missing.
    Asked,
}

/// What became of the agents.
pub struct Connected {
    pub changes: Changes,
    /// Why some files are left alone.
    pub refused: Vec<String>,
    /// What to run to do what was only shown.
    pub next: Option<&'static str>,
}

/// Register brv with the agents that are found here, if the user wants it.
///
/// # Errors
/// A project that cannot be used; the terminal is gone.
pub fn connect(destination: Destination, cx: &Context<'_>, consent: Consent) -> Result<Connected, Failure> {
    if consent == Consent::Given {
        return Ok(connected(init_agents::run(cx, Mode::Write)?));
    }
    let (plan, refused) = init_agents::run(cx, Mode::DryRun)?;
    if plan.connectors.iter().all(|one| one.change == ConnectorChange::Kept) {
        return Ok(connected((plan, refused)));
    }
    let next = Some("brv init --agents --yes");
    if !(cx.audience == Audience::Terminal && destination.form == Form::Text) {
        return Ok(Connected { next, ..connected((plan, refused)) });
    }
    if is_wanted(destination, &plan)? {
        return Ok(connected(init_agents::run(cx, Mode::Write)?));
    }
    // the plan was shown
    let mut screen = destination.screen();
    screen.line("Nothing was written to the files of agents.");
    let _ = screen.finish();
    let mut connected = connected((plan, refused));
    connected.changes.connectors.clear();
    Ok(Connected { next, ..connected })
}

fn connected((changes, refused): (Changes, Vec<Stop>)) -> Connected {
    let mut refused: Vec<String> = refused.into_iter().map(warnings::left_undone).collect();
    if changes.connectors.is_empty() && refused.is_empty() {
        refused
            .push("no coding agent was found here; `brv connectors list` names those that brv knows".into());
    }
    Connected { changes, refused, next: None }
}

/// Show what would be written, and ask.
fn is_wanted(destination: Destination, plan: &Changes) -> Result<bool, Failure> {
    let mut screen = destination.screen();
    text(&mut screen, plan);
    screen.plain("Register brv with these agents? [y/N] ");
    // if the terminal is gone, the next read fails
    let _ = screen.finish();
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failure::new(FailureKind::Failed, format!("cannot read the answer: {error}")))?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Draw what became of the agents, or what would.
pub fn text(screen: &mut Screen, agents: &Changes) {
    if !agents.connectors.is_empty() {
        screen.line("Coding agents:");
        super::changes(screen, agents);
    }
}
