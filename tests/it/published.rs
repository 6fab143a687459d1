//! brv knows what a remote has even without a tracking ref, and keeps what only a tracking ref had when that is
//! removed.

use crate::env::{Env, Ran, tree};
use crate::init::json;
use crate::undo::{A, last};
use std::path::{Path, PathBuf};

const B: &str = "# B\n\nOne.\n";

/// A clone of `remote.git`, which has one commit, and a bare `other.git` with the same.
struct Team {
    env: Env,
    remote: PathBuf,
    other: PathBuf,
}

impl Team {
    fn new(more: &[&str]) -> Self {
        let env = Env::new();
        let (remote, mate) = (env.bare("remote.git"), env.path("mate"));
        env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), "mate"]);
        env.git(&mate, &["checkout", "-q", "-B", "main"]);
        env.commit(&mate, &[("auth/a.md", A), ("b.md", B)]);
        env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
        env.git(env.root(), &["clone", "-q", "--bare", "remote.git", "other.git"]);
        let other = env.path("other.git");
        let team = Self { env, remote, other };
        team.run(&[&["vc", "clone"], more, &["remote.git", "."]].concat());
        team
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&tree(&self.env), arguments)
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// Commit an edit; returns the name of the operation.
    fn edit(&self, text: &str) -> String {
        std::fs::write(tree(&self.env).join("auth/a.md"), A.replace("One.", text)).unwrap();
        self.run(&["vc", "commit", "-a", "-m", text]);
        last(&self.env)
    }

    fn refs(&self, below: &str) -> Vec<String> {
        let listed = self.git(&["for-each-ref", "--format=%(refname) %(objectname)", below]);
        listed.lines().map(ToOwned::to_owned).collect()
    }

    /// The teammate creates a branch with its own commit on the remote; returns that commit.
    fn mate_pushes(&self, branch: &str) -> String {
        let mate = self.env.path("mate");
        self.env.git(&mate, &["checkout", "-q", "-B", branch, "origin/main"]);
        let commit = self.env.commit(&mate, &[(&format!("{branch}.md"), "# Only here\n")]);
        self.env.git(&mate, &["push", "-q", "origin", branch]);
        commit
    }

    /// Only refs keep a commit from being collected.
    fn collect(&self) {
        self.git(&["reflog", "expire", "--expire=now", "--all"]);
        self.run(&["vc", "gc", "--prune=now"]);
    }

    fn has(&self, commit: &str) -> bool {
        self.env.try_git(&tree(&self.env), &["cat-file", "-e", commit]).code == 0
    }
}

