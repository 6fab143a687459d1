//! Shallow histories on either side, over every transport: plain git accepts the result.

use crate::env::{Env, Programs, Ran};
use crate::servers::{Http, ServerMode, daemon, sshd};
use std::path::{Path, PathBuf};

pub const TREE: &str = ".brv/context-tree";

/// A bare repository with ten commits in a row, a side branch merged, another branch and a tag.
pub fn remote(env: &Env) -> PathBuf {
    let source = env.path("source");
    env.git(env.root(), &["init", "-q", "source"]);
    for number in 1..=10 {
        env.commit(&source, &[(&format!("e{number}.md"), &format!("# Entry {number}\n"))]);
    }
    env.git(&source, &["checkout", "-q", "-b", "side", "HEAD~3"]);
    env.commit(&source, &[("side.md", "# Side\n")]);
    env.git(&source, &["checkout", "-q", "main"]);
    env.git(&source, &["merge", "-q", "--no-ff", "-m", "both", "side"]);
    env.git(&source, &["branch", "topic", "HEAD~1"]);
    env.git(&source, &["tag", "-a", "v1", "-m", "one", "HEAD~2"]);
    let bare = env.bare("bare.git");
    env.git(&source, &["push", "-q", bare.to_str().unwrap(), "--all"]);
    env.git(&source, &["push", "-q", bare.to_str().unwrap(), "--tags"]);
    bare
}

pub fn ran(env: &Env, folder: &Path, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv_in(folder, arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran
}

fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    lines.sort();
    lines
}

fn boundary(env: &Env, repository: &Path) -> Vec<String> {
    let path = env.git(repository, &["rev-parse", "--git-path", "shallow"]);
    lines(&std::fs::read_to_string(repository.join(path)).unwrap_or_default())
}

/// The same objects, refs and shallow boundary as in plain git after the same command.
pub fn assert_same(env: &Env, ours: &Path, gits: &Path) {
    env.fsck(ours);
    let refs = |repository| env.git(repository, &["for-each-ref", "refs/heads", "refs/remotes", "refs/tags"]);
    let reached = |repository| {
        lines(&env.git(repository, &["rev-list", "--objects", "--branches", "--remotes", "--tags"]))
    };
    assert_eq!(refs(ours), refs(gits));
    assert_eq!(reached(ours), reached(gits));
    assert_eq!(boundary(env, ours), boundary(env, gits));
    assert_eq!(env.git(ours, &["status", "--porcelain"]), "");
}

/// Everything that a shallow clone does, compared with git's.
pub fn life(env: &Env, bare: &Path, url: &str) {
    let (ours, gits) = (env.path("ours").join(TREE), env.path("gits"));
    let ours_project = env.path("ours");
    let file = format!("file://{}", bare.display());
    ran(env, env.root(), &["vc", "clone", "--depth", "2", url, "ours"], 0);
    env.git(env.root(), &["clone", "-q", "--depth", "2", &file, "gits"]);
    assert_same(env, &ours, &gits);
    for verb in
        [&["log"][..], &["log", "e1.md"], &["show"], &["show", "HEAD~1"], &["diff", "HEAD~1"], &["status"]]
    {
        ran(env, &ours_project, &[&["vc"], verb].concat(), 0);
    }
    assert_eq!(
        env.git(&ours, &["log", "--format=%s"]).lines().count(),
        ran(env, &ours_project, &["vc", "log", "--oneline"], 0).stdout.lines().count()
    );
    let steps: [&[&str]; 4] = [&["--deepen", "1"], &["--depth", "5"], &["--deepen", "2"], &[]];
    for step in steps {
        let fetched = ran(env, &ours_project, &[&["vc", "fetch"], step].concat(), 0);
        let said = match step {
            ["--deepen", _] => "The history is deeper now.\n",
            ["--depth", _] => "The history is shallow now.\n",
            _ => "Nothing new from origin.\n",
        };
        assert!(fetched.stdout.ends_with(said), "{step:?}: {}", fetched.stdout);
        env.git(&gits, &[&["fetch", "-q"], step].concat());
        assert_same(env, &ours, &gits);
    }
    // our commits are pushed, and theirs are pulled: fast-forward and merge
    let mate = env.path("mate");
    env.git(env.root(), &["clone", "-q", &file, "mate"]);
    env.commit(&mate, &[("mate.md", "# Mate\n")]);
    env.git(&mate, &["push", "-q"]);
    ran(env, &ours_project, &["vc", "pull"], 0);
    env.commit(&mate, &[("mate2.md", "# Mate\n")]);
    env.git(&mate, &["push", "-q"]);
    std::fs::write(ours.join("own.md"), "# Own\n").unwrap();
    ran(env, &ours_project, &["vc", "add", "own.md"], 0);
    ran(env, &ours_project, &["vc", "commit", "-m", "own"], 0);
    assert!(ran(env, &ours_project, &["vc", "pull"], 0).stdout.contains("Merged"));
    ran(env, &ours_project, &["vc", "push"], 0);
    assert_eq!(env.git(bare, &["rev-parse", "main"]), env.git(&ours, &["rev-parse", "main"]));
    env.fsck(bare);
    env.git(&gits, &["pull", "-q"]);
    assert_same(env, &ours, &gits);
    let whole = ran(env, &ours_project, &["vc", "fetch", "--unshallow"], 0);
    assert!(whole.stdout.contains("The history is complete now."), "{}", whole.stdout);
    env.git(&gits, &["fetch", "-q", "--unshallow"]);
    assert_same(env, &ours, &gits);
    assert!(boundary(env, &ours).is_empty());
    let again = ran(env, &ours_project, &["vc", "fetch", "--unshallow"], 2);
    assert!(again.stderr.contains("not shallow"), "{}", again.stderr);
}

