//! Pushing: what is rejected, what is sent, and what is stored afterwards. The other side is plain git.

use crate::env::{Env, Ran};
use crate::init::json;
use crate::lab::{assert_harmless, write};
use std::path::{Path, PathBuf};

struct Pair {
    env: Env,
    remote: PathBuf,
    project: PathBuf,
    tree: PathBuf,
}

impl Pair {
    /// A project with one commit, and an empty remote `origin`.
    fn new() -> Self {
        let env = Env::new();
        let (remote, project) = (env.bare("remote.git"), env.path("project"));
        std::fs::create_dir(&project).unwrap();
        let tree = project.join(".brv/context-tree");
        let pair = Self { env, remote, project, tree };
        pair.run(&["init", "-q"]);
        pair.commit("auth/a.md", "# A\n\nTokens live a day.\n");
        pair.run(&["vc", "remote", "add", "origin", pair.remote.to_str().unwrap()]);
        pair
    }

    fn brv(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.project, arguments)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn commit(&self, path: &str, text: &str) -> String {
        write(&self.tree, &[(path, text)]);
        self.run(&["vc", "add", "--all"]);
        self.run(&["vc", "commit", "-m", "edit"]);
        self.env.git(&self.tree, &["rev-parse", "HEAD"])
    }

    fn there(&self, reference: &str) -> String {
        self.env.try_git(&self.remote, &["rev-parse", "-q", "--verify", reference]).stdout.trim().to_owned()
    }

    fn upstream(&self) -> String {
        self.env.try_git(&self.tree, &["config", "branch.main.merge"]).stdout.trim().to_owned()
    }

    /// A teammate pushes their own commit to `main`.
    fn mate_pushes(&self) -> String {
        let mate = self.env.path("mate");
        let _ = std::fs::remove_dir_all(&mate);
        self.env.git(self.env.root(), &["clone", "-q", "-b", "main", self.remote.to_str().unwrap(), "mate"]);
        let id = self.env.commit(&mate, &[("mate.md", "# Mate\n")]);
        self.env.git(&mate, &["push", "-q"]);
        id
    }

