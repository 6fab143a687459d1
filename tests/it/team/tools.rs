//! The two tools that merge: plain git and brv. Both get two commits, and return a tree and the work left to a person.

use super::person;
use super::store::{Files, Id, Store};
use crate::env::Env;
use brv_engine::merge::reconcile::{ConflictKind, Histories, Options, reconcile};
use brv_git as git;
use brv_git::{CommitId, Scope};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The result of a merge.
pub struct Merged {
    /// The files, after a person resolved the conflicts.
    pub files: Files,
    /// The work of the person.
    pub work: Work,
}

/// The work left to a person, and the reported records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// Files with conflicts.
    pub files: usize,
    /// Conflicts in them: a pair of markers, or a file as a whole.
    pub places: usize,
    /// Subjects with two claims kept: they do not stop the merge, but are listed.
    pub disputes: usize,
    /// Other records.
    pub records: usize,
    /// The number of conflicts by reason, if the tool reports one.
    pub reasons: BTreeMap<String, usize>,
}

impl Work {
    /// The sum of both.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.places += other.places;
        self.disputes += other.disputes;
        self.records += other.records;
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }
}

/// A tool that merges.
pub trait Tool {
    /// Merge `theirs` into `ours`.
    fn merge(&mut self, store: &mut Store, ours: Id, theirs: Id) -> Merged;
}

/// The number of marked places in a file.
pub fn places(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("<<<<<<< ")).count().max(1)
}

/// Plain git, without a work tree: `git merge-tree` gives the same result as `git merge`.
pub struct Git<'e> {
    env: &'e Env,
    repository: PathBuf,
}

impl<'e> Git<'e> {
    /// In a repository.
    pub const fn new(env: &'e Env, repository: PathBuf) -> Self {
        Self { env, repository }
    }
}

impl Tool for Git<'_> {
    fn merge(&mut self, store: &mut Store, ours: Id, theirs: Id) -> Merged {
        let mut command = self.env.git_command(&self.repository);
        command.args(["-c", "core.fsync=none", "merge-tree", "--write-tree", "-z", "--no-messages"]);
        let output = command.args([ours.to_string(), theirs.to_string()]).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let mut words = output.split_terminator('\0');
        let tree = Id::from_hex(words.next().unwrap());
        let stages = words.map(|word| {
            let (version, path) = word.split_once('\t').unwrap();
            let words: Vec<&str> = version.split(' ').collect();
            (path.to_owned(), words[2].parse::<usize>().unwrap() - 1, Id::from_hex(words[1]))
        });
        let mut merged = Merged { files: store.files(tree), work: Work::default() };
        settle(store, &mut merged, stages.collect());
        merged
    }
}

/// A person goes through the files that git left in conflict.
fn settle(store: &mut Store, merged: &mut Merged, stages: Vec<(String, usize, Id)>) {
    let mut by_path: BTreeMap<String, [Option<Id>; 3]> = BTreeMap::new();
    for (path, version, id) in stages {
        by_path.entry(path).or_default()[version] = Some(id);
    }
    let alone = |version: usize| {
        by_path.values().any(|ids| ids.iter().flatten().count() == 1 && ids[version].is_some())
    };
    let is_moved_apart = [0, 1, 2].into_iter().all(alone);
    for (path, ids) in by_path {
        merged.work.files += 1;
        match ids {
            [base, Some(ours), Some(theirs)] => {
                merged.work.places += merged.files.get(&path).map_or(1, |id| places(&store.text(*id)));
                let base: Rc<str> = base.map_or_else(|| "".into(), |id| store.text(id));
                let text =
                    person::merged(&person::without_markers(&base), &store.text(ours), &store.text(theirs));
                let id = store.add(&text);
                merged.files.insert(path, id);
            }
            [_, None, None] => drop(merged.files.remove(&path)),
            // of two names, ours
            [None, None, Some(_)] if is_moved_apart => drop(merged.files.remove(&path)),
            // a file that one side removed and the other changed is kept
            [_, one, other] => {
                merged.work.places += 1;
                let kept = one.or(other).unwrap();
                merged.files.entry(path).or_insert(kept);
            }
        }
    }
}

/// brv, without a work tree.
pub struct Brv {
    scope: Scope,
}

impl Brv {
    /// In a repository.
    pub fn new(work_tree: &Path) -> Self {
        Self { scope: git::open(work_tree, "", crate::env::environment()).unwrap() }
    }
}

impl Tool for Brv {
    fn merge(&mut self, store: &mut Store, ours: Id, theirs: Id) -> Merged {
        let [ours, theirs] = [ours, theirs].map(|id| CommitId::from_hex(&id.to_string()).unwrap());
        let bases = git::history::merge_bases(&self.scope, ours, theirs).unwrap();
        let found = reconcile(&self.scope, &Histories { ours, theirs, bases }, &Options::default()).unwrap();
        let mut merged = Merged { files: Files::new(), work: Work::default() };
        for (path, version) in git::trees::list(found.scope(), found.tree).unwrap() {
            let id = Id(*version.id.as_bytes());
            if !store.has(id) {
                let bytes = git::trees::blob(found.scope(), version.id).unwrap();
                assert_eq!(store.add(&String::from_utf8(bytes).unwrap()), id);
            }
            merged.files.insert(path.to_string(), id);
        }
        let is_dispute =
            |record: &&brv_text::merge::Record| record.settled == brv_text::merge::Settled::Disputed;
        for settled in &found.settled {
            let disputes = settled.records.iter().filter(is_dispute).count();
            merged.work.disputes += disputes;
            merged.work.records += settled.records.len() - disputes + usize::from(settled.event.is_some());
        }
        for conflict in &found.conflicts {
            let path = conflict.path.to_string();
            let text = store.text(merged.files[&path]);
            merged.work.files += 1;
            merged.work.places += conflict.decisions.len().max(1);
            for decision in &conflict.decisions {
                *merged.work.reasons.entry(format!("{:?}", decision.reason)).or_default() += 1;
            }
            if conflict.decisions.is_empty() {
                *merged.work.reasons.entry(format!("{:?}", conflict.kind)).or_default() += 1;
            }
            let is_other_name = conflict.kind == ConflictKind::MovedApart && conflict.versions[1].is_none();
            if is_other_name {
                merged.files.remove(&path);
                continue;
            }
            let id = store.add(&person::resolved(&text));
            merged.files.insert(path, id);
        }
        merged
    }
}
