//! `brv tree`: list folders and entries with what they are about.
//!
//! Reads only the files that are shown. A large tree is limited to as many levels as a reader can take in.

use brv_base::content::ContentId;
use brv_base::parallel;
use brv_base::path::{PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::open::context::{Audience, Context, Opened};
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::outcome::json;
use brv_engine::read::history::source::Reading;
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_git::CommitId;
use brv_text::derive::{self, Input};
use brv_text::doc::{self, Document, Status};
use brv_text::lint::Steering;
use schemars::JsonSchema;
use serde::Serialize;
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

/// `brv.tree/1`; paths are relative to the tree.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Tree")]
pub struct Outcome {
    /// With `--at`: the commit that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// The folder that is listed; empty for the root.
    pub path: String,
    /// The title of its `context.md`.
    pub title: Option<String>,
    /// The summary of its `context.md`.
    pub summary: Option<String>,
    /// Number of entries in and below it.
    pub entries: usize,
    /// Number of folders directly in it.
    pub folders: usize,
    /// Number of levels that are listed.
    pub depth: usize,
    /// Whether all levels are listed.
    #[serde(rename = "complete", serialize_with = "json::is_zero")]
    #[schemars(with = "bool")]
    pub unlisted_levels: usize,
    /// For an agent: how many entries are left out because nobody here has accepted them.
    #[serde(skip_serializing_if = "json::is_none")]
    #[schemars(with = "Option<usize>")]
    pub withheld: usize,
    /// Folders and entries: the entries of a folder before its subfolders, and a folder before its content.
    pub rows: Vec<TreeRow>,
}

/// A folder or an entry.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TreeRow {
    /// A folder.
    Folder {
        /// Its path.
        path: String,
        /// Its level: 1 if it is directly in the listed folder.
        level: usize,
        /// The title of its `context.md`.
        title: Option<String>,
        /// The summary of its `context.md`.
        summary: Option<String>,
        /// Number of entries in and below it.
        entries: usize,
        /// What in its `context.md` may steer an agent and came from elsewhere: `instructions`, `hidden`. Agents do not get
        /// its title and summary.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        flagged: Vec<String>,
    },
    /// An entry.
    Entry {
        /// Its path.
        path: String,
        /// Its level: 1 if it is directly in the listed folder.
        level: usize,
        /// The title in its frontmatter.
        title: Option<String>,
        /// Its summary.
        summary: Option<String>,
        /// Its status: `open`, `done`, `superseded` or `deprecated`.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
        /// Estimated tokens: characters divided by four.
        tokens: u64,
        /// Whether it has disputed subjects.
        #[serde(skip)]
        disputed: bool,
        /// What in it may steer an agent and came from elsewhere: `instructions`, `hidden`. Agents do not get it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        flagged: Vec<String>,
    },
}

/// List what is in a folder, or an entry.
///
/// # Errors
/// A name that is not in the tree; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let reading = Reading::open(&opened.scope, options.at.as_deref())?;
    let named = match &options.name {
        None => Some(Named::Folder(String::new())),
        Some(name) => reading.resolve(&cx.cwd, name)?,
    };
    let paths = reading.curated_paths(&opened)?;
    let mut listing = RowMaker::of(cx, &opened, &reading);
    match named {
        Some(Named::Folder(folder)) => listing.folder(&paths, &folder, options.depth),
        Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path))
            if path.kind().is_curated() =>
        {
            let row = listing.row(entry(&reading, path.as_str(), 1)?);
            let (title, summary) = match &row {
                Some(TreeRow::Entry { title, summary, .. } | TreeRow::Folder { title, summary, .. }) => {
                    (title.clone(), summary.clone())
                }
                None => (None, None),
            };
            Ok(Outcome {
                commit: reading.commit(),
                path: path.to_string(),
                title,
                summary,
                entries: 1,
                folders: 0,
                depth: 1,
                unlisted_levels: 0,
                withheld: listing.withheld,
                rows: row.into_iter().collect(),
            })
        }
        _ => Err(resolve::missing(options.name.as_deref().unwrap_or_default(), &paths)),
    }
}

