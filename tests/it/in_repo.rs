//! A tree that is a folder of the host's work tree and tracked there: brv's commands only affect this folder, and
//! branches, remotes and objects stay with the user's own git.

use crate::env::{Env, Ran};
use crate::init::json;
use crate::lab::write;
use std::path::{Path, PathBuf};

const FOLDER: &str = ".brv/context-tree";

struct Host {
    env: Env,
    hub: PathBuf,
}

/// A clone of the host by one user.
struct Mate<'a> {
    env: &'a Env,
    host: PathBuf,
    tree: PathBuf,
}

impl Host {
    /// A hub with code.
    fn new() -> Self {
        let env = Env::new();
        let hub = env.bare("hub.git");
        env.git(env.root(), &["clone", "-q", "hub.git", "first"]);
        env.commit(&env.path("first"), &[("main.c", "int main;\n")]);
        env.git(&env.path("first"), &["push", "-q", "origin", "HEAD:main"]);
        env.git(&hub, &["symbolic-ref", "HEAD", "refs/heads/main"]);
        Self { env, hub }
    }

    fn clone(&self, name: &str) -> Mate<'_> {
        self.env.git(self.env.root(), &["clone", "-q", "hub.git", name]);
        let host = self.env.path(name);
        Mate { env: &self.env, tree: host.join(FOLDER), host }
    }

    /// A clone with a tree that has one committed entry.
    fn mate(&self, name: &str) -> Mate<'_> {
        let mate = self.clone(name);
        mate.run(&["init", "-q", "--in-repo"]);
        mate.commit("auth/a.md", "# A\n\nTokens live a day.\n");
        mate
    }
}

impl Mate<'_> {
    fn brv(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.host, arguments)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn data(&self, arguments: &[&str]) -> serde_json::Value {
        json(&self.run(&[arguments, &["--json"]].concat()).stdout)["data"].take()
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.host, arguments)
    }

    fn commit(&self, path: &str, text: &str) -> String {
        write(&self.tree, &[(path, text)]);
        self.run(&["vc", "add", "--all"]);
        let ran = self.brv(&["vc", "commit", "-m", "edit"]);
        // an edit may be none to git
        assert!(ran.code == 0 || ran.stderr.contains("nothing to commit"), "{}", ran.stderr);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The files of a commit.
    fn changed(&self, commit: &str) -> String {
        self.git(&["show", "--format=", "--name-only", commit])
    }
}

#[test]
fn a_new_tree_leaves_the_host_clean_and_only_knowledge_is_tracked() {
    let host = Host::new();
    let ada = host.clone("ada");
    let made = ada.data(&["init", "--in-repo"]);
    assert_eq!(
        (&made["origin"], Path::new(made["host"].as_str().unwrap())),
        (&"new".into(), ada.host.as_path())
    );
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
    ada.commit("auth/a.md", "# A\n\nTokens live a day.\n");
    ada.run(&["config", "set", "lock.timeout", "3"]);
    ada.run(&["derive"]);
    assert!(ada.tree.join("auth/a.abstract.md").is_file() && ada.tree.join("_manifest.json").is_file());
    assert_eq!(
        ada.git(&["status", "--porcelain"]),
        "",
        "the host does not track settings, cache and derived files"
    );
    assert_eq!(ada.git(&["ls-files"]), format!("{FOLDER}/auth/a.md\nmain.c"));
    assert!(!ada.tree.join(".git").exists());
    assert_eq!(ada.data(&["init"])["origin"], "repository", "again without the flag");
    ada.env.fsck(&ada.host);
}

