//! A model of a team of writers with one shared history, all in one process, that tracks what each of them wrote.

use super::entry::{self, Standing};
use super::script::{Edit, Kind, Size, Step};
use super::store::{Files, Id, Store};
use super::tools::{Tool, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Seconds between two steps.
const PACE: u64 = 97;
/// The time of the first step.
const START: u64 = 1_767_225_600;

/// A commit of the model.
struct Commit {
    id: Id,
    files: Files,
    /// Its ancestors by number, as bits, including itself.
    ancestors: Vec<u64>,
}

/// A team in the middle of its work.
pub struct Team<T> {
    tool: T,
    store: Store,
    commits: Vec<Commit>,
    /// The commit of each writer.
    heads: Vec<usize>,
    shared: usize,
    /// The names that each entry has had, most edited first.
    known: Vec<Vec<String>>,
    time: u64,
    truth: Truth,
    /// The work left to people.
    pub work: Work,
    /// The number of merges.
    pub merges: usize,
    /// The number of merges without conflicts.
    pub quiet: usize,
}

/// The statements that were written, removed and ticked, whatever a tool makes of them.
#[derive(Default)]
struct Truth {
    written: BTreeSet<String>,
    removed: BTreeSet<String>,
    ticked: BTreeSet<String>,
}

/// What is wrong with the final tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Written, not removed, but missing.
    pub lost: Vec<String>,
    /// More than once in one entry.
    pub doubled: Vec<String>,
    /// In more than one entry: one side renamed it, and the tool did not notice.
    pub copied: usize,
    /// Ticked by a writer, but open.
    pub unticked: Vec<String>,
    /// Removed by a writer, but there: an edit of the other side kept it.
    pub returned: usize,
    /// The number of statements in the end.
    pub statements: usize,
}

impl<T: Tool> Team<T> {
    /// Every writer has the first commit.
    pub fn new(tool: T, store: Store, size: Size) -> Self {
        let mut team = Self {
            tool,
            store,
            commits: Vec::new(),
            heads: vec![0; size.writers],
            shared: 0,
            known: Vec::new(),
            time: START,
            truth: Truth::default(),
            work: Work::default(),
            merges: 0,
            quiet: 0,
        };
        let mut files = Files::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (path, text) in entry::first(size.entries) {
            for (statement, standing) in entry::statements(&text) {
                *counts.entry(statement).or_default() += standing.count;
            }
            files.insert(path.clone(), team.store.add(&text));
            team.known.push(vec![path]);
        }
        // headings and the like do not count
        let told = counts.into_iter().filter(|(statement, count)| *count == 1 && !statement.contains(": ["));
        team.truth.written.extend(told.map(|(statement, _)| statement));
        team.commit(files, &[]);
        team
    }

    /// One step of the script.
    pub fn step(&mut self, step: &Step) {
        self.time += PACE;
        match step {
            Step::Session { writer, edits } => self.session(*writer, edits),
            Step::Pull { writer } => self.pull(*writer, self.shared),
            Step::Sync { writer } => {
                self.pull(*writer, self.shared);
                self.shared = self.heads[*writer];
            }
            Step::PullFrom { writer, mate } => self.pull(*writer, self.heads[*mate]),
        }
    }

    fn commit(&mut self, files: Files, parents: &[usize]) -> usize {
        let tree = self.store.add_tree(&files);
        let ids: Vec<Id> = parents.iter().map(|at| self.commits[*at].id).collect();
        let id = self.store.add_commit(tree, &ids, self.time);
        let number = self.commits.len();
        let mut ancestors = vec![0; number / 64 + 1];
        for parent in parents {
            self.commits[*parent]
                .ancestors
                .iter()
                .zip(&mut ancestors)
                .for_each(|(theirs, own)| *own |= theirs);
        }
        ancestors[number / 64] |= 1 << (number % 64);
        self.commits.push(Commit { id, files, ancestors });
        number
    }

    fn has(&self, commit: usize, ancestor: usize) -> bool {
        self.commits[commit].ancestors.get(ancestor / 64).is_some_and(|bits| bits >> (ancestor % 64) & 1 == 1)
    }

    fn pull(&mut self, writer: usize, theirs: usize) {
        let ours = self.heads[writer];
        if self.has(ours, theirs) {
            return;
        }
        if self.has(theirs, ours) {
            self.heads[writer] = theirs;
            return;
        }
        let merged = self.tool.merge(&mut self.store, self.commits[ours].id, self.commits[theirs].id);
        self.merges += 1;
        self.quiet += usize::from(merged.work.places == 0);
        self.work.add(merged.work);
        self.heads[writer] = self.commit(merged.files, &[ours, theirs]);
    }

