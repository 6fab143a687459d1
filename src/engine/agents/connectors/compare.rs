//! Whose an entry is, and how it differs from what brv writes.

use super::host::Host;
use super::wanted::{Item, hook_program, is_brv};
use brv_text::diff;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The command of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    pub program: String,
    pub arguments: Vec<String>,
    /// Variables that the host adds, by name.
    pub environment: Vec<(String, String)>,
}

/// A part of an entry that is not what brv writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub key: &'static str,
    pub found: Option<Value>,
    pub wanted: Value,
}

impl Difference {
    /// As lines with `-` and `+`: of a text those that differ, else the two values.
    pub fn lines(&self) -> Vec<String> {
        if let (TEXT, Some(Value::String(found)), Value::String(wanted)) =
            (self.key, &self.found, &self.wanted)
        {
            return changed_lines(found, wanted);
        }
        let line = |sign: char, value: &Value| format!("{sign} {}: {value}", self.key);
        let found = self.found.as_ref().map(|found| line('-', found));
        found.into_iter().chain([line('+', &self.wanted)]).collect()
    }
}

/// The key of a difference of texts.
pub(super) const TEXT: &str = "text";

fn changed_lines(found: &str, wanted: &str) -> Vec<String> {
    let (found, wanted): (Vec<&str>, Vec<&str>) = (found.split('\n').collect(), wanted.split('\n').collect());
    let mut lines = Vec::new();
    for change in diff::changes(&found, &wanted) {
        lines.extend(found[change.before].iter().map(|line| format!("- {line}")));
        lines.extend(wanted[change.after].iter().map(|line| format!("+ {line}")));
    }
    lines
}

/// The command of an entry of MCP servers, if it has one.
pub fn registered(entry: &Value) -> Option<Registered> {
    let words = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let (program, arguments) = match entry.get("command")? {
        Value::String(program) => {
            (program.clone(), entry.get("args").map_or_else(|| Some(Vec::new()), words)?)
        }
        command => {
            let mut words = words(command)?.into_iter();
            (words.next()?, words.collect())
        }
    };
    let variables = ["env", "environment"].iter().find_map(|key| entry.get(key)?.as_object());
    let variable = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    let environment = variables.into_iter().flatten().filter_map(variable).collect();
    Some(Registered { program, arguments, environment })
}

/// Whether an entry is brv's own.
pub(super) fn is_ours(item: &Item, found: &Value) -> bool {
    match item {
        Item::Entry { .. } => registered(found).is_some_and(|command| {
            is_brv(&command.program) && command.arguments.first().is_some_and(|word| word == "mcp")
        }),
        Item::Hook { host, .. } => own_hook(*host, found).is_some(),
    }
}

/// Whether only the program of a command differs, which is another brv.
pub fn is_same_but_program(host: Host, difference: &Difference) -> bool {
    let rest = |value: &Value| -> Option<Vec<Value>> {
        match value {
            Value::String(command) => {
                let is_program = is_brv(command);
                (is_program || hook_program(host, command).is_some()).then(|| vec![Value::Bool(is_program)])
            }
            value => value.as_array().map(|words| words.iter().skip(1).cloned().collect()),
        }
    };
    let found = difference.found.as_ref().and_then(rest);
    found.is_some() && found == rest(&difference.wanted)
}

/// The number of brv's command in a group of hooks.
pub(super) fn own_hook(host: Host, group: &Value) -> Option<usize> {
    let hooks = group.get("hooks")?.as_array()?;
    hooks.iter().position(|hook| {
        let command = hook.get("command").and_then(Value::as_str);
        command.and_then(|command| hook_program(host, command)).is_some()
    })
}

/// The events of hooks, and what codex calls them in its state.
pub const HOOK_EVENTS: [(&str, &str); 5] = [
    ("SessionStart", "session_start"),
    ("UserPromptSubmit", "user_prompt_submit"),
    ("PreToolUse", "pre_tool_use"),
    ("PostToolUse", "post_tool_use"),
    ("SubagentStart", "subagent_start"),
];

/// Where brv's hook of an event stands in codex's file, by its group and its place in that, and the hash by which codex
/// notes that its user has looked at it; `None` for a hook with settings whose hash is unknown.
pub fn codex_hook(whole: &Value, event: &str, name: &str) -> Option<(usize, usize, Option<String>)> {
    let groups = whole["hooks"][event].as_array()?;
    let mut all = groups.iter().enumerate();
    let (group, own) = all.find_map(|(at, group)| Some((at, own_hook(Host::Codex, group)?)))?;
    let hook = groups[group]["hooks"][own].as_object()?;
    let is_known = |key: &String| ["type", "command", "timeout"].contains(&key.as_str());
    let hash = hook.keys().all(is_known).then(|| {
        let command = &hook["command"];
        let timeout = hook.get("timeout").cloned().unwrap_or_else(|| Value::from(600));
        // keys in their order, without blanks
        let matcher = groups[group].get("matcher").map_or_else(String::new, |one| format!(",\"matcher\":{one}"));
        let identity = format!(
            "{{\"event_name\":\"{name}\",\"hooks\":[{{\"async\":false,\"command\":{command},\"timeout\":{timeout},\"type\":\"command\"}}]{matcher}}}"
        );
        let digest = Sha256::digest(identity.as_bytes());
        digest.iter().fold("sha256:".to_owned(), |hash, byte| format!("{hash}{byte:02x}"))
    });
    Some((group, own, hash))
}

/// What differs from the wanted entry. Keys that brv does not write are the user's, and those that it writes for
/// completeness count only where they are.
pub(super) fn differences(item: &Item, found: &Value) -> Vec<Difference> {
    let difference = |key: &'static str, found: Option<&Value>, wanted: &Value| {
        (found != Some(wanted)).then(|| Difference { key, found: found.cloned(), wanted: wanted.clone() })
    };
    match item {
        Item::Entry { value, optional, .. } => {
            let Some(wanted) = value.as_object() else { return Vec::new() };
            let compare = |(key, wanted): (&String, &Value)| {
                let name = KEYS.iter().find(|name| *name == key)?;
                let found = found.get(key);
                let is_free = optional.contains(name) && (found.is_none() || *name == "env");
                if is_free { None } else { difference(name, found, wanted) }
            };
            wanted.iter().filter_map(compare).collect()
        }
        Item::Hook { host, value } => {
            let own = own_hook(*host, found).and_then(|at| found.get("hooks")?.get(at)?.get("command"));
            let wanted = |value: &Value| value["hooks"][0]["command"].clone();
            let matcher =
                value.get("matcher").and_then(|wanted| difference("matcher", found.get("matcher"), wanted));
            difference("command", own, &wanted(value)).into_iter().chain(matcher).collect()
        }
    }
}

/// The keys of entries.
const KEYS: [&str; 6] = ["type", "tools", "command", "args", "env", "enabled"];
