//! Programs that rule the hooks of a repository from a file of their own: husky, lefthook, pre-commit. brv writes into
//! none of these files; it says what to put there.

use super::Event;
use super::script::{self, Call};
use bstr::ByteSlice as _;
use std::path::{Path, PathBuf};

/// A program that rules the hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manager {
    /// Its scripts are in this folder.
    Husky(PathBuf),
    /// Its file, and the syntax of that.
    Lefthook(PathBuf, LefthookSyntax),
    /// Its file.
    PreCommit(PathBuf),
}

/// The syntax of lefthook's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LefthookSyntax {
    Yaml,
    Toml,
    Json,
}

const SYNTAXES: [(&str, LefthookSyntax); 4] = [
    ("yml", LefthookSyntax::Yaml),
    ("yaml", LefthookSyntax::Yaml),
    ("toml", LefthookSyntax::Toml),
    ("json", LefthookSyntax::Json),
];

/// Where lefthook's file may be, below the work tree.
const LEFTHOOK: [&str; 3] = ["lefthook", ".lefthook", ".config/lefthook"];

/// Find the manager of a work tree whose hooks are in `hooks`.
pub(super) fn find(work_tree: &Path, hooks: &Path) -> Option<Manager> {
    if let Some(folder) =
        hooks.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == ".husky"))
    {
        return Some(Manager::Husky(folder.to_path_buf()));
    }
    let husky = work_tree.join(".husky");
    // it sets `core.hooksPath` when it is installed; where that leads elsewhere, it rules nothing
    let is_gits_own = hooks.parent().is_some_and(|folder| folder.join("HEAD").is_file());
    if husky.is_dir() && is_gits_own {
        return Some(Manager::Husky(husky));
    }
    for name in LEFTHOOK {
        for (ending, syntax) in SYNTAXES {
            let file = work_tree.join(format!("{name}.{ending}"));
            if file.is_file() {
                return Some(Manager::Lefthook(file, syntax));
            }
        }
    }
    let file = work_tree.join(".pre-commit-config.yaml");
    file.is_file().then_some(Manager::PreCommit(file))
}

impl Manager {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Husky(_) => "husky",
            Self::Lefthook(..) => "lefthook",
            Self::PreCommit(_) => "pre-commit",
        }
    }

    /// The file that says what runs at an event.
    pub fn file(&self, event: Event) -> PathBuf {
        match self {
            Self::Husky(folder) => folder.join(event.name()),
            Self::Lefthook(file, _) | Self::PreCommit(file) => file.clone(),
        }
    }

    /// What to put into that file.
    pub fn snippet(&self, event: Event, call: &Call) -> String {
        match self {
            Self::Husky(_) => call.portable().line(event),
            Self::Lefthook(_, LefthookSyntax::Yaml) => {
                let input = if event.reads_input() { "\n      use_stdin: true" } else { "" };
                let run = of_yaml(&plain(event, call, " {0}"), call);
                format!("{event}:\n  commands:\n    brv:\n      run: {run}{input}")
            }
            Self::Lefthook(_, LefthookSyntax::Toml) => {
                let input = if event.reads_input() { "\nuse_stdin = true" } else { "" };
                let run = quoted(&plain(event, call, " {0}"));
                format!("[{event}.commands.brv]\nrun = {run}{input}")
            }
            Self::Lefthook(_, LefthookSyntax::Json) => {
                let input = if event.reads_input() { ", \"use_stdin\": true" } else { "" };
                let run = quoted(&plain(event, call, " {0}"));
                format!("\"{event}\": {{ \"commands\": {{ \"brv\": {{ \"run\": {run}{input} }} }} }}")
            }
            Self::PreCommit(_) => {
                let entry = of_yaml(&of_pre_commit(event, call), call);
                let hook = format!("    - id: brv-{event}\n      name: brv\n      entry: {entry}");
                format!(
                    "- repo: local\n  hooks:\n{hook}\n      language: system\n      stages: [{event}]\n      always_run: true\n      pass_filenames: false"
                )
            }
        }
    }

    /// Whether its file has that already.
    pub fn has(&self, text: &[u8], event: Event, call: &Call) -> bool {
        match self {
            Self::Husky(_) | Self::Lefthook(..) => script::calls(text, event, call),
            Self::PreCommit(_) => text.contains_str(format!("id: brv-{event}")),
        }
    }

    /// The command that makes git run what the file says at these events.
    pub fn activation(&self, events: &[Event]) -> Option<String> {
        match self {
            Self::Husky(_) => None,
            Self::Lefthook(..) => Some("lefthook install".into()),
            Self::PreCommit(_) => {
                let types = events.iter().map(|event| format!(" -t {event}"));
                Some(format!("pre-commit install{}", types.collect::<String>()))
            }
        }
    }
}

