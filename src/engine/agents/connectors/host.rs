//! The hosts, by the names that users type.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A coding agent, or an editor with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    Claude,
    Codex,
    Gemini,
    Copilot,
    Opencode,
    Cursor,
    Zed,
    Vscode,
}

/// What is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ConnectorType")]
pub enum ConnectorType {
    /// The MCP server.
    Mcp,
    /// The command that the host runs at events.
    Hook,
    /// How to use brv, in a file of instructions.
    Rules,
    /// The same as a skill.
    Skill,
}

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ConnectorScope")]
pub enum Scope {
    /// A file of the project, shared with others.
    Project,
    /// A file of this user, for all projects.
    User,
}

impl Host {
    /// All, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Copilot,
        Self::Opencode,
        Self::Cursor,
        Self::Zed,
        Self::Vscode,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Opencode => "opencode",
            Self::Cursor => "cursor",
            Self::Zed => "zed",
            Self::Vscode => "vscode",
        }
    }

    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.id() == id)
    }

    /// The host that an MCP client belongs to, by the name that it gives.
    pub fn of_client(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
        Some(match () {
            () if is(&["claude"]) => Self::Claude,
            () if is(&["codex"]) => Self::Codex,
            () if is(&["gemini"]) => Self::Gemini,
            () if is(&["opencode"]) => Self::Opencode,
            () if is(&["visual studio code", "vscode"]) => Self::Vscode,
            () if is(&["copilot"]) => Self::Copilot,
            () if is(&["cursor"]) => Self::Cursor,
            () if is(&["zed"]) => Self::Zed,
            () => return None,
        })
    }

    /// The program that starts it.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Vscode => "code",
            host => host.id(),
        }
    }
}

impl ConnectorType {
    pub const ALL: [Self; 4] = [Self::Mcp, Self::Hook, Self::Rules, Self::Skill];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Hook => "hook",
            Self::Rules => "rules",
            Self::Skill => "skill",
        }
    }
}

impl Scope {
    pub const ALL: [Self; 2] = [Self::Project, Self::User];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}
