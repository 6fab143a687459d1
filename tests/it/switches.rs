//! While files of the tree are written, git run by hand is locked out: `index.lock` is the only lock that it knows.

use crate::env::{Env, Ran};
use crate::init::{commit, project, write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How many files are added and removed: enough to watch them being written.
const FILES: usize = 800;

struct Watched {
    env: Env,
    tree: PathBuf,
}

/// Observations during one running command.
#[derive(Default)]
struct Seen {
    /// How often the tree was seen half written.
    midway: usize,
    /// … without the lock.
    unlocked: usize,
    /// git's error when it was run meanwhile.
    git: Vec<Ran>,
}

impl Watched {
    /// A tree that tracks `origin.git`, where `FILES` files were added and removed.
    fn new(ours: &[(&str, &str)]) -> Self {
        let env = project(&[("a.md", "a\n")]).with("BRV_LOCK_TIMEOUT", "2");
        let old: Vec<String> = (0..FILES).map(|number| format!("old/{}/n{number}.md", number % 20)).collect();
        write(&env, &old.iter().map(|path| (path.as_str(), path.as_str())).collect::<Vec<_>>());
        commit(&env, "base");
        let origin = env.bare("origin.git");
        assert_eq!(env.brv(&["vc", "remote", "add", "origin", origin.to_str().unwrap()]).code, 0);
        assert_eq!(env.brv(&["vc", "push", "-q", "-u", "origin", "main"]).code, 0);
        let other = env.path("other");
        env.git(
            env.root(),
            &["clone", "-q", "-b", "main", origin.to_str().unwrap(), other.to_str().unwrap()],
        );
        env.git(&other, &["rm", "-q", "-r", "old"]);
        let new: Vec<String> = (0..FILES).map(|number| format!("new/{}/n{number}.md", number % 20)).collect();
        env.commit(&other, &new.iter().map(|path| (path.as_str(), "new\n")).collect::<Vec<_>>());
        env.git(&other, &["push", "-q", "origin", "main"]);
        let tree = env.path(".brv/context-tree");
        if !ours.is_empty() {
            write(&env, ours);
            commit(&env, "ours");
        }
        Self { env, tree }
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.env.prepare(&mut command);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Observe the tree until the command is done.
    fn watch(&self, tree: &Path, mut child: Child) -> Seen {
        let mut seen = Seen::default();
        let lock = tree.join(".git/index.lock");
        while child.try_wait().unwrap().is_none() {
            let begun = is_begun(tree);
            let locked = lock.exists();
            // still running after the lock was checked
            if begun && !is_complete(tree) {
                seen.midway += 1;
                seen.unlocked += usize::from(!locked);
                if seen.git.len() < 3 {
                    let ran = self.env.try_git(tree, &["update-index", "--add", "--cacheinfo", EMPTY]);
                    if !is_complete(tree) {
                        seen.git.push(ran);
                    }
                }
            }
        }
        assert!(child.wait().unwrap().success());
        seen
    }
}

/// The other side renames all entries and rewrites them, so that they are new ones.
const PULL: [&str; 7] = ["vc", "pull", "-q", "--allow", "mass-delete", "--reason", "they moved"];

/// An entry for the empty blob.
const EMPTY: &str = "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,by-git.md";

/// Whether the first files were removed, or the first were added.
fn is_begun(tree: &Path) -> bool {
    tree.join("new").exists() || (tree.join("a.md").exists() && !tree.join("old/0/n0.md").exists())
}

/// All changes of the other side are there; derived files are written afterwards.
fn is_complete(tree: &Path) -> bool {
    (0..FILES).rev().all(|number| tree.join(format!("new/{}/n{number}.md", number % 20)).exists())
}

fn assert_locked_out(seen: &Seen) {
    assert!(seen.midway > 0, "it was too fast to be seen");
    assert_eq!(seen.unlocked, 0, "of {} looks", seen.midway);
    for ran in &seen.git {
        assert_ne!(ran.code, 0);
        assert!(ran.stderr.contains("index.lock"), "{}", ran.stderr);
    }
}

#[test]
fn a_pull_that_writes_files_keeps_git_out_for_all_of_the_time() {
    for ours in [&[][..], &[("mine.md", "mine\n")]] {
        let watched = Watched::new(ours);
        let seen = watched.watch(&watched.tree, watched.start(&PULL));
        assert_locked_out(&seen);
        assert_eq!(watched.env.git(&watched.tree, &["status", "--porcelain"]), "");
        assert!(!watched.tree.join(".git/index.lock").exists());
    }
}

#[test]
fn a_clone_keeps_git_out_until_its_files_are_there() {
    let watched = Watched::new(&[]);
    let copy = watched.env.path("copy");
    let origin = watched.env.path("origin.git");
    let arguments = ["vc", "clone", "-q", origin.to_str().unwrap(), copy.to_str().unwrap()];
    let tree = copy.join(".brv/context-tree");
    let seen = watched.watch(&tree, watched.start(&arguments));
    assert_locked_out(&seen);
    assert_eq!(watched.env.git(&tree, &["status", "--porcelain"]), "");
}

#[test]
fn what_git_holds_is_waited_for_and_then_named() {
    let watched = Watched::new(&[]);
    let lock = watched.tree.join(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let before = watched.env.git(&watched.tree, &["rev-parse", "HEAD"]);
    for verb in [&["vc", "pull"][..], &["vc", "add", "."], &["vc", "commit", "-m", "x"]] {
        let ran = watched.env.brv(verb);
        assert_eq!(ran.code, 8, "{verb:?}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains("another git process") && ran.stderr.contains("hint: "),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(watched.env.git(&watched.tree, &["rev-parse", "HEAD"]), before);
    assert!(lock.exists() && watched.tree.join("old/0/n0.md").exists() && !watched.tree.join("new").exists());
    // git releases the lock while brv waits
    let child = watched.start(&PULL);
    std::thread::sleep(std::time::Duration::from_millis(600));
    std::fs::remove_file(&lock).unwrap();
    assert_locked_out(&watched.watch(&watched.tree, child));
}
