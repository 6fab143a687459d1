//! `brv connectors`: connect coding agents to brv.

pub mod bundle;
pub mod init_agents;
pub mod install;
pub mod list;
pub mod status;
pub mod test;
pub mod uninstall;

use super::format::choice;
use super::ui::{Screen, Style};
use brv_commands::connectors::{
    Changes, Connector, ConnectorChange, ConnectorState, ConnectorType, Host, Scope, Selection,
};
use clap::Args;
use clap::builder::TypedValueParser;

/// Parse a host.
pub fn hosts() -> impl TypedValueParser<Value = Host> {
    choice(Host::ALL.map(|host| (host, host.id(), "")))
}

fn kinds() -> impl TypedValueParser<Value = ConnectorType> {
    choice([
        (ConnectorType::Mcp, "mcp", "The MCP server"),
        (ConnectorType::Rules, "rules", "How to use brv, in AGENTS.md and, if it exists, in CLAUDE.md"),
        (ConnectorType::Skill, "skill", "The same as a skill"),
        (ConnectorType::Hook, "hook", "The command that the host runs at events: claude and codex"),
    ])
}

fn scopes() -> impl TypedValueParser<Value = Scope> {
    choice([
        (Scope::Project, "project", "A file of the project, shared with others"),
        (Scope::User, "user", "A file of yours, for all projects"),
    ])
}

/// Which files are meant.
#[derive(Debug, Args)]
pub struct Which {
    /// Whose files: those of the project, or your own
    #[arg(long, value_name = "SCOPE", value_parser = scopes(), hide_possible_values = true)]
    scope: Option<Scope>,
    /// The type: mcp, hook, rules or skill; may be repeated
    #[arg(long = "type", id = "type", value_name = "TYPE", value_parser = kinds(), hide_possible_values = true)]
    kinds: Vec<ConnectorType>,
}

impl Which {
    fn of(&self, hosts: &[Host]) -> Selection {
        let mut selection = Selection { scope: self.scope, ..Selection::default() };
        for host in hosts {
            if !selection.hosts.contains(host) {
                selection.hosts.push(*host);
            }
        }
        for kind in &self.kinds {
            if !selection.kinds.contains(kind) {
                selection.kinds.push(*kind);
            }
        }
        selection
    }
}

const fn style(state: ConnectorState) -> Style {
    match state {
        ConnectorState::Installed => Style::Good,
        ConnectorState::Absent => Style::Dim,
        ConnectorState::Foreign | ConnectorState::Unreadable => Style::Bad,
        _ => Style::Notable,
    }
}

/// Draw one file, beginning with this word.
fn row(screen: &mut Screen, connector: &Connector, style: Style, word: &str) {
    screen.text(style, format!("{word:<13} "));
    let (host, kind) = (connector.host.id(), connector.kind.word());
    screen.plain(format!("{host:<10}{kind:<7}{:<9}", connector.scope.word()));
    screen.word(Style::Dim, &connector.file).end();
}

/// Draw what is behind the state of a file.
fn reasons(screen: &mut Screen, connector: &Connector) {
    if let Some(why) = &connector.why {
        screen.plain("  ").word(Style::Dim, why).end();
    }
    for line in connector.diff.iter().flat_map(|diff| diff.lines()) {
        let style = if line.starts_with('-') { Style::Bad } else { Style::Good };
        screen.plain("  ").word(style, line).end();
    }
}

/// Draw what became of files.
pub fn changes(screen: &mut Screen, changes: &Changes) {
    for changed in &changes.connectors {
        let (style, word) = match changed.change {
            ConnectorChange::Added => (Style::Good, "added"),
            ConnectorChange::Updated => (Style::Good, "updated"),
            ConnectorChange::Removed => (Style::Bad, "removed"),
            ConnectorChange::Kept => (Style::Dim, "kept"),
        };
        let word = if changes.dry_run && word != "kept" { format!("would be {word}") } else { word.into() };
        row(screen, &changed.connector, style, &word);
        reasons(screen, &changed.connector);
    }
    if changes.connectors.is_empty() {
        screen.line("Nothing of brv is installed.");
    }
}
