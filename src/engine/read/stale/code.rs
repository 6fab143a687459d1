//! The code then and now: files of commits, of the work tree, and where a file went that is gone.

use brv_base::content::ContentId;
use brv_base::fs;
use brv_git as git;
use brv_git::history::{self, Interest, Range};
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, TreeId, Version};
use brv_text::stale::Text;
use bstr::{BStr, ByteSlice as _};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The largest file whose lines are compared, in bytes.
const LARGEST_TEXT: usize = 16 << 20;

/// How many names of a file are followed.
const MOST_NAMES: usize = 8;

/// The largest file that a caller who does not wait lets be read, in bytes.
const LARGEST_AT_ONCE: u64 = 16 << 20;

/// The side that entries are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeSide {
    WorkTree,
    Commit(CommitId),
}

/// What is at a path now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Now {
    Absent,
    /// The id of its bytes, and with `\n` as line ending if it has `\r\n`.
    File(ContentId, Option<ContentId>),
    /// Not looked at: it is large, and the caller does not wait.
    Large,
    /// A folder, a submodule, a link.
    Other,
}

/// A file that differs between a commit and now.
pub struct ChangedCodeFile {
    pub path: String,
    pub before: Option<ContentId>,
    pub after: ContentId,
}

/// Where a file went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFileMove {
    pub to: Option<String>,
    /// The commit that moved or removed it.
    pub commit: Option<String>,
}

/// A version of a file, as far as its lines can be compared.
#[derive(Clone)]
pub enum CodeLines {
    Text(Rc<Text>),
    Binary,
    /// Its lines are not compared.
    Large,
}

pub struct CodeTree<'a> {
    scope: &'a Scope,
    root: PathBuf,
    side: CodeSide,
    /// The commit up to which the history goes.
    tip: Option<CommitId>,
    /// The folder of the project below the root, with a slash at its end; empty for the root itself.
    project: String,
    is_hurried: bool,
    /// Read where a file is gone that the last commit has.
    index: Option<Option<git::Index>>,
    trees: HashMap<CommitId, Option<TreeId>>,
    files: HashMap<(TreeId, String), Option<ContentId>>,
    now: HashMap<String, Now>,
    texts: HashMap<ContentId, CodeLines>,
    added: HashMap<(CommitId, String), Option<Added>>,
}

impl<'a> CodeTree<'a> {
    pub fn new(
        scope: &'a Scope,
        side: CodeSide,
        tip: Option<CommitId>,
        project: String,
        is_hurried: bool,
    ) -> Self {
        Self {
            scope,
            root: scope.root(),
            side,
            tip,
            project,
            is_hurried,
            index: None,
            trees: HashMap::new(),
            files: HashMap::new(),
            now: HashMap::new(),
            texts: HashMap::new(),
            added: HashMap::new(),
        }
    }

    /// The paths that a cited one may mean.
    pub fn meanings(&self, path: &str) -> Vec<String> {
        meanings(&self.project, path)
    }

    /// The file that a commit has at a path. Where the commit is not here, none.
    pub fn then(&mut self, commit: CommitId, path: &str) -> Option<ContentId> {
        let tree = self.tree(commit)?;
        let scope = self.scope;
        let key = (tree, path.to_owned());
        *self.files.entry(key).or_insert_with(|| match trees::find(scope, tree, path.as_bytes().as_bstr()) {
            Ok(Some(trees::TreeItem::File(version))) if version.mode.is_file() => Some(version.id),
            _ => None,
        })
    }

    fn tree(&mut self, commit: CommitId) -> Option<TreeId> {
        *self.trees.entry(commit).or_insert_with(|| self.scope.tree_of(commit).ok())
    }

    /// The file that a commit has at a path, or had under the name that it was renamed from since.
    pub fn then_by_any_name(&mut self, commit: CommitId, path: &str) -> Option<ContentId> {
        let mut name = path.to_owned();
        for _ in 0..MOST_NAMES {
            if let Some(then) = self.then(commit, &name) {
                return Some(then);
            }
            name = self.added(commit, &name)?.from?;
        }
        None
    }

    /// The first version of a file that was added behind a commit.
    pub fn added_behind(&mut self, commit: CommitId, path: &str) -> Option<ContentId> {
        self.added(commit, path).map(|added| added.version)
    }

    fn added(&mut self, commit: CommitId, path: &str) -> Option<Added> {
        let key = (commit, path.to_owned());
        if let Some(known) = self.added.get(&key) {
            return known.clone();
        }
        let added = self.tip.and_then(|tip| added(self.scope, (tip, commit), path).ok().flatten());
        self.added.insert(key, added.clone());
        added
    }

    pub fn now(&mut self, path: &str) -> Now {
        if let Some(now) = self.now.get(path) {
            return *now;
        }
        let now = match self.side {
            CodeSide::WorkTree => self.on_disk(path).unwrap_or(Now::Absent),
            CodeSide::Commit(commit) => self.then(commit, path).map_or(Now::Absent, |id| Now::File(id, None)),
        };
        self.now.insert(path.to_owned(), now);
        now
    }