fn hook(remote: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = remote.join("hooks").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_was_sent_where_no_tracking_ref_tells_of_it_is_taken_back_by_a_commit() {
    let other = "../other.git";
    let sends: [&[&str]; 5] = [
        &["vc", "push", "-u", "origin", "topic"],
        &["vc", "push", other, "topic"],
        &["vc", "push", other, "+topic:refs/tags/v1"],
        &["vc", "push", other, "+topic:main"],
        &["vc", "sync", other, "main"],
    ];
    for send in sends {
        let team = Team::new(&["--single-branch"]);
        team.run(&["vc", "switch", "-c", "topic"]);
        let wrong = team.edit("Wrong.");
        let send: Vec<&str> = send
            .iter()
            .map(|word| if *word == other { team.other.to_str().unwrap() } else { word })
            .collect();
        team.run(&send);
        let sent = team.head();
        team.run(&["undo", &wrong]);
        assert_eq!(team.git(&["rev-parse", "HEAD~"]), sent, "{send:?}");
        assert_eq!(std::fs::read_to_string(tree(&team.env).join("auth/a.md")).unwrap(), A);
        let undo = last(&team.env);
        team.run(&send);
        let undone = team.head();
        team.run(&["undo", &undo]);
        assert_eq!(team.git(&["rev-parse", "HEAD~"]), undone, "the undo was sent, too: {send:?}");
        let notes = team.refs("refs/brv/sent");
        assert!(
            notes.len() == 1 && notes[0].ends_with(&undone),
            "one note, about an existing ref: {notes:?}"
        );
        team.env.fsck(&tree(&team.env));
    }
}

#[test]
fn what_a_tracking_ref_tells_or_what_was_refused_is_not_noted() {
    let team = Team::new(&[]);
    team.edit("Sent.");
    team.git(&["tag", "v1"]);
    team.run(&["vc", "push", "origin", "main", "v1"]);
    assert_eq!(team.refs("refs/brv/sent"), [""; 0]);
    let before = team.head();
    let wrong = team.edit("Wrong.");
    hook(&team.other, "pre-receive", "exit 1");
    for arguments in [["vc", "push"], ["vc", "sync"]] {
        let ran = team.env.brv(&[&arguments[..], &[team.other.to_str().unwrap(), "main"]].concat());
        assert_ne!(ran.code, 0, "{}", ran.stdout);
        assert_eq!(team.refs("refs/brv/sent"), [""; 0]);
    }
    team.run(&["vc", "push", "--dry-run", team.other.to_str().unwrap(), "main:topic"]);
    assert_eq!(team.refs("refs/brv/sent"), [""; 0]);
    team.run(&["undo", &wrong]);
    assert_eq!(team.head(), before, "no remote has it: the branch moves back");
}

#[test]
fn a_push_that_is_killed_when_the_remote_has_it_is_known_to_have_been_sent() {
    let team = Team::new(&["--single-branch"]);
    team.run(&["vc", "switch", "-c", "topic"]);
    let wrong = team.edit("Wrong.");
    let sent = team.head();
    // the refs have moved there, and the answer has not been sent yet
    let kill = "pid=$PPID\nwhile [ \"$(cat /proc/$pid/comm)\" != brv ]; do pid=$(awk '{print $4}' /proc/$pid/stat); \
                done\nkill -9 $pid";
    hook(&team.remote, "post-receive", kill);
    let ran = team.env.brv(&["vc", "push", "origin", "topic"]);
    assert_eq!(ran.code, -1, "killed: {}{}", ran.stdout, ran.stderr);
    assert_eq!(team.env.git(&team.remote, &["rev-parse", "topic"]), sent);
    team.run(&["undo", &wrong]);
    assert_eq!(team.git(&["rev-parse", "HEAD~"]), sent);
    std::fs::remove_file(team.remote.join("hooks/post-receive")).unwrap();
    team.run(&["vc", "push", "origin", "topic"]);
}

#[test]
fn a_note_goes_with_the_branch_that_was_sent() {
    let team = Team::new(&["--single-branch"]);
    team.run(&["vc", "switch", "-c", "topic"]);
    let wrong = team.edit("Wrong.");
    team.run(&["vc", "push", "origin", "topic", "topic:topic-sub"]);
    assert_eq!(team.refs("refs/brv/sent").len(), 2);
    team.run(&["vc", "push", "origin", "--delete", "topic"]);
    assert_eq!(team.refs("refs/brv/sent").len(), 1);
    team.run(&["vc", "push", "origin", "--delete", "topic-sub"]);
    assert_eq!(team.refs("refs/brv/sent"), [""; 0]);
    let before = team.git(&["rev-parse", "HEAD~"]);
    team.run(&["undo", &wrong]);
    assert_eq!(team.head(), before, "no remote has it any more");
}

#[test]
fn what_only_a_tracking_ref_had_is_kept_when_the_branch_goes_and_is_named() {
    let team = Team::new(&[]);
    let (foo, foo2) = (team.mate_pushes("foo"), team.mate_pushes("foo2"));
    team.env.git(&team.env.path("mate"), &["push", "-q", "origin", "main:merged"]);
    team.run(&["vc", "fetch"]);
    let name = |branch: &str, id: &str| format!("refs/brv/rescue/remotes/origin/{branch}/{}", &id[..12]);
    let ran = team.run(&["vc", "push", "origin", "--delete", "foo"]);
    assert!(ran.stdout.contains(&name("foo", &foo)), "{}", ran.stdout);
    team.env.git(&team.remote, &["branch", "-D", "foo2", "merged"]);
    let ran = team.run(&["vc", "fetch", "--prune", "--format", "json"]);
    let data = json(&ran.stdout);
    let data = data.get("data").unwrap_or(&data).clone();
    let refs = data["refs"].as_array().unwrap();
    let of = |branch: &str| {
        let full = format!("refs/remotes/origin/{branch}");
        refs.iter().find(|one| one["local"] == full.as_str()).unwrap().clone()
    };
    assert_eq!(
        (of("foo2")["status"].as_str(), of("merged")["status"].as_str()),
        (Some("deleted"), Some("deleted"))
    );
    assert_eq!(of("foo2")["rescue"], name("foo2", &foo2));
    assert!(of("merged").get("rescue").is_none(), "main has it: {}", ran.stdout);
    assert_eq!(team.refs("refs/remotes/origin/foo"), [""; 0]);
    team.collect();
    assert!(team.has(&foo) && team.has(&foo2));
    assert_eq!(team.refs("refs/brv/rescue").len(), 2);
}

#[test]
fn what_a_branch_here_has_needs_no_other_ref_to_keep_it() {
    let team = Team::new(&[]);
    team.run(&["vc", "switch", "-c", "topic"]);
    team.edit("Mine.");
    team.run(&["vc", "push", "origin", "topic"]);
    let ran = team.run(&["vc", "push", "origin", "--delete", "topic"]);
    assert!(!ran.stdout.contains("refs/brv"), "{}", ran.stdout);
    assert_eq!(team.refs("refs/brv"), team.refs("refs/brv/ops"));
}

#[test]
fn what_a_forced_push_left_behind_is_kept_and_named_with_or_without_a_tracking_ref() {
    for more in [&[][..], &["--single-branch"]] {
        let team = Team::new(more);
        team.run(&["vc", "switch", "-c", "topic"]);
        team.edit("Old.");
        let old = team.head();
        team.run(&["vc", "push", "origin", "topic"]);
        team.git(&["reset", "-q", "--hard", "HEAD~"]);
        team.edit("New.");
        let ran = team.run(&["vc", "push", "--format", "json", "origin", "+topic"]);
        let data = json(&ran.stdout);
        let data = data.get("data").unwrap_or(&data).clone();
        let rescue = format!("refs/brv/rescue/remotes/origin/topic/{}", &old[..12]);
        assert_eq!(data["refs"][0]["rescue"], rescue.as_str(), "{more:?}: {}", ran.stdout);
        team.git(&["update-ref", "-d", "ORIG_HEAD"]);
        team.collect();
        assert!(team.has(&old) && team.git(&["rev-parse", &rescue]) == old);
    }
}
