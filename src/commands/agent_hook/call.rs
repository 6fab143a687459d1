//! What a host passes to its hook: one JSON object on standard input. Pure; what cannot be read is not a call.

use brv_engine::agents::connectors::SHELL;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// How many files of one patch are looked at.
const MOST_FILES: usize = 20;

/// An event of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub session: String,
    /// The agent in the session; empty for the main one.
    pub agent: String,
    /// The folder that the agent works in.
    pub cwd: Option<PathBuf>,
    pub event: Event,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    SessionStart {
        /// `startup`, `resume`, `clear` or `compact`
        source: String,
    },
    SubagentStart {
        /// What kind of agent starts.
        kind: String,
    },
    /// A tool reads or changes these files.
    PreToolUse { files: Vec<PathBuf> },
    /// A command of the shell was run.
    PostToolUse,
    /// The user says something.
    UserPromptSubmit,
    /// The agent's context was made shorter.
    PostCompact,
}

impl Event {
    /// As the hosts call it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "SessionStart",
            Self::SubagentStart { .. } => "SubagentStart",
            Self::PreToolUse { .. } => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PostCompact => "PostCompact",
        }
    }

    /// Whether the agent's context is empty or nearly so: what it got before is gone.
    pub(super) fn is_forgetful(&self) -> bool {
        match self {
            Self::SessionStart { source } => matches!(source.as_str(), "clear" | "compact"),
            Self::PostCompact => true,
            Self::SubagentStart { .. }
            | Self::PreToolUse { .. }
            | Self::PostToolUse
            | Self::UserPromptSubmit => false,
        }
    }
}

/// Read a call. Events that brv has nothing to say at are none.
pub fn read(input: &[u8]) -> Option<Call> {
    let Value::Object(fields) = serde_json::from_slice(input).ok()? else { return None };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let word = |name: &str| text(name).unwrap_or_default().to_owned();
    let cwd = text("cwd").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let event = match text("hook_event_name")? {
        "SessionStart" => Event::SessionStart { source: word("source") },
        "SubagentStart" => Event::SubagentStart { kind: word("agent_type") },
        "PreToolUse" => {
            let files = files(fields.get("tool_input")?.as_object()?);
            let files: Vec<PathBuf> = match &cwd {
                Some(cwd) => files.iter().map(|file| cwd.join(file)).collect(),
                None => files,
            };
            Event::PreToolUse { files: Some(files).filter(|files| !files.is_empty())? }
        }
        "PostToolUse" if text("tool_name") == Some(SHELL) => Event::PostToolUse,
        "UserPromptSubmit" => Event::UserPromptSubmit,
        "PostCompact" => Event::PostCompact,
        _ => return None,
    };
    Some(Call { session: text("session_id")?.to_owned(), agent: word("agent_id"), cwd, event })
}

/// The files that a tool is given: by name, or in a patch, as `apply_patch` has them.
fn files(input: &Map<String, Value>) -> Vec<PathBuf> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    if let Some(file) = text("file_path").or_else(|| text("notebook_path")) {
        return Some(file).filter(|file| !file.is_empty()).map(PathBuf::from).into_iter().collect();
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for patch in ["command", "input", "patch"].into_iter().filter_map(text).filter(|text| is_patch(text)) {
        for file in patch.lines().filter_map(patched) {
            if found.len() < MOST_FILES && !found.contains(&file) {
                found.push(file);
            }
        }
    }
    found
}

fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// The file of a line such as `*** Update File: src/a.rs`.
fn patched(line: &str) -> Option<PathBuf> {
    let (verb, file) = line.trim().strip_prefix("*** ")?.split_once(": ")?;
    let is_file = matches!(verb, "Update File" | "Add File" | "Delete File" | "Move to");
    Some(PathBuf::from(file.trim())).filter(|file| is_file && !file.as_os_str().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_of(input: &str) -> Option<Vec<String>> {
        let text = format!(
            r#"{{"session_id":"s","cwd":"/p/sub","hook_event_name":"PreToolUse","tool_input":{input}}}"#
        );
        match read(text.as_bytes())?.event {
            Event::PreToolUse { files } => {
                Some(files.iter().map(|file| file.to_string_lossy().into_owned()).collect())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_are_named_by_the_tools_of_both_hosts() {
        let one = |file: &str| Some(vec![file.to_owned()]);
        assert_eq!(files_of(r#"{"file_path":"/p/a.rs","old_string":"x"}"#), one("/p/a.rs"));
        assert_eq!(files_of(r#"{"file_path":"a.rs"}"#), one("/p/sub/a.rs"));
        assert_eq!(files_of(r#"{"notebook_path":"n.ipynb"}"#), one("/p/sub/n.ipynb"));
        let patch = "*** Begin Patch\n*** Update File: src/a b.rs\n*** Move to: src/c.rs\n@@\n-*** Add File: no\n+x\n*** Add File: d.rs\n+y\n*** Delete File: e.rs\n*** Update File: d.rs\n*** End Patch\n";
        let input = serde_json::json!({ "command": patch }).to_string();
        let all = ["src/a b.rs", "src/c.rs", "d.rs", "e.rs"].map(|file| format!("/p/sub/{file}"));
        assert_eq!(files_of(&input), Some(all.to_vec()));
        for nothing in [
            r#"{"command":"ls *** Update File: a"}"#,
            r#"{"file_path":""}"#,
            r#"{"file_path":1}"#,
            "{}",
            "[]",
            "null",
        ] {
            assert_eq!(files_of(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_is_no_call_is_none() {
        let whole = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;
        assert!(read(whole.as_bytes()).is_some());
        for input in [
            "",
            "x",
            "[]",
            "null",
            "{}",
            &whole[..whole.len() - 1],
            r#"{"session_id":"s"}"#,
            r#"{"session_id":7,"hook_event_name":"SessionStart"}"#,
            r#"{"hook_event_name":"SessionStart"}"#,
            r#"{"session_id":"s","hook_event_name":"Stop"}"#,
            r#"{"session_id":"s","hook_event_name":"PreToolUse"}"#,
            r#"{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Read"}"#,
        ] {
            assert_eq!(read(input.as_bytes()), None, "{input}");
        }
        assert_eq!(read("[".repeat(5_000).as_bytes()), None);
    }
}