/// A string of JSON, TOML or YAML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The same in YAML without quotes, if no name of a folder is in it.
fn of_yaml(text: &str, call: &Call) -> String {
    if call.folder().is_empty() { text.to_owned() } else { quoted(text) }
}

/// One command for a shell that has the arguments of the event.
fn plain(event: Event, call: &Call, arguments: &str) -> String {
    let folder = call.folder();
    let run = format!("brv {folder}hooks run {event}{arguments}");
    match event {
        Event::PrePush => format!("{run} >/dev/null || case $? in 1|6|7) exit 1 ;; esac"),
        _ => format!("{run} >/dev/null 2>&1 || true"),
    }
}

/// pre-commit gives its hooks no standard input, and the arguments in variables. Before a push, the check looks for
/// itself at what the push would bring.
fn of_pre_commit(event: Event, call: &Call) -> String {
    let folder = call.folder();
    let line = match event {
        Event::PrePush => format!("brv {folder}vc check || case $? in 1|6|7) exit 1 ;; esac"),
        Event::PostRewrite => plain(event, call, " \"$PRE_COMMIT_REWRITE_COMMAND\""),
        Event::PostMerge => plain(event, call, " \"$PRE_COMMIT_IS_SQUASH_MERGE\""),
        Event::PostCheckout => plain(
            event,
            call,
            " \"$PRE_COMMIT_FROM_REF\" \"$PRE_COMMIT_TO_REF\" \"$PRE_COMMIT_CHECKOUT_TYPE\"",
        ),
        Event::PostCommit => plain(event, call, ""),
    };
    format!("sh -c '{}'", line.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::super::script::tests::LINES;
    use super::*;

    fn snippet(manager: &Manager, event: Event, folder: &str) -> String {
        manager.snippet(event, &Call::new(&LINES, Some(Path::new("/mine/brv")), folder))
    }

    #[test]
    fn what_is_to_be_pasted_has_the_syntax_of_the_file_and_no_path_of_this_machine() {
        let lefthook = |syntax| Manager::Lefthook("lefthook".into(), syntax);
        assert_eq!(
            snippet(&lefthook(LefthookSyntax::Yaml), Event::PostRewrite, ""),
            "post-rewrite:\n  commands:\n    brv:\n      run: brv hooks run post-rewrite {0} >/dev/null 2>&1 || true\n      use_stdin: true"
        );
        assert_eq!(
            snippet(&lefthook(LefthookSyntax::Toml), Event::PostCommit, "it's"),
            "[post-commit.commands.brv]\nrun = \"brv -C 'it'\\\\''s' hooks run post-commit {0} >/dev/null 2>&1 || true\""
        );
        let json = snippet(&lefthook(LefthookSyntax::Json), Event::PrePush, "a \"b\"");
        let json: serde_json::Value = serde_json::from_str(&format!("{{{json}}}")).unwrap();
        let run = &json["pre-push"]["commands"]["brv"];
        assert_eq!(run["use_stdin"], true);
        assert!(
            run["run"].as_str().unwrap().starts_with("brv -C 'a \"b\"' hooks run pre-push {0} >"),
            "{run}"
        );
        let husky = Manager::Husky("/p/.husky".into());
        assert_eq!(husky.file(Event::PostCommit), Path::new("/p/.husky/post-commit"));
        assert!(!snippet(&husky, Event::PostCommit, "").contains("/mine"));
    }

    #[test]
    fn the_hook_of_pre_commit_is_yaml_for_the_stage() {
        let manager = Manager::PreCommit(".pre-commit-config.yaml".into());
        for folder in ["", "it's: a #1"] {
            for event in Event::ALL {
                let text = snippet(&manager, event, folder);
                let yaml: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
                let hook = &yaml[0]["hooks"][0];
                assert_eq!(hook["stages"][0], event.name());
                let entry = hook["entry"].as_str().unwrap();
                assert!(entry.starts_with("sh -c 'brv ") && entry.ends_with('\''), "{entry}");
            }
        }
        assert_eq!(
            manager.activation(&[Event::PostCommit, Event::PostRewrite]).unwrap(),
            "pre-commit install -t post-commit -t post-rewrite"
        );
    }
}