    fn on_disk(&mut self, path: &str) -> Option<Now> {
        let place = fs::below(&self.root, path.as_bytes().as_bstr()).ok()?;
        let Some(stat) = fs::stat(&place).ok()? else { return Some(self.withheld(path)) };
        let folders = place.ancestors().skip(1).take_while(|folder| *folder != self.root);
        if folders.into_iter().any(|folder| matches!(fs::stat(&folder.join(".git")), Ok(Some(_)))) {
            return Some(Now::Other);
        }
        match stat.kind {
            fs::FileKind::Regular => {}
            _ => return Some(Now::Other),
        }
        if self.is_hurried && stat.size > LARGEST_AT_ONCE {
            return Some(Now::Large);
        }
        let Some(bytes) = fs::read_below(&self.root, &place).ok()? else { return Some(Now::Absent) };
        let id = ContentId::of(&bytes);
        let plain = bytes.find(b"\r\n").map(|_| bytes.replace("\r\n", "\n"));
        let plain = plain.map(|plain| ContentId::of(&plain));
        self.texts.entry(id).or_insert_with(|| text(&bytes));
        Some(Now::File(id, plain))
    }

    /// A file that a sparse checkout leaves out is as `HEAD` has it.
    fn withheld(&mut self, path: &str) -> Now {
        let Some(id) = self.tip.and_then(|tip| self.then(tip, path)) else { return Now::Absent };
        let scope = self.scope;
        let index = self.index.get_or_insert_with(|| git::index::read(scope).ok());
        let full = scope.full(path.as_bytes());
        match index.as_ref().is_some_and(|index| index.is_withheld(full.as_bstr())) {
            true => Now::File(id, None),
            false => Now::Absent,
        }
    }

    pub fn text(&mut self, id: ContentId) -> CodeLines {
        let scope = self.scope;
        self.texts
            .entry(id)
            .or_insert_with(|| text(&trees::find_blob(scope, id).ok().flatten().unwrap_or_default()))
            .clone()
    }

    /// Whether the caller does not wait.
    pub const fn is_hurried(&self) -> bool {
        self.is_hurried
    }

    /// The files that commits changed since this one, as the last one has them; `None` if they are more than `most`.
    pub fn changed_since(&mut self, commit: CommitId, most: usize) -> Option<Vec<ChangedCodeFile>> {
        let (before, after) = (self.tree(commit)?, self.tree(self.tip?)?);
        let changes = trees::diff(self.scope, before, after, Renames::Ignore).ok()?;
        if changes.len() > most {
            return None;
        }
        let file = |version: Option<Version>| version.filter(|one| one.mode.is_file()).map(|one| one.id);
        let changed = |change: Change| {
            let path = change.path.to_str().ok()?.to_owned();
            Some(ChangedCodeFile { path, before: file(change.before), after: file(change.after)? })
        };
        Some(changes.into_iter().filter_map(changed).collect())
    }

    /// Where a file went that is gone: the path that it has now, and the commit that moved or removed it.
    pub fn moved(&self, path: &str) -> CodeFileMove {
        let mut moved = CodeFileMove::default();
        let Some(tip) = self.tip else { return moved };
        let mut path = path.to_owned();
        let mut seen = vec![path.clone()];
        while let Ok(Some(removal)) = removal(self.scope, tip, &path) {
            moved.commit = removal.commit.map(|commit| commit.to_string()).or(moved.commit);
            moved.to = removal.to;
            match &moved.to {
                Some(to) if !self.is_there(to) && !seen.contains(to) => path.clone_from(to),
                _ => break,
            }
            seen.push(path.clone());
        }
        moved
    }

    pub fn is_there(&self, path: &str) -> bool {
        match self.side {
            CodeSide::WorkTree => {
                fs::below(&self.root, path.as_bytes().as_bstr()).is_ok_and(|place| place.is_file())
            }
            CodeSide::Commit(commit) => self.scope.tree_of(commit).is_ok_and(|tree| {
                matches!(trees::file(self.scope, tree, path.as_bytes().as_bstr()), Ok(Some(_)))
            }),
        }
    }

