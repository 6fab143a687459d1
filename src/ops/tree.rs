//! `brv tree`: list folders and entries with what they are about.
//!
//! Reads only the files that are shown. A large tree is limited to as many levels as a reader can take in.

use super::FailureKind;
use super::cause::{Cause, caused};
use super::context::{Context, Opened};
use super::steps::refresh;
use crate::content::ContentId;
use crate::derive::{self, Input};
use crate::doc::{Document, Status};
use crate::git::{self, CommitId};
use crate::ops::Fails;
use crate::ops::steps::history::source::{self, Reading};
use crate::ops::steps::naming::resolve::{self, Named};
use crate::parallel;
use crate::path::{Kind, TreePath};
use std::collections::BTreeMap;

/// How many rows are shown if no depth is requested, unless the first level alone has more.
const ROWS: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A folder or an entry as it was typed; `None` for the whole tree.
    pub name: Option<String>,
    /// How many levels below it; `None`: as many as fit.
    pub depth: Option<usize>,
    /// The revision to read; `None`: the files on disk.
    pub at: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The commit that was read; `None`: the files on disk.
    pub commit: Option<CommitId>,
    /// The path that the rows start from: a folder, empty for the root, or an entry.
    pub path: String,
    /// What it is about; for a folder, from its `context.md`.
    pub about: About,
    pub entries: usize,
    /// Folders directly in it; for the root, its domains.
    pub folders: usize,
    /// How many levels are shown.
    pub depth: usize,
    /// How many levels there are.
    pub deepest: usize,
    /// In reading order: the entries of a folder, then its folders.
    pub rows: Vec<Row>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub path: String,
    /// 1 for entries and folders directly in the folder that is shown.
    pub level: usize,
    pub about: About,
    /// Whether it is a folder or an entry.
    pub node: Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    Folder {
        /// The number of entries at or below it.
        entries: usize,
    },
    Entry {
        tokens: u64,
        /// Whether it is still valid.
        status: Option<Status>,
    },
}

/// What a folder or an entry is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Its title, or first heading.
    pub title: Option<String>,
    /// Its summary; for a folder, its purpose in one sentence.
    pub summary: Option<String>,
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error("`{name}` is not in the context tree")]
    Missing { name: String, nearest: Vec<String> },
    #[error(transparent)]
    Reading(#[from] source::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Missing { .. } => FailureKind::Usage,
            Self::Reading(error) => error.kind(),
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let reading = Reading::open(&opened.scope, options.at.as_deref())?;
    let named = match &options.name {
        None => Some(Named::Folder(String::new())),
        Some(name) => reading.resolve(&cx.cwd, name)?,
    };
    let paths = curated_paths(&opened, &reading)?;
    match named {
        Some(Named::Folder(folder)) => show(&reading, &paths, &folder, options.depth),
        Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path))
            if path.kind().is_curated() =>
        {
            let row = row(&reading, path.as_str(), 1)?;
            let (path, about) = (row.path.clone(), row.about.clone());
            let commit = reading.commit();
            Ok(Outcome { commit, path, about, entries: 1, folders: 0, depth: 1, deepest: 1, rows: vec![row] })
        }
        _ => {
            let name = options.name.clone().unwrap_or_default();
            let nearest = resolve::meant(&name, paths.iter().map(TreePath::as_str));
            Err(Error::Missing { name, nearest })
        }
    }
}

/// The curated paths of the tree that is read, sorted.
fn curated_paths(opened: &Opened, reading: &Reading) -> Result<Vec<TreePath>, Error> {
    if let Some(curated) = reading.curated() {
        return Ok(curated.into_iter().map(|file| file.path).collect());
    }
    let survey = refresh::quick_survey(opened, git::index::read(&opened.scope)?)?;
    Ok(refresh::curated_paths(&opened.scope, &survey)?)
}

