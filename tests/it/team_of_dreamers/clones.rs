//! The clones of a team, and what people do in them. Nothing may be lost by any step but what it names.

use super::ledger::{Fact, Ledger, Standing, facts, standing};
use crate::env::{Env, Ran};
use crate::init::json;
use crate::team::script::Numbers;
use serde_json::{Value, json as value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where entries are made.
pub const FOLDERS: [&str; 4] = ["api/limits", "api/errors", "auth/tokens", "ops/backups"];
/// The first day, some months before the team begins: in seconds since 1970.
const START: i64 = 1_767_225_600;
const DAY: i64 = 86_400;

pub struct Team {
    pub env: Env,
    pub clones: Vec<PathBuf>,
    pub ledger: Ledger,
    pub numbers: Numbers,
    now: i64,
    /// What the remote had when somebody synced last.
    shared: BTreeSet<Fact>,
    /// How often each thing was done.
    pub done: BTreeMap<&'static str, usize>,
}

impl Team {
    pub fn new(clones: usize, seed: u64) -> Self {
        let env = Env::in_memory().with("BRV_HOOKS_QUOTA", "10000");
        let remote = env.bare("remote.git");
        let clones = (0..clones).map(|at| env.path(format!("clone{at}"))).collect();
        let mut team = Self {
            env,
            clones,
            ledger: Ledger::default(),
            numbers: Numbers::new(seed),
            now: START - 150 * DAY,
            shared: BTreeSet::new(),
            done: BTreeMap::new(),
        };
        for at in 0..team.clones.len() {
            let path = team.clones[at].clone();
            team.env.git(team.env.root(), &["init", "-q", path.to_str().unwrap()]);
            if at == 0 {
                team.brv(0, &["init", "-q"], &[0]);
                (0..14).for_each(|number| team.add(0, FOLDERS[number % 4]));
                team.brv(0, &["vc", "remote", "add", "origin", remote.to_str().unwrap()], &[0]);
                team.brv(0, &["vc", "push", "-u", "origin", "main"], &[0]);
            } else {
                team.brv(at, &["vc", "clone", remote.to_str().unwrap()], &[0]);
            }
            if Self::has_hooks(at) {
                team.brv(at, &["hooks", "install"], &[0]);
            }
        }
        team.now = START;
        team
    }

    pub fn tree(&self, at: usize) -> PathBuf {
        self.clones[at].join(".brv/context-tree")
    }

    /// Every other person has the hooks in the repository of the code; the others curate their commits themselves.
    const fn has_hooks(at: usize) -> bool {
        at.is_multiple_of(2)
    }

    /// Give a command the time of a minute later; returns it.
    fn clocked(&mut self, command: &mut Command) -> String {
        self.now += 60;
        let time = chrono::DateTime::from_timestamp(self.now, 0).unwrap().format("%Y-%m-%dT%H:%M:%SZ");
        command.env("BRV_CLOCK", time.to_string());
        for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(name, format!("{} +0000", self.now));
        }
        time.to_string()
    }

    /// Commit in the repository of the code, and have the commit curated.
    pub fn commit_code(&mut self, at: usize, message: &str) {
        let mut command = self.env.git_command(&self.clones[at]);
        self.clocked(&mut command);
        command.args(["commit", "-q", "--allow-empty", "-m", message]);
        assert!(command.status().unwrap().success(), "clone {at}: {message}");
        if !Self::has_hooks(at) {
            self.brv(at, &["curate", "--commit", "HEAD"], &[0]);
            return;
        }
        loop {
            self.brv(at, &["hooks", "run", "worker"], &[0]);
            let jobs = self.data(at, &["jobs", "list"], &[0])["jobs"].clone();
            if jobs.as_array().unwrap().iter().all(|job| job["state"] == "done") {
                break;
            }
        }
    }

    /// Run brv as the person of a clone.
    pub fn reading(&mut self, at: usize, arguments: &[&str], input: &str, codes: &[i32]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        self.env.prepare(&mut command);
        let time = self.clocked(&mut command);
        command.env("GIT_AUTHOR_NAME", format!("Person {at}"));
        command.current_dir(&self.clones[at]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // whoever does not read it needs none
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let ran = Ran::of(&child.wait_with_output().unwrap());
        println!("{time} clone {at}: {} → {}", arguments.join(" "), ran.code);
        assert!(codes.contains(&ran.code), "clone {at}: {arguments:?} {input}: {ran:#?}");
        ran
    }

    pub fn brv(&mut self, at: usize, arguments: &[&str], codes: &[i32]) -> Ran {
        self.reading(at, arguments, "", codes)
    }

    pub fn data(&mut self, at: usize, arguments: &[&str], codes: &[i32]) -> Value {
        let ran = self.brv(at, &[arguments, &["--json"]].concat(), codes);
        json(&ran.stdout)["data"].clone()
    }

    pub fn curate(&mut self, at: usize, operation: Value) {
        let input = value!([operation]).to_string();
        self.reading(at, &["curate", "--ops", "-"], &input, &[0]);
    }

    /// Do something in a clone: all facts that were there are there afterwards, or somebody took them back, or they are
    /// archived, or listed as dropped.
    pub fn step(&mut self, at: usize, name: &'static str, act: impl FnOnce(&mut Self, &Standing)) {
        println!("— {name}");
        *self.done.entry(name).or_default() += 1;
        let before = standing(&self.tree(at));
        act(self, &before);
        let known: BTreeSet<Fact> = before.into_keys().collect();
        let lost = self.lost(at, &known);
        assert!(lost.is_empty(), "clone {at}: {name} lost {lost:#?}");
    }

    /// The facts that a clone should have, and has no trace of.
    pub fn lost(&mut self, at: usize, known: &BTreeSet<Fact>) -> Vec<Fact> {
        let here = standing(&self.tree(at));
        let is_missing = |fact: &&Fact| !here.contains_key(*fact) && !self.ledger.gone.contains(*fact);
        let missing: Vec<Fact> = known.iter().filter(is_missing).cloned().collect();
        if missing.is_empty() {
            return missing;
        }
        let archived = self.data(at, &["archive", "list"], &[0]);
        let blobs: Vec<String> = archived["archived"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| self.env.git(&self.tree(at), &["cat-file", "blob", one["blob"].as_str().unwrap()]))
            .collect();
        let kept: BTreeSet<Fact> = blobs.iter().flat_map(|text| facts(text)).collect();
        let told: Vec<String> = (0..self.clones.len())
            .flat_map(|at| self.rows(at, &["review", "--all"]))
            .flat_map(|row| dropped(&row))
            .collect();
        let is_told = |(subject, statement): &Fact| {
            told.iter().any(|text| text.contains(subject) && text.contains(statement))
        };
        missing.into_iter().filter(|fact| !kept.contains(fact) && !is_told(fact)).collect()
    }

    pub fn rows(&mut self, at: usize, arguments: &[&str]) -> Vec<Value> {
        self.data(at, arguments, &[0])["pending"].as_array().unwrap().clone()
    }

    /// Merge what was dreamt on a branch some time ago.
    pub fn merge_dreams(&mut self, at: usize) {
        let listed = self
            .env
            .git(&self.tree(at), &["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/dream"]);
        for branch in listed.lines() {
            self.step(at, "merge a dream", |team, _| {
                team.brv(at, &["vc", "merge", "--on-conflict", "both", branch], &[0]);
                team.brv(at, &["vc", "branch", "-D", branch], &[0]);
            });
        }
    }

    /// Commit what is not committed, and sync; review what waits.
    pub fn sync(&mut self, at: usize) {
        self.step(at, "sync", |team, before| {
            team.brv(at, &["vc", "commit", "-a", "-m", "by hand"], &[0, 1]);
            let sync = [
                &["vc", "sync", "--on-conflict", "both", "--allow", "mass-delete", "--reason"][..],
                &["dreams"],
            ]
            .concat();
            while team.brv(at, &sync, &[0, 7]).code == 7 {
                for row in team.rows(at, &["review"]) {
                    team.review(at, &row);
                }
            }
            let known: BTreeSet<Fact> = team.shared.iter().chain(before.keys()).cloned().collect();
            let lost = team.lost(at, &known);
            assert!(lost.is_empty(), "clone {at}: a merge lost {lost:#?}");
            team.shared = standing(&team.tree(at)).into_keys().collect();
        });
    }

    pub fn next_day(&mut self) {
        self.now = (self.now / DAY + 1) * DAY + 8 * 3600;
    }

    /// After all have synced: the same tree everywhere, and the same said of dreams and changes. Returns the number of
    /// facts that stand.
    pub fn end(&mut self) -> usize {
        let clones = 0..self.clones.len();
        for at in clones.clone().chain(clones.clone()) {
            self.merge_dreams(at);
            self.sync(at);
        }
        let trees = clones.clone().map(|at| self.env.git(&self.tree(at), &["rev-parse", "HEAD^{tree}"]));
        assert_eq!(trees.collect::<BTreeSet<_>>().len(), 1, "all have the same tree");
        for at in clones {
            let lost = self.lost(at, &self.ledger.stated.clone());
            assert!(lost.is_empty(), "clone {at} lost {lost:#?}");
            self.env.fsck(&self.tree(at));
        }
        self.agree();
        standing(&self.tree(0)).len()
    }

    /// Every clone counts the dreams that stand by the logs of all, and lists the changes that another one lists, unless
    /// they were approved here: approvals stay in a clone.
    fn agree(&mut self) {
        let (mut standing, mut counted) = (0, Vec::new());
        let (mut listed, mut approved) = (Vec::new(), Vec::new());
        for at in 0..self.clones.len() {
            let read = |name: &str| -> Value {
                let bytes = std::fs::read(self.clones[at].join(".brv").join(name)).unwrap();
                serde_json::from_slice(&bytes).unwrap()
            };
            let logs = crate::lab::picture(&self.clones[at].join(".brv/dream-log"), &|_| false);
            let logs: Vec<Value> = logs.into_keys().map(|name| read(&format!("dream-log/{name}"))).collect();
            let stands = |log: &&Value| log["status"] == "completed";
            let (shared, own): (Vec<&Value>, Vec<&Value>) =
                logs.iter().filter(stands).partition(|log| !log["operation"].is_null());
            // one that changed no file is of this clone alone, and on a branch it is none
            let own = own.iter().filter(|log| log["onBranch"] != true).count();
            standing += shared.len();
            if !logs.is_empty() {
                counted.push(read("dream-state.json")["totalDreams"].as_u64().unwrap() - own as u64);
            }
            listed.push(self.rows(at, &["review", "--all"]));
            let log = self.data(at, &["review", "log"], &[0])["decisions"].clone();
            let log = log.as_array().unwrap().iter().filter(|one| one["decision"] == "approved");
            // the same change in another commit is approved with it
            let named = log.flat_map(|one| [one["id"].to_string(), one["path"].to_string()]);
            approved.push(named.collect::<BTreeSet<_>>());
        }
        let is_counted = counted.iter().all(|total| *total == standing as u64);
        assert!(is_counted, "{standing} dreams stand, not {counted:?}");
        // a change that brv could not commit, and a person committed by hand, has its mark in its own clone only
        let shared = |row: &&Value| !row["commit"].is_null();
        for row in listed.iter().flatten().filter(shared) {
            let is_known = |(rows, approved): (&Vec<Value>, &BTreeSet<String>)| {
                rows.contains(row)
                    || ["id", "path"].iter().any(|key| approved.contains(&row[key].to_string()))
            };
            assert!(listed.iter().zip(&approved).all(is_known), "{row:#}\n{listed:#?}");
        }
    }
}

/// What a row of review lists as dropped.
pub fn dropped(row: &Value) -> Vec<String> {
    let texts = row["dropped"].as_array().cloned().unwrap_or_default();
    texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}
