//! `brv vc fetch` compared with git's: options, settings, and the state it leaves for git.

use crate::env::{Env, Programs, Ran};
use std::path::{Path, PathBuf};

const TREE: &str = ".brv/context-tree";

/// A bare repository with three branches and two tags, and a clone by each program.
fn world(programs: Programs) -> (Env, PathBuf, PathBuf, PathBuf) {
    let env = Env::new().with_programs(programs);
    let source = env.path("source");
    env.git(env.root(), &["init", "-q", "source"]);
    env.commit(&source, &[("a.md", "# A\n")]);
    env.git(&source, &["branch", "topic"]);
    env.git(&source, &["branch", "gone"]);
    env.git(&source, &["tag", "v1"]);
    env.git(&source, &["checkout", "-q", "--orphan", "lone"]);
    env.commit(&source, &[("b.md", "# B\n")]);
    env.git(&source, &["tag", "-a", "v2", "-m", "two"]);
    env.git(&source, &["checkout", "-q", "main"]);
    env.git(&source, &["branch", "-q", "-D", "lone"]);
    let bare = env.bare("bare.git");
    for what in ["--all", "--tags"] {
        env.git(&source, &["push", "-q", bare.to_str().unwrap(), what]);
    }
    (env, bare.clone(), source, bare)
}

