//! Where what commits teach is filed: by the history of the code that they stand on, and by the entries that are there.

use super::renames::Today;
use super::window::{self, window};
use super::{HostCommit, Intake};
use crate::brain::digests;
use crate::brain::sources::BrainSources;
use brv_base::clock::format_utc;
use brv_base::fs;
use brv_base::path::{PathKind, TreePath};
use brv_engine::open::context::Opened;
use brv_engine::{FailureKind, Stop};
use brv_git::CommitId;
use brv_text::doc::Document;
use brv_text::topics::{self, EntryPaths, Project, TopicItem, TopicKey, TopicLayout};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A commit that is to be placed.
#[derive(Debug, Clone)]
pub struct PlacedCommit {
    pub id: CommitId,
    subject: String,
    /// As they are called today; at most as many as the window keeps.
    files: Vec<String>,
    author_seconds: i64,
    is_code_gone: bool,
}

/// The entry that a commit is filed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitPlace {
    pub path: TreePath,
    /// The title of the entry, if it is new.
    pub title: String,
    /// The files of the code that it names, with those of the commit.
    pub files: Vec<String>,
    pub keywords: Vec<String>,
}

/// Where commits are filed.
pub struct Placing {
    commits: HashMap<CommitId, (PlacedCommit, TreePath)>,
    today: Today,
    /// By entry: the files of each of its commits.
    learned: RefCell<HashMap<TreePath, Vec<Vec<String>>>>,
}

impl PlacedCommit {
    /// A commit; `today` has what its files are called today, and `tree` is the folder of the tree, if the code has it.
    pub fn of(commit: &HostCommit, today: &Today, tree: &str) -> Self {
        let files: Vec<String> = commit.code_files(tree).map(|path| today.name(path)).collect();
        Self {
            id: commit.id,
            subject: commit.subject.clone(),
            is_code_gone: today.is_gone(&files),
            files: files.into_iter().take(window::FILES).collect(),
            author_seconds: commit.author.seconds.min(commit.committed),
        }
    }

    /// Whether all code that it changed is gone.
    pub fn is_code_gone(&self) -> bool {
        self.is_code_gone
    }

    fn files(&self) -> Vec<&str> {
        self.files.iter().map(String::as_str).collect()
    }

    fn year(&self) -> i32 {
        let written = format_utc(self.author_seconds);
        written.get(..4).and_then(|year| year.parse().ok()).unwrap_or_default()
    }
}

