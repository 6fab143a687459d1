//! Which files the hosts read, by type and scope.

use super::host::{ConnectorType, Host, Scope};
use super::wanted::{Form, RULES, SKILL, hooks, mcp};
use brv_base::environment::Environment;
use std::path::{Path, PathBuf};

/// The folders that files are in.
#[derive(Debug, Clone)]
pub struct AgentFolders {
    pub home: Option<PathBuf>,
    /// The folder of the project, if there is one here.
    pub project: Option<PathBuf>,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    copilot: Option<PathBuf>,
    config: Option<PathBuf>,
    moved_claude: bool,
}

impl AgentFolders {
    /// As the environment names them.
    pub fn of(environment: &Environment, project: Option<PathBuf>) -> Self {
        let named =
            |name: &str| environment.get_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = named(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let or_home =
            |name: &str, below: &str| named(name).or_else(|| home.as_ref().map(|home| home.join(below)));
        Self {
            claude: or_home("CLAUDE_CONFIG_DIR", ".claude"),
            codex: or_home("CODEX_HOME", ".codex"),
            copilot: or_home("COPILOT_HOME", ".copilot"),
            config: or_home("XDG_CONFIG_HOME", ".config"),
            moved_claude: named("CLAUDE_CONFIG_DIR").is_some(),
            home,
            project,
        }
    }

    fn below_home(&self, name: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(name))
    }

    fn below_project(&self, name: &str) -> Option<PathBuf> {
        self.project.as_ref().map(|project| project.join(name))
    }

    /// The file in which claude keeps what a user decided.
    pub fn claude_state(&self) -> Option<PathBuf> {
        match self.moved_claude {
            true => self.claude.as_ref().map(|folder| folder.join(".claude.json")),
            false => self.below_home(".claude.json"),
        }
    }

    /// A file among the settings of a host.
    pub fn settings(&self, host: Host, name: &str) -> Option<PathBuf> {
        let folder = match host {
            Host::Claude => self.claude.clone(),
            Host::Codex => self.codex.clone(),
            Host::Copilot => self.copilot.clone(),
            Host::Gemini => self.below_home(".gemini"),
            Host::Opencode => self.config.as_ref().map(|config| config.join("opencode")),
            Host::Cursor => self.below_home(".cursor"),
            Host::Zed => self.config.as_ref().map(|config| config.join("zed")),
            Host::Vscode => self.below_home(".vscode"),
        };
        folder.map(|folder| folder.join(name))
    }
}

/// A file of a host, and what brv has in it.
#[derive(Debug, Clone)]
pub struct Target {
    pub host: Host,
    pub kind: ConnectorType,
    pub scope: Scope,
    pub file: PathBuf,
    pub form: Form,
}

/// The scopes that a host has files for.
pub const fn scopes(host: Host, kind: ConnectorType) -> &'static [Scope] {
    match (kind, host) {
        (ConnectorType::Mcp, Host::Codex | Host::Copilot | Host::Opencode) => &[Scope::User],
        (ConnectorType::Mcp, Host::Vscode) => &[Scope::Project],
        (ConnectorType::Mcp, _) | (ConnectorType::Hook, Host::Claude) | (ConnectorType::Skill, _) => {
            &[Scope::Project, Scope::User]
        }
        (ConnectorType::Hook, Host::Codex) => &[Scope::User],
        (ConnectorType::Hook, _) => &[],
        (ConnectorType::Rules, _) => &[Scope::Project],
    }
}

/// What is registered with a host where no type is named: the server, and the hooks of a host that has some.
pub const fn usual_kinds(host: Host) -> &'static [ConnectorType] {
    match scopes(host, ConnectorType::Hook) {
        [] => &[ConnectorType::Mcp],
        _ => &[ConnectorType::Mcp, ConnectorType::Hook],
    }
}

/// The files for a host; none if it has none of this type and scope, or the folder is not known. `exists` tells which
/// paths are there, `program` is that of a user's own settings.
pub fn targets(
    folders: &AgentFolders,
    (host, kind, scope): (Host, ConnectorType, Scope),
    program: &str,
    exists: &dyn Fn(&Path) -> bool,
) -> Vec<Target> {
    if !scopes(host, kind).contains(&scope) {
        return Vec::new();
    }
    let program = if scope == Scope::Project { "brv" } else { program };
    let target = |file, form| Target { host, kind, scope, file, form };
    let one = |file: Option<PathBuf>, form: Form| file.map(|file| target(file, form)).into_iter().collect();
    match kind {
        ConnectorType::Mcp => one(mcp_file(folders, host, scope), mcp(host, program)),
        ConnectorType::Hook => {
            let file = match (host, scope) {
                (Host::Claude, Scope::Project) => folders.below_project(".claude/settings.json"),
                (Host::Claude, Scope::User) => folders.settings(host, "settings.json"),
                (host, _) => folders.settings(host, "hooks.json"),
            };
            hooks(host, program).map_or_else(Vec::new, |form| one(file, form))
        }
        ConnectorType::Rules => {
            let agents = folders.below_project("AGENTS.md");
            let claude = folders.below_project("CLAUDE.md").filter(|file| exists(file));
            agents.into_iter().chain(claude).map(|file| target(file, Form::Block(RULES))).collect()
        }
        ConnectorType::Skill => {
            let (agents, claude) = match scope {
                Scope::Project => (folders.below_project(".agents"), folders.below_project(".claude")),
                Scope::User => (folders.below_home(".agents"), folders.settings(Host::Claude, "")),
            };
            // claude reads its own folder only
            let claude = claude.filter(|folder| host == Host::Claude || exists(folder));
            let skill = |folder: PathBuf| target(folder.join("skills/brv/SKILL.md"), Form::Whole(SKILL));
            agents.into_iter().chain(claude).map(skill).collect()
        }
    }
}

fn mcp_file(folders: &AgentFolders, host: Host, scope: Scope) -> Option<PathBuf> {
    match (host, scope) {
        (Host::Claude, Scope::Project) => folders.below_project(".mcp.json"),
        (Host::Claude, Scope::User) => folders.claude_state(),
        (Host::Codex, _) => folders.settings(host, "config.toml"),
        (Host::Gemini, Scope::Project) => folders.below_project(".gemini/settings.json"),
        (Host::Copilot, _) => folders.settings(host, "mcp-config.json"),
        (Host::Opencode, _) => folders.settings(host, "opencode.jsonc"),
        (Host::Cursor, Scope::Project) => folders.below_project(".cursor/mcp.json"),
        (Host::Cursor, Scope::User) => folders.settings(host, "mcp.json"),
        (Host::Zed, Scope::Project) => folders.below_project(".zed/settings.json"),
        (Host::Gemini | Host::Zed, Scope::User) => folders.settings(host, "settings.json"),
        (Host::Vscode, _) => folders.below_project(".vscode/mcp.json"),
    }
}
