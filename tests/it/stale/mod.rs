//! `brv stale`, with real git: code in a repository, and a tree beside or inside it.

mod confirm;
mod glance;
mod listing;
mod pages;

use crate::env::Env;
use crate::init::json;
use serde_json::Value;
use std::cell::Cell;
use std::path::{Path, PathBuf};

const TOKENS: &str = "---\ntitle: Tokens\nupdatedAt: 2026-01-01T00:00:00Z\n---\n\nA request is tried `MAX_RETRIES` times, see `src/retry.rs`.\n";
const RETRY: &str = "pub const MAX_RETRIES: u32 = 3;\n\npub fn wait() {}\n";

/// Code in a git repository, with a tree of its own inside, both committed.
struct World {
    env: Env,
    /// The time of the last commit.
    now: Cell<i64>,
}

impl World {
    fn new() -> Self {
        Self::set_up(&["init", "-q"])
    }

    /// The tree is a folder of the code's repository.
    fn in_repo() -> Self {
        Self::set_up(&["init", "-q", "--in-repo"])
    }

    fn set_up(init: &[&str]) -> Self {
        let env = Env::new();
        env.git(env.root(), &["init", "-q"]);
        let world = Self { env, now: Cell::new(1_700_000_000) };
        world.done(init);
        world.code(&[("src/retry.rs", RETRY), ("README", "words\n")]);
        world.entries(&[("auth/tokens.md", TOKENS), ("auth/plain.md", "# Plain\n\nNo code here.\n")]);
        world
    }

    fn tree(&self) -> PathBuf {
        self.env.path(".brv/context-tree")
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.tree().join(path)).unwrap()
    }

    /// Commit files of the code.
    fn code(&self, files: &[(&str, &str)]) -> String {
        self.commit(self.env.root(), files)
    }

    /// Commit entries.
    fn entries(&self, files: &[(&str, &str)]) -> String {
        self.commit(&self.tree(), files)
    }

    /// Commit files, an hour after the last commit.
    fn commit(&self, folder: &Path, files: &[(&str, &str)]) -> String {
        self.now.set(self.now.get() + 3_600);
        let date = format!("{} +0000", self.now.get());
        crate::lab::write(folder, files);
        self.env.git(folder, &["add", "-A"]);
        let mut command = self.env.git_command(folder);
        command.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
        let output = command.args(["commit", "-q", "--allow-empty", "-m", "edit"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        self.env.git(folder, &["rev-parse", "HEAD"])
    }

    fn head(&self) -> String {
        self.env.git(self.env.root(), &["rev-parse", "HEAD"])
    }

    fn done(&self, arguments: &[&str]) {
        let ran = self.env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    }

    /// The whole JSON of a command that ends with this code.
    fn json(&self, arguments: &[&str], code: i32) -> Value {
        let ran = self.env.brv(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        json(&ran.stdout)
    }
}
