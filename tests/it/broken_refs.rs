//! Broken refs: empty files, files of sync programs and file managers, refs to missing objects, names that git refuses.

use crate::env::{Env, Ran, tree};
use crate::init::project;
use std::path::Path;

/// What Windows and Google Drive put into folders.
const DESKTOP: &str =
    "[.ShellClassInfo]\r\nIconResource=C:\\Program Files\\Google\\Drive File Stream\\1\\x.ico,1\r\n";
const MISSING: &str = "1111111111111111111111111111111111111111\n";

fn ran(env: &Env, folder: &Path, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv_in(folder, arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// Puts files into `.git`, and a tree with two commits, a branch and a tag around them.
fn broken(files: &[(&str, &str)]) -> Env {
    let env = project(&[("a.md", "# A\n")]);
    env.commit(&tree(&env), &[("a.md", "# A\n\nOne.\n")]);
    env.commit(&tree(&env), &[("b.md", "# B\n")]);
    env.git(&tree(&env), &["branch", "good", "HEAD~1"]);
    env.git(&tree(&env), &["tag", "v1"]);
    for (path, text) in files {
        let path = tree(&env).join(".git").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    env
}

const BROKEN: [(&str, &str, &str); 9] = [
    ("refs/heads/empty", "", "its file names no object"),
    ("refs/heads/zeros", "\0\0\0\0\0\0\0\0\0\0", "its file names no object"),
    ("refs/desktop.ini", DESKTOP, ""),
    ("refs/heads/desktop.ini", DESKTOP, "its file names no object"),
    ("refs/tags/desktop.ini", DESKTOP, "its file names no object"),
    ("refs/heads/missing", MISSING, "its object is missing"),
    ("refs/tags/missing", MISSING, "its object is missing"),
    ("refs/heads/main (Ada's conflicted copy)", MISSING, "git does not allow the name"),
    // no warning, as in git: the branch may be still to come
    ("refs/heads/dangling", "ref: refs/heads/nowhere\n", ""),
];

#[test]
fn a_broken_ref_is_a_warning_and_every_command_goes_on() {
    for (name, text, reason) in BROKEN {
        let env = broken(&[(name, text)]);
        let at = |arguments: &[&str]| ran(&env, env.root(), arguments, 0);
        let warned = |said: &Ran, prefix: &str| {
            let is_there = said.stderr.contains(&format!("ignored the broken ref `{name}`: {reason}"));
            assert_eq!(is_there, name.starts_with(prefix) && !reason.is_empty(), "{name} {}", said.stderr);
        };
        let branches = at(&["vc", "branch"]);
        assert_eq!(branches.stdout, "  good\n* main\n", "{name}");
        warned(&branches, "refs/heads/");
        let tags = at(&["vc", "tag"]);
        assert_eq!(tags.stdout, "v1\n", "{name}");
        warned(&tags, "refs/tags/");
        assert!(at(&["vc", "log", "--json"]).stdout.contains("\"v1\""), "{name}");
        at(&["vc", "log", "--all", "--graph"]);
        at(&["vc", "status"]);
        at(&["vc", "switch", "-c", "other"]);
        at(&["vc", "switch", "main"]);
        at(&["vc", "branch", "-d", "other"]);
        at(&["vc", "tag", "v2"]);
        at(&["curate", "A fact.", "--into", "x", "--title", "T", "--reason", "r"]);
        at(&["undo"]);
        at(&["vc", "gc"]);
        let bare = env.bare("theirs.git");
        at(&["vc", "remote", "add", "origin", bare.to_str().unwrap()]);
        warned(&at(&["vc", "push", "--all", "origin"]), "refs/heads/");
        assert_eq!(
            env.git(&bare, &["for-each-ref", "--format=%(refname)"]),
            "refs/heads/good\nrefs/heads/main"
        );
        at(&["vc", "push", "-u", "origin", "main"]);
        env.git(env.root(), &["clone", "-q", bare.to_str().unwrap(), "other"]);
        env.commit(&env.path("other"), &[("c.md", "# C\n")]);
        env.git(&env.path("other"), &["push", "-q"]);
        at(&["vc", "pull"]);
        at(&["vc", "sync"]);
        assert_eq!(
            env.git(&bare, &["rev-parse", "main"]),
            env.git(&tree(&env), &["rev-parse", "main"]),
            "{name}"
        );
        // nothing was repaired behind the user's back
        assert_eq!(std::fs::read_to_string(tree(&env).join(".git").join(name)).unwrap(), text);
    }
}

#[test]
fn a_repository_with_a_broken_ref_is_cloned_and_fetched() {
    for (name, text, _) in &BROKEN[..5] {
        let env = broken(&[(name, text)]);
        let from = tree(&env);
        ran(&env, env.root(), &["vc", "clone", from.to_str().unwrap(), "cloned"], 0);
        env.commit(&from, &[("c.md", "# C\n")]);
        ran(&env, &env.path("cloned"), &["vc", "pull"], 0);
        assert!(env.path("cloned/.brv/context-tree/c.md").exists(), "{name}");
    }
}

#[test]
fn a_broken_tracking_ref_is_repaired_by_fetch_and_push() {
    let env = broken(&[]);
    let bare = env.bare("theirs.git");
    let at = |arguments: &[&str]| ran(&env, env.root(), arguments, 0);
    at(&["vc", "remote", "add", "origin", bare.to_str().unwrap()]);
    at(&["vc", "push", "-u", "origin", "main", "good"]);
    let damage = || std::fs::write(tree(&env).join(".git/refs/remotes/origin/main"), "").unwrap();
    for verb in [&["vc", "fetch"][..], &["vc", "push", "origin", "main"], &["vc", "pull"]] {
        damage();
        assert!(at(&["vc", "status"]).stderr.contains("ignored the broken ref `refs/remotes/origin/main`"));
        at(verb);
        assert_eq!(at(&["vc", "status"]).stderr, "", "{verb:?}");
        env.git(&tree(&env), &["diff", "--exit-code", "main", "origin/main"]);
    }
    std::fs::write(tree(&env).join(".git/refs/remotes/origin/main"), "ref: refs/remotes/origin/gone\n")
        .unwrap();
    at(&["vc", "status"]);
}

#[test]
fn gc_removes_nothing_while_a_ref_is_broken() {
    for (name, text, reason) in BROKEN.into_iter().filter(|(_, _, reason)| !reason.is_empty()) {
        let env = broken(&[(name, text)]);
        let lost = env.commit(&tree(&env), &[("lost.md", "# Only a broken ref had it\n")]);
        env.git(&tree(&env), &["reset", "-q", "--hard", "HEAD~1"]);
        env.git(&tree(&env), &["reflog", "expire", "--expire=now", "--all"]);
        std::fs::remove_file(tree(&env).join(".git/ORIG_HEAD")).unwrap();
        let said = ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0);
        assert!(said.stderr.contains(reason), "{}", said.stderr);
        env.git(&tree(&env), &["cat-file", "-e", &lost]);
        std::fs::remove_file(tree(&env).join(".git").join(name)).unwrap();
        ran(&env, env.root(), &["vc", "gc", "--prune", "now"], 0);
        assert_ne!(env.try_git(&tree(&env), &["cat-file", "-e", &lost]).code, 0, "{name}");
    }
}
