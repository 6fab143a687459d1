//! The untrusted jobs, in all topologies: they find the tree, with its history, and check the right range.

use super::{Runner, by_release, made, step};
use crate::env::Ran;
use brv::say::workflow::{Host, files};
use std::path::{Path, PathBuf};

/// What a checkout of CI looks like.
struct Checkout {
    runner: Runner,
    folder: PathBuf,
    base: String,
    head: String,
}

/// The result of the step that looks for the tree.
struct Found {
    project: String,
    scope: String,
}

const ENTRY: &str = "# A\n\n## Facts\n\n- **day**: one\n";
const EDITED: &str = "# A\n\n## Facts\n\n- **day**: two\n";

/// A commit on a branch of `hub`: without a parent branch it has no history. Returns its id.
fn push(runner: &Runner, branch: &str, parent: Option<&str>, files: &[(&str, &str)]) -> String {
    let env = &runner.env;
    let work = env.path("work");
    if !work.exists() {
        env.bare("hub.git");
        env.git(env.root(), &["clone", "-q", "hub.git", "work"]);
    }
    match parent {
        Some(parent) => env.git(&work, &["checkout", "-q", "-B", branch, parent]),
        None => {
            env.git(&work, &["checkout", "-q", "--orphan", branch]);
            env.git(&work, &["rm", "-rfq", "--ignore-unmatch", "."])
        }
    };
    let commit = env.commit(&work, files);
    env.git(&work, &["push", "-q", "origin", &format!("HEAD:refs/heads/{branch}")]);
    commit
}

impl Checkout {
    /// A base branch with two commits, a topic with one more, then another commit on the base.
    fn new(runner: Runner, branch: &str, parent: Option<&str>, entry: &str) -> Self {
        push(&runner, branch, parent, &[(entry, "# A\n")]);
        push(&runner, branch, Some(branch), &[(entry, ENTRY)]);
        let topic = if branch.starts_with("brv/") { "brv/topic" } else { "topic" };
        let head = push(&runner, topic, Some(branch), &[(entry, EDITED)]);
        let other = Path::new(entry).with_file_name("other.md");
        let base = push(&runner, branch, Some(branch), &[(other.to_str().unwrap(), "# Other\n")]);
        Self::of(runner, base, head)
    }

    fn of(runner: Runner, base: String, head: String) -> Self {
        runner.env.git(runner.env.root(), &["clone", "-q", "hub.git", "checkout"]);
        let folder = runner.env.path("checkout");
        runner.env.git(&folder, &["checkout", "-q", "--detach", &head]);
        Self { runner, folder, base, head }
    }

    /// As GitHub for a pull request to `branch`.
    fn pull_request(&self, branch: &str) -> Found {
        self.find(&[("GITHUB_BASE_REF", branch), ("GITHUB_REF_NAME", "7/merge"), ("BEFORE", "")])
    }

    fn find(&self, variables: super::Variables<'_>) -> Found {
        let env = &self.runner.env;
        let (output, path) = (env.path("output"), env.path("path"));
        let files = [("GITHUB_OUTPUT", output.to_str().unwrap()), ("GITHUB_PATH", path.to_str().unwrap())];
        let script = step(&made(Host::Github, None)[0], "Find the context tree");
        let ran = self.runner.bash(&self.folder, &script, &[variables, &files].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let text = std::fs::read_to_string(&output).unwrap();
        std::fs::remove_file(&output).unwrap();
        let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let found = Found { project: value("project="), scope: value("scope=") };
        assert_eq!(ran.stdout.contains("nothing to check"), found.project.is_empty(), "{}", ran.stdout);
        found
    }

    /// As GitLab, with the scripts of the job in one shell.
    fn gitlab(&self, shell: &[&str], variables: super::Variables<'_>) -> Ran {
        let file = &made(Host::Gitlab, Some("pwd > \"$HOME/installed-in\""))[0];
        let value: serde_yaml::Value = serde_yaml::from_str(&file.text).unwrap();
        let lines = value["brv-check"]["script"].as_sequence().unwrap();
        let script: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap()).collect();
        let folder = [("CI_PROJECT_DIR", self.folder.to_str().unwrap()), ("CI_COMMIT_SHA", &self.head)];
        self.runner.run(shell, &self.folder, &script.join("\n"), &[&folder, variables].concat())
    }

