//! Snapshots of a repository: what a step must not lose, and what a rejected one must not change.

use crate::env::Env;
use brv_git as git;
use brv_git::index;
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A repository and its files at one point in time.
pub struct Picture {
    /// The blob id of every file that is not derived.
    files: BTreeMap<String, String>,
    /// `HEAD`, the branches, the index.
    refs: String,
    index: String,
    /// Every object reachable from a ref or `HEAD`.
    reachable: BTreeSet<String>,
    /// The entries of the index.
    recorded: BTreeSet<String>,
}

impl Picture {
    pub fn of(env: &Env, tree: &Path) -> Self {
        let files = crate::lab::picture(tree, &|path| path == ".git" || is_derived(path));
        let files = files
            .into_iter()
            .map(|(path, bytes)| (path, brv_base::content::ContentId::of(&bytes).to_string()));
        let head = env.try_git(tree, &["rev-parse", "--symbolic-full-name", "HEAD"]).stdout;
        let tip = env.try_git(tree, &["rev-parse", "-q", "--verify", "HEAD"]).stdout;
        let branches = env.git(tree, &["for-each-ref", "refs/heads", "refs/stash"]);
        let mut listing = vec!["rev-list", "--objects", "--no-object-names", "--all"];
        if !tip.is_empty() {
            listing.push("HEAD");
        }
        let listed = env.git(tree, &listing);
        let index = stages(env, tree);
        let recorded = index.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned);
        Self {
            files: files.collect(),
            refs: head + &tip + &branches,
            reachable: listed.lines().map(str::to_owned).collect(),
            recorded: recorded.collect(),
            index,
        }
    }

    /// Nothing changed.
    pub fn assert_is(&self, before: &Self, said: &str) {
        assert_eq!(self.refs, before.refs, "it failed, but moved a ref: {said}");
        assert_eq!(self.index, before.index, "it failed, but changed the index: {said}");
        assert_eq!(self.files, before.files, "it failed, but changed files: {said}");
    }

    /// Everything that was on disk or reachable from a ref is on disk, reachable or in the index. What was only in the
    /// index may have been staged again, but still exists.
    pub fn assert_holds(&self, before: &Self, env: &Env, tree: &Path, said: &str) {
        let on_disk: BTreeSet<&String> = self.files.values().collect();
        let is_held = |id: &&String| {
            self.reachable.contains(*id) || self.recorded.contains(*id) || on_disk.contains(id)
        };
        let lost: Vec<_> = before.files.iter().filter(|(_, id)| !is_held(id)).collect();
        assert!(lost.is_empty(), "lost files {lost:?}: {said}");
        let lost: Vec<_> = before.reachable.iter().filter(|id| !is_held(id)).collect();
        assert!(lost.is_empty(), "lost objects {lost:?}: {said}");
        for id in before.recorded.iter().filter(|id| !is_held(id)) {
            assert_eq!(env.try_git(tree, &["cat-file", "-e", id]).code, 0, "{id} was in the index: {said}");
        }
    }
}

/// Files that can be regenerated.
fn is_derived(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["_index.md", "_manifest.json"].contains(&name)
        || [".abstract.md", ".overview.md"].iter().any(|end| name.ends_with(end))
}

fn stages(env: &Env, tree: &Path) -> String {
    env.git(tree, &["-c", "core.quotePath=false", "ls-files", "-s"])
}

/// brv reads the same index entries as git, and the cached trees it reads are correct.
pub fn assert_same_index(env: &Env, tree: &Path, said: &str) {
    let theirs = stages(env, tree);
    let scope = git::open(tree, "", crate::env::environment()).unwrap();
    let index = index::read(&scope).unwrap();
    let mut ours = Vec::new();
    for path in paths(&theirs) {
        let path = path.as_bytes().as_bstr();
        let whole = index.version(path).map(|version| (0, version));
        let stages = index.stages(path).into_iter().enumerate();
        let stages = stages.filter_map(|(at, version)| Some((at + 1, version?)));
        for (stage, version) in whole.into_iter().chain(stages) {
            ours.push(format!("{} {} {stage}\t{path}", version.mode.octal(), version.id));
        }
    }
    let known = index.versions().count() + index.unmerged().len();
    assert!(known <= paths(&theirs).len(), "{said}");
    assert_eq!(ours.join("\n"), theirs, "{said}");
    let is_whole = index.unmerged().is_empty();
    if is_whole {
        assert_true_trees(env, tree, &theirs, said);
    }
}

/// git writes the same tree with and without the cached trees of the index.
fn assert_true_trees(env: &Env, tree: &Path, stages: &str, said: &str) {
    let fresh = env.path("fresh-index");
    let _ = std::fs::remove_file(&fresh);
    let diff = ["-c", "core.quotePath=false", "diff", "--no-renames", "--name-only", "--diff-filter=A"];
    let intended = env.git(tree, &diff);
    let listed: Vec<_> = stages
        .lines()
        .filter(|line| !intended.lines().any(|path| line.split('\t').nth(1) == Some(path)))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut command = env.git_command(tree);
    command
        .args(["-c", "core.quotePath=false", "update-index", "--index-info"])
        .env("GIT_INDEX_FILE", &fresh);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), listed.concat().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
    let mut command = env.git_command(tree);
    let written = command.args(["write-tree"]).env("GIT_INDEX_FILE", &fresh).output().unwrap();
    let written = String::from_utf8(written.stdout).unwrap();
    assert_eq!(env.git(tree, &["write-tree"]), written.trim_end(), "{said}");
}

fn paths(stages: &str) -> Vec<&str> {
    let mut paths: Vec<&str> = stages.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    paths.dedup();
    paths
}

/// brv finds the same branch and commit as git.
pub fn assert_same_head(env: &Env, tree: &Path, said: &str) {
    let ran = env.brv_in(tree, &["vc", "status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let data = &status["data"];
    let tip = env.try_git(tree, &["rev-parse", "-q", "--verify", "HEAD"]).stdout;
    assert_eq!(data["head"].as_str().unwrap_or_default(), tip.trim_end(), "{said}");
    let branch = env.try_git(tree, &["symbolic-ref", "-q", "--short", "HEAD"]).stdout;
    assert_eq!(data["branch"].as_str().unwrap_or_default(), branch.trim_end(), "{said}");
}
