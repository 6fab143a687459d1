//! `brv hooks install`, `uninstall`, `status` and `test`, beside hooks and programs of others.

mod firing;
mod managers;
mod politeness;
mod settings;

use crate::env::{Env, Ran};
use crate::init::json;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A host repository with a tree of its own in it.
pub struct Project {
    pub env: Env,
    pub host: PathBuf,
}

impl Project {
    pub fn new() -> Self {
        Self::of(Env::new(), "")
    }

    /// With the project in a folder of the host (`""`: at its top).
    pub fn of(env: Env, below: &str) -> Self {
        let host = env.path("host");
        env.git(env.root(), &["init", "-q", host.to_str().unwrap()]);
        std::fs::create_dir_all(host.join(below)).unwrap();
        let ran = env.brv_in(&host.join(below), &["init", "-q"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        Self { env, host }
    }

    pub fn brv(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.host, arguments)
    }

    /// The data of a command that succeeds.
    pub fn data(&self, arguments: &[&str]) -> Value {
        let ran = self.brv(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stdout);
        json(&ran.stdout)["data"].take()
    }

    /// What a refused command says.
    pub fn refused(&self, arguments: &[&str]) -> String {
        let before = self.picture();
        let ran = self.brv(arguments);
        assert_eq!(ran.code, 6, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(self.picture(), before, "{arguments:?} changed something");
        let said = json(&self.brv(&[arguments, &["--json"]].concat()).stdout)["error"].take();
        for part in ["message", "hint"] {
            assert!(ran.stderr.contains(said[part].as_str().unwrap()), "{said}\n{}", ran.stderr);
        }
        ran.stderr
    }

    /// Install the hooks for a project `below`, by a program that is gone afterwards: they call the `brv` on `PATH`.
    pub fn install_and_go(&self, below: &str) {
        let program = self.env.brv_at("gone");
        let mut command = Command::new(&program);
        self.env.prepare(&mut command);
        command.args(["hooks", "install"]).current_dir(self.host.join(below));
        let ran = Ran::of(&command.output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        std::fs::remove_file(program).unwrap();
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.host, arguments)
    }

    pub fn tree(&self) -> PathBuf {
        self.host.join(".brv/context-tree")
    }

    pub fn hook(&self, event: &str) -> PathBuf {
        self.host.join(".git/hooks").join(event)
    }

    /// Put a hook of somebody else there.
    pub fn put(&self, event: &str, text: &[u8], mode: u32) {
        put(&self.hook(event), text, mode);
    }

    /// Both git folders, with permissions, without what brv remembers.
    pub fn picture(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        for folder in [self.host.join(".git"), self.tree().join(".git")] {
            look(&folder, &mut found);
        }
        // what brv remembers of commits stays
        let is_memory = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("state.db") || name == "project-id" || name == "worker"
        };
        found.retain(|path, _| !is_memory(path));
        found
    }

    /// The rows of all hooks, each as `event state via`.
    pub fn rows(&self) -> Vec<String> {
        rows(&self.data(&["hooks", "status"]), "state")
    }
}

/// Each row as its event, this field, and the way.
pub fn rows(data: &Value, field: &str) -> Vec<String> {
    let words =
        |row: &Value| ["event", field, "via"].map(|name| row[name].as_str().unwrap().to_owned()).join(" ");
    data["hooks"].as_array().unwrap().iter().map(words).collect()
}

pub fn put(path: &Path, text: &[u8], mode: u32) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn look(path: &Path, found: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    // what brv remembers of the project changes with each command
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with("state.db") || name == "project-id" {
        return;
    }
    let known = path.symlink_metadata().unwrap();
    let bytes = match known.file_type() {
        kind if kind.is_symlink() => path.read_link().unwrap().into_os_string().into_encoded_bytes(),
        kind if kind.is_dir() => {
            std::fs::read_dir(path).unwrap().for_each(|entry| look(&entry.unwrap().path(), found));
            Vec::new()
        }
        _ => std::fs::read(path).unwrap(),
    };
    found.insert(path.to_path_buf(), (known.permissions().mode(), bytes));
}

/// An environment in which these programs, shell scripts, come first on `PATH`.
pub fn with_programs(scripts: &[(&str, &str)]) -> Env {
    let env = Env::new();
    let path = programs(&env, scripts);
    env.with("PATH", path)
}

/// Write these programs, and return a `PATH` that begins with them.
pub fn programs(env: &Env, scripts: &[(&str, &str)]) -> OsString {
    let bin = env.path("bin");
    for (name, script) in scripts {
        put(&bin.join(name), format!("#!/bin/sh\n{script}\n").as_bytes(), 0o755);
    }
    let full = std::env::var_os("PATH").unwrap();
    std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&full))).unwrap()
}