    fn session(&mut self, writer: usize, edits: &[Edit]) {
        let mut files = self.commits[self.heads[writer]].files.clone();
        for edit in edits {
            self.edit(&mut files, edit);
        }
        self.heads[writer] = self.commit(files, &[self.heads[writer]]);
    }

    fn edit(&mut self, files: &mut Files, edit: &Edit) {
        let time = time(self.time);
        if edit.kind == Kind::NewEntry {
            let near = &self.known[edit.rank][0];
            let folder = near.rsplit_once('/').map_or("", |(folder, _)| folder);
            let (name, text) = entry::new(edit, &time);
            let path = format!("{folder}/{name}");
            self.truth.see("", &text);
            files.insert(path.clone(), self.store.add(&text));
            self.known.insert(edit.rank, vec![path]);
            return;
        }
        // the entry of this rank, or the next one that the writer has
        let names = self.known[edit.rank..]
            .iter_mut()
            .find(|names| names.iter().any(|name| files.contains_key(name)));
        let Some(names) = names else { return };
        let path = names.iter().find(|name| files.contains_key(*name)).unwrap().clone();
        let text = self.store.text(files[&path]);
        match edit.kind {
            Kind::DeleteEntry => {
                self.truth.see(&text, "");
                files.remove(&path);
            }
            Kind::RenameEntry => {
                let (to, text) = entry::renamed(&path, &text, edit, &time);
                names.push(to.clone());
                files.remove(&path);
                files.insert(to, self.store.add(&text));
            }
            _ => {
                let others: Vec<&str> = files.keys().map(String::as_str).collect();
                let edited = entry::edited(&text, edit, &time, &others);
                self.truth.see(&text, &edited);
                files.insert(path, self.store.add(&edited));
            }
        }
    }

    /// The number of writers.
    pub fn writers(&self) -> usize {
        self.heads.len()
    }

    /// The time, in seconds since 1970.
    pub const fn time(&self) -> u64 {
        self.time
    }

    /// The files of a writer.
    pub fn texts(&mut self, writer: usize) -> BTreeMap<String, Rc<str>> {
        let files = self.commits[self.heads[writer]].files.clone();
        files.into_iter().map(|(path, id)| (path, self.store.text(id))).collect()
    }

    /// The tree of a writer.
    pub fn tree(&mut self, writer: usize) -> Id {
        let files = self.commits[self.heads[writer]].files.clone();
        self.store.add_tree(&files)
    }

    /// The final tree, which must be the same for all writers, and what is wrong with it.
    pub fn end(&mut self) -> Faults {
        assert!(self.heads.iter().all(|head| *head == self.shared), "all writers have the shared commit");
        let files = self.commits[self.shared].files.clone();
        let mut standing: BTreeMap<String, Standing> = BTreeMap::new();
        for id in files.values() {
            for (statement, one) in entry::statements(&self.store.text(*id)) {
                let standing = standing.entry(statement).or_default();
                standing.count = standing.count.max(one.count);
                standing.files += 1;
                standing.is_ticked |= one.is_ticked;
            }
        }
        self.truth.faults(&standing)
    }
}

impl Truth {
    /// A writer changed one text into another.
    fn see(&mut self, before: &str, after: &str) {
        let (before, after) = (entry::statements(before), entry::statements(after));
        self.removed.extend(before.keys().filter(|statement| !after.contains_key(*statement)).cloned());
        for (statement, standing) in after {
            if standing.is_ticked {
                self.ticked.insert(statement.clone());
            }
            // a text that no one else writes has a number
            if !before.contains_key(&statement) && statement.contains(|c: char| c.is_ascii_digit()) {
                self.written.insert(statement);
            }
        }
    }

    fn faults(&self, standing: &BTreeMap<String, Standing>) -> Faults {
        let mut faults = Faults::default();
        for statement in &self.written {
            let found = standing.get(statement).copied().unwrap_or_default();
            let is_removed = self.removed.contains(statement);
            match found.count {
                0 if !is_removed => faults.lost.push(statement.clone()),
                0 => {}
                _ if is_removed => faults.returned += 1,
                1 => faults.statements += 1,
                _ => faults.doubled.push(statement.clone()),
            }
            faults.copied += usize::from(found.files > 1);
            if found.count > 0 && self.ticked.contains(statement) && !found.is_ticked {
                faults.unticked.push(statement.clone());
            }
        }
        faults
    }
}

/// Format a time as in entries.
fn time(seconds: u64) -> String {
    let time = chrono::DateTime::from_timestamp(i64::try_from(seconds).unwrap(), 0).unwrap();
    time.format("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}