#[test]
fn a_shallow_clone_lives_as_gits_does_over_a_path() {
    let env = Env::new();
    let bare = remote(&env);
    life(&env, &bare, bare.to_str().unwrap());
}

#[test]
fn and_over_http() {
    let env = Env::new();
    let bare = remote(&env);
    let server = Http::start(env.root(), ServerMode::Open);
    life(&env, &bare, &server.url("bare.git"));
}

#[test]
fn and_from_a_daemon() {
    let env = Env::new();
    let bare = remote(&env);
    let Some(daemon) = daemon(&env, env.root()) else { return };
    life(&env, &bare, &format!("git://127.0.0.1:{}/bare.git", daemon.port));
}

#[test]
fn and_over_ssh() {
    let env = Env::new();
    let bare = remote(&env);
    let Some(sshd) = sshd(&env) else { return };
    let url = sshd.url(&bare);
    let env = env.with("GIT_SSH_COMMAND", &sshd.command);
    life(&env, &bare, &url);
}

#[test]
fn and_where_no_git_serves_the_path() {
    let env = Env::new().with_programs(Programs::NoGit);
    let bare = remote(&env);
    life(&env, &bare, bare.to_str().unwrap());
}

#[test]
fn all_branches_come_shallow_if_asked_for() {
    for programs in [Programs::All, Programs::NoGit] {
        let env = Env::new().with_programs(programs);
        let bare = remote(&env);
        let file = format!("file://{}", bare.display());
        ran(&env, env.root(), &["vc", "clone", "--depth", "1", "--no-single-branch", &file, "ours"], 0);
        env.git(env.root(), &["clone", "-q", "--depth", "1", "--no-single-branch", &file, "gits"]);
        assert_same(&env, &env.path("ours").join(TREE), &env.path("gits"));
    }
}

/// A clone of a shallow remote ends where the remote does, and pushes into it.
fn into_shallow(programs: Programs) {
    let env = Env::new().with_programs(programs);
    let bare = remote(&env);
    let file = format!("file://{}", bare.display());
    env.git(env.root(), &["clone", "-q", "--bare", "--depth", "3", &file, "short.git"]);
    let short = env.path("short.git");
    ran(&env, env.root(), &["vc", "clone", "short.git", "ours"], 0);
    let (project, ours) = (env.path("ours"), env.path("ours").join(TREE));
    env.fsck(&ours);
    assert_eq!(boundary(&env, &ours), boundary(&env, &short));
    // content of a file in the missing part of the remote's history is sent again as new
    std::fs::write(ours.join("own.md"), "# Own\n").unwrap();
    ran(&env, &project, &["vc", "add", "."], 0);
    ran(&env, &project, &["vc", "commit", "-m", "own"], 0);
    ran(&env, &project, &["vc", "push"], 0);
    env.fsck(&short);
    // a full clone pushes there, too: onto what is there, and beside it
    ran(&env, env.root(), &["vc", "clone", bare.to_str().unwrap(), "whole"], 0);
    let (project, whole) = (env.path("whole"), env.path("whole").join(TREE));
    ran(&env, &project, &["vc", "pull", short.to_str().unwrap(), "main"], 0);
    std::fs::write(whole.join("e1.md"), "# Entry 1\n\nchanged\n").unwrap();
    ran(&env, &project, &["vc", "commit", "-a", "-m", "changed"], 0);
    ran(&env, &project, &["vc", "push", short.to_str().unwrap(), "main"], 0);
    env.fsck(&short);
    env.git(&whole, &["branch", "old", "main~6"]);
    ran(&env, &project, &["vc", "push", short.to_str().unwrap(), "old"], 0);
    env.fsck(&short);
    env.fsck(&whole);
    assert!(boundary(&env, &whole).is_empty());
}