    fn reject_with(&self, script: &str) {
        let hook = self.remote.join("hooks/pre-receive");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

/// The message has nothing that an agent could paste and so lose commits.
fn assert_no_destructive_command(ran: &Ran) {
    for word in ["--force", "-f ", "push +", "reset --hard", "rm -", "branch -D", "--delete"] {
        assert!(
            !ran.stderr.contains(word) && !ran.stdout.contains(word),
            "{word}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn upstream_is_written_only_after_the_server_has_the_branch() {
    let pair = Pair::new();
    let ran = pair.brv(&["vc", "push"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    pair.reject_with("exit 1");
    let ran = pair.brv(&["vc", "push", "-u", "origin", "main"]);
    assert_eq!(ran.code, 9, "{}", ran.stderr);
    assert_eq!((pair.upstream(), pair.there("main")), (String::new(), String::new()));
    std::fs::remove_file(pair.remote.join("hooks/pre-receive")).unwrap();
    let ran = pair.run(&["vc", "push", "-n", "-u", "origin", "main"]);
    assert!(ran.stdout.contains("[new branch] main"), "{}", ran.stdout);
    assert_eq!(
        (pair.upstream(), pair.there("main")),
        (String::new(), String::new()),
        "a dry run sends nothing"
    );
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    assert_eq!(pair.upstream(), "refs/heads/main");
    assert_eq!(pair.there("main"), pair.env.git(&pair.tree, &["rev-parse", "HEAD"]));
    pair.env.fsck(&pair.remote);
}

#[test]
fn a_dry_run_sends_no_object_and_says_what_would_happen() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    let id = pair.commit("auth/b.md", "# B\n");
    let before = pair.there("main");
    let ran = pair.run(&["vc", "push", "--dry-run"]);
    assert!(ran.stdout.contains(&id[..7]), "{}", ran.stdout);
    assert_eq!(pair.there("main"), before);
    assert_eq!(pair.env.try_git(&pair.remote, &["cat-file", "-e", &id]).code, 1);
    assert_eq!(pair.env.git(&pair.tree, &["rev-parse", "origin/main"]), before, "and stores nothing");
}

#[test]
fn commits_of_others_are_never_lost_and_the_hint_says_what_to_do() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    let theirs = pair.mate_pushes();
    pair.commit("auth/b.md", "# B\n");
    // the remote moved without our knowledge, then also with it
    for _ in 0..2 {
        let ran = pair.brv(&["vc", "push"]);
        assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("brv vc pull"), "{}", ran.stderr);
        assert_no_destructive_command(&ran);
        assert_eq!(pair.there("main"), theirs);
        pair.run(&["vc", "fetch"]);
    }
    pair.run(&["vc", "pull"]);
    pair.run(&["vc", "push"]);
    pair.env.fsck(&pair.remote);
}

#[test]
fn up_to_date_is_what_the_server_says() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    let head = pair.there("main");
    assert_eq!(pair.run(&["vc", "push"]).stdout, "Everything is up to date.\n");
    // a teammate deletes the branch: our tracking ref still has it
    pair.env.git(&pair.remote, &["update-ref", "-d", "refs/heads/main"]);
    let ran = pair.run(&["vc", "push"]);
    assert!(ran.stdout.contains("[new branch] main"), "{}", ran.stdout);
    assert_eq!(pair.there("main"), head);
    // a teammate restores it in time
    let older = pair.commit("auth/b.md", "# B\n");
    pair.run(&["vc", "push"]);
    pair.env.git(&pair.remote, &["update-ref", "refs/heads/main", &head]);
    pair.run(&["vc", "push"]);
    assert_eq!(pair.there("main"), older);
}

#[test]
fn a_hook_that_rejects_is_heard_without_its_escapes() {
    let pair = Pair::new();
    pair.reject_with("printf 'no \\033[31mred\\033[0m \\007tokens \\342\\200\\256here\\n' >&2; exit 1");
    for arguments in [&["vc", "push", "origin", "main"][..], &["vc", "push", "origin", "main", "--json"]] {
        let ran = pair.brv(arguments);
        assert_eq!(ran.code, 9, "{}{}", ran.stdout, ran.stderr);
        assert_harmless(&ran);
        assert!(
            ran.stderr.contains("tokens") || ran.stdout.contains("tokens"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
    assert!(pair.brv(&["vc", "push", "origin", "main"]).stderr.contains("pre-receive hook declined"));
    assert_eq!(pair.there("main"), "");
}

#[test]
fn a_branch_that_follows_one_of_another_name_is_not_pushed_by_guess() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main:trunk"]);
    assert_eq!(pair.upstream(), "refs/heads/trunk");
    pair.commit("auth/b.md", "# B\n");
    let ran = pair.brv(&["vc", "push"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("trunk") && ran.stderr.contains("hint: "), "{}", ran.stderr);
    pair.run(&["vc", "push", "origin", "main:trunk"]);
    assert_eq!(pair.there("main"), "");
    assert_eq!(pair.there("trunk"), pair.env.git(&pair.tree, &["rev-parse", "HEAD"]));
}

#[test]
fn refspecs_name_commits_tags_and_deletions() {
    let pair = Pair::new();
    let first = pair.env.git(&pair.tree, &["rev-parse", "HEAD"]);
    let second = pair.commit("auth/b.md", "# B\n");
    pair.env.git(&pair.tree, &["tag", "-a", "-m", "one", "v1", &first]);
    pair.run(&["vc", "push", "origin", "HEAD", "HEAD~1:refs/heads/old", "v1"]);
    assert_eq!((pair.there("main"), pair.there("old")), (second, first.clone()));
    assert_eq!(pair.there("v1^{commit}"), first);
    pair.run(&["vc", "push", "origin", ":old"]);
    assert_eq!(pair.there("old"), "");
    let ran = pair.brv(&["vc", "push", "origin", "nowhere"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = pair.brv(&["vc", "push", "nowhere"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    pair.env.fsck(&pair.remote);
}

#[test]
fn conflict_markers_and_doubled_keys_do_not_leave() {
    let markers = "# A\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> origin/main\n";
    let keys = "---\ntitle: A\ntags: [a]\ntags: [b]\n---\n# A\n";
    for (text, rule, line) in [(markers, "BRV001", ":3:1 "), (keys, "BRV003", ":4:1 ")] {
        let pair = Pair::new();
        pair.run(&["vc", "push", "-u", "origin", "main"]);
        let before = pair.there("main");
        pair.commit("auth/b.md", text);
        let ran = pair.brv(&["vc", "push"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (7, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("  {rule} auth/b.md{line}")), "{}", ran.stderr);
        assert!(ran.stderr.contains("`brv vc repair PATH`"), "{}", ran.stderr);
        assert_no_destructive_command(&ran);
        assert_eq!(pair.there("main"), before);
        let error = json(&pair.brv(&["vc", "push", "--json"]).stdout);
        assert_eq!(error["error"]["code"], "blocked");
        pair.run(&["vc", "push", "--no-verify"]);
        assert_ne!(pair.there("main"), before);
    }
}

#[test]
fn frontmatter_that_yaml_ends_with_dots_leaves() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    let commit = pair.commit("auth/b.md", "---\ntitle: Dots\ntags: [a]\n...\n\n# Dots\n\nText.\n");
    pair.run(&["vc", "check", "--all", "--fail-on", "warning"]);
    pair.run(&["vc", "push"]);
    assert_eq!(pair.there("main"), commit);
    let shown = json(&pair.brv(&["search", "dots", "--json"]).stdout);
    assert_eq!(shown["data"]["results"][0]["title"], "Dots", "{shown}");
}

#[test]
fn what_only_explains_markers_leaves() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    pair.commit(
        "auth/b.md",
        "# Markers\n\n```\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> x\n```\n\nTitle\n=======\n\n<<<<<<< alone\n",
    );
    pair.run(&["vc", "push"]);
}

#[test]
fn what_was_corrected_later_does_not_leave_until_its_commit_is() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    let before = pair.there("main");
    let broken = pair.commit("auth/c.md", "---\na: 1\na: 2\n---\n");
    let ran = pair.brv(&["vc", "push"]);
    assert_eq!(ran.code, 7);
    assert!(ran.stderr.contains(&format!("(commit {})", &broken[..7])), "{}", ran.stderr);
    pair.commit("auth/d.md", "# D\n");
    pair.commit("auth/c.md", "---\na: 1\n---\n");
    let ran = pair.brv(&["vc", "push"]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    let line = "  BRV003 auth/c.md:3:1 ";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("(commit {}, corrected later)", &broken[..7])), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    assert_no_destructive_command(&ran);
    assert_eq!(pair.there("main"), before);
    // the correction is amended into the commit
    pair.env.git(&pair.tree, &["reset", "--soft", "origin/main"]);
    pair.env.git(&pair.tree, &["commit", "-q", "-m", "both"]);
    pair.run(&["vc", "push"]);
    pair.env.fsck(&pair.remote);
}

#[test]
fn operations_are_never_sent_or_offered() {
    let pair = Pair::new();
    pair.commit("auth/b.md", "# B\n");
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    assert!(!pair.env.git(&pair.tree, &["for-each-ref", "refs/brv/ops"]).is_empty());
    let listed = pair.env.git(&pair.remote, &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(listed, "refs/heads/main");
    let operation =
        pair.env.git(&pair.tree, &["for-each-ref", "--count=1", "--format=%(refname)", "refs/brv/ops"]);
    for spec in [operation.clone(), format!("{operation}:refs/heads/x"), "HEAD:refs/brv/ops/x".into()] {
        let ran = pair.brv(&["vc", "push", "origin", &spec]);
        assert_ne!(ran.code, 0, "{spec}: {}", ran.stdout);
        assert_eq!(
            pair.env.git(&pair.remote, &["for-each-ref", "--format=%(refname)"]),
            "refs/heads/main",
            "{spec}"
        );
    }
    let tree: &Path = &pair.tree;
    let offered = pair.env.git(pair.env.root(), &["ls-remote", tree.to_str().unwrap()]);
    assert!(!offered.contains("refs/brv"), "{offered}");
}

#[test]
fn a_remote_that_is_gone_is_a_failure_of_the_remote_and_changes_nothing() {
    let pair = Pair::new();
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    std::fs::remove_dir_all(&pair.remote).unwrap();
    for arguments in [&["vc", "push"][..], &["vc", "pull"], &["vc", "fetch"]] {
        let ran = pair.brv(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (9, ""), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn a_relative_address_begins_in_the_tree_wherever_the_command_is_called() {
    let pair = Pair::new();
    pair.env.git(&pair.tree, &["config", "remote.origin.url", "../../../remote.git"]);
    pair.run(&["vc", "push", "-u", "origin", "main"]);
    pair.run(&["vc", "fetch"]);
    assert_eq!(pair.there("refs/heads/main"), pair.env.git(&pair.tree, &["rev-parse", "HEAD"]));
    let ran = pair.brv(&["vc", "pull", "--dry-run", "--depth", "1"]);
    assert_eq!(ran.code, 2, "looking changes no history: {}", ran.stderr);
}

#[test]
#[cfg(unix)]
fn what_is_denied_on_a_path_is_no_failed_login() {
    use std::os::unix::fs::PermissionsExt as _;
    let pair = Pair::new();
    let git = pair.env.path("bin/git");
    std::fs::create_dir(pair.env.path("bin")).unwrap();
    let words = "error: unable to create temporary object directory: Permission denied";
    std::fs::write(&git, format!("#!/bin/sh\necho '{words}' >&2\nexit 128\n")).unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    for verb in ["push", "fetch"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_brv"));
        pair.env.prepare(&mut command);
        command.env("PATH", pair.env.path("bin")).current_dir(&pair.project);
        let ran = Ran::of(&command.args(["vc", verb, "origin", "main"]).output().unwrap());
        assert_eq!(ran.code, 9, "{verb}: {}", ran.stderr);
        assert!(ran.stderr.contains(words) && !ran.stderr.contains("ssh"), "{verb}: {}", ran.stderr);
    }
}
