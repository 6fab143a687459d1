//! Entries of the same name that a host takes first.

use super::{ConnectorState, ConnectorType, Host, Scope, Site};
use brv_engine::agents::connectors::{self, Target};
use serde_json::Value;

impl Site {
    /// The entry that comes before this one, if there is one.
    pub(super) fn shadowed(&self, target: &Target) -> Option<(ConnectorState, String)> {
        // hooks of several files all run
        if target.kind != ConnectorType::Mcp {
            return None;
        }
        let by = self.rival(target)?;
        Some((ConnectorState::Shadowed, format!("the entry `brv` of {by} comes first")))
    }

    fn rival(&self, target: &Target) -> Option<String> {
        let below = |name: &str| self.folders.project.as_ref().map(|project| project.join(name));
        let has = |value: Option<Value>, path: &str| {
            value.is_some_and(|value| value.pointer(path).is_some_and(|entry| !entry.is_null()))
        };
        match (target.host, target.scope) {
            (Host::Claude, scope) => {
                if has(self.claude_project(), "/mcpServers/brv") {
                    return Some("this folder in claude's own settings".into());
                }
                let is_in_project = scope == Scope::User
                    && self.claude_approves()
                    && has(self.loose(below(".mcp.json")), "/mcpServers/brv");
                is_in_project.then(|| "`.mcp.json`".into())
            }
            (Host::Codex, _) => {
                let file = below(".codex/config.toml").filter(|_| self.codex_trusts())?;
                let bytes = brv_base::fs::read_if_there(&file).ok()??;
                has(connectors::toml_value(&bytes), "/mcp_servers/brv").then(|| "`.codex/config.toml`".into())
            }
            (Host::Opencode, _) => {
                let names = [
                    "opencode.json",
                    "opencode.jsonc",
                    ".opencode/opencode.json",
                    ".opencode/opencode.jsonc",
                ];
                let found = names.into_iter().find(|name| has(self.loose(below(name)), "/mcp/brv"))?;
                Some(format!("`{found}`"))
            }
            (Host::Gemini | Host::Cursor | Host::Zed, Scope::User) => {
                let own = self.targets(target.host, ConnectorType::Mcp, Scope::Project).pop()?;
                let key = if target.host == Host::Zed { "/context_servers/brv" } else { "/mcpServers/brv" };
                has(self.loose(Some(own.file.clone())), key).then(|| format!("`{}`", self.name(&own)))
            }
            _ => None,
        }
    }
}