impl Placing {
    /// Find the places of commits, the oldest first; `tip` is the newest of them. All keys are known before the first commit is
    /// filed, so that a topic of enough items gets an entry from its first item on.
    ///
    /// # Errors
    /// The history of the code or the tree cannot be read.
    pub fn of(
        intake: &Intake<'_>,
        (tip, today): (CommitId, Today),
        commits: &[PlacedCommit],
    ) -> Result<Self, Stop> {
        let (opened, host) = (intake.parts.opened, intake.host);
        let past = window(opened, (host, intake.parts.scope().prefix()), tip)?;
        let own: HashSet<CommitId> = commits.iter().map(|commit| commit.id).collect();
        let rows: Vec<_> = past.iter().map(|(_, row)| row.clone()).collect();
        let project = Project::of(&rows);
        let before = past.iter().filter(|(id, row)| row.is_taken && !own.contains(id));
        let mut items: Vec<(TopicKey, Vec<&str>)> = before
            .map(|(_, row)| {
                let files: Vec<&str> = row.files.iter().map(String::as_str).collect();
                (project.key(&row.subject, &files), files)
            })
            .collect();
        let first = items.len();
        items.extend(commits.iter().map(|commit| {
            let files = commit.files();
            (project.key(&commit.subject, &files), files)
        }));
        let shape = TopicLayout::of(&project, items.iter().map(|(key, files)| (key, files.as_slice())));
        let entries = EntryCitations::of(intake)?;
        let standing = EntryPaths::of(entries.paths());
        let places = commits.iter().zip(&items[first..]).map(|(commit, (key, files))| {
            let path = match standing.entry_of(&shape, key, files) {
                Some(there) => there.to_owned(),
                None => match entries.owner(opened, files)? {
                    Some(owner) if owner != shape.rest(key, files) => owner,
                    _ => standing.path(&shape, key, files),
                },
            };
            Ok((path, TopicItem { files: &[], year: commit.year() }))
        });
        let mut places: Vec<(String, TopicItem<'_>)> = places.collect::<Result<_, Stop>>()?;
        for ((_, member), (_, files)) in places.iter_mut().zip(&items[first..]) {
            member.files = files;
        }
        let paths = match commits {
            // a single item splits nothing
            [_] => places.into_iter().map(|(path, _)| path).collect(),
            _ => topics::split(&project, &places),
        };
        Self::with((intake, today), commits, paths)
    }

    fn with(
        (intake, today): (&Intake<'_>, Today),
        commits: &[PlacedCommit],
        paths: Vec<String>,
    ) -> Result<Self, Stop> {
        let mut placed = HashMap::new();
        for (commit, path) in commits.iter().zip(paths) {
            let path = TreePath::parse(path.as_bytes());
            let path = path.map_err(|error| Stop::new(FailureKind::Failed, error.to_string()))?;
            placed.insert(commit.id, (commit.clone(), path));
        }
        let mut learned = BrainSources::read(intake.parts.opened, intake.host)?.files_by_entry();
        learned.retain(|path, _| !intake.is_aside(path));
        Ok(Self { commits: placed, today, learned: RefCell::new(learned) })
    }

    /// Where a commit is filed if so many entries for it are full: its own, then those of its year.
    pub(super) fn of_commit(&self, id: CommitId, full: usize) -> Option<CommitPlace> {
        let (commit, own) = self.commits.get(&id)?;
        let path = match full.checked_sub(1) {
            Some(before) => &of_year(own, commit.year(), before)?,
            None => own,
        };
        let learned = self.learned.borrow();
        let named =
            |files: &Vec<String>| files.iter().map(|file| self.today.name(file)).collect::<Vec<String>>();
        let mut all: Vec<Vec<String>> = learned.get(path).into_iter().flatten().map(named).collect();
        all.push(commit.files.clone());
        let all: Vec<Vec<&str>> = all.iter().map(|files| as_strs(files)).collect();
        let files = self.today.standing(topics::files(all.iter().map(Vec::as_slice)));
        let keywords = topics::keywords([commit.subject.as_str()], &files);
        Some(CommitPlace { path: path.clone(), title: topics::title(path.as_str()), files, keywords })
    }

    /// Note that a commit was filed in this entry.
    pub(super) fn filed(&self, id: CommitId, path: TreePath) {
        if let Some((commit, _)) = self.commits.get(&id) {
            self.learned.borrow_mut().entry(path).or_default().push(commit.files.clone());
        }
    }
}

fn of_year(path: &TreePath, year: i32, full: usize) -> Option<TreePath> {
    TreePath::parse(topics::of_year(path.as_str(), year, full).as_bytes()).ok()
}

fn as_strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The entries of the tree, and the paths of the code that each cites.
struct EntryCitations {
    cites: BTreeMap<String, String>,
}

impl EntryCitations {
    fn of(intake: &Intake<'_>) -> Result<Self, Stop> {
        let current = digests::current(intake.parts.opened)?;
        let is_aside = |path: &str| TreePath::parse(path.as_bytes()).is_ok_and(|path| intake.is_aside(&path));
        let cites = |digest: brv_text::brain::Digest| {
            let cites = digest.entry()?.cites.clone();
            Some((digest.path, cites))
        };
        let cites = current.digests.into_iter().filter_map(cites).filter(|(path, _)| !is_aside(path));
        Ok(Self { cites: cites.collect() })
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.cites.keys().map(String::as_str)
    }

    /// The entry whose Files own those of a commit.
    fn owner(&self, opened: &Opened, files: &[&str]) -> Result<Option<String>, Stop> {
        let wanted: HashSet<&str> = files.iter().copied().collect();
        let names_one = |cites: &str| cites.lines().any(|cited| wanted.contains(cited));
        let root = opened.scope.root();
        let mut naming: Vec<(&str, Vec<String>)> = Vec::new();
        for (path, _) in self.cites.iter().filter(|(_, cites)| names_one(cites)) {
            let Ok(parsed) = TreePath::parse(path.as_bytes()) else { continue };
            if parsed.kind() != PathKind::Entry {
                continue;
            }
            let bytes = fs::read_below(&root, &parsed.on_disk(&root))?.unwrap_or_default();
            naming.push((path, Document::parse(bytes).concept().files));
        }
        let named: Vec<(&str, &[String])> =
            naming.iter().map(|(path, files)| (*path, files.as_slice())).collect();
        Ok(topics::owner(files, &named).map(str::to_owned))
    }
}