    fn range(&self) -> String {
        format!("{}...{}", self.base, self.head)
    }

    /// The tree has all commits, and brv shows exactly the topic's edit.
    fn assert_checkable(&self, found: &Found, commits: &str) {
        let env = &self.runner.env;
        let tree = Path::new(&found.project).join(".brv/context-tree");
        assert_eq!(env.git(&tree, &["rev-parse", "--is-shallow-repository"]), "false");
        assert_eq!(env.git(&tree, &["rev-list", "--count", "HEAD"]), commits);
        assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
        assert_eq!(found.scope, self.range());
        let ran = env.brv_in(Path::new(&found.project), &["vc", "diff", &found.scope, "--format", "text"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("day") && !ran.stdout.contains("other"), "{}", ran.stdout);
    }
}

fn nested() -> Checkout {
    Checkout::new(Runner::new(), "main", None, "auth/a.md")
}

/// The code on `main` and `feature`, the tree on `brv/main` and `brv/topic`.
fn host_remote() -> Checkout {
    let runner = Runner::new();
    push(&runner, "main", None, &[("main.c", "int main;\n")]);
    push(&runner, "feature", Some("main"), &[("main.c", "int two;\n")]);
    Checkout::new(runner, "brv/main", None, "auth/a.md")
}

fn in_repo() -> Checkout {
    let runner = Runner::new();
    push(&runner, "main", None, &[("main.c", "int main;\n")]);
    Checkout::new(runner, "main", Some("main"), ".brv/context-tree/auth/a.md")
}

#[test]
fn a_repository_that_is_the_tree_becomes_the_tree_of_a_project() {
    let checkout = nested();
    let found = checkout.pull_request("main");
    assert_ne!(Path::new(&found.project), checkout.folder);
    assert!(Path::new(&found.project).join(".brv/context-tree/.git").is_dir());
    checkout.assert_checkable(&found, "3");
}

#[test]
fn a_branch_of_the_tree_on_the_remote_of_the_code_becomes_the_tree_of_a_project() {
    let checkout = host_remote();
    let found = checkout.pull_request("brv/main");
    checkout.assert_checkable(&found, "3");
}

#[test]
fn a_tree_in_the_repository_of_the_code_stays_there() {
    let checkout = in_repo();
    let found = checkout.pull_request("main");
    assert_eq!(Path::new(&found.project).canonicalize().unwrap(), checkout.folder.canonicalize().unwrap());
    checkout.assert_checkable(&found, "4");
}

#[test]
fn a_pull_request_for_the_code_alone_has_nothing_to_check() {
    for checkout in [host_remote(), in_repo()] {
        let Checkout { runner, .. } = checkout;
        let base = runner.env.git(&runner.env.path("hub.git"), &["rev-parse", "main"]);
        let head = push(&runner, "code", Some("origin/main"), &[("main.c", "int three;\n")]);
        std::fs::remove_dir_all(runner.env.path("checkout")).unwrap();
        let checkout = Checkout::of(runner, base, head);
        assert_eq!(checkout.pull_request("main").project, "");
        checkout.runner.fake_brv(1);
        let ran = checkout.gitlab(&["bash", "-eo", "pipefail"], &MERGE_REQUEST);
        assert_eq!((ran.code, checkout.runner.calls()), (0, vec![]), "{}", ran.stderr);
        assert_eq!(std::fs::read_to_string(checkout.folder.join(REPORT)).unwrap(), "[]\n");
    }
}

#[test]
fn the_pull_request_that_brings_the_tree_into_the_code_is_checked() {
    let runner = Runner::new();
    let base = push(&runner, "main", None, &[("main.c", "int main;\n")]);
    let head = push(&runner, "topic", Some("main"), &[(".brv/context-tree/auth/a.md", ENTRY)]);
    let checkout = Checkout::of(runner, base, head);
    let found = checkout.pull_request("main");
    checkout.assert_checkable(&found, "2");
}

#[test]
fn the_commits_of_a_fork_are_compared_with_the_base_as_it_is_now() {
    let mut checkout = nested();
    let env = &checkout.runner.env;
    env.git(env.root(), &["clone", "-q", "hub.git", "fork"]);
    env.git(&env.path("fork"), &["checkout", "-q", &checkout.head]);
    let head = env.commit(&env.path("fork"), &[("ops/day.md", "# Day\n")]);
    env.git(&checkout.folder, &["fetch", "-q", env.path("fork").to_str().unwrap(), &head]);
    env.git(&checkout.folder, &["checkout", "-q", "--detach", &head]);
    checkout.head = head;
    let found = checkout.pull_request("main");
    checkout.assert_checkable(&found, "4");
}

#[test]
fn a_push_is_checked_from_the_commit_before_it_or_as_a_whole() {
    let checkout = nested();
    let main = |before: &str| {
        checkout.find(&[("GITHUB_BASE_REF", ""), ("GITHUB_REF_NAME", "main"), ("BEFORE", before)]).scope
    };
    let before = checkout.runner.env.git(&checkout.folder, &["rev-parse", "HEAD~1"]);
    assert_eq!(main(&before), format!("{before}..{}", checkout.head));
    for before in ["", &"0".repeat(40), &"1".repeat(40)] {
        assert_eq!(main(before), "--all");
    }
}

#[test]
fn the_result_is_written_whatever_is_found_and_the_check_decides() {
    let runner = Runner::new();
    let file = &made(Host::Github, None)[0];
    let variables = [("SCOPE", "a...b"), ("NUMBER", "7")];
    let review = runner.env.path("temp/brv-review");
    std::fs::create_dir(&review).unwrap();
    for code in [0, 1, 3] {
        runner.fake_brv(code);
        let ran = runner.bash(runner.env.root(), &step(file, "Write the result"), &variables);
        assert_eq!(ran.code == 0, code < 2, "{code}: {}", ran.stderr);
        let ran = runner.bash(runner.env.root(), &step(file, "Check"), &variables);
        assert_eq!(ran.code, i32::from(code));
        let root = runner.env.root().canonicalize().unwrap();
        let calls = [
            format!(
                "{}: vc check a...b --format json --output {}/check.json",
                root.display(),
                review.display()
            ),
            format!("{}: vc check a...b --format github", root.display()),
        ];
        assert_eq!(runner.calls(), calls);
    }
    assert_eq!(std::fs::read_to_string(review.join("number")).unwrap(), "7\n");
    assert!(review.join("check.json").is_file());
}

#[test]
fn without_a_command_the_runner_must_have_this_version() {
    let runner = Runner::new();
    let script = step(&made(Host::Github, None)[0], "Install brv");
    for (version, code) in [(env!("CARGO_PKG_VERSION"), 0), ("0.0.9", 1)] {
        runner.fake("brv", &format!("echo brv {version}\n"));
        let ran = runner.bash(runner.env.root(), &script, &[]);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("found: brv 0.0.9"), code == 1, "{}", ran.stderr);
    }
    runner.fake("brv", "exit 127\n");
    let ran = runner.bash(runner.env.root(), &script, &[]);
    assert!(ran.code == 1 && ran.stderr.contains("found: no brv"), "{}", ran.stderr);
}