fn show(reading: &Reading, paths: &[TreePath], folder: &str, depth: Option<usize>) -> Result<Outcome, Error> {
    let plan = Plan::of(paths, folder);
    let depth = depth.unwrap_or_else(|| plan.fitting(ROWS)).min(plan.deepest);
    let mut nodes = Vec::new();
    plan.list(folder, 1, depth, &mut nodes);
    let rows = parallel::try_map(
        &nodes,
        || (),
        |(), planned| {
            Ok::<_, Error>(match *planned {
                Planned::Entry { path, level } => row(reading, path, level)?,
                Planned::Folder { path, level } => Row {
                    path: path.to_owned(),
                    level,
                    about: of_folder(reading, path)?,
                    node: Node::Folder { entries: plan.folders[path].entries },
                },
            })
        },
    )?;
    let own = plan.folders.get(folder);
    Ok(Outcome {
        commit: reading.commit(),
        path: folder.to_owned(),
        about: of_folder(reading, folder)?,
        entries: own.map_or(0, |own| own.entries),
        folders: own.map_or(0, |own| own.folders.len()),
        depth,
        deepest: plan.deepest,
        rows,
    })
}

/// The folders at and below one folder, by path.
struct Plan<'a> {
    folders: BTreeMap<&'a str, Planning<'a>>,
    /// The number of rows of each level.
    levels: Vec<usize>,
    deepest: usize,
}

#[derive(Default)]
struct Planning<'a> {
    /// Entries directly in it.
    own: Vec<&'a str>,
    folders: Vec<&'a str>,
    /// The number of entries at or below it.
    entries: usize,
}

