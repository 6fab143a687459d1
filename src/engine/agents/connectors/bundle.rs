//! Packages that a host installs by itself: a plugin for claude, an extension for gemini, a bundle for desktop apps.

use super::host::Host;
use super::wanted::{RULES, SKILL, bundled_hooks};
use serde_json::{Value, json};

/// What a package is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    Claude,
    Gemini,
    Mcpb,
}

const DESCRIPTION: &str = "Look up and file what the team knows about a project";
const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Package {
    pub const ALL: [Self; 3] = [Self::Claude, Self::Gemini, Self::Mcpb];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Mcpb => "mcpb",
        }
    }

    /// Its files, by their paths.
    pub fn files(self) -> Vec<(&'static str, String)> {
        let server = json!({ "command": "brv", "args": ["mcp"] });
        match self {
            Self::Claude => vec![
                (
                    ".claude-plugin/plugin.json",
                    drawn(&json!({
                        "name": "brv", "version": VERSION, "description": DESCRIPTION,
                        "author": { "name": "brv" }, "keywords": ["memory", "knowledge", "git"],
                    })),
                ),
                (".mcp.json", drawn(&json!({ "mcpServers": { "brv": server } }))),
                ("hooks/hooks.json", drawn(&json!({ "hooks": bundled_hooks(Host::Claude, "brv") }))),
                ("skills/brv/SKILL.md", SKILL.to_owned()),
            ],
            Self::Gemini => vec![
                (
                    "gemini-extension.json",
                    drawn(&json!({
                        "name": "brv", "version": VERSION, "description": DESCRIPTION,
                        "mcpServers": { "brv": server }, "contextFileName": "GEMINI.md",
                    })),
                ),
                ("GEMINI.md", RULES.to_owned()),
            ],
            // such an app has no project, nor the PATH of a shell: it asks for both
            Self::Mcpb => vec![("manifest.json", drawn(&manifest()))],
        }
    }
}

fn manifest() -> Value {
    json!({
        "manifest_version": "0.3",
        "name": "brv",
        "display_name": "brv",
        "version": VERSION,
        "description": DESCRIPTION,
        "author": { "name": "brv" },
        "license": "MIT OR Apache-2.0",
        "server": {
            "type": "binary",
            "entry_point": "brv",
            "mcp_config": {
                "command": "${user_config.program}",
                "args": ["-C", "${user_config.project}", "mcp"],
                "env": {},
            },
        },
        "tools_generated": true,
        "user_config": {
            "project": {
                "type": "directory", "title": "Project", "required": true,
                "description": "The folder of the project whose knowledge is used",
            },
            "program": {
                "type": "string", "title": "Program", "required": true, "default": "brv",
                "description": "The program brv; its whole path if it is not on PATH",
            },
        },
        "compatibility": { "platforms": ["darwin", "linux", "win32"] },
    })
}

fn drawn(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
