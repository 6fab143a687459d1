//! Commits of the code that feed the tree: by git's hooks, by the look at git's log, and by `brv curate --commit`.

mod again;
mod asking;
mod doubled;
mod import;
mod learning;
mod left;
mod matrix;
mod measure;
mod nasty;
mod ranges;
mod replacing;
mod reverting;
mod topics;
mod tree;
mod whose;
mod worker;

use crate::env::{Env, Ran};
use crate::init::json;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A repository of code with a tree in it, whose hooks are installed.
pub struct Code {
    pub env: Env,
    pub path: PathBuf,
}

impl Code {
    pub fn new() -> Self {
        Self::of(Env::new())
    }

    pub fn of(env: Env) -> Self {
        let path = env.path("code");
        env.git(env.root(), &["init", "-q", path.to_str().unwrap()]);
        let code = Self { env: env.with("BRV_HOOKS_QUOTA", "10000"), path };
        code.write("start", "0\n");
        code.git(&["add", "."]);
        code.git(&["commit", "-q", "-m", "start"]);
        code.run(&["init", "-q", "--hooks"]);
        code
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path.join(name), text).unwrap();
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.path, arguments)
    }

    pub fn brv(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.path, arguments)
    }

    /// Run brv, which succeeds.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        ran
    }

    pub fn data(&self, arguments: &[&str]) -> Value {
        json(&self.run(&[arguments, &["--json"]].concat()).stdout)["data"].take()
    }

    /// Commit a change of a file of its own, with a message that states this.
    pub fn state(&self, name: &str) -> String {
        self.write(name, &format!("{name}\n"));
        self.git(&["add", name]);
        self.commit(&message(name))
    }

    pub fn commit(&self, message: &str) -> String {
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// Wait until every job is done. A worker is started if none is alive, so that git's log is looked at, too.
    pub fn settle(&self) -> Vec<Value> {
        let start = Instant::now();
        loop {
            self.run(&["hooks", "run", "worker"]);
            let jobs = self.data(&["jobs", "list"]);
            let jobs = jobs["jobs"].as_array().unwrap();
            if jobs.iter().all(|job| job["state"] == "done") {
                return jobs.iter().rev().cloned().collect();
            }
            assert!(start.elapsed() < Duration::from_secs(120), "{jobs:?}");
        }
    }

    /// What became of each commit, by the first word of its subject; `[outcome, outcome]` of several with one subject.
    pub fn outcomes(&self) -> BTreeMap<String, Vec<String>> {
        let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut seen = std::collections::BTreeSet::new();
        for job in self.settle() {
            let commit = job["commit"].as_str().unwrap().to_owned();
            assert!(seen.insert(commit.clone()), "{commit} has two outcomes");
            let subject = self.git(&["log", "-1", "--format=%s", &commit]);
            let word = subject.split(' ').next().unwrap().to_owned();
            let outcome = job["outcome"].as_str().unwrap();
            let outcome = match outcome {
                "declined" => format!("declined: {}", job["reason"].as_str().unwrap()),
                other => other.to_owned(),
            };
            outcomes.entry(word).or_default().push(outcome);
        }
        outcomes
    }

    pub fn tree(&self) -> PathBuf {
        self.path.join(".brv/context-tree")
    }

    /// The curated entries that state something about a subject, with what they state.
    pub fn facts(&self, subject: &str) -> Vec<String> {
        let mut found = Vec::new();
        let listed = self.env.git(
            &self.tree(),
            &["-c", "core.quotePath=false", "ls-files", "--cached", "--others", "--exclude-standard"],
        );
        for path in listed.lines().filter(|path| path.ends_with(".md")) {
            let text = std::fs::read_to_string(self.tree().join(path)).unwrap_or_default();
            let start = format!("- **{subject}**: ");
            found.extend(text.lines().filter_map(|line| Some(line.strip_prefix(&start)?.to_owned())));
        }
        found
    }

    /// The text of an entry, if it is there.
    pub fn entry(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.tree().join(path)).ok()
    }

    /// The lines of the items of an entry.
    pub fn items(&self, path: &str) -> Vec<String> {
        let text = self.entry(path).unwrap_or_else(|| panic!("{path} in {:?}", self.listed()));
        let highlights = text.split("\n### Highlights\n").nth(1).unwrap_or_default();
        let lines = highlights.lines().take_while(|line| !line.starts_with('#'));
        lines.filter(|line| line.starts_with("- **")).map(str::to_owned).collect()
    }

    /// The entries of the tree.
    pub fn listed(&self) -> Vec<String> {
        let flags = ["-c", "core.quotePath=false", "ls-files", "--cached", "--others", "--exclude-standard"];
        let listed = self.env.git(&self.tree(), &flags);
        listed.lines().filter(|path| path.ends_with(".md")).map(str::to_owned).collect()
    }

    /// Change files and commit, with this message.
    pub fn change(&self, files: &[&str], message: &str) -> String {
        for name in files {
            let file = self.path.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let before = std::fs::read_to_string(&file).unwrap_or_default();
            std::fs::write(&file, format!("{before}{message}\n")).unwrap();
            self.git(&["add", name]);
        }
        self.commit(message)
    }

    /// What became of the last commit.
    pub fn last(&self) -> Value {
        let head = self.head();
        let jobs = self.settle();
        jobs.into_iter().find(|job| job["commit"] == head.as_str()).unwrap()
    }

    /// The commit of the code that stands for a fact today, and how it was found.
    pub fn source(&self, path: &str, subject: &str) -> (Option<String>, String) {
        let path = self.tree().join(path);
        let data = self.data(&["vc", "blame", path.to_str().unwrap(), "--fact", subject]);
        let claim = &data["fact"]["current"][0];
        let standing = claim["source_commit"].as_str().map(str::to_owned);
        (standing, claim["source"]["by"].as_str().unwrap_or_default().to_owned())
    }
}

/// A message that states a fact about a subject.
pub fn message(name: &str) -> String {
    format!("{name} is done\n\nFact: {name}: holds {name}")
}

/// A message that gives a reason: its sentence has weight 4 and more.
pub fn reason(subject: &str, what: &str) -> String {
    format!("{subject}\n\n{}\n", sentence(what))
}

pub fn sentence(what: &str) -> String {
    format!("{what} must be tried twice, because the server drops the first one after a restart.")
}

/// The bytes of the host's index, HEAD and refs.
pub fn state_of(git: &Path) -> BTreeMap<String, Vec<u8>> {
    crate::lab::picture(git, &|path| {
        !(path == "index" || path == "HEAD" || path == "packed-refs" || path.starts_with("refs/"))
    })
}
