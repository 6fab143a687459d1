//! Repositories of other users: not read unless git's `safe.directory` allows it. Needs root, who can change a folder's
//! owner.
#![cfg(unix)]

use crate::env::{Env, Programs, tree};
use crate::init::{commit, project};
use std::os::unix::fs::{chown, lchown};
use std::path::Path;

/// A user id that no system assigns.
const NOBODY: u32 = 65_534;

/// Give all of a folder to somebody; `false` where that is not allowed.
fn give(folder: &Path, user: u32) -> bool {
    if lchown(folder, Some(user), None).is_err() {
        println!("skipped: only root can give a folder away");
        return false;
    }
    let is_folder = folder.symlink_metadata().unwrap().is_dir();
    !is_folder || std::fs::read_dir(folder).unwrap().all(|entry| give(&entry.unwrap().path(), user))
}

fn trust(env: &Env, value: &str) {
    env.git(env.root(), &["config", "--global", "--add", "safe.directory", value]);
}

fn forget(env: &Env) {
    let _ = std::fs::remove_file(env.path("home/.gitconfig"));
}

#[test]
fn the_tree_of_another_user_is_read_when_it_is_trusted_and_not_before() {
    let env = project(&[("a.md", "# A\n")]);
    commit(&env, "first");
    let tree = tree(&env);
    // another user's settings, which would be rejected if they were read
    let config = tree.join(".git/config");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str("[extensions]\n\trefStorage = reftable\n[safe]\n\tdirectory = *\n");
    let whole = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text).unwrap();
    if !give(&tree.join(".git"), NOBODY) {
        return;
    }
    let refused = || {
        for verb in
            [&["vc", "status"][..], &["vc", "log"], &["vc", "commit", "-m", "x"], &["vc", "gc"], &["init"]]
        {
            let ran = env.brv(verb);
            assert_eq!(ran.code, 6, "{verb:?}: {}{}", ran.stdout, ran.stderr);
            let said = format!("safe.directory {}", tree.canonicalize().unwrap().display());
            assert!(ran.stderr.contains("65534") && ran.stderr.contains(&said), "{}", ran.stderr);
            assert!(!ran.stderr.contains("reftable"), "it was read: {}", ran.stderr);
        }
    };
    refused();
    assert_ne!(env.try_git(&tree, &["status"]).code, 0, "git refuses it too");
    for other in ["/elsewhere", &format!("{}/x", tree.display()), &format!("{}/*", tree.display())] {
        trust(&env, other);
    }
    refused();
    trust(&env, tree.to_str().unwrap());
    trust(&env, "");
    refused();
    std::fs::write(&config, whole).unwrap();
    assert!(give(&config, NOBODY));
    for value in [tree.to_str().unwrap(), "*", &format!("{}/*", env.path(".brv").display())] {
        forget(&env);
        trust(&env, value);
        let ran = env.brv(&["vc", "status"]);
        assert_eq!(ran.code, 0, "{value}: {}", ran.stderr);
        assert_eq!(env.try_git(&tree, &["status"]).code, 0, "{value}");
    }
}

#[test]
fn a_plain_clone_of_another_user_is_named_as_git_names_it() {
    let files =
        [("auth/tokens/a.md", "---\ntitle: A\n---\n\nText.\n"), ("auth/context.md", "# Domain: auth\n")];
    let env = Env::new();
    let folder = env.path("clone");
    env.git(env.root(), &["init", "-q", "clone"]);
    env.commit(&folder, &files);
    env.commit(&folder, &[("auth/tokens/a.md", "---\ntitle: A\n---\n\nMore.\n")]);
    let checks = [&["vc", "check", "--all"][..], &["vc", "check", "HEAD~1..HEAD"], &["vc", "check"]];
    let codes = |folder: &Path| [0, 1].map(|at| env.brv_in(folder, checks[at]).code);
    assert_eq!(codes(&folder), [0; 2]);
    if !give(&folder, NOBODY) {
        return;
    }
    for check in checks {
        for below in ["", "auth/tokens"] {
            let ran = env.brv_in(&folder.join(below), check);
            assert_eq!(ran.code, 6, "{check:?}: {}{}", ran.stdout, ran.stderr);
            let said = format!("safe.directory {}", folder.canonicalize().unwrap().display());
            assert!(ran.stderr.contains("65534") && ran.stderr.contains(&said), "{}", ran.stderr);
        }
    }
    trust(&env, folder.to_str().unwrap());
    assert_eq!(codes(&folder), [0; 2]);
    // in a project its tree is meant: the code of somebody else beside it is not a reason to stop
    forget(&env);
    assert_eq!(env.brv(&["init"]).code, 0);
    assert_eq!(env.brv_in(&folder, checks[0]).code, 0);
}

#[test]
fn root_may_read_what_belongs_to_whoever_ran_sudo_and_a_link_hides_no_owner() {
    let env = project(&[("a.md", "# A\n")]);
    commit(&env, "first");
    let tree = tree(&env);
    if !give(&tree, 1234) {
        return;
    }
    let status = |env: &Env| env.brv(&["vc", "status"]).code;
    assert_eq!(status(&env), 6);
    let env = env.with("SUDO_UID", "1234");
    assert_eq!(status(&env), 0);
    assert_eq!(env.try_git(&tree, &["status"]).code, 0);
    // the private git directory is elsewhere, and another user's
    let elsewhere = env.path("elsewhere");
    std::fs::rename(tree.join(".git"), &elsewhere).unwrap();
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", elsewhere.display())).unwrap();
    assert_eq!(status(&env), 0);
    assert!(give(&elsewhere, NOBODY));
    assert_eq!(status(&env), 6);
    assert!(give(&elsewhere, 0));
    chown(tree.join(".git"), Some(NOBODY), None).unwrap();
    assert_eq!(status(&env), 6);
}

#[test]
fn a_remote_in_a_folder_of_another_user_is_refused_with_and_without_git() {
    for programs in [Programs::All, Programs::NoGit] {
        let env = project(&[("a.md", "# A\n")]).with_programs(programs);
        commit(&env, "first");
        let origin = env.bare("origin.git");
        let path = origin.to_str().unwrap();
        assert_eq!(env.brv(&["vc", "remote", "add", "origin", path]).code, 0);
        assert_eq!(env.brv(&["vc", "push", "-u", "origin", "main"]).code, 0);
        if !give(&origin, NOBODY) {
            return;
        }
        let other = env.path("other");
        let clone = ["vc", "clone", path, other.to_str().unwrap()];
        for verb in [&["vc", "fetch"][..], &["vc", "pull"], &["vc", "push"], &clone] {
            let ran = env.brv(verb);
            assert_eq!(ran.code, 6, "{programs:?} {verb:?}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains("65534") && ran.stderr.contains("safe.directory"), "{}", ran.stderr);
        }
        assert!(!other.join(".brv/context-tree/.git").exists());
        trust(&env, path);
        for verb in [&["vc", "fetch"][..], &["vc", "pull"], &["vc", "push"], &clone] {
            let ran = env.brv(verb);
            assert_eq!(ran.code, 0, "{programs:?} {verb:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}