/// A row before it is known from where its text is.
struct RowDraft {
    row: TreeRow,
    /// The file that it was made from, if something is found in it.
    suspect: Option<SuspectEntry>,
}

struct SuspectEntry {
    path: TreePath,
    bytes: Vec<u8>,
    found: Steering,
}

impl SuspectEntry {
    fn of(path: &TreePath, document: &Document) -> Option<Self> {
        let found = Steering::of(document);
        let suspect = || Self { path: path.clone(), bytes: document.as_bytes().to_vec(), found };
        (!found.is_none()).then(suspect)
    }
}

/// Makes the rows, for an agent without what is withheld.
struct RowMaker<'a> {
    reading: &'a Reading,
    trust: Trust<'a>,
    is_agent: bool,
    withheld: usize,
}

impl<'a> RowMaker<'a> {
    fn of(cx: &Context<'_>, opened: &'a Opened, reading: &'a Reading) -> Self {
        let is_agent = cx.audience == Audience::Agent;
        Self { reading, trust: Trust::of(opened), is_agent, withheld: 0 }
    }

    /// The row with its mark; `None` for an entry that is withheld.
    fn row(&mut self, RowDraft { mut row, suspect }: RowDraft) -> Option<TreeRow> {
        let now = suspect.map(|suspect| self.flagged(&suspect)).unwrap_or_default();
        let is_withheld = self.is_agent && !now.is_empty();
        self.withheld += usize::from(is_withheld);
        match &mut row {
            TreeRow::Entry { .. } if is_withheld => return None,
            TreeRow::Folder { title, summary, .. } if is_withheld => (*title, *summary) = (None, None),
            TreeRow::Entry { flagged, .. } | TreeRow::Folder { flagged, .. } => *flagged = now,
        }
        Some(row)
    }

    fn flagged(&self, SuspectEntry { path, bytes, found }: &SuspectEntry) -> Vec<String> {
        let place =
            if self.reading.commit().is_some() { EntryBytesSource::Commit } else { EntryBytesSource::Disk };
        self.trust.judge_read(path.as_str(), bytes, *found, place).words()
    }

    fn folder(&mut self, paths: &[TreePath], folder: &str, depth: Option<usize>) -> Result<Outcome, Stop> {
        let reading = self.reading;
        let plan = FolderTree::of(paths, folder);
        let depth = depth.unwrap_or_else(|| plan.fitting(ROWS)).min(plan.deepest);
        let mut nodes = Vec::new();
        plan.list(folder, 1, depth, &mut nodes);
        let drafts = parallel::try_map(
            &nodes,
            || (),
            |(), planned| match *planned {
                PlannedRow::Entry { path, level } => entry(reading, path, level),
                PlannedRow::Folder { path, level } => above(reading, path, level, plan.folders[path].entries),
            },
        )?;
        let own = plan.folders.get(folder);
        let top = self.row(above(reading, folder, 0, own.map_or(0, |own| own.entries))?);
        let (title, summary) = match top {
            Some(TreeRow::Folder { title, summary, .. }) => (title, summary),
            _ => (None, None),
        };
        let rows = drafts.into_iter().filter_map(|draft| self.row(draft)).collect();
        Ok(Outcome {
            commit: reading.commit(),
            path: folder.to_owned(),
            title,
            summary,
            entries: own.map_or(0, |own| own.entries),
            folders: own.map_or(0, |own| own.folders.len()),
            depth,
            unlisted_levels: plan.deepest - depth,
            withheld: self.withheld,
            rows,
        })
    }
}