/// A brv that notes how it is called and what it reads, and ends with `$BRV_FAKE`.
pub const FAKE: &str =
    r#"{ echo "$@"; cat; } >>"$(dirname "$0")/called"; echo out; echo err >&2; exit ${BRV_FAKE:-0}"#;

/// What the fake brv noted, which is then forgotten.
pub fn called(env: &Env) -> String {
    let file = env.path("bin/called");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    drop(std::fs::remove_file(file));
    text
}

#[test]
fn the_hooks_of_both_repositories_are_installed_once_and_shown() {
    let project = Project::new();
    let absent: Vec<String> = ["post-commit", "post-rewrite", "post-merge", "post-checkout", "pre-push"]
        .map(|event| format!("{event} absent file"))
        .into();
    assert_eq!(project.rows(), absent);
    let made = project.data(&["hooks", "install"]);
    assert!(rows(&made, "change").iter().all(|row| row.ends_with(" added file")), "{made}");
    let once = project.picture();
    let again = project.data(&["hooks", "install"]);
    assert!(rows(&again, "change").iter().all(|row| row.ends_with(" kept file")), "{again}");
    assert_eq!(project.picture(), once);
    let status = project.data(&["hooks", "status"]);
    assert!(rows(&status, "state").iter().all(|row| row.ends_with(" installed file")), "{status}");
    assert_eq!(
        (&status["host"]["folder"], &status["enabled"], &status["worker"], &status["queue"]["queued"]),
        (&project.host.to_str().unwrap().into(), &true.into(), &Value::Null, &0.into())
    );
    assert_eq!(Path::new(status["host"]["hooks_path"].as_str().unwrap()), project.host.join(".git/hooks"));
    let places: Vec<&Value> = status["hooks"].as_array().unwrap().iter().map(|row| &row["where"]).collect();
    assert_eq!(places, ["host", "host", "tree", "tree", "tree"]);
    let text = std::fs::read_to_string(project.hook("post-commit")).unwrap();
    assert!(text.starts_with("#!/bin/sh\n# >>> brv made this file\n(brv='/"), "{text}");
}

#[test]
fn a_line_of_another_version_is_outdated_and_replaced_where_it_stands() {
    let project = Project::new();
    let theirs = |line: &str| format!("#!/bin/sh\nset -e\n# >>> brv\n{line}\n# <<< brv\nmake\n");
    project.put("post-commit", theirs("brv old").as_bytes(), 0o755);
    assert_eq!(project.rows()[0], "post-commit outdated file");
    assert_eq!(rows(&project.data(&["hooks", "install"]), "change")[0], "post-commit updated file");
    let text = std::fs::read_to_string(project.hook("post-commit")).unwrap();
    assert!(text.starts_with("#!/bin/sh\nset -e\n# >>> brv\n(") && !text.contains("brv old"), "{text}");
    assert_eq!(project.data(&["hooks", "uninstall"])["hooks"][0]["change"], "removed");
    assert_eq!(std::fs::read_to_string(project.hook("post-commit")).unwrap(), "#!/bin/sh\nset -e\nmake\n");
    project.put("post-commit", b"#!/bin/sh\n# >>> brv\nmake\n", 0o755);
    for command in ["install", "uninstall"] {
        assert!(project.refused(&["hooks", command]).contains("`# <<< brv` is missing"));
    }
}

#[test]
fn without_a_host_only_the_trees_hooks_are_installed() {
    let env = crate::init::project(&[]);
    let data = |arguments: &[&str]| json(&env.brv(arguments).stdout)["data"].take();
    assert_eq!(data(&["hooks", "status", "--json"])["host"], Value::Null);
    let made = data(&["hooks", "install", "--json"]);
    let events = ["post-merge", "post-checkout", "pre-push"].map(|event| format!("{event} added file"));
    assert_eq!(rows(&made, "change"), events);
    let ran = env.brv(&["hooks", "test"]);
    assert_eq!(ran.code, 6);
    assert!(ran.stderr.contains("no repository around the project"), "{}", ran.stderr);
}

#[test]
fn a_tree_in_the_hosts_repository_has_the_hosts_hooks_and_no_gate() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "host"]);
    let host = env.path("host");
    let ran = env.brv_in(&host, &["init", "--in-repo", "--hooks", "--json"]);
    let made = json(&ran.stdout)["data"].take();
    assert_eq!(
        rows(&made, "change"),
        ["post-commit added file", "post-rewrite added file"],
        "{}",
        ran.stdout
    );
    assert!(!host.join(".git/hooks/pre-push").exists());
}

