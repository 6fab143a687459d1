//! `brv connectors`: connect coding agents to brv.

pub mod bundle;
pub mod init_agents;
pub mod install;
pub mod list;
pub mod status;
pub mod test;
pub mod uninstall;

use super::ui::{Screen, Style};
use brv_commands::connectors::{
    Changes, Connector, ConnectorChange, ConnectorState, ConnectorType, Host, Scope, Selection,
};
use clap::{Args, ValueEnum};

/// A host, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HostWord {
    Claude,
    Codex,
    Gemini,
    Copilot,
    Opencode,
    Cursor,
    Zed,
    Vscode,
}

impl From<HostWord> for Host {
    fn from(word: HostWord) -> Self {
        match word {
            HostWord::Claude => Self::Claude,
            HostWord::Codex => Self::Codex,
            HostWord::Gemini => Self::Gemini,
            HostWord::Copilot => Self::Copilot,
            HostWord::Opencode => Self::Opencode,
            HostWord::Cursor => Self::Cursor,
            HostWord::Zed => Self::Zed,
            HostWord::Vscode => Self::Vscode,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConnectorKindWord {
    /// The MCP server
    Mcp,
    /// How to use brv, in AGENTS.md and, if it exists, in CLAUDE.md
    Rules,
    /// The same as a skill
    Skill,
    /// The command that the host runs at events: claude and codex
    Hook,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScopeWord {
    /// A file of the project, shared with others
    Project,
    /// A file of yours, for all projects
    User,
}

/// Which files are meant.
#[derive(Debug, Args)]
pub struct Which {
    /// Whose files: those of the project, or your own
    #[arg(long, value_name = "SCOPE", value_enum, hide_possible_values = true)]
    scope: Option<ScopeWord>,
    /// The type: mcp, hook, rules or skill; may be repeated
    #[arg(long = "type", id = "type", value_name = "TYPE", value_enum, hide_possible_values = true)]
    kinds: Vec<ConnectorKindWord>,
}

impl Which {
    fn of(&self, hosts: &[HostWord]) -> Selection {
        let kind = |word: &ConnectorKindWord| match word {
            ConnectorKindWord::Mcp => ConnectorType::Mcp,
            ConnectorKindWord::Rules => ConnectorType::Rules,
            ConnectorKindWord::Skill => ConnectorType::Skill,
            ConnectorKindWord::Hook => ConnectorType::Hook,
        };
        let scope = self.scope.map(|word| match word {
            ScopeWord::Project => Scope::Project,
            ScopeWord::User => Scope::User,
        });
        let mut selection = Selection { scope, ..Selection::default() };
        for host in hosts.iter().copied().map(Host::from) {
            if !selection.hosts.contains(&host) {
                selection.hosts.push(host);
            }
        }
        for kind in self.kinds.iter().map(kind) {
            if !selection.kinds.contains(&kind) {
                selection.kinds.push(kind);
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
