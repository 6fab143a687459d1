//! The archive: records, what every clone makes of them, and the commands.

mod foreign;
mod moving;
mod named;
mod records;

use crate::env::{Env, Ran};
use crate::init::json;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// An entry that is old enough to be archived.
pub const OLD: &str = "---\ntitle: Old draft\nsummary: Tokens were signed with a shared secret\nkeywords: [hmac, jwt]\n---\n\n## Facts\n\n- **jwt_secret**: Tokens are signed with HMAC by one shared secret [convention]\n- **ttl**: Tokens live for twelve hours [project]\n";

/// An entry that stays.
pub const TOKENS: &str = "---\ntitle: Tokens\nrelated: [auth/old_draft]\n---\n\nSee [the old way](old_draft.md). Tokens live for a day.\n";

/// A remote, and projects of several people who share it.
pub struct Team {
    pub env: Env,
}

/// The project of one person.
pub struct Machine<'a> {
    pub env: &'a Env,
    pub project: PathBuf,
}

impl Team {
    /// A remote with a tree of two entries, pushed by `ada`.
    pub fn new() -> Self {
        let env = Env::new();
        env.bare("remote.git");
        let team = Self { env };
        let ada = team.machine("ada");
        std::fs::create_dir_all(&ada.project).unwrap();
        ada.ok(&["init"]);
        team.env.git(&ada.tree(), &["remote", "add", "origin", &team.url()]);
        ada.commit(&[
            ("auth/old_draft.md", OLD),
            ("auth/tokens.md", TOKENS),
            ("ops/deploy.md", "# Deploy\n\nBy hand.\n"),
        ]);
        ada.ok(&["vc", "push", "-u", "origin", "main"]);
        team
    }

    pub fn url(&self) -> String {
        self.env.path("remote.git").to_str().unwrap().to_owned()
    }

    pub fn machine(&self, name: &str) -> Machine<'_> {
        Machine { env: &self.env, project: self.env.path(name) }
    }

    /// A clone of the remote.
    pub fn clone(&self, name: &str) -> Machine<'_> {
        let machine = self.machine(name);
        std::fs::create_dir_all(&machine.project).unwrap();
        machine.ok(&["vc", "clone", &self.url()]);
        machine
    }
}

impl Machine<'_> {
    pub fn tree(&self) -> PathBuf {
        self.project.join(".brv/context-tree")
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.project, arguments)
    }

    #[track_caller]
    pub fn ok(&self, arguments: &[&str]) -> Ran {
        self.exits(0, arguments)
    }

    #[track_caller]
    pub fn exits(&self, code: i32, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    /// The envelope of a command.
    #[track_caller]
    pub fn json(&self, code: i32, arguments: &[&str]) -> Value {
        json(&self.exits(code, &[arguments, &["--json"]].concat()).stdout)
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.tree(), arguments)
    }

    /// Write files and commit them with plain git.
    pub fn commit(&self, files: &[(&str, &str)]) -> String {
        self.env.commit(&self.tree(), files)
    }

    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.tree().join(path)).ok()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.tree().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.tree().join(path)).unwrap();
    }

    /// The archived entries by path, with the state of each.
    #[track_caller]
    pub fn archived(&self) -> Vec<(String, String)> {
        let listed = self.json(0, &["archive", "list"]);
        let items = listed["data"]["archived"].as_array().unwrap();
        let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
        items.iter().map(|item| (text(item, "path"), text(item, "state"))).collect()
    }

    /// Nothing is left to derive, and neither brv nor git shows a change.
    #[track_caller]
    pub fn assert_settled(&self) {
        let checked = self.json(0, &["derive", "--check"]);
        assert_eq!(checked["data"]["found"], serde_json::json!([]));
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        let status = self.json(0, &["vc", "status"]);
        assert_eq!(status["data"]["foreign"], serde_json::json!([]), "{status}");
    }
}

/// The id that git gives these bytes.
pub fn blob(text: &str) -> String {
    brv_base::content::ContentId::of(text.as_bytes()).to_string()
}

/// An item of `archived`.
pub fn item(name: &str, text: &str, time: &str) -> String {
    format!("{name} {} 22.4 {time}", blob(text))
}

/// A `context.md` with nothing but these items.
pub fn overview(items: &[String]) -> String {
    let lines: String = items.iter().map(|item| format!("  - {item}\n")).collect();
    format!("---\narchived:\n{lines}---\n")
}

/// Archive an entry by hand, with plain git.
pub fn archive_by_hand(machine: &Machine<'_>, path: &str, time: &str) {
    let text = machine.read(path).unwrap();
    let (folder, name) = path.rsplit_once('/').unwrap();
    machine.remove(path);
    machine.commit(&[(&format!("{folder}/context.md"), &overview(&[item(name, &text, time)]))]);
}

/// Whether a file is there.
pub fn is_there(machine: &Machine<'_>, path: &str) -> bool {
    Path::exists(&machine.tree().join(path))
}