#[test]
fn a_commit_takes_the_tree_and_nothing_that_is_staged_beside_it() {
    let host = Host::new();
    let ada = host.mate("ada");
    std::fs::write(ada.host.join("main.c"), "int changed;\n").unwrap();
    std::fs::write(ada.host.join("new.c"), "int new;\n").unwrap();
    ada.git(&["add", "main.c", "new.c"]);
    write(&ada.tree, &[("auth/a.md", "# A\n\nTokens live an hour.\n"), ("ops/b.md", "# B\n")]);
    ada.run(&["vc", "add", "."]);
    let status = ada.data(&["vc", "status"]);
    let paths: Vec<&str> =
        status["staged"].as_array().unwrap().iter().map(|change| change["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["auth/a.md", "ops/b.md"]);
    ada.run(&["vc", "commit", "-m", "knowledge"]);
    assert_eq!(ada.changed("HEAD"), format!("{FOLDER}/auth/a.md\n{FOLDER}/ops/b.md"));
    assert_eq!(ada.git(&["status", "--porcelain"]), "M  main.c\nA  new.c");
    write(&ada.tree, &[("ops/b.md", "# B\n\nMore.\n")]);
    ada.run(&["vc", "commit", "-a", "-m", "more"]);
    assert_eq!(ada.changed("HEAD"), format!("{FOLDER}/ops/b.md"));
    assert_eq!(ada.git(&["status", "--porcelain"]), "M  main.c\nA  new.c");
    let nothing = ada.brv(&["vc", "commit", "-m", "nothing"]);
    assert_eq!(nothing.code, 1);
    assert!(nothing.stderr.contains("nothing to commit"), "{}", nothing.stderr);
    ada.env.fsck(&ada.host);
}

#[test]
fn history_is_that_of_the_folder() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.env.commit(&ada.host, &[("main.c", "int two;\n")]);
    ada.commit("auth/a.md", "# A\n\nTokens live an hour.\n");
    assert_eq!(ada.data(&["vc", "log"])["commits"].as_array().unwrap().len(), 2);
    assert_eq!(ada.data(&["vc", "log", "auth"])["commits"].as_array().unwrap().len(), 2);
    let shown = ada.run(&["vc", "show", "HEAD~1"]).stdout;
    assert!(!shown.contains("main.c"), "{shown}");
    let diff = ada.run(&["vc", "diff", "HEAD~2", "HEAD", "--stat"]).stdout;
    assert!(diff.contains("auth/a") && !diff.contains("main.c"), "{diff}");
    // from any folder
    for folder in [ada.tree.join("auth"), ada.tree.clone()] {
        let ran = ada.env.brv_in(&folder, &["vc", "log", ".", "--json"]);
        assert_eq!(json(&ran.stdout)["data"]["commits"].as_array().unwrap().len(), 2, "{}", ran.stderr);
    }
}

#[test]
fn branches_remotes_and_objects_stay_the_users_own_git() {
    let host = Host::new();
    let ada = host.mate("ada");
    let before = ada.git(&["for-each-ref"]);
    for (arguments, git) in [
        (&["vc", "push"][..], "git push"),
        (&["vc", "pull"], "git pull"),
        (&["vc", "fetch"], "git fetch"),
        (&["vc", "merge", "HEAD"], "git merge"),
        (&["vc", "merge", "--abort"], "git merge"),
        (&["vc", "gc"], "git gc"),
        (&["vc", "sync"], "git pull` and `git push"),
        (&["vc", "switch", "-c", "topic"], "git switch"),
        (&["vc", "checkout", "-b", "topic"], "git checkout"),
        (&["vc", "branch", "topic"], "git branch"),
        (&["vc", "tag", "v1"], "git tag"),
        (&["vc", "reset", "--hard", "HEAD~1"], "git reset"),
        (&["vc", "reset", "--soft", "HEAD~1"], "git reset"),
        (&["vc", "remote", "add", "team", "--host"], "git remote"),
    ] {
        let ran = ada.brv(arguments);
        assert_eq!(ran.code, 6, "{arguments:?}\n{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("`{git}`")), "{arguments:?}\n{}", ran.stderr);
    }
    assert_eq!(ada.git(&["for-each-ref"]), before);
    let branches = ada.run(&["vc", "branch", "-a"]).stdout;
    assert!(branches.starts_with("* main\n") && branches.contains("origin/main"), "{branches}");
    assert!(!ada.git(&["ls-remote", "."]).contains("refs/brv"), "operations are not offered");
}

#[test]
fn two_developers_share_the_tree_with_their_own_git_which_merges_it_by_meaning() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.commit("auth/a.md", "---\ntags: [a]\n---\n\n# A\n\n## Facts\n\n- **day**: one\n");
    ada.git(&["push", "-q"]);
    let ben = host.clone("ben");
    let found = ben.data(&["vc", "status"]);
    assert_eq!(found["clean"], true, "a fresh clone has its tree before any `init`");
    ben.run(&["init", "-q"]);
    assert_eq!(ben.git(&["status", "--porcelain"]), "");
    ben.commit("auth/a.md", "---\ntags: [a, ben]\n---\n\n# A\n\n## Facts\n\n- **day**: one\n");
    ada.commit("auth/a.md", "---\ntags: [a, ada]\n---\n\n# A\n\n## Facts\n\n- **day**: one\n");
    ada.git(&["push", "-q"]);
    ben.run(&["derive"]);
    ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
    let merged = std::fs::read_to_string(ben.tree.join("auth/a.md")).unwrap();
    assert!(merged.contains("tags: [a, ada, ben]") || merged.contains("tags: [a, ben, ada]"), "{merged}");
    assert_eq!(ben.brv(&["derive", "--check"]).code, 1, "changes by git are noticed");
    ben.commit("ops/b.md", "# B\n");
    ben.run(&["derive", "--check"]);
    ben.git(&["push", "-q"]);
    ada.git(&["pull", "-q", "--no-rebase"]);
    for mate in [&ada, &ben] {
        assert_eq!(mate.git(&["status", "--porcelain"]), "");
        mate.env.fsck(&mate.host);
    }
    let there = host.env.git(&host.hub, &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(there, "refs/heads/main");
}

#[test]
fn a_waiting_merge_of_the_host_is_resolved_here_and_ended_there() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.commit("auth/a.md", "# A\n\nTokens live a week.\n");
    ada.git(&["switch", "-q", "main"]);
    ada.commit("auth/a.md", "# A\n\nTokens live an hour.\n");
    assert_eq!(ada.env.try_git(&ada.host, &["merge", "-q", "topic"]).code, 1);
    let ran = ada.brv(&["vc", "commit", "-m", "half"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("git commit"), "{}", ran.stderr);
    let status = ada.run(&["vc", "status"]).stdout;
    assert!(
        status.contains("resolve the conflicts, then run \"git merge --continue\" in the tree"),
        "{status}"
    );
    let listed = ada.brv(&["vc", "resolve", "--list", "--json"]);
    assert!(listed.stdout.contains("auth/a.md"), "{}", listed.stdout);
    let ran = ada.brv(&["vc", "revert", "HEAD"]);
    assert_eq!((ran.code, ran.stderr.contains("`git merge --continue`")), (6, true), "{}", ran.stderr);
    let told = json(&ada.run(&["vc", "resolve", "auth/a.md", "--theirs", "--json"]).stdout);
    assert_eq!(told["next"], serde_json::json!(["git merge --continue"]));
    let status = ada.run(&["vc", "status"]).stdout;
    assert!(status.contains("(run \"git merge --continue\" in the tree to continue)"), "{status}");
    let text = std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap();
    assert_eq!(text, "# A\n\nTokens live a week.\n");
    ada.git(&["commit", "-q", "--no-edit"]);
    assert_eq!(ada.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");
    assert_eq!(ada.data(&["vc", "status"])["clean"], true);
}

#[test]
fn what_git_brings_and_takes_is_noticed_by_the_next_command() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.commit("ops/b.md", "# B\n");
    ada.git(&["switch", "-q", "main"]);
    ada.commit("c.md", "# C\n");
    ada.run(&["derive", "--check"]);
    assert!(!ada.tree.join("ops").exists(), "derived files of removed entries are removed");
    ada.git(&["merge", "-q", "--no-edit", "topic"]);
    ada.run(&["derive"]);
    assert!(ada.tree.join("ops/b.abstract.md").is_file());
}

#[test]
fn a_linked_work_tree_has_the_tree_of_its_own_branch() {
    let host = Host::new();
    let ada = host.mate("ada");
    let linked = ada.env.path("linked");
    ada.git(&["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    write(&linked.join(FOLDER), &[("t.md", "# T\n")]);
    let run = |arguments: &[&str]| {
        let ran = ada.env.brv_in(&linked, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    };
    run(&["vc", "add", "."]);
    run(&["vc", "commit", "-m", "topic"]);
    assert_eq!(ada.git(&["show", "--format=", "--name-only", "topic"]), format!("{FOLDER}/t.md"));
    assert_eq!(ada.env.git(&linked, &["status", "--porcelain"]), "");
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
    // a branch without a tree
    ada.git(&["branch", "bare", "HEAD~1"]);
    ada.env.git(&linked, &["switch", "-q", "bare"]);
    let _ = std::fs::remove_dir_all(linked.join(".brv"));
    let status = json(&run(&["vc", "status", "--json"]).stdout);
    assert_eq!((&status["data"]["clean"], &status["data"]["branch"]), (&true.into(), &"bare".into()));
}

#[test]
fn a_tree_with_its_own_repository_or_none_around_it_is_refused_and_nothing_changes() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q", "host"]);
    let host = env.path("host");
    assert_eq!(env.brv_in(&host, &["init", "-q"]).code, 0);
    write(&host.join(FOLDER), &[("a.md", "# A\n")]);
    let rules = |host: &Path| {
        ["exclude", "attributes"].map(|name| std::fs::read(host.join(".git/info").join(name)).ok())
    };
    let before = (rules(&host), std::fs::read(host.join(".git/config")).unwrap());
    let ran = env.brv_in(&host, &["init", "--in-repo"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("already has a repository of its own") && ran.stderr.contains("hint:"),
        "{}",
        ran.stderr
    );
    assert_eq!((rules(&host), std::fs::read(host.join(".git/config")).unwrap()), before);
    assert!(host.join(FOLDER).join(".git").is_dir());

    std::fs::create_dir(env.path("alone")).unwrap();
    let ran = env.brv_in(&env.path("alone"), &["init", "--in-repo"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(!env.path("alone/.brv").exists());

    env.git(env.root(), &["init", "-q", "ignoring"]);
    let ignoring = env.path("ignoring");
    std::fs::write(ignoring.join(".gitignore"), ".brv/\n").unwrap();
    let before = (rules(&ignoring), std::fs::read(ignoring.join(".git/config")).unwrap());
    let ran = env.brv_in(&ignoring, &["init", "--in-repo"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("git check-ignore"), "{}", ran.stderr);
    assert_eq!((rules(&ignoring), std::fs::read(ignoring.join(".git/config")).unwrap()), before);
    assert!(!ignoring.join(".brv").exists());
}

#[test]
fn trees_of_several_projects_in_one_repository_each_have_their_rules() {
    let host = Host::new();
    let ada = host.clone("ada");
    for project in ["one project", "two"] {
        let folder = ada.host.join(project);
        std::fs::create_dir(&folder).unwrap();
        let run = |arguments: &[&str]| {
            let ran = ada.env.brv_in(&folder, arguments);
            assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        };
        run(&["init", "-q", "--in-repo"]);
        write(&folder.join(FOLDER), &[("a.md", "# A\n")]);
        run(&["vc", "add", "."]);
        run(&["vc", "commit", "-m", "a"]);
        run(&["derive"]);
    }
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
    for project in ["one project", "two"] {
        let file = format!("{project}/{FOLDER}/a.md");
        assert_eq!(ada.git(&["check-attr", "merge", &file]), format!("{file}: merge: brv"));
        assert_eq!(ada.changed(if project == "two" { "HEAD" } else { "HEAD~1" }).trim_matches('"'), file);
    }
    assert_eq!(ada.git(&["check-attr", "merge", "docs/a.md"]), "docs/a.md: merge: unspecified");
}

#[test]
fn the_hosts_rules_for_line_endings_hold() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.git(&["config", "core.autocrlf", "true"]);
    ada.env.commit(&ada.host, &[(".gitattributes", "*.txt -text\n")]);
    let text = "# B\r\n\r\nTokens live a day.\r\n";
    ada.commit("ops/b.md", text);
    assert_eq!(ada.git(&["cat-file", "-p", &format!("HEAD:{FOLDER}/ops/b.md")]), "# B\n\nTokens live a day.");
    assert_eq!(std::fs::read_to_string(ada.tree.join("ops/b.md")).unwrap(), text, "the file is unchanged");
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
    // the same bytes with another time are not a change
    std::fs::remove_file(ada.tree.join("ops/b.md")).unwrap();
    write(&ada.tree, &[("ops/b.md", text)]);
    assert_eq!(ada.data(&["vc", "status"])["clean"], true);
    write(&ada.tree, &[("ops/b.md", "# B\r\n\r\nTokens live an hour.\r\n")]);
    assert_eq!(ada.data(&["vc", "status"])["unstaged"][0]["path"], "ops/b.md");
    ada.run(&["vc", "commit", "-a", "-m", "hour"]);
    assert_eq!(ada.git(&["show", "--format=", "--numstat"]), format!("1\t1\t{FOLDER}/ops/b.md"));
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_waits_in_the_host_for_a_commit_of_its_own_stays() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.env.commit(&ada.host, &[("other.c", "int other;\n")]);
    ada.git(&["switch", "-q", "main"]);
    ada.git(&["merge", "-q", "--squash", "topic"]);
    let squash = std::fs::read(ada.host.join(".git/SQUASH_MSG")).unwrap();
    ada.commit("ops/b.md", "# B\n");
    assert_eq!(ada.changed("HEAD"), format!("{FOLDER}/ops/b.md"));
    assert_eq!(std::fs::read(ada.host.join(".git/SQUASH_MSG")).unwrap(), squash);
    assert_eq!(ada.git(&["status", "--porcelain"]), "A  other.c");
}

#[test]
fn a_revert_takes_back_what_a_commit_did_to_the_tree_alone() {
    let host = Host::new();
    let ada = host.mate("ada");
    write(&ada.tree, &[("auth/a.md", "# A\n\nTokens live an hour.\n"), ("ops/b.md", "# B\n")]);
    std::fs::write(ada.host.join("main.c"), "int both;\n").unwrap();
    ada.git(&["add", "-A"]);
    ada.git(&["commit", "-q", "-m", "code and knowledge"]);
    let both = ada.git(&["rev-parse", "HEAD"]);
    std::fs::write(ada.host.join("main.c"), "int staged;\n").unwrap();
    ada.git(&["add", "main.c"]);
    let ran = ada.run(&["vc", "revert", "HEAD"]);
    assert!(ran.stdout.starts_with("Reverted "), "{}", ran.stdout);
    assert_eq!(ada.changed("HEAD"), format!("{FOLDER}/auth/a.md\n{FOLDER}/ops/b.md"));
    let message = ada.git(&["log", "-1", "--format=%B"]);
    assert!(message.contains(&format!("This reverts commit {both} in {FOLDER}.")), "{message}");
    let text = std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap();
    assert_eq!((text.as_str(), ada.tree.join("ops/b.md").exists()), ("# A\n\nTokens live a day.\n", false));
    assert_eq!(ada.git(&["show", "HEAD:main.c"]), "int both;");
    assert_eq!(ada.git(&["status", "--porcelain"]), "M  main.c");
    ada.run(&["undo"]);
    assert!(ada.tree.join("ops/b.md").exists());
    // a commit of code has nothing to revert here
    ada.git(&["commit", "-q", "-m", "code"]);
    let before = ada.git(&["rev-parse", "HEAD"]);
    let ran = ada.run(&["vc", "revert", "HEAD"]);
    assert!(ran.stdout.starts_with("Already undone, nothing to revert in "), "{}", ran.stdout);
    assert_eq!(ada.git(&["rev-parse", "HEAD"]), before);
    ada.env.fsck(&ada.host);
}

#[test]
fn a_reset_to_head_and_a_restore_reach_only_the_tree() {
    let host = Host::new();
    let ada = host.mate("ada");
    std::fs::write(ada.host.join("main.c"), "int staged;\n").unwrap();
    ada.git(&["add", "main.c"]);
    let draft = || {
        write(&ada.tree, &[("auth/a.md", "# A\n\nDraft.\n"), ("ops/b.md", "# B\n")]);
        ada.run(&["vc", "add", "."]);
    };
    draft();
    ada.run(&["vc", "reset"]);
    assert_eq!(ada.git(&["diff", "--cached", "--name-only"]), "main.c");
    assert_eq!(std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap(), "# A\n\nDraft.\n");
    draft();
    ada.run(&["vc", "reset", "ops"]);
    ada.run(&["vc", "restore", "--staged", "--worktree", "auth"]);
    assert_eq!(ada.git(&["status", "--porcelain"]), format!("M  main.c\n?? {FOLDER}/ops/"));
    draft();
    let staged = ada.git(&["status", "--porcelain"]);
    assert!(ada.run(&["vc", "reset", "--soft", "HEAD"]).stdout.starts_with("HEAD is now at "));
    assert_eq!(ada.git(&["status", "--porcelain"]), staged);
    ada.run(&["vc", "reset", "--hard"]);
    assert_eq!(ada.git(&["status", "--porcelain"]), "M  main.c");
    ada.run(&["undo"]);
    assert_eq!(std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap(), "# A\n\nDraft.\n");
    assert_eq!(std::fs::read_to_string(ada.host.join("main.c")).unwrap(), "int staged;\n");
}

#[test]
fn what_brv_writes_stands_on_disk_as_the_host_wants_it() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.git(&["config", "core.autocrlf", "true"]);
    let on_disk = |path: &str| std::fs::read_to_string(ada.tree.join(path)).unwrap();
    let clean = |what: &str| assert_eq!(ada.git(&["status", "--porcelain"]), "", "{what}");
    let [day, hour] = ["day", "hour"].map(|long| format!("# A\r\n\r\nTokens live a {long}.\r\n"));
    ada.commit("auth/a.md", &day);
    ada.commit("auth/a.md", &hour);
    clean("commit");
    ada.run(&["vc", "restore", "--source", "HEAD~1", "--staged", "--worktree", "auth/a.md"]);
    assert_eq!(on_disk("auth/a.md"), day);
    ada.run(&["undo"]);
    assert_eq!(on_disk("auth/a.md"), hour);
    clean("undo of restore");
    write(&ada.tree, &[("auth/a.md", "# A\r\n\r\nDraft.\r\n")]);
    ada.run(&["vc", "restore", "auth/a.md"]);
    assert_eq!(on_disk("auth/a.md"), hour);
    ada.run(&["undo"]);
    assert_eq!(on_disk("auth/a.md"), "# A\r\n\r\nDraft.\r\n");
    ada.run(&["vc", "reset", "--hard"]);
    ada.run(&["vc", "revert", "HEAD"]);
    assert_eq!(on_disk("auth/a.md"), day);
    clean("revert");
    ada.run(&["undo"]);
    assert_eq!(on_disk("auth/a.md"), hour);
    clean("undo of revert");
    write(&ada.tree, &[("b.md", "---\r\nrelated: [auth/a]\r\n---\r\n[a](auth/a.md)\r\n")]);
    ada.commit("c.md", "# C\r\n");
    ada.run(&["vc", "mv", "auth/a.md", "tokens/life.md"]);
    assert_eq!(on_disk("b.md"), "---\r\nrelated: [tokens/life]\r\n---\r\n[a](tokens/life.md)\r\n");
    assert_eq!(ada.git(&["diff", "--name-only"]), "", "all of it is staged");
    ada.run(&["undo"]);
    clean("undo of mv");
    // a conflict of the host's merge
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.commit("auth/a.md", "# A\r\n\r\nTokens live a week.\r\n");
    ada.git(&["switch", "-q", "main"]);
    ada.commit("auth/a.md", "# A\r\n\r\nTokens live a month.\r\n");
    assert_eq!(ada.env.try_git(&ada.host, &["merge", "-q", "topic"]).code, 1);
    ada.run(&["vc", "resolve", "auth/a.md", "--theirs"]);
    assert_eq!(on_disk("auth/a.md"), "# A\r\n\r\nTokens live a week.\r\n");
    assert_eq!(
        ada.git(&["ls-files", "--eol", &format!("{FOLDER}/auth/a.md")]).split(' ').next(),
        Some("i/lf")
    );
    ada.git(&["commit", "-q", "--no-edit"]);
    clean("merge");
}

#[test]
fn what_was_interrupted_in_one_work_tree_is_put_right_there_and_nowhere_else() {
    let host = Host::new();
    let ada = host.mate("ada");
    let linked = ada.env.path("linked");
    ada.git(&["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    let there = linked.join(FOLDER);
    write(&there, &[("auth/a.md", "# A\n\nMine.\n")]);
    write(&ada.tree, &[("auth/a.md", "# A\n\nDraft.\n")]);
    ada.run(&["vc", "restore", "auth/a.md"]);
    // as if it had been killed before its end
    let operation =
        ada.git(&["for-each-ref", "--format=%(refname) %(objectname)", "--sort=-refname", "refs/brv/ops"]);
    let (name, id) = operation.lines().next().unwrap().split_once(' ').unwrap();
    let pending = place_of_pending(&ada);
    ada.git(&["update-ref", &pending, id]);
    ada.git(&["update-ref", "-d", name]);
    write(&ada.tree, &[("auth/a.md", "# A\n\nDraft.\n")]);
    let ran = ada.env.brv_in(&linked, &["vc", "add", "."]);
    assert!(ran.code == 0 && !ran.stderr.contains("interrupted"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(there.join("auth/a.md")).unwrap(), "# A\n\nMine.\n");
    assert_eq!(ada.git(&["rev-parse", &pending]), id, "it is still pending in its own work tree");
    assert_eq!(ada.data(&["vc", "status"])["interrupted"], "restore");
    let ran = ada.run(&["vc", "add", "."]);
    assert!(ran.stderr.contains("an interrupted `restore` was completed"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap(), "# A\n\nTokens live a day.\n");
    // an operation in one work tree is not undone in the other
    let ran = ada.env.brv_in(&linked, &["undo", &name["refs/brv/ops/".len()..]]);
    assert_eq!((ran.code, ran.stderr.contains("was made in the ")), (6, true), "{}", ran.stderr);
    ada.env.brv_in(&linked, &["undo"]);
    assert_eq!(std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap(), "# A\n\nTokens live a day.\n");
    ada.run(&["undo"]);
    assert_eq!(std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap(), "# A\n\nDraft.\n");
}

/// The ref of an operation in progress in a work tree, as a killed command leaves it.
fn place_of_pending(mate: &Mate<'_>) -> String {
    let id = brv_base::content::ContentId::of(FOLDER.as_bytes()).to_string();
    assert_eq!(mate.git(&["rev-parse", "--show-prefix"]), "");
    format!("refs/brv/pending/{}", &id[..12])
}

#[test]
fn what_was_done_in_another_work_tree_is_told_so_and_can_be_had_when_that_is_gone() {
    let host = Host::new();
    let ada = host.mate("ada");
    let linked = ada.env.path("linked");
    ada.git(&["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    write(&ada.tree, &[("auth/a.md", "# A\n\nHere.\n")]);
    ada.run(&["vc", "restore", "auth/a.md"]);
    write(&linked.join(FOLDER), &[("auth/a.md", "# A\n\nTokens live a day.\n\nThere.\n")]);
    let ran = ada.env.brv_in(&linked, &["vc", "restore", "auth/a.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let log = ada.data(&["op", "log"])["operations"].clone();
    assert_eq!(log[0]["tree"], "the work tree `linked`", "{log}");
    assert!(log[1].get("tree").is_none(), "{log}");
    assert!(ada.run(&["op", "log"]).stdout.contains("in the work tree `linked`"));
    let there = ada.env.brv_in(&linked, &["op", "log"]).stdout;
    assert!(there.contains("in the main work tree") && !there.contains("linked"), "{there}");
    let id = log[0]["id"].as_str().unwrap().to_owned();
    let last = ada.data(&["status"]).to_string();
    assert!(!last.contains(&id) && last.contains(log[1]["id"].as_str().unwrap()), "{last}");
    let ran = ada.brv(&["undo", &id]);
    assert_eq!((ran.code, ran.stderr.contains("in the work tree `linked`")), (6, true), "{}", ran.stderr);
    ada.git(&["worktree", "remove", "--force", linked.to_str().unwrap()]);
    assert!(ada.run(&["op", "log"]).stdout.contains("in the removed work tree `linked`"));
    ada.run(&["undo", &id]);
    let now = std::fs::read_to_string(ada.tree.join("auth/a.md")).unwrap();
    assert_eq!(now, "# A\n\nTokens live a day.\n\nThere.\n", "what was discarded there is not lost");
}

#[test]
fn a_commit_of_paths_takes_no_more_of_the_host_than_of_the_tree() {
    let host = Host::new();
    let ada = host.mate("ada");
    std::fs::write(ada.host.join("main.c"), "int staged;\n").unwrap();
    ada.git(&["add", "main.c"]);
    write(&ada.tree, &[("auth/a.md", "# A\n\nDraft.\n"), ("ops/b.md", "# B\n")]);
    ada.run(&["vc", "add", "ops"]);
    let (head, status) = (ada.git(&["rev-parse", "HEAD"]), ada.git(&["status", "--porcelain"]));
    let ran = ada.env.brv_in(&ada.tree, &["vc", "commit", "-m", "part", "auth"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ada.changed("HEAD"), format!("{FOLDER}/auth/a.md"));
    assert_eq!(ada.git(&["status", "--porcelain"]), format!("A  {FOLDER}/ops/b.md\nM  main.c"));
    ada.run(&["undo"]);
    assert_eq!((ada.git(&["rev-parse", "HEAD"]), ada.git(&["status", "--porcelain"])), (head, status));
}

#[test]
fn paths_are_told_from_the_tree_everywhere() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.commit("auth/a.md", "# A\n\nTokens live two days.\n");
    ada.commit("auth/a.md", "# A\n\nTokens live three days.\n");
    let operations = ada.data(&["op", "log"])["operations"].take();
    let id_of = |kind: &str, nth: usize| {
        let mut found = operations.as_array().unwrap().iter().filter(|one| one["kind"] == kind);
        found.nth(nth).unwrap().clone()
    };
    assert_eq!(id_of("add", 0)["reason"], "auth/a.md");
    let id = id_of("commit", 1)["id"].as_str().unwrap().to_owned();
    for arguments in [&["undo", &id][..], &["vc", "revert", "HEAD~1"]] {
        let ran = ada.brv(arguments);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 5, "{arguments:?}: {told}");
        assert!(told.contains("  auth/a.md (") && !told.contains(FOLDER), "{arguments:?}: {told}");
    }
    let ran = ada.run(&["undo", &id, "--on-conflict", "theirs"]);
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(FOLDER), "{}{}", ran.stdout, ran.stderr);
    let shown = ada.run(&["op", "show"]).stdout;
    assert!(shown.contains("auth/a.md") && !shown.contains(FOLDER), "{shown}");
}

#[test]
fn an_undo_of_what_the_host_has_committed_makes_no_commit() {
    let host = Host::new();
    let ada = host.mate("ada");
    ada.run(&["curate", "Words.", "--into", "keys", "--title", "T", "--reason", "r"]);
    let id = ada.data(&["op", "log"])["operations"][0]["id"].as_str().unwrap().to_owned();
    ada.git(&["add", FOLDER]);
    ada.git(&["commit", "-q", "-m", "the host takes it"]);
    ada.git(&["push", "-q", "origin", "HEAD:main"]);
    let tip = ada.git(&["rev-parse", "HEAD"]);
    let ran = ada.run(&["undo", &id]);
    assert!(ran.stdout.contains("\n on disk, not committed\n"), "{}", ran.stdout);
    let removed = format!("D\t{FOLDER}/keys/context.md\nD\t{FOLDER}/keys/t.md");
    assert_eq!(ada.git(&["diff", "--name-status"]), removed);
    assert_eq!(
        (ada.git(&["diff", "--cached", "--name-only"]), ada.git(&["rev-parse", "HEAD"])),
        (String::new(), tip)
    );
    ada.run(&["undo", "last"]);
    assert_eq!(ada.git(&["status", "--porcelain"]), "");
    ada.env.fsck(&ada.host);
}