    /// The last commits that changed these files, newer than `known` where the history has that.
    pub fn last_commits(&self, paths: &[String], known: Option<CommitId>) -> HashMap<String, String> {
        let mut found = HashMap::new();
        let Some(tip) = self.tip.filter(|_| !paths.is_empty()) else { return found };
        let mut open: Vec<&String> = paths.iter().collect();
        let interest = Interest::Paths(open.iter().map(|path| path.as_bytes().into()).collect());
        let hidden = known.into_iter().collect();
        let range = Range { tips: vec![tip], hidden, interest, ..Range::default() };
        let _ = history::walk(self.scope, &range, |walked| {
            let commit = &walked.commit;
            let before = commit.parents.first().and_then(|parent| self.scope.tree_of(*parent).ok());
            let at = |tree: TreeId, path: &str| {
                trees::find(self.scope, tree, path.as_bytes().as_bstr()).ok().flatten()
            };
            open.retain(|path| {
                let is_changed = at(commit.tree, path) != before.and_then(|tree| at(tree, path));
                if is_changed {
                    found.insert((*path).clone(), commit.id.to_string());
                }
                !is_changed
            });
            if open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }
}

fn text(bytes: &[u8]) -> CodeLines {
    if bytes.iter().take(8000).any(|byte| *byte == 0) {
        return CodeLines::Binary;
    }
    match bytes.len() <= LARGEST_TEXT {
        true => CodeLines::Text(Rc::new(Text::new(&bytes.to_str_lossy()))),
        false => CodeLines::Large,
    }
}

/// How a file came.
#[derive(Debug, Clone)]
struct Added {
    version: ContentId,
    /// The name that it had before.
    from: Option<String>,
}

/// How a file came between two commits.
fn added(
    scope: &Scope,
    (tip, behind): (CommitId, CommitId),
    path: &str,
) -> Result<Option<Added>, git::Error> {
    let path: &BStr = path.as_bytes().as_bstr();
    let interest = Interest::Paths(vec![path.to_owned()]);
    let range = Range { tips: vec![tip], hidden: vec![behind], interest, ..Range::default() };
    let mut first = None;
    history::walk(scope, &range, |walked| {
        if let Ok(Some(trees::TreeItem::File(version))) = trees::find(scope, walked.commit.tree, path) {
            first = Some((version.id, walked.commit));
        }
        ControlFlow::Continue(())
    })?;
    let Some((version, commit)) = first else { return Ok(None) };
    let mut from = None;
    if let Some(parent) = commit.parents.first() {
        let before = scope.tree_of(*parent)?;
        if trees::find(scope, before, path)?.is_none() {
            let changes = trees::diff(scope, before, commit.tree, Renames::Always)?;
            let own = changes.into_iter().find(|change| change.path == path);
            from = own.and_then(|change| change.renamed_from?.to_str().ok().map(str::to_owned));
        }
    }
    Ok(Some(Added { version, from }))
}

/// How a file went.
struct CodeFileRemoval {
    /// `None`: it is not committed.
    commit: Option<CommitId>,
    /// The path that it got.
    to: Option<String>,
}

/// The last removal of a path.
fn removal(scope: &Scope, tip: CommitId, path: &str) -> Result<Option<CodeFileRemoval>, git::Error> {
    let name: &BStr = path.as_bytes().as_bstr();
    let tree = scope.tree_of(tip)?;
    if matches!(trees::find(scope, tree, name)?, Some(trees::TreeItem::File(_))) {
        let staged = trees::diff_index(scope, tree, &git::index::read(scope)?, Renames::Always)?;
        return Ok(Some(CodeFileRemoval { commit: None, to: target(&staged, name) }));
    }
    let interest = Interest::Paths(vec![name.to_owned()]);
    let range = Range { tips: vec![tip], interest, ..Range::default() };
    let mut removed = None;
    history::walk(scope, &range, |walked| {
        removed = Some(walked.commit);
        ControlFlow::Break(())
    })?;
    let Some(commit) = removed else { return Ok(None) };
    for parent in commit.parents {
        let before = scope.tree_of(parent)?;
        if matches!(trees::find(scope, before, name)?, Some(trees::TreeItem::File(_))) {
            let changes = trees::diff(scope, before, commit.tree, Renames::Always)?;
            return Ok(Some(CodeFileRemoval { commit: Some(commit.id), to: target(&changes, name) }));
        }
    }
    Ok(None)
}

/// The one path that a file was renamed to; `None` where another has the same bytes and is as new.
pub(super) fn target(changes: &[Change], from: &BStr) -> Option<String> {
    let is_from = |change: &&Change| change.renamed_from.as_ref().is_some_and(|path| path == from);
    let renamed = changes.iter().find(is_from)?;
    let id = |version: Option<Version>| version.map(|version| version.id);
    let is_twin = |other: &Change| other.before.is_none() && id(other.after) == id(renamed.after);
    if changes.iter().any(is_twin) {
        return None;
    }
    renamed.path.to_str().ok().map(str::to_owned)
}

/// The paths that a cited one may mean, the nearest first: below the project, a folder of the code, or below its root.
pub fn meanings(project: &str, path: &str) -> Vec<String> {
    let mut all = vec![path.to_owned()];
    if !project.is_empty() {
        all.insert(0, format!("{project}{path}"));
    }
    all
}

/// The project's folder below the root of the code, with a slash at its end.
pub fn project_below(root: &Path, project: &Path) -> String {
    let below = project.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default();
    let below = below.replace(std::path::MAIN_SEPARATOR, "/");
    if below.is_empty() { below } else { format!("{below}/") }
}