/// The folders at and below one folder, by path.
struct FolderTree<'a> {
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
enum PlannedRow<'a> {
    Entry { path: &'a str, level: usize },
    Folder { path: &'a str, level: usize },
}

impl<'a> FolderTree<'a> {
    /// `paths` are sorted.
    fn of(paths: &'a [TreePath], top: &'a str) -> Self {
        let mut plan =
            Self { folders: BTreeMap::from([(top, Planning::default())]), levels: Vec::new(), deepest: 1 };
        let is_below =
            |path: &str| top.is_empty() || path.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'));
        for path in paths.iter().filter(|path| is_below(path.as_str())) {
            let folder = path.folder();
            plan.add_folder(top, folder);
            if path.kind() == PathKind::Entry {
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

    fn list(&self, folder: &'a str, level: usize, depth: usize, found: &mut Vec<PlannedRow<'a>>) {
        let Some(planning) = self.folders.get(folder).filter(|_| level <= depth) else { return };
        found.extend(planning.own.iter().map(|path| PlannedRow::Entry { path, level }));
        for path in &planning.folders {
            found.push(PlannedRow::Folder { path, level });
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

fn entry(reading: &Reading, path: &str, level: usize) -> Result<RowDraft, Stop> {
    let bytes = read(reading, path)?.unwrap_or_default();
    let tokens = derive::tokens_of_file(&bytes);
    let document = Document::parse(bytes);
    let suspect = TreePath::parse(path.as_bytes()).ok().and_then(|path| SuspectEntry::of(&path, &document));
    let meta = document.meta();
    let title = meta.title.or_else(|| document.first_heading().map(str::to_owned));
    let status = meta.status.map(Status::as_str);
    let disputed = !doc::disputes(&document).is_empty();
    let (path, summary) = (path.to_owned(), meta.summary);
    let flagged = Vec::new();
    let row = TreeRow::Entry { path, level, title, summary, status, tokens, disputed, flagged };
    Ok(RowDraft { row, suspect })
}

/// A folder with the title of its `context.md`, and the purpose that it states.
fn above(reading: &Reading, folder: &str, level: usize, entries: usize) -> Result<RowDraft, Stop> {
    let overview = if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") };
    let overview = TreePath::parse(overview.as_bytes()).ok();
    let bytes = overview.as_ref().map(|path| reading.read(path)).transpose()?.flatten();
    let (mut title, mut summary, mut suspect) = (None, None, None);
    if let Some((path, bytes)) = overview.zip(bytes) {
        let digest = derive::digest_of(&Input { path: &path, id: ContentId::of(&bytes), bytes: &bytes });
        (title, summary) = (digest.title, Some(digest.gist).filter(|gist| !gist.is_empty()));
        suspect = SuspectEntry::of(&path, &Document::parse(bytes));
    }
    let path = folder.to_owned();
    let row = TreeRow::Folder { path, level, title, summary, entries, flagged: Vec::new() };
    Ok(RowDraft { row, suspect })
}

/// The bytes of a file, `None` if it was removed since it was listed.
fn read(reading: &Reading, path: &str) -> Result<Option<Vec<u8>>, Stop> {
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

    fn listed(plan: &FolderTree<'_>, top: &str, depth: usize) -> Vec<String> {
        let mut found = Vec::new();
        plan.list(plan.folders.get_key_value(top).unwrap().0, 1, depth, &mut found);
        found
            .iter()
            .map(|planned| match planned {
                PlannedRow::Entry { path, level } => format!("{level} {path}"),
                PlannedRow::Folder { path, level } => {
                    format!("{level} {path}/ {}", plan.folders[path].entries)
                }
            })
            .collect()
    }

    #[test]
    fn entries_come_before_folders_and_are_counted_in_all_above() {
        let paths = paths(&["a/b/c/x.md", "a/b/y.md", "a-b.md", "a/context.md", "z/q.md", "a/b.md"]);
        let plan = FolderTree::of(&paths, "");
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
        let below = FolderTree::of(&paths, "a");
        assert_eq!(listed(&below, "a", 1), ["1 a/b.md", "1 a/b/ 2"]);
    }

    #[test]
    fn as_many_levels_are_shown_as_fit() {
        let paths = paths(&["a/b/c/x.md", "a/b/y.md", "a-b.md", "z/q.md", "a/b.md"]);
        let plan = FolderTree::of(&paths, "");
        for (rows, depth) in [(0, 1), (3, 1), (5, 1), (6, 2), (8, 3), (100, 4)] {
            assert_eq!(plan.fitting(rows), depth, "{rows}");
        }
    }
}
