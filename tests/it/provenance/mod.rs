//! Which commit of the code stands today for the one that a statement was learned from: with real git, after whatever
//! people do to commits.

mod branches;
mod journal;
mod rewritten;
mod squashed;

use crate::env::{Env, Ran, context};
use crate::init::json;
use brv_engine::open::hosting::Host;
use brv_engine::open::hosting::branch::branch_change;
use brv_engine::open::state::{self, Missing};
use brv_git as git;
use brv_git::{CommitId, Scope, patch_id};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time of all commits, in seconds since 1970.
const NOW: i64 = 1_700_000_000;

/// Code in a git repository, and a tree of its own inside.
pub struct World {
    pub env: Env,
    pub host: PathBuf,
}

impl World {
    pub fn new() -> Self {
        Self::set_up(&["init", "-q"])
    }

    /// The tree is a folder of the code's repository.
    pub fn in_repo() -> Self {
        Self::set_up(&["init", "-q", "--in-repo"])
    }

    fn set_up(init: &[&str]) -> Self {
        let env = Env::new();
        let host = env.path("code");
        env.git(env.root(), &["init", "-q", "code"]);
        let world = Self { env, host };
        world.commit("base.txt", &numbered(30));
        world.brv(init);
        world
    }

    pub fn tree(&self) -> PathBuf {
        self.host.join(".brv/context-tree")
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.host, arguments)
    }

    pub fn brv(&self, arguments: &[&str]) -> Ran {
        let ran = self.env.brv_in(&self.host, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    fn scope(&self) -> Scope {
        git::open(&self.host, "", crate::env::environment()).unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        crate::lab::write(&self.host, &[(path, text)]);
    }

    /// Commit a file of the code.
    pub fn commit(&self, path: &str, text: &str) -> String {
        self.write(path, text);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", &format!("change {path}")]);
        self.head()
    }

    /// Commit a statement that was learned from a commit of the code, as it is named.
    fn state(&self, subject: &str, source: &str) {
        let text = format!("# {subject}\n\n## Facts\n\n- **{subject}**: it holds\n");
        crate::lab::write(&self.tree(), &[(&entry(subject), &text)]);
        self.env.git(&self.tree(), &["add", "-A"]);
        let message = format!("learn {subject}\n\nBrv-Source-Commit: {source}");
        self.env.git(&self.tree(), &["commit", "-q", "-m", &message]);
    }

    /// The trailer of a commit of the code.
    pub fn recorded(&self, commit: &str) -> String {
        let patch = patch_id::of_commit(&self.scope(), id(commit)).unwrap().unwrap();
        format!("{commit} {patch}")
    }

    /// State something learned from `HEAD`, and note what its branch changes, as is done after each commit.
    fn learn(&self, subject: &str) -> String {
        let commit = self.head();
        self.state(subject, &self.recorded(&commit));
        self.note_branch();
        commit
    }

    /// As the hook does after each commit of the code.
    pub fn note_branch(&self) {
        let host = Host { scope: self.scope() };
        let branch = self.git(&["branch", "--show-current"]);
        if let Some((change, commits)) = branch_change(&host, id(&self.head()), Some(&branch)).unwrap() {
            let commits: Vec<String> = commits.iter().map(CommitId::to_string).collect();
            self.remember(|state| state.note_branch_change(&commits, &change, NOW));
        }
    }

    pub fn remember(&self, work: impl Fn(&mut state::State) -> Result<(), state::Error>) {
        let place = state::StatePlace::at(self.tree().join(".git/brv/state.db"));
        state::with(&place, Missing::Make, Duration::from_secs(5), work).unwrap();
    }

    /// As git says after a rewrite.
    pub fn rewrote(&self, old: &str, new: &str) {
        self.remember(|state| state.note_rewrites(&[(old.into(), new.into())], NOW));
    }

    /// Remove everything that no branch has.
    pub fn forget(&self, gone: &str) {
        self.git(&["reflog", "expire", "--expire=now", "--all"]);
        self.git(&["gc", "-q", "--prune=now"]);
        let lookup = self.env.try_git(&self.host, &["cat-file", "-e", gone]);
        assert_ne!(lookup.code, 0, "{gone} is still there");
    }

    fn blame(&self, cwd: &Path, subject: &str) -> serde_json::Value {
        let file = self.tree().join(entry(subject));
        let file = file.to_str().unwrap();
        let ran = self.env.brv_in(cwd, &["vc", "blame", "--fact", subject, "--json", "--", file]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        json(&ran.stdout)["data"].take()
    }

    /// How the commit that stands for a statement's source was found, and the commit.
    fn standing(&self, subject: &str) -> (String, Option<String>) {
        standing(&self.blame(&self.host, subject)["fact"]["current"][0])
    }

    fn assert_standing(&self, subject: &str, by: &str, commit: Option<&str>) {
        assert_eq!(self.standing(subject), (by.to_owned(), commit.map(str::to_owned)), "{subject}");
    }
}

fn standing(stated: &serde_json::Value) -> (String, Option<String>) {
    let commit = stated["source_commit"].as_str().map(str::to_owned);
    (stated["source"]["by"].as_str().unwrap_or("none").to_owned(), commit)
}

fn entry(subject: &str) -> String {
    format!("code/{subject}.md")
}

fn id(commit: &str) -> CommitId {
    CommitId::from_hex(commit).unwrap()
}

/// Lines that differ.
fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

/// The same text with one line replaced, counted from 1.
fn with_line(text: &str, number: usize, line: &str) -> String {
    let lines = text.lines().enumerate();
    lines.map(|(at, own)| format!("{}\n", if at + 1 == number { line } else { own })).collect()
}

#[test]
fn a_commit_that_a_branch_still_has_stands_for_itself() {
    let world = World::new();
    let first = world.learn("first");
    world.git(&["switch", "-q", "-c", "topic"]);
    let second = world.commit("topic.txt", "topic\n");
    world.learn("second");
    world.git(&["switch", "-q", "main"]);
    let third = world.commit("third.txt", "third\n");
    world.state("third", &third[..9]);
    world.git(&["update-ref", "refs/remotes/origin/main", &third]);
    world.git(&["reset", "-q", "--hard", &first]);
    for (subject, commit) in [("first", &first), ("second", &second), ("third", &third)] {
        world.assert_standing(subject, "same", Some(commit));
    }
    let data = world.blame(&world.host, "third");
    assert_eq!(data["fact"]["current"][0]["source"]["recorded"], third[..9]);
    assert_eq!(
        (&data["commits"][0]["source_commit"], &data["commits"][0]["source"]["by"]),
        (&third.into(), &"same".into())
    );
    let text = world.brv(&["vc", "blame", "--fact", "second", &entry("second")]).stdout;
    assert!(text.contains(&format!("source    {second}\n")), "{text}");
}

#[test]
fn what_names_no_commit_is_shown_and_unknown() {
    let world = World::new();
    let blob = world.git(&["rev-parse", "HEAD:base.txt"]);
    for (number, name) in ["0000000", "the release", "zz", "0".repeat(40).as_str(), &blob].iter().enumerate()
    {
        let subject = format!("s{number}");
        world.state(&subject, name);
        world.assert_standing(&subject, "unknown", None);
        let data = world.blame(&world.host, &subject);
        assert_eq!(data["fact"]["current"][0]["source"]["recorded"], **name);
    }
    let lines = json(&world.brv(&["vc", "blame", &entry("s1"), "--json"]).stdout);
    let commit = &lines["data"]["commits"][0];
    assert_eq!(
        (&commit["source"]["recorded"], &commit["source"]["by"]),
        (&"the release".into(), &"unknown".into())
    );
    assert!(commit.get("source_commit").is_none(), "{commit}");
}

#[test]
fn without_a_repository_that_brv_reads_sources_are_unknown() {
    let env = Env::new();
    let host = env.path("code");
    let made = env.try_git(env.root(), &["init", "-q", "--object-format=sha256", "code"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let world = World { env, host };
    world.brv(&["init", "-q"]);
    let cx = context(&world.host);
    let error = Host::of(&cx.open().unwrap(), &world.host).err().unwrap();
    assert_eq!(error.kind, brv_engine::FailureKind::Refused);
    world.state("fact", &"1".repeat(40));
    world.assert_standing("fact", "unknown", None);
    let text = world.brv(&["vc", "blame", "--fact", "fact", &entry("fact")]).stdout;
    assert!(text.contains(&format!("source    unknown (recorded: {})\n", "1".repeat(40))), "{text}");
}

#[test]
fn in_a_linked_work_tree_the_history_is_its_own() {
    let world = World::new();
    let linked = world.env.path("linked");
    world.git(&["worktree", "add", "-q", "-b", "linked", linked.to_str().unwrap()]);
    world.git(&["switch", "-q", "-c", "topic"]);
    let gone = world.commit("topic.txt", "topic\n");
    world.learn("fact");
    world.env.git(&linked, &["cherry-pick", &gone]);
    let picked = world.env.git(&linked, &["rev-parse", "HEAD"]);
    world.env.git(&linked, &["commit", "-q", "--amend", "-m", "reworded"]);
    let reworded = world.env.git(&linked, &["rev-parse", "HEAD"]);
    assert_ne!(picked, reworded);
    world.git(&["switch", "-q", "main"]);
    world.git(&["branch", "-q", "-D", "topic"]);
    world.assert_standing("fact", "unknown", None);
    let here = standing(&world.blame(&linked, "fact")["fact"]["current"][0]);
    assert_eq!(here, ("patch".into(), Some(reworded)));
}
