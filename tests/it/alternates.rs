//! Repositories that borrow objects from others, locally and at the remote.

use crate::env::{Env, Programs, Ran};
use std::path::{Path, PathBuf};

const TREE: &str = ".brv/context-tree";

fn ran(env: &Env, folder: &Path, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv_in(folder, arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// A bare repository, and one that borrows all its objects.
fn fork(programs: Programs) -> (Env, PathBuf, PathBuf) {
    let env = Env::new().with_programs(programs);
    env.git(env.root(), &["init", "-q", "source"]);
    for number in 1..5 {
        env.commit(&env.path("source"), &[(&format!("e{number}.md"), &format!("# Entry {number}\n"))]);
    }
    env.git(env.root(), &["clone", "-q", "--bare", "source", "base.git"]);
    env.git(env.root(), &["clone", "-q", "--bare", "--shared", "base.git", "fork.git"]);
    let (base, fork) = (env.path("base.git"), env.path("fork.git"));
    (env, base, fork)
}

#[test]
fn a_clone_of_what_is_borrowed_has_all_itself() {
    for programs in [Programs::All, Programs::NoGit] {
        let (env, base, fork) = fork(programs);
        ran(&env, env.root(), &["vc", "clone", fork.to_str().unwrap(), "ours"], 0);
        std::fs::remove_dir_all(&base).unwrap();
        let ours = env.path("ours").join(TREE);
        assert!(!ours.join(".git/objects/info/alternates").exists());
        env.fsck(&ours);
    }
}

#[test]
fn what_is_borrowed_is_read_pushed_and_added_to() {
    for programs in [Programs::All, Programs::NoGit] {
        let (env, base, fork) = fork(programs);
        std::fs::create_dir_all(env.path("ours/.brv")).unwrap();
        let ours = env.path("ours").join(TREE);
        env.git(env.root(), &["clone", "-q", "--shared", "base.git", ours.to_str().unwrap()]);
        let project = env.path("ours");
        ran(&env, &project, &["init"], 0);
        assert_eq!(ran(&env, &project, &["vc", "log", "--oneline"], 0).stdout.lines().count(), 4);
        std::fs::write(ours.join("new.md"), "# New\n").unwrap();
        ran(&env, &project, &["vc", "add", "."], 0);
        ran(&env, &project, &["vc", "commit", "-m", "new"], 0);
        let empty = env.bare("empty.git");
        ran(&env, &project, &["vc", "push", empty.to_str().unwrap(), "main"], 0);
        env.fsck(&empty);
        // a fork already has the pushed objects through its base
        ran(&env, &project, &["vc", "push", base.to_str().unwrap(), "main:refs/heads/new"], 0);
        let json =
            ran(&env, &project, &["vc", "push", fork.to_str().unwrap(), "main:refs/heads/new", "--json"], 0);
        if programs == Programs::All {
            let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
            assert_eq!(json["data"]["objects"], 0, "{json}");
        }
        env.fsck(&fork);
        env.fsck(&base);
    }
}

#[test]
fn a_store_that_is_gone_or_leads_back_to_itself_is_named() {
    let (env, base, fork) = fork(Programs::NoGit);
    std::fs::create_dir_all(env.path("ours/.brv")).unwrap();
    let ours = env.path("ours").join(TREE);
    env.git(env.root(), &["clone", "-q", "--shared", "base.git", ours.to_str().unwrap()]);
    let clone = ["vc", "clone", fork.to_str().unwrap(), "new"];
    std::fs::write(base.join("objects/info/alternates"), format!("{}\n", fork.join("objects").display()))
        .unwrap();
    for (folder, verb) in [(env.path("ours"), &["vc", "log"][..]), (env.root().to_path_buf(), &clone)] {
        let said = ran(&env, &folder, verb, 1);
        assert!(said.stderr.contains("borrow from each other"), "{}", said.stderr);
    }
    std::fs::rename(&base, env.path("away.git")).unwrap();
    for (folder, verb) in [(env.path("ours"), &["vc", "log"][..]), (env.root().to_path_buf(), &clone)] {
        let said = ran(&env, &folder, verb, 1);
        assert!(said.stderr.contains("base.git/objects`, which does not exist"), "{}", said.stderr);
    }
    assert!(!env.path("new").exists());
}