#[test]
fn a_shallow_remote_is_cloned_and_pushed_to() {
    into_shallow(Programs::All);
}

#[test]
fn a_shallow_remote_is_cloned_and_pushed_to_without_git() {
    into_shallow(Programs::NoGit);
}

#[test]
fn what_ends_in_the_middle_over_there_is_taken_only_if_asked_for() {
    for programs in [Programs::All, Programs::NoGit] {
        let env = Env::new().with_programs(programs);
        let bare = remote(&env);
        env.git(env.root(), &["init", "-q", "other"]);
        for number in 1..5 {
            env.commit(&env.path("other"), &[("o.md", &format!("# {number}\n"))]);
        }
        let file = format!("file://{}", env.path("other").display());
        env.git(env.root(), &["clone", "-q", "--bare", "--depth", "2", &file, "short.git"]);
        ran(&env, env.root(), &["vc", "clone", bare.to_str().unwrap(), "ours"], 0);
        let (project, ours) = (env.path("ours"), env.path("ours").join(TREE));
        let fetch = ["vc", "fetch", "../short.git", "main:refs/heads/other"];
        for _ in 0..2 {
            // also if its objects were already fetched
            let refused = ran(&env, &project, &fetch, 6);
            assert!(refused.stderr.contains("shallow update not allowed"), "{}", refused.stderr);
            assert_eq!(env.try_git(&ours, &["rev-parse", "-q", "--verify", "other"]).code, 1);
            env.fsck(&ours);
        }
        let pull = ran(&env, &project, &["vc", "pull", "../short.git", "main"], 6);
        assert!(pull.stderr.contains("--update-shallow"), "{}", pull.stderr);
        ran(&env, &project, &[&fetch[..], &["--update-shallow"]].concat(), 0);
        env.fsck(&ours);
        assert_eq!(boundary(&env, &ours), boundary(&env, &env.path("short.git")));
        // and is not pushed on to a remote whose history would end there
        let push = ran(&env, &project, &["vc", "push", "origin", "other"], 9);
        assert!(push.stderr.contains("shallow update not allowed"), "{}", push.stderr);
        env.fsck(&bare);
    }
}

#[test]
fn an_annotated_tag_is_made_where_its_history_is_whole_and_nowhere_else() {
    for programs in [Programs::All, Programs::NoGit] {
        let env = Env::new().with_programs(programs);
        let bare = remote(&env);
        let other = env.path("other");
        env.git(env.root(), &["init", "-q", "other"]);
        for number in 1..5 {
            env.commit(&other, &[("o.md", &format!("# {number}\n"))]);
        }
        env.git(&other, &["tag", "-a", "short", "-m", "short"]);
        let file = format!("file://{}", other.display());
        env.git(env.root(), &["clone", "-q", "--bare", "--depth", "2", &file, "short.git"]);
        ran(&env, env.root(), &["vc", "clone", "--no-tags", bare.to_str().unwrap(), "ours"], 0);
        let (project, ours) = (env.path("ours"), env.path("ours").join(TREE));
        let tags = || lines(&env.git(&ours, &["tag"]));
        let url = format!("file://{}", env.path("short.git").display());
        // also if the tag's objects were already fetched
        for _ in 0..2 {
            ran(&env, &project, &["vc", "fetch", &url, "main:refs/heads/other"], 6);
            assert!(tags().is_empty(), "{:?}", tags());
            env.fsck(&ours);
        }
        if programs == Programs::NoGit {
            // without a server nothing of such a remote is copied
            continue;
        }
        env.git(&other, &["checkout", "-q", "--orphan", "lone"]);
        env.commit(&other, &[("l.md", "# Lone\n")]);
        env.git(&other, &["tag", "-a", "whole", "-m", "whole"]);
        env.git(&other, &["push", "-q", env.path("short.git").to_str().unwrap(), "lone", "whole"]);
        let fetch = ["vc", "fetch", "--tags", &url, "refs/heads/*:refs/remotes/other/*"];
        let refused = ran(&env, &project, &fetch, 6);
        assert!(refused.stderr.contains("shallow update not allowed"), "{}", refused.stderr);
        assert_eq!(tags(), ["whole"]);
        env.fsck(&ours);
    }
}
