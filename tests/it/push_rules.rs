//! Which refs a push sends and which it rejects: the same as plain git, in two copies of one setup.
//!
//! Where brv differs on purpose, the test says so.

use crate::env::{Env, Programs, Ran};
use crate::lab::assert_harmless;
use std::path::{Path, PathBuf};

/// A project and its remotes, to be copied.
struct World {
    env: Env,
    copies: std::cell::Cell<usize>,
}

/// One copy.
struct Copy {
    root: PathBuf,
}

impl Copy {
    fn tree(&self) -> PathBuf {
        self.root.join("project/.brv/context-tree")
    }
    fn remote(&self) -> PathBuf {
        self.root.join("remote.git")
    }
}

/// The state that a push changed or could have changed.
#[derive(Debug, PartialEq, Eq)]
struct State {
    remote: String,
    second: String,
    tracking: String,
    upstreams: String,
}

impl World {
    /// Local branches: `main` (one commit ahead), `old` (in sync), `topic` (diverged, and we have not fetched),
    /// `behind` (we know that the remote is ahead), `new` (not on the remote), `feature` (tracks `trunk`), `side` (not
    /// on the remote). Tags: `v1` on both sides, `v2` and `light` local, in `main`; `v3` in `side`; `moved` on both
    /// sides and different; `both` is a branch and a tag on both sides.
    fn new() -> Self {
        let env = Env::new();
        let origin = env.bare("base/remote.git");
        env.bare("base/second.git");
        let project = env.path("base/project");
        std::fs::create_dir_all(&project).unwrap();
        let ran = env.brv_in(&project, &["init", "-q"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let tree = project.join(".brv/context-tree");
        let git = |arguments: &[&str]| env.git(&tree, arguments);
        let commit = |name: &str| env.commit(&tree, &[(name, "# Note\n")]);
        commit("a.md");
        git(&["branch", "-M", "main"]);
        git(&["remote", "add", "origin", origin.to_str().unwrap()]);
        git(&["tag", "-a", "-m", "one", "v1"]);
        git(&["tag", "moved"]);
        git(&["tag", "both"]);
        for branch in ["old", "topic", "behind", "both", "trunk"] {
            git(&["branch", branch]);
        }
        git(&["push", "-q", "--all", "origin"]);
        git(&["push", "-q", "--tags", "origin"]);
        for (branch, merge) in [("main", "main"), ("topic", "topic"), ("behind", "behind")] {
            git(&["config", &format!("branch.{branch}.remote"), "origin"]);
            git(&["config", &format!("branch.{branch}.merge"), &format!("refs/heads/{merge}")]);
        }
        // a teammate pushes
        let mate = env.path("mate");
        env.git(env.root(), &["clone", "-q", origin.to_str().unwrap(), mate.to_str().unwrap()]);
        env.git(&mate, &["checkout", "-q", "behind"]);
        env.commit(&mate, &[("behind.md", "# Behind\n")]);
        env.git(&mate, &["push", "-q", "origin", "behind"]);
        git(&["fetch", "-q"]);
        env.git(&mate, &["checkout", "-q", "topic"]);
        env.commit(&mate, &[("theirs.md", "# Theirs\n")]);
        env.git(&mate, &["push", "-q", "origin", "topic", "topic:gone"]);
        git(&["checkout", "-q", "-b", "side"]);
        commit("side.md");
        git(&["tag", "-a", "-m", "three", "v3"]);
        git(&["checkout", "-q", "topic"]);
        commit("ours.md");
        git(&["checkout", "-q", "-b", "new", "main"]);
        commit("new.md");
        git(&["checkout", "-q", "-b", "feature", "trunk"]);
        commit("feature.md");
        git(&["branch", "-D", "-q", "trunk"]);
        git(&["config", "branch.feature.remote", "origin"]);
        git(&["config", "branch.feature.merge", "refs/heads/trunk"]);
        git(&["checkout", "-q", "main"]);
        commit("b.md");
        git(&["tag", "-a", "-m", "two", "v2"]);
        git(&["tag", "light"]);
        git(&["tag", "-f", "moved"]);
        git(&["update-ref", "refs/brv/ops/20240101T000000-test", "HEAD"]);
        Self { env, copies: std::cell::Cell::new(0) }
    }

    fn copy(&self, setup: &[&[&str]]) -> Copy {
        self.copies.set(self.copies.get() + 1);
        let root = self.env.path(format!("copy-{}", self.copies.get()));
        copy_folder(&self.env.path("base"), &root);
        let copy = Copy { root };
        let remote = copy.remote();
        self.env.git(&copy.tree(), &["config", "remote.origin.url", remote.to_str().unwrap()]);
        for arguments in setup {
            let here = |word: &&str| word.replace("ROOT", copy.root.to_str().unwrap());
            let arguments: Vec<String> = arguments.iter().map(here).collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            self.env.git(&copy.tree(), &arguments);
        }
        copy
    }

    fn state(&self, copy: &Copy) -> State {
        let refs = |folder: &Path, prefix: &str| {
            self.env.git(folder, &["for-each-ref", "--format=%(refname) %(objectname)", prefix])
        };
        let upstreams = self
            .env
            .try_git(&copy.tree(), &["config", "--get-regexp", r"^branch\..*\.(remote|merge)$"])
            .stdout;
        let mut upstreams: Vec<_> = upstreams.lines().collect();
        upstreams.sort_unstable();
        State {
            remote: refs(&copy.remote(), "refs/"),
            second: refs(&copy.root.join("second.git"), "refs/"),
            tracking: refs(&copy.tree(), "refs/remotes/"),
            upstreams: upstreams.join("\n"),
        }
    }

    /// Both push; git's result is the expectation. Returns brv's message.
    fn same(&self, setup: &[&[&str]], arguments: &[&str]) -> Ran {
        let (theirs, ours) = (self.copy(setup), self.copy(setup));
        let place = |copy: &Copy| {
            let here = |word: &&str| word.replace("ROOT", copy.root.to_str().unwrap());
            arguments.iter().map(here).collect::<Vec<_>>()
        };
        let words: Vec<String> =
            ["push", "-q"].iter().map(|word| (*word).to_owned()).chain(place(&theirs)).collect();
        let git = self.env.try_git(&theirs.tree(), &words);
        let words = place(&ours);
        let words: Vec<&str> = ["vc", "push"].into_iter().chain(words.iter().map(String::as_str)).collect();
        let brv = self.env.brv_in(&ours.root.join("project"), &words);
        let what = format!(
            "{setup:?} {arguments:?}\ngit ({}): {}\nbrv ({}): {}{}",
            git.code, git.stderr, brv.code, brv.stdout, brv.stderr
        );
        assert_eq!(self.state(&ours), self.state(&theirs), "{what}");
        assert_eq!(brv.code == 0, git.code == 0, "{what}");
        brv
    }

    /// As [`Self::same`], for a push that changes something or fails with this code.
    fn exits(&self, code: i32, setup: &[&[&str]], arguments: &[&str]) {
        let ran = self.same(setup, arguments);
        assert_eq!(ran.code, code, "{setup:?} {arguments:?}\n{}{}", ran.stdout, ran.stderr);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn refspecs_move_what_they_move_in_git() {
    let world = World::new();
    for (code, arguments) in [
        (0, &["origin", "main"][..]),
        (0, &["origin", "main", "old", "v2"]),
        (0, &["origin", "main:trunk"]),
        (0, &["origin", "main:fresh"]),
        (0, &["origin", "v2:v9"]),
        (0, &["origin", "HEAD"]),
        (0, &["origin", "@:refs/heads/fresh"]),
        (0, &["origin", "HEAD~1:old"]),
        (2, &["origin", "HEAD~1:fresh"]),
        (0, &["origin", "HEAD~1:refs/heads/fresh"]),
        (2, &["origin", "HEAD~1"]),
        (2, &["origin", "both"]),
        (0, &["origin", "refs/heads/both"]),
        (2, &["origin", "main:both"]),
        (2, &["origin", "main", "new:main"]),
        (2, &["origin", "nowhere"]),
        (0, &["origin", "tag", "v2"]),
        (6, &["origin", "topic"]),
        (6, &["origin", "behind"]),
        (6, &["origin", "main", "topic", "new"]),
        (6, &["origin", "moved"]),
        (0, &["origin", "+topic", "+moved"]),
        (0, &["--force", "origin", "topic", "behind", "moved"]),
        (0, &["origin", ":gone"]),
        (0, &["origin", ":gone", "new"]),
        (0, &["origin", "refs/heads/n*:refs/heads/x/n*"]),
        (6, &["origin", "refs/heads/*:refs/heads/*"]),
        (0, &["origin", "+refs/heads/*:refs/mine/*"]),
        (6, &["origin", "refs/heads/*", "^refs/heads/b*"]),
        (0, &["origin", "refs/heads/*", "^refs/heads/b*", "^refs/heads/topic"]),
        (6, &["origin", ":"]),
        (0, &["origin", "+:"]),
        (0, &["ROOT/second.git", "main", "v1"]),
    ] {
        world.exits(code, &[], arguments);
    }
}

#[test]
fn flags_choose_the_refs_that_they_choose_in_git() {
    let world = World::new();
    for (code, arguments) in [
        (6, &["--all", "origin"][..]),
        (0, &["--all", "--force", "origin"]),
        (0, &["--all", "ROOT/second.git"]),
        (2, &["--all", "origin", "main"]),
        (2, &["--all", "--tags", "origin"]),
        (6, &["--tags", "origin"]),
        (0, &["--tags", "ROOT/second.git"]),
        (0, &["--tags", "ROOT/second.git", "main"]),
        (0, &["--follow-tags", "origin", "main"]),
        (0, &["--follow-tags", "ROOT/second.git", "side"]),
        (0, &["--follow-tags", "origin", "old"]),
        (0, &["--delete", "origin", "gone"]),
        (0, &["-d", "origin", "gone", "v1", "refs/heads/old"]),
        (2, &["--delete", "origin", "nowhere"]),
        (2, &["origin", ":nowhere"]),
        (2, &["--delete", "origin", "gone", "nowhere"]),
        (2, &["--delete", "origin"]),
        (2, &["--delete", "origin", "a:b"]),
        (2, &["--delete", "origin", "both"]),
        (6, &["--atomic", "origin", "main", "topic", "new"]),
        (0, &["--atomic", "origin", "main", "new", ":gone"]),
        (0, &["--dry-run", "origin", "main", ":gone"]),
        (6, &["--dry-run", "origin", "topic"]),
        (0, &["-u", "origin", "new"]),
        (0, &["-u", "origin", "new:fresh", "v2", "old"]),
        (0, &["-u", "origin", "HEAD:fresh"]),
        (0, &["-u", "--all", "--force", "origin"]),
    ] {
        world.exits(code, &[], arguments);
    }
    world.exits(0, &[&["config", "push.followTags", "true"]], &["origin", "main"]);
    world.exits(0, &[&["config", "push.followTags", "true"]], &["--no-follow-tags", "origin", "main"]);
}

#[test]
fn a_lease_holds_where_it_holds_in_git() {
    let world = World::new();
    let there = world.env.git(&world.env.path("base/remote.git"), &["rev-parse", "topic"]);
    let exact = format!("--force-with-lease=topic:{there}");
    let wrong = format!("--force-with-lease=behind:{there}");
    for (code, arguments) in [
        (0, &["--force-with-lease", "origin", "behind"][..]),
        (6, &["--force-with-lease", "origin", "topic"]),
        (6, &["--force-with-lease", "origin", "behind", "topic"]),
        (6, &["--atomic", "--force-with-lease", "origin", "behind", "topic"]),
        (0, &[&exact, "origin", "topic"]),
        (0, &[&exact, "origin", "topic:topic"]),
        (6, &[&wrong, "origin", "behind"]),
        (6, &[&exact, "origin", "behind"]),
        (0, &[&exact, "--force-with-lease=behind", "origin", "topic", "behind"]),
        (6, &["--force-with-lease=topic", "origin", "topic"]),
        (6, &["--force-with-lease=topic:", "origin", "topic"]),
        (0, &["--force-with-lease=fresh:", "origin", "topic:fresh"]),
        (0, &["--force-with-lease", "origin", "topic:fresh"]),
        (0, &["--force-with-lease=behind:origin/behind", "origin", "behind"]),
        (6, &["--force-with-lease=behind:main", "origin", "behind"]),
        (2, &["--force-with-lease=behind:nowhere", "origin", "behind"]),
        (6, &["--force-with-lease", "origin", ":gone"]),
        (0, &["--force-with-lease", "origin", ":old"]),
        // a tracking ref is missing: it is unknown what would be lost
        (6, &["--force-with-lease", "ROOT/remote.git", "behind"]),
        (6, &["--force-with-lease", "origin", "moved"]),
    ] {
        world.exits(code, &[], arguments);
    }
}

#[test]
fn a_lease_that_does_not_hold_stops_a_plus_too() {
    // git lets `+` override the lease; in brv a given lease always holds
    let world = World::new();
    let copy = world.copy(&[]);
    let before = world.state(&copy);
    let ran = world
        .env
        .brv_in(&copy.root.join("project"), &["vc", "push", "--force-with-lease", "origin", "+topic"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("stale lease") && ran.stderr.contains("hint: "), "{}", ran.stderr);
    assert_eq!(world.state(&copy), before);
}

#[test]
fn without_refspecs_the_settings_say_what_they_say_in_git() {
    let world = World::new();
    const CHECKOUT: fn(&'static str) -> [&'static str; 3] = |branch| ["checkout", "-q", branch];
    let default = |value| ["config", "push.default", value];
    for (code, branch, value) in [
        (0, "main", "simple"),
        (0, "main", "current"),
        (0, "main", "upstream"),
        (6, "main", "matching"),
        (2, "main", "nothing"),
        (2, "feature", "simple"),
        (0, "feature", "current"),
        (0, "feature", "upstream"),
        (2, "new", "simple"),
        (0, "new", "current"),
        (2, "new", "upstream"),
        (6, "topic", "simple"),
    ] {
        world.exits(code, &[&CHECKOUT(branch), &default(value)], &[]);
    }
    world.exits(2, &[&["checkout", "-q", "--detach"]], &[]);
    let copy = world.copy(&[&default("sometimes")]);
    let ran = world.env.brv_in(&copy.root.join("project"), &["vc", "push"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("invalid value for `push.default`: `sometimes`"), "{}", ran.stderr);
    world.exits(0, &[&CHECKOUT("feature"), &default("upstream")], &["origin", "feature"]);
    let auto = ["config", "push.autoSetupRemote", "true"];
    for value in ["simple", "current", "upstream"] {
        world.exits(0, &[&CHECKOUT("new"), &default(value), &auto], &[]);
    }
    let push = |value| ["config", "--add", "remote.origin.push", value];
    world.exits(0, &[&push("refs/heads/new:refs/heads/other")], &[]);
    world.exits(0, &[&push("refs/heads/new"), &push("+refs/heads/be*:refs/heads/be*")], &["origin"]);
    world.exits(0, &[&push("refs/heads/*:refs/x/*")], &["origin", "new"]);
    world.exits(0, &[&push("refs/heads/*:refs/x/*")], &["origin", "new:new"]);
}

#[test]
fn the_remote_is_the_one_that_git_takes() {
    let world = World::new();
    let second = ["config", "remote.second.url", "ROOT/second.git"];
    let fetch = ["config", "remote.second.fetch", "+refs/heads/*:refs/remotes/second/*"];
    let own = ["config", "branch.main.pushRemote", "second"];
    let default = ["config", "remote.pushDefault", "second"];
    let address = ["config", "branch.main.pushRemote", "ROOT/second.git"];
    world.exits(0, &[&second, &fetch, &own], &[]);
    world.exits(0, &[&second, &fetch, &default], &[]);
    world.exits(0, &[&address], &[]);
    world.exits(0, &[&second, &default, &["checkout", "-q", "new"]], &[]);
    world.exits(0, &[&second, &default, &["config", "branch.main.pushRemote", "origin"]], &[]);
    world.exits(2, &[&second, &default, &["config", "push.default", "upstream"]], &[]);
    world.exits(0, &[&second, &fetch, &default, &["checkout", "-q", "feature"]], &["-u"]);
}

#[test]
fn every_address_of_a_remote_is_pushed_to() {
    let world = World::new();
    let also = ["config", "--add", "remote.origin.url", "ROOT/second.git"];
    let push = |value| ["config", "--add", "remote.origin.pushurl", value];
    let gone = ["config", "--add", "remote.origin.url", "ROOT/gone.git"];
    world.exits(0, &[&also], &["origin", "main", "new"]);
    world.exits(0, &[&also], &["-u", "origin", "new"]);
    world.exits(0, &[&push("ROOT/second.git")], &["origin", "main"]);
    world.exits(0, &[&push("ROOT/second.git"), &push("ROOT/remote.git")], &["origin", "main"]);
    world.exits(6, &[&also], &["origin", "topic"]);
    world.exits(
        0,
        &[&also, &["config", "url.ROOT/remote.git.pushInsteadOf", "ROOT/second.git"]],
        &["origin", "main"],
    );

    let copy = world.copy(&[&also]);
    let project = copy.root.join("project");
    let ran = world.env.brv_in(&project, &["vc", "fetch", "origin", "topic"]);
    assert_eq!(ran.code, 0, "the first is fetched from: {}", ran.stderr);
    let listed = world.env.brv_in(&project, &["vc", "remote", "-v"]).stdout;
    assert_eq!(listed, world.env.git(&copy.tree(), &["remote", "-v"]) + "\n");

    // git stops at the first address that it cannot reach; brv pushes to the others
    let copy = world.copy(&[&gone, &also]);
    let project = copy.root.join("project");
    let ran = world.env.brv_in(&project, &["vc", "push", "--json", "origin", "main"]);
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let refs = said["data"]["refs"].as_array().unwrap();
    let ends = |value: &serde_json::Value, end: &str| value.as_str().unwrap().ends_with(end);
    assert_eq!(refs.len(), 2, "{said}");
    assert!(ends(&refs[0]["address"], "/remote.git") && refs[0]["status"] == "moved", "{said}");
    assert!(ends(&refs[1]["address"], "/second.git") && refs[1]["status"] == "new", "{said}");
    assert!(ends(&said["data"]["failed"][0]["address"], "/gone.git"), "{said}");
    assert_eq!(
        (said["ok"].as_bool(), said["error"]["code"].as_str()),
        (Some(false), Some("remote")),
        "{said}"
    );
}

#[test]
fn each_problem_of_several_addresses_is_counted_and_names_its_address_once() {
    let world = World::new();
    let add = |value| ["config", "--add", "remote.origin.url", value];
    let (gone, lost) = (add("ROOT/gone.git"), add("ROOT/lost.git"));
    for (before, branch, said) in [
        (&[&gone[..]][..], "topic", "error: 1 ref was rejected, and the push to 1 address failed\n"),
        (&[&gone[..], &lost[..]], "main", "error: cannot push to 2 addresses\n"),
    ] {
        let copy = world.copy(before);
        let ran = world.env.brv_in(&copy.root.join("project"), &["vc", "push", "origin", branch]);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        let about: Vec<_> = ran.stderr.lines().filter(|line| line.contains("gone.git")).collect();
        assert!(about.len() == 1 && about[0].matches("gone.git").count() == 1, "{}", ran.stderr);
    }
}

#[test]
fn a_mirror_is_refused_and_operations_stay_here() {
    let world = World::new();
    let copy = world.copy(&[&["config", "remote.origin.mirror", "true"]]);
    let before = world.state(&copy);
    let project = copy.root.join("project");
    let ran = world.env.brv_in(&project, &["vc", "push", "origin"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("mirror"), "{}", ran.stderr);
    assert_eq!(world.state(&copy), before);

    let copy = world.copy(&[]);
    let project = copy.root.join("project");
    let own = "refs/brv/ops/20240101T000000-test";
    for spec in [
        own.to_owned(),
        format!("{own}:refs/heads/x"),
        format!("{own}~0:refs/heads/x"),
        "brv/ops/20240101T000000-test:refs/heads/x".into(),
        "refs/brv/*:refs/x/*".into(),
        "refs/heads/*:refs/brv/*".into(),
        ":refs/brv/ops/1".into(),
    ] {
        let ran = world.env.brv_in(&project, &["vc", "push", "origin", &spec]);
        assert_eq!(ran.code, 6, "{spec}: {}{}", ran.stdout, ran.stderr);
    }
    let second = copy.root.join("second.git");
    let ran = world.env.brv_in(&project, &["vc", "push", second.to_str().unwrap(), "refs/*:refs/*"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let there = world.state(&copy).second;
    assert!(there.contains("refs/heads/main") && there.contains("refs/remotes/origin/main"), "{there}");
    assert!(!there.contains("refs/brv"), "{there}");
}

#[test]
fn the_same_refs_move_and_are_refused_without_git() {
    let mut world = World::new();
    world.env = world.env.with_programs(Programs::NoGit);
    let there = world.env.git(&world.env.path("base/remote.git"), &["rev-parse", "topic"]);
    let exact = format!("--force-with-lease=topic:{there}");
    for (code, arguments) in [
        (0, &["origin", "main", "old", "v2"][..]),
        (0, &["origin", "main:trunk", ":gone"]),
        (6, &["origin", "main", "topic", "new"]),
        (6, &["--atomic", "origin", "main", "topic", "new"]),
        (0, &["--atomic", "origin", "main", "new", ":gone"]),
        (9, &["--atomic", "origin", "new", ":main"]),
        (0, &["--all", "--force", "origin"]),
        (0, &["--tags", "ROOT/second.git", "main"]),
        (0, &["--follow-tags", "origin", "main"]),
        (0, &[&exact, "origin", "topic"]),
        (6, &["--force-with-lease", "origin", "topic"]),
    ] {
        world.exits(code, &[], arguments);
    }
}

#[test]
fn what_the_server_refuses_is_shown_for_each_ref() {
    let world = World::new();
    let copy = world.copy(&[]);
    let project = copy.root.join("project");
    let push = |arguments: &[&str]| world.env.brv_in(&project, &[&["vc", "push"], arguments].concat());
    let before = world.state(&copy);
    // the default branch
    let ran = push(&["origin", "--delete", "main"]);
    assert_eq!(ran.code, 9, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("main (deletion of the current branch prohibited)"), "{}", ran.stderr);
    assert_harmless(&ran);
    // with a ref that cannot move, none does, and all are listed
    let ran = push(&["--atomic", "origin", "new", ":main", "v2"]);
    assert_eq!(ran.code, 9, "{}{}", ran.stdout, ran.stderr);
    for name in ["new (", "main (", "v2 ("] {
        assert!(ran.stderr.contains(name), "{name}: {}", ran.stderr);
    }
    assert_eq!(world.state(&copy), before);
    // a ref that is rejected locally is not even sent
    let said = push(&["--json", "--atomic", "origin", "new", "topic"]).stdout;
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let reasons: Vec<_> = said["data"]["refs"].as_array().unwrap().iter().map(|one| &one["reason"]).collect();
    assert_eq!(reasons, ["another ref was rejected", "fetch first"], "{said}");
    assert_eq!(said["error"]["code"], "refused", "{said}");
    // a server without this capability is not asked for it
    world.env.git(&copy.remote(), &["config", "receive.advertiseAtomic", "false"]);
    let ran = push(&["--atomic", "origin", "new"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (9, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("the remote cannot update several refs atomically"), "{}", ran.stderr);
    assert_eq!(world.state(&copy), before);
}

#[test]
fn what_was_forced_is_said_to_be() {
    let world = World::new();
    let copy = world.copy(&[]);
    let project = copy.root.join("project");
    let ran = world.env.brv_in(&project, &["vc", "push", "origin", "+topic", "main:trunk", "main"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains(" main -> trunk\n"), "{}", ran.stdout);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with(" + ") && line.contains("...")), "{}", ran.stdout);
    assert!(lines.iter().any(|line| line.starts_with("   ") && line.ends_with(" main")), "{}", ran.stdout);
}

#[test]
fn each_commit_that_leaves_is_looked_at_once_and_what_the_remote_has_is_not() {
    let world = World::new();
    let copy = world.copy(&[]);
    let (project, tree) = (copy.root.join("project"), copy.tree());
    let git = |arguments: &[&str]| world.env.git(&tree, arguments);
    let push = |arguments: &[&str]| world.env.brv_in(&project, &[&["vc", "push"], arguments].concat());
    let broken = "# A\n\n<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n";
    // in a branch that a merge brings, corrected there; beside a correct one
    git(&["checkout", "-q", "-b", "work"]);
    let bad = world.env.commit(&tree, &[("x/bad.md", broken), ("x/notes.txt", broken)]);
    world.env.commit(&tree, &[("x/bad.md", "# A\n")]);
    git(&["checkout", "-q", "main"]);
    git(&["merge", "-q", "--no-ff", "-m", "merge", "work"]);
    let ran = push(&["origin", "main"]);
    assert_eq!(ran.code, 7, "{}{}", ran.stdout, ran.stderr);
    let end = format!(" unresolved conflict markers (commit {}, corrected later)\n", &bad[..7]);
    assert!(ran.stderr.contains("  BRV001 x/bad.md:3:1 ") && ran.stderr.contains(&end), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("BRV001").count(), 1, "{}", ran.stderr);
    // every ref is checked, tags included
    git(&["tag", "-a", "-m", "t", "bad", &bad]);
    assert_eq!(push(&["origin", "new", "bad"]).code, 7);
    // refs that are not pushed are not checked
    assert_eq!(push(&["origin", "new"]).code, 0);
    // once allowed, it no longer blocks
    assert_eq!(push(&["--no-verify", "origin", "main"]).code, 0);
    world.env.commit(&tree, &[("y.md", "# Y\n")]);
    assert_eq!(push(&["origin", "main", "bad"]).code, 0);
    // a merge that introduces the markers itself
    git(&["checkout", "-q", "new"]);
    git(&["merge", "-q", "--no-commit", "--no-ff", "main"]);
    let merge = world.env.commit(&tree, &[("z.md", broken)]);
    let ran = push(&["origin", "new"]);
    let end = format!(" unresolved conflict markers (commit {})\n", &merge[..7]);
    assert!(ran.stderr.contains("  BRV001 z.md:3:1 ") && ran.stderr.contains(&end), "{}", ran.stderr);
    assert_eq!(ran.code, 7);
}

#[test]
fn with_several_tips_of_one_history_nothing_is_sent_twice_or_needlessly() {
    let world = World::new();
    let copy = world.copy(&[]);
    let (project, tree) = (copy.root.join("project"), copy.tree());
    let files: Vec<(String, &str)> = (0..40).map(|at| (format!("d{}/n{at}.md", at % 5), "# N\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    world.env.commit(&tree, &files);
    assert_eq!(world.env.brv_in(&project, &["vc", "push", "origin", "main"]).code, 0);
    for edit in 0..8 {
        world.env.commit(&tree, &[("d1/n1.md", &format!("# Edit {edit}\n"))]);
    }
    let lacking = world.env.git(&tree, &["rev-list", "--objects", "main", "^origin/main"]);
    let refspecs = ["main", "main~3:refs/heads/old3", "main~6:refs/heads/old6", "main:refs/heads/same"];
    let said =
        world.env.brv_in(&project, &[&["vc", "push", "--json", "origin"], &refspecs[..]].concat()).stdout;
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["data"]["objects"], lacking.lines().count(), "{said}");
    world.env.fsck(&copy.remote());
}
