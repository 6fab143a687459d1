//! What brv registers: the MCP server, the hooks, the rules and the skill.

use super::host::Host;
use super::json::Dialect;
use serde_json::{Value, json};
use std::path::Path;

/// How to use brv, for files of instructions. It holds for any tree, and has no text of an entry in it.
pub const RULES: &str = include_str!("rules.md");

/// The same as a skill, with more detail.
pub const SKILL: &str = include_str!("skill.md");

/// How a file holds what brv registers.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    Json {
        dialect: Dialect,
        pieces: Vec<Piece>,
    },
    Toml {
        pieces: Vec<Piece>,
    },
    /// A text between two markers.
    Block(&'static str),
    /// The whole file.
    Whole(&'static str),
}

/// One part of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The keys that lead to the object or array that it is in.
    pub path: &'static [&'static str],
    pub item: Item,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A member `brv`; the keys in `optional` may be missing.
    Entry { value: Value, optional: &'static [&'static str] },
    /// An element: a group of hooks.
    Hook { host: Host, value: Value },
}

/// The name of the entry.
pub(super) const NAME: &str = "brv";

impl Item {
    pub const fn value(&self) -> &Value {
        match self {
            Self::Entry { value, .. } | Self::Hook { value, .. } => value,
        }
    }

    pub(super) const fn key(&self) -> Option<&'static str> {
        match self {
            Self::Entry { .. } => Some(NAME),
            Self::Hook { .. } => None,
        }
    }
}

/// The entry of the MCP server.
pub fn mcp(host: Host, program: &str) -> Form {
    let plain = json!({ "command": program, "args": ["mcp"] });
    let json = |dialect, path, value, optional| Form::Json {
        dialect,
        pieces: vec![Piece { path, item: Item::Entry { value, optional } }],
    };
    const SERVERS: &[&str] = &["mcpServers"];
    match host {
        Host::Claude => json(
            Dialect::PLAIN,
            SERVERS,
            json!({ "type": "stdio", "command": program, "args": ["mcp"], "env": {} }),
            &["type", "env"],
        ),
        Host::Codex => Form::Toml {
            pieces: vec![Piece { path: &["mcp_servers"], item: Item::Entry { value: plain, optional: &[] } }],
        },
        Host::Gemini => json(Dialect::COMMENTS, SERVERS, plain, &[]),
        Host::Copilot => json(
            Dialect::LOOSE,
            SERVERS,
            json!({ "tools": ["*"], "type": "local", "command": program, "args": ["mcp"] }),
            &["tools", "type"],
        ),
        Host::Opencode => json(
            Dialect::LOOSE_OR_EMPTY,
            &["mcp"],
            json!({ "type": "local", "command": [program, "mcp"] }),
            &[],
        ),
        Host::Cursor => json(Dialect::LOOSE, SERVERS, plain, &[]),
        Host::Zed => json(Dialect::LOOSE, &["context_servers"], plain, &[]),
        Host::Vscode => json(
            Dialect::LOOSE,
            &["servers"],
            json!({ "type": "stdio", "command": program, "args": ["mcp"] }),
            &["type"],
        ),
    }
}

/// The tool that runs commands, as both hosts call it in their hooks: of codex all of its shell tools have this name. After it
/// a commit may be there. Both hosts show their model what a hook adds after a tool.
pub const SHELL: &str = "Bash";

/// How long a host waits for the hook, in seconds; it ends by itself after two.
const PATIENCE: u64 = 10;

/// The hooks of a host that has some.
pub fn hooks(host: Host, program: &str) -> Option<Form> {
    // codex edits by one tool
    let files = match host {
        Host::Claude => "Read|Edit|Write|MultiEdit|NotebookEdit",
        Host::Codex => "apply_patch",
        _ => return None,
    };
    let command = json!({
        "type": "command",
        "command": format!("{} agent-hook {} || true", shell_word(program), host.id()),
        "timeout": PATIENCE,
    });
    let group = |matcher: Option<&str>| match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [command.clone()] }),
        None => json!({ "hooks": [command.clone()] }),
    };
    let piece = |path, matcher| Piece { path, item: Item::Hook { host, value: group(matcher) } };
    // each goes in before the one that is there, so that the first comes last
    let pieces = vec![
        piece(&["hooks", "SubagentStart"], None),
        piece(&["hooks", "PostToolUse"], Some(SHELL)),
        piece(&["hooks", "PreToolUse"], Some(files)),
        piece(&["hooks", "UserPromptSubmit"], None),
        piece(&["hooks", "SessionStart"], None),
    ];
    Some(Form::Json { dialect: Dialect::PLAIN, pieces })
}

/// The value of the key `hooks`, for a package of a host.
pub fn bundled_hooks(host: Host, program: &str) -> Value {
    let Some(Form::Json { pieces, .. }) = hooks(host, program) else { return Value::Null };
    let event = |piece: &Piece| (piece.path[1].to_owned(), json!([piece.item.value()]));
    Value::Object(pieces.iter().rev().map(event).collect())
}

/// The program of a command that brv registered as a hook of this host.
pub fn hook_program(host: Host, command: &str) -> Option<String> {
    let command = command.trim();
    let command = command.strip_suffix("|| true").unwrap_or(command).trim_end();
    let program = command.strip_suffix(host.id())?.trim_end().strip_suffix("agent-hook")?.trim_end();
    let program = match program.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inside) => inside.replace("'\\''", "'"),
        None => program.trim_matches('"').to_owned(),
    };
    is_brv(&program).then_some(program)
}

/// Whether a program, as a host names it, is called `brv`.
pub(super) fn is_brv(program: &str) -> bool {
    // a path of another system, too
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    Path::new(name).file_stem().is_some_and(|stem| stem == "brv")
}

/// A program as a word of a shell.
fn shell_word(program: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:".contains(letter);
    if program.chars().all(is_plain) {
        return program.to_owned();
    }
    format!("'{}'", program.replace('\'', "'\\''"))
}