#[test]
fn a_linked_work_tree_has_the_hooks_of_the_main_one() {
    let project = Project::new();
    project.env.commit(&project.host, &[("a", "a\n")]);
    project.git(&["worktree", "add", "-q", "../linked"]);
    let linked = project.env.path("linked");
    assert_eq!(project.env.brv_in(&linked, &["hooks", "install"]).code, 0);
    assert!(project.hook("post-commit").is_file());
    assert_eq!(rows(&project.data(&["hooks", "install"]), "change")[0], "post-commit kept file");
    let status = json(&project.env.brv_in(&linked, &["hooks", "status", "--json"]).stdout);
    assert_eq!(status["data"]["hooks"][0]["state"], "installed");
}

#[test]
fn a_linked_work_tree_with_a_folder_of_its_own_has_the_hooks_in_there() {
    // they name no path of a program
    let brv = Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap().to_path_buf();
    let full = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(brv).chain(std::env::split_paths(&full)));
    let project = Project::of(Env::new().with("PATH", path.unwrap()), "");
    project.env.commit(&project.host, &[("a", "a\n")]);
    project.git(&["config", "extensions.worktreeConfig", "true"]);
    project.git(&["worktree", "add", "-q", "../linked"]);
    let linked = project.env.path("linked");
    let first = |folder: &Path| {
        let ran = project.env.brv_in(folder, &["hooks", "status", "--json"]);
        let hook = json(&ran.stdout)["data"]["hooks"][0].take();
        (hook["state"].as_str().unwrap().to_owned(), PathBuf::from(hook["file"].as_str().unwrap()))
    };
    project.data(&["hooks", "install"]);
    let of_main = ("installed".to_owned(), project.hook("post-commit"));
    assert_eq!(first(&linked), of_main);
    project.env.git(&linked, &["config", "--worktree", "core.hooksPath", ".own"]);
    assert_eq!(first(&linked), ("absent".to_owned(), linked.join(".own/post-commit")));
    assert_eq!(first(&project.host), of_main);
    assert_eq!(project.env.brv_in(&linked, &["hooks", "install"]).code, 0);
    assert_eq!(first(&linked), ("installed".to_owned(), linked.join(".own/post-commit")));
    assert_eq!(project.env.brv_in(&linked, &["hooks", "test"]).code, 0);
    assert_eq!(project.env.brv_in(&linked, &["hooks", "uninstall"]).code, 0);
    assert!(!linked.join(".own").exists());
    project.env.git(&linked, &["config", "--worktree", "core.hooksPath", "/dev/null"]);
    assert_eq!(first(&linked).0, "foreign");
    let ran = project.env.brv_in(&linked, &["hooks", "status"]);
    assert!(ran.stdout.contains("`core.hooksPath` is `/dev/null`"), "{}", ran.stdout);
}

#[test]
fn init_installs_the_hooks_and_is_not_stopped_by_them() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "host"]);
    let host = env.path("host");
    std::fs::write(host.join("lefthook.yml"), "").unwrap();
    let ran = env.brv_in(&host, &["init", "--hooks"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("warning: no hook was changed: lefthook rules the hooks of"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("\npost-commit:\n  commands:\n    brv:\n      run: brv hooks run"),
        "{}",
        ran.stderr
    );
    std::fs::remove_file(host.join("lefthook.yml")).unwrap();
    let ran = env.brv_in(&host, &["init", "--hooks", "--json"]);
    assert_eq!(rows(&json(&ran.stdout)["data"], "change").len(), 5, "{}", ran.stdout);
}

#[test]
fn only_the_user_switches_hooks_off() {
    let project = Project::new();
    let enabled = || project.data(&["hooks", "status"])["enabled"].clone();
    std::fs::write(project.host.join(".brv/config.yaml"), "hooks.enabled: false\nhooks.quota: 1\n").unwrap();
    assert_eq!(enabled(), true);
    assert_eq!(project.brv(&["config", "set", "--user", "hooks.enabled", "false"]).code, 0);
    assert_eq!(enabled(), false);
    assert_eq!(project.brv(&["config", "get", "hooks.quota"]).stdout, "20\n");
    for value in ["-1", "10001", "1.5"] {
        assert_eq!(project.brv(&["config", "set", "--user", "hooks.quota", "--", value]).code, 2, "{value}");
    }
}