#[test]
fn the_installer_of_the_release_puts_it_where_later_steps_find_it() {
    let runner = Runner::new();
    let installer = "echo \"$BRV_INSTALL_DIR\" >> CALLS\n";
    let script = format!("echo \"$*\" >> CALLS\nprintf %s '{installer}' > install.sh\n");
    let calls = runner.env.path("calls");
    runner.fake("curl", &script.replace("CALLS", calls.to_str().unwrap()));
    let url =
        format!("https://host.test/owner/brv/releases/download/v{}/install.sh", env!("CARGO_PKG_VERSION"));
    for file in files(Host::Github, by_release()).unwrap() {
        let ran = runner.bash(&runner.env.path("temp"), &step(&file, "Install brv"), &[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let home = runner.env.path("home/.local/bin");
        let wanted = format!("--proto =https --tlsv1.2 -fsSLo install.sh {url}");
        assert_eq!(runner.calls(), [wanted, home.display().to_string()]);
    }
    runner.fake("curl", "exit 22\n");
    let script = step(&files(Host::Github, by_release()).unwrap()[0], "Install brv");
    assert_eq!(runner.bash(&runner.env.path("temp"), &script, &[]).code, 22, "no step goes on without brv");
}

const REPORT: &str = "gl-code-quality-report.json";
const MERGE_REQUEST: [(&str, &str); 3] = [
    ("CI_MERGE_REQUEST_IID", "7"),
    ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
    ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "main"),
];

#[test]
fn gitlab_checks_a_merge_request_in_every_topology_and_shell() {
    for (checkout, branch) in [(nested(), "main"), (host_remote(), "brv/main"), (in_repo(), "main")] {
        let env = &checkout.runner.env;
        let base = env.git(&checkout.folder, &["merge-base", &checkout.base, &checkout.head]);
        let variables = [
            ("CI_MERGE_REQUEST_IID", "7"),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", branch),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base),
        ];
        for shell in [&["bash", "-eo", "pipefail"][..], &["sh", "-e"]] {
            checkout.runner.fake_brv(1);
            let ran = checkout.gitlab(shell, &variables);
            assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
            let calls = checkout.runner.calls();
            let (project, arguments) = calls[0].split_once(": ").unwrap();
            let range = format!("{base}...{}", checkout.head);
            let report = checkout.folder.join(REPORT);
            assert_eq!(arguments, format!("vc check {range} --format gitlab --output {}", report.display()));
            assert_eq!(calls[1..], [format!("{project}: vc check {range}")]);
            assert_eq!(std::fs::read_to_string(&report).unwrap(), "report\n");
            std::fs::remove_file(&report).unwrap();
            let installed_in = std::fs::read_to_string(env.path("home/installed-in")).unwrap();
            assert_ne!(Path::new(installed_in.trim()), checkout.folder);
            let ran = env.brv_in(Path::new(project), &["vc", "diff", &range, "--format", "text"]);
            assert!(ran.stdout.contains("day") && !ran.stdout.contains("other"), "{}", ran.stderr);
        }
    }
}

#[test]
fn gitlab_compares_the_two_sides_of_merged_results() {
    let checkout = nested();
    let env = &checkout.runner.env;
    env.git(&checkout.folder, &["merge", "-q", "--no-edit", &checkout.base]);
    let merge = env.git(&checkout.folder, &["rev-parse", "HEAD"]);
    checkout.runner.fake_brv(0);
    let sides = [
        ("CI_COMMIT_SHA", merge.as_str()),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", &checkout.base),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", &checkout.head),
    ];
    let ran = checkout.gitlab(&["sh", "-e"], &[&MERGE_REQUEST[..], &sides].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(checkout.runner.calls()[1].ends_with(&format!(": vc check {}", checkout.range())));
}

#[test]
fn gitlab_checks_the_default_branch_after_a_push() {
    let checkout = nested();
    let before = checkout.runner.env.git(&checkout.folder, &["rev-parse", "HEAD~1"]);
    checkout.runner.fake_brv(0);
    let zeros = "0".repeat(40);
    for (before, scope) in [(&before, format!("{before}..{}", checkout.head)), (&zeros, "--all".into())] {
        let variables = [("CI_COMMIT_BRANCH", "main"), ("CI_COMMIT_BEFORE_SHA", before.as_str())];
        let ran = checkout.gitlab(&["bash", "-eo", "pipefail"], &variables);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(checkout.runner.calls()[1].ends_with(&format!(": vc check {scope}")));
    }
}