fn ran(env: &Env, folder: &Path, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv_in(folder, arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// Clones by brv and git with the same options.
fn clones(env: &Env, bare: &Path, more: &[&str]) -> (PathBuf, PathBuf) {
    let file = format!("file://{}", bare.display());
    ran(env, env.root(), &[&["vc", "clone"], more, &[&file, "ours"]].concat(), 0);
    env.git(env.root(), &[&["clone", "-q"], more, &[&file, "gits"]].concat());
    (env.path("ours").join(TREE), env.path("gits"))
}

fn refs(env: &Env, repository: &Path) -> String {
    env.git(repository, &["for-each-ref", "refs/heads", "refs/remotes", "refs/tags"])
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    lines.sort();
    lines
}

fn assert_same(env: &Env, ours: &Path, gits: &Path) {
    assert_eq!(refs(env, ours), refs(env, gits));
    let remote = |repository| sorted(&env.git(repository, &["config", "--get-regexp", "^remote[.]"]));
    assert_eq!(remote(ours), remote(gits));
    env.fsck(ours);
}

#[test]
fn a_clone_takes_the_branches_and_tags_that_it_was_told_to_and_remembers() {
    let told: [&[&str]; 6] = [
        &[],
        &["--no-tags"],
        &["--single-branch"],
        &["--single-branch", "--branch", "topic"],
        &["--single-branch", "--no-tags", "--origin", "hub"],
        &["--depth", "1", "--no-single-branch", "--no-tags"],
    ];
    for more in told {
        for programs in [Programs::All, Programs::NoGit] {
            let (env, bare, ..) = world(programs);
            let (ours, gits) = clones(&env, &bare, more);
            assert_same(&env, &ours, &gits);
            // later fetches keep to it
            env.commit(&env.path("source"), &[("c.md", "# C\n")]);
            env.git(&env.path("source"), &["tag", "v3"]);
            env.git(&env.path("source"), &["push", "-q", bare.to_str().unwrap(), "main", "main:topic", "v3"]);
            ran(&env, &env.path("ours"), &["vc", "fetch"], 0);
            env.git(&gits, &["fetch", "-q"]);
            assert_same(&env, &ours, &gits);
        }
    }
}

#[test]
fn an_absent_branch_is_named_also_where_only_it_is_wanted() {
    let (env, bare, ..) = world(Programs::All);
    for more in [&["--branch", "none"][..], &["--branch", "none", "--depth", "1"]] {
        let said = ran(&env, env.root(), &[&["vc", "clone", bare.to_str().unwrap(), "x"], more].concat(), 9);
        assert!(said.stderr.contains("no branch `none`"), "{}", said.stderr);
        assert!(!env.path("x").exists());
    }
}

#[test]
fn pruning_and_tags_are_as_told_or_as_set() {
    type Case = (&'static [(&'static str, &'static str)], &'static [&'static str]);
    let cases: [Case; 9] = [
        (&[], &[]),
        (&[], &["--prune"]),
        (&[("fetch.prune", "true")], &[]),
        (&[("fetch.prune", "true"), ("remote.origin.prune", "false")], &[]),
        (&[("remote.origin.prune", "true")], &["--no-prune"]),
        (&[("remote.origin.prune", "true")], &["--tags"]),
        (&[("remote.origin.tagOpt", "--tags")], &[]),
        (&[("remote.origin.tagOpt", "--no-tags")], &[]),
        (&[("remote.origin.tagOpt", "--tags")], &["--no-tags", "-p"]),
    ];
    for (settings, told) in cases {
        let (env, bare, source, _) = world(Programs::All);
        let (ours, gits) = clones(&env, &bare, &["--no-tags"]);
        for repository in [&ours, &gits] {
            env.git(repository, &["config", "--unset", "remote.origin.tagOpt"]);
            for (key, value) in settings {
                env.git(repository, &["config", key, value]);
            }
        }
        env.git(&bare, &["branch", "-q", "-D", "gone"]);
        env.commit(&source, &[("c.md", "# C\n")]);
        env.git(&source, &["tag", "-a", "v3", "-m", "three"]);
        env.git(&source, &["push", "-q", bare.to_str().unwrap(), "main", "v3"]);
        ran(&env, &env.path("ours"), &[&["vc", "fetch"], told].concat(), 0);
        env.git(&gits, &[&["fetch", "-q"], told].concat());
        assert_eq!(refs(&env, &ours), refs(&env, &gits), "{settings:?} {told:?}");
    }
}

#[test]
fn a_dry_run_moves_nothing_and_says_what_would() {
    let (env, bare, source, _) = world(Programs::All);
    let (ours, _) = clones(&env, &bare, &[]);
    env.commit(&source, &[("c.md", "# C\n")]);
    env.git(&source, &["push", "-q", bare.to_str().unwrap(), "main"]);
    env.git(&bare, &["branch", "-q", "-D", "gone"]);
    let before = refs(&env, &ours);
    let said = ran(&env, &env.path("ours"), &["vc", "fetch", "--dry-run", "--prune"], 0);
    assert!(
        said.stdout.contains("main   -> origin/main") && said.stdout.contains("[deleted]"),
        "{}",
        said.stdout
    );
    assert_eq!(refs(&env, &ours), before);
    assert!(!ours.join(".git/FETCH_HEAD").exists());
    ran(&env, &env.path("ours"), &["vc", "fetch", "--prune"], 0);
    assert_ne!(refs(&env, &ours), before);
}

#[test]
fn git_by_hand_merges_what_brv_fetched() {
    let (env, bare, source, _) = world(Programs::All);
    let (ours, gits) = clones(&env, &bare, &[]);
    env.commit(&source, &[("c.md", "# C\n")]);
    env.git(&source, &["push", "-q", bare.to_str().unwrap(), "main", "main:topic"]);
    let head = |repository: &Path| std::fs::read_to_string(repository.join(".git/FETCH_HEAD")).unwrap();
    let url = bare.to_str().unwrap();
    let told: [&[&str]; 6] = [
        &[],
        &["origin", "topic"],
        &["origin", "topic", "main"],
        &[url],
        &[url, "v2"],
        &[url, "HEAD", "refs/tags/v1"],
    ];
    for told in told {
        ran(&env, &env.path("ours"), &[&["vc", "fetch"], told].concat(), 0);
        env.git(&gits, &[&["fetch", "-q"], told].concat());
        assert_eq!(sorted(&head(&ours)), sorted(&head(&gits)), "{told:?}");
    }
    ran(&env, &env.path("ours"), &["vc", "fetch"], 0);
    env.git(&ours, &["merge", "-q", "FETCH_HEAD"]);
    assert_eq!(env.git(&ours, &["rev-parse", "HEAD"]), env.git(&bare, &["rev-parse", "main"]));
}

#[test]
fn all_remotes_are_fetched_from_and_one_that_fails_does_not_stop_the_others() {
    let (env, bare, ..) = world(Programs::All);
    let (ours, _) = clones(&env, &bare, &[]);
    env.git(env.root(), &["clone", "-q", "--bare", "bare.git", "second.git"]);
    for (name, url) in
        [("a-lost", "../../../lost.git"), ("second", "../../../second.git"), ("skipped", "/none")]
    {
        env.git(&ours, &["remote", "add", name, url]);
    }
    env.git(&ours, &["config", "remote.skipped.skipFetchAll", "true"]);
    let said = ran(&env, &env.path("ours"), &["vc", "fetch", "--all"], 9);
    assert!(
        said.stderr.contains("cannot fetch from 1 remote") && said.stderr.contains("a-lost"),
        "{}",
        said.stderr
    );
    assert!(refs(&env, &ours).contains("refs/remotes/second/topic"), "{}", said.stdout);
    env.git(&ours, &["remote", "remove", "a-lost"]);
    let json = ran(&env, &env.path("ours"), &["vc", "fetch", "--all", "--json"], 0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let sources: Vec<_> = json["data"]["remotes"].as_array().unwrap().iter().map(|r| &r["source"]).collect();
    assert_eq!(sources, ["origin", "second"]);
    assert_eq!(ran(&env, &env.path("ours"), &["vc", "fetch", "--all", "origin"], 2).stdout, "");
    env.git(&ours, &["remote", "remove", "origin"]);
    env.git(&ours, &["remote", "remove", "second"]);
    let said = ran(&env, &env.path("ours"), &["vc", "fetch", "--all"], 2);
    assert!(said.stderr.contains("no remote is set up"), "{}", said.stderr);
}

#[test]
fn thousands_of_refs_come_into_one_file_and_git_reads_it() {
    let (env, bare, source, _) = world(Programs::All);
    let (ours, gits) = clones(&env, &bare, &[]);
    let head = env.git(&source, &["rev-parse", "HEAD"]);
    let tag = env.git(&bare, &["rev-parse", "v2"]);
    let mut text: String = (0..2000).map(|n| format!("create refs/heads/many/{n} {head}\n")).collect();
    text.extend((0..100).map(|n| format!("create refs/tags/many/{n} {tag}\n")));
    std::fs::write(env.path("refs"), text).unwrap();
    let mut command = env.git_command(&bare);
    command.args(["update-ref", "--stdin"]).stdin(std::fs::File::open(env.path("refs")).unwrap());
    assert!(command.status().unwrap().success());
    // loose refs of this side are in the place of packed ones
    env.git(&ours, &["update-ref", "refs/remotes/origin/many/7", &head]);
    ran(&env, &env.path("ours"), &["vc", "fetch", "--tags"], 0);
    env.git(&gits, &["fetch", "-q", "--tags"]);
    assert_same(&env, &ours, &gits);
    assert_eq!(env.git(&ours, &["show-ref", "-d"]).lines().filter(|line| line.ends_with("^{}")).count(), 101);
    assert!(std::fs::read_dir(ours.join(".git/refs/remotes/origin/many")).unwrap().count() < 5);
    ran(&env, &env.path("ours"), &["vc", "fetch"], 0);
    env.git(&bare, &["pack-refs", "--all"]);
    // they are removed again, also from git's file
    env.git(&ours, &["pack-refs", "--all"]);
    for name in env.git(&bare, &["for-each-ref", "--format=%(refname)", "refs/heads/many/1*"]).lines() {
        env.git(&bare, &["update-ref", "-d", name]);
    }
    ran(&env, &env.path("ours"), &["vc", "fetch", "--prune"], 0);
    env.git(&gits, &["fetch", "-q", "--prune"]);
    assert_same(&env, &ours, &gits);
}

#[test]
fn pruning_keeps_what_any_refspec_may_have_made_and_deletes_the_rest_once() {
    let (env, bare, source, _) = world(Programs::All);
    let (ours, gits) = clones(&env, &bare, &[]);
    let push = ["push", "-q", bare.to_str().unwrap()];
    env.git(&source, &[&push[..], &["main:refs/pull/5/head", "main:refs/heads/f/x"]].concat());
    for repository in [&ours, &gits] {
        for refspec in
            ["+refs/pull/*/head:refs/remotes/origin/pr/*", "+refs/heads/f/*:refs/remotes/origin/f/*"]
        {
            env.git(repository, &["config", "--add", "remote.origin.fetch", refspec]);
        }
    }
    let same = |kept: &[&str]| {
        ran(&env, &env.path("ours"), &["vc", "fetch", "--prune"], 0);
        env.git(&gits, &["fetch", "-q", "--prune"]);
        assert_eq!(refs(&env, &ours), refs(&env, &gits));
        let names = env.git(&ours, &["for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin"]);
        let two: Vec<_> = names.lines().filter(|name| ["f/x", "pr/5"].contains(name)).collect();
        assert_eq!(two, kept);
    };
    same(&["f/x", "pr/5"]);
    same(&["f/x", "pr/5"]);
    env.git(&source, &[&push[..], &[":refs/heads/f/x"]].concat());
    same(&["pr/5"]);
}

#[test]
fn a_fetch_whose_refs_cannot_be_moved_leaves_nothing_that_keeps_its_pack() {
    let (env, bare, source, _) = world(Programs::All);
    let (ours, _) = clones(&env, &bare, &[]);
    env.commit(&source, &[("c.md", "# C\n")]);
    env.git(&source, &["push", "-q", bare.to_str().unwrap(), "main"]);
    let lock = ours.join(".git/refs/remotes/origin/main.lock");
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    std::fs::write(&lock, "").unwrap();
    assert_ne!(env.brv_in(&env.path("ours"), &["vc", "fetch"]).code, 0);
    let kept = || -> Vec<_> {
        let files =
            std::fs::read_dir(ours.join(".git/objects/pack")).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|end| end == "keep")).collect()
    };
    assert!(kept().is_empty(), "{:?}", kept());
    std::fs::remove_file(lock).unwrap();
    ran(&env, &env.path("ours"), &["vc", "fetch"], 0);
    assert!(kept().is_empty(), "{:?}", kept());
}