#[derive(Clone, Copy)]
enum Planned<'a> {
    Entry { path: &'a str, level: usize },
    Folder { path: &'a str, level: usize },
}

impl<'a> Plan<'a> {
    /// `paths` are sorted.
    fn of(paths: &'a [TreePath], top: &'a str) -> Self {
        let mut plan =
            Self { folders: BTreeMap::from([(top, Planning::default())]), levels: Vec::new(), deepest: 1 };
        let is_below =
            |path: &str| top.is_empty() || path.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'));
        for path in paths.iter().filter(|path| is_below(path.as_str())) {
            let folder = path.folder();
            plan.add_folder(top, folder);
            if path.kind() == Kind::Entry {
                plan.folders.entry(folder).or_default().own.push(path.as_str());
                plan.count_row(level(top, path.as_str()));
                plan.count_entry(top, folder);
            }
        }
        plan
    }

    /// Add the folder, and those above it that are missing.
    fn add_folder(&mut self, top: &'a str, folder: &'a str) {
        if self.folders.contains_key(folder) {
            return;
        }
        let above = parent(folder);
        self.add_folder(top, above);
        self.folders.insert(folder, Planning::default());
        self.folders.entry(above).or_default().folders.push(folder);
        self.count_row(level(top, folder));
    }

    /// Count one more entry in `folder` and in all folders above it.
    fn count_entry(&mut self, top: &'a str, folder: &'a str) {
        let mut above = folder;
        loop {
            self.folders.entry(above).or_default().entries += 1;
            if above == top {
                break;
            }
            above = parent(above);
        }
    }

    fn count_row(&mut self, level: usize) {
        if self.levels.len() < level {
            self.levels.resize(level, 0);
        }
        self.levels[level - 1] += 1;
        self.deepest = self.deepest.max(level);
    }

    /// How many levels fit into `rows` rows; at least one.
    fn fitting(&self, rows: usize) -> usize {
        let mut sum = 0;
        let fits = |count: &&usize| {
            sum += **count;
            sum <= rows
        };
        self.levels.iter().take_while(fits).count().max(1)
    }

    fn list(&self, folder: &'a str, level: usize, depth: usize, found: &mut Vec<Planned<'a>>) {
        let Some(planning) = self.folders.get(folder).filter(|_| level <= depth) else { return };
        found.extend(planning.own.iter().map(|path| Planned::Entry { path, level }));
        for path in &planning.folders {
            found.push(Planned::Folder { path, level });
            self.list(path, level + 1, depth, found);
        }
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// 1 for what is directly in `top`.
fn level(top: &str, path: &str) -> usize {
    let parts = |path: &str| if path.is_empty() { 0 } else { path.matches('/').count() + 1 };
    parts(path) - parts(top)
}

fn row(reading: &Reading, path: &str, level: usize) -> Result<Row, Error> {
    let bytes = read(reading, path)?.unwrap_or_default();
    let tokens = derive::tokens_of_bytes(&bytes);
    let document = Document::parse(bytes);
    let meta = document.meta();
    let title = meta.title.or_else(|| document.first_heading().map(str::to_owned));
    Ok(Row {
        path: path.to_owned(),
        level,
        about: About { title, summary: meta.summary },
        node: Node::Entry { tokens, status: meta.status },
    })
}

/// The purpose that a folder's `context.md` states.
fn of_folder(reading: &Reading, folder: &str) -> Result<About, Error> {
    let path = if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") };
    let Ok(path) = TreePath::parse(path.as_bytes()) else { return Ok(About::default()) };
    let Some(bytes) = read(reading, path.as_str())? else { return Ok(About::default()) };
    let digest = derive::digest_of(&Input { path: &path, id: ContentId::of(&bytes), bytes: &bytes });
    Ok(About { title: digest.title, summary: Some(digest.gist).filter(|gist| !gist.is_empty()) })
}

/// The bytes of a file, `None` if it was removed since it was listed.
fn read(reading: &Reading, path: &str) -> Result<Option<Vec<u8>>, source::Error> {
    match TreePath::parse(path.as_bytes()) {
        Ok(path) => reading.read(&path),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> Vec<TreePath> {
        let mut paths: Vec<_> = paths.iter().map(|path| TreePath::parse(path.as_bytes()).unwrap()).collect();
        paths.sort();
        paths
    }

    fn listed(plan: &Plan<'_>, top: &str, depth: usize) -> Vec<String> {
        let mut found = Vec::new();
        plan.list(plan.folders.get_key_value(top).unwrap().0, 1, depth, &mut found);
        found
            .iter()
            .map(|planned| match planned {
                Planned::Entry { path, level } => format!("{level} {path}"),
                Planned::Folder { path, level } => format!("{level} {path}/ {}", plan.folders[path].entries),
            })
            .collect()
    }

    #[test]
    fn entries_come_before_folders_and_are_counted_in_all_above() {
        let paths = paths(&["a/b/c/x.md", "a/b/y.md", "a-b.md", "a/context.md", "z/q.md", "a/b.md"]);
        let plan = Plan::of(&paths, "");
        assert_eq!(
            listed(&plan, "", 9),
            [
                "1 a-b.md",
                "1 a/ 3",
                "2 a/b.md",
                "2 a/b/ 2",
                "3 a/b/y.md",
                "3 a/b/c/ 1",
                "4 a/b/c/x.md",
                "1 z/ 1",
                "2 z/q.md"
            ]
        );
        assert_eq!((plan.deepest, plan.levels.clone()), (4, vec![3, 3, 2, 1]));
        let below = Plan::of(&paths, "a");
        assert_eq!(listed(&below, "a", 1), ["1 a/b.md", "1 a/b/ 2"]);
    }

    #[test]
    fn as_many_levels_are_shown_as_fit() {
        let paths = paths(&["a/b/c/x.md", "a/b/y.md", "a-b.md", "z/q.md", "a/b.md"]);
        let plan = Plan::of(&paths, "");
        for (rows, depth) in [(0, 1), (3, 1), (5, 1), (6, 2), (8, 3), (100, 4)] {
            assert_eq!(plan.fitting(rows), depth, "{rows}");
        }
    }
}
