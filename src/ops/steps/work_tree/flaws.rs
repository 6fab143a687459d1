//! What is wrong with the bytes of an entry, so that a push would stop at it: `add` and `commit` say so at once.
//!
//! Judges bytes; records and refuses nothing.

use crate::doc::{Document, ProblemKind};
use crate::fs;
use crate::git::trees::{self, Change};
use crate::git::{BlobId, Scope};
use crate::parallel;
use crate::path::TreePath;
use bstr::{BStr, BString, ByteSlice as _};

/// What is looked for. The names are those of the findings of `vc check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// BRV001: a complete conflict-marker triple outside of code fences.
    ConflictMarker,
    /// BRV003: frontmatter that is not valid, or sets a key twice.
    Frontmatter,
}

impl Rule {
    /// The stable name.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::ConflictMarker => "BRV001",
            Self::Frontmatter => "BRV003",
        }
    }
}

/// A place where something is wrong, whatever file the bytes are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// On which line, from 1.
    pub line: usize,
    /// In which column, in characters from 1.
    pub column: usize,
    /// What.
    pub rule: Rule,
    /// What exactly, in words.
    pub message: String,
}

/// The same, in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Which, relative to the tree.
    pub path: BString,
    /// Where in it, and what.
    pub fault: Fault,
}

/// Look at the bytes of an entry.
#[must_use]
pub fn faults(bytes: Vec<u8>) -> Vec<Fault> {
    let document = Document::parse(bytes);
    let fault = |line, column, rule, message| Fault { line, column, rule, message };
    let conflicts = document.conflicts().into_iter().map(|conflict| {
        fault(conflict.line, 1, Rule::ConflictMarker, "conflict markers are left".to_owned())
    });
    let broken = document.problems().iter().filter(|problem| is_broken_frontmatter(&problem.kind));
    let broken = broken
        .map(|problem| fault(problem.line, problem.column, Rule::Frontmatter, problem.kind.to_string()));
    conflicts.chain(broken).collect()
}

const fn is_broken_frontmatter(kind: &ProblemKind) -> bool {
    !matches!(kind, ProblemKind::NotUtf8 { .. } | ProblemKind::Nul)
}

/// Look at curated files (relative to the tree) as they stand on disk. Of one that cannot be read, nothing is said.
pub fn on_disk<'a>(scope: &Scope, paths: impl IntoIterator<Item = &'a BString>) -> Vec<Flaw> {
    let paths: Vec<&BString> = paths.into_iter().filter(|path| is_curated(path.as_bstr())).collect();
    let root = scope.root();
    let read = |path: &BString| fs::read(&fs::below(&root, path.as_bstr())?);
    let look = |path: &BString| read(path).map(faults).unwrap_or_default();
    let found = parallel::map(&paths, || (), |(), path| look(path));
    named(paths.into_iter().zip(found))
}

/// Look at the curated files that a commit brings. Of one that cannot be read, nothing is said.
#[must_use]
pub fn brought(scope: &Scope, changes: &[Change]) -> Vec<Flaw> {
    let brought = changes.iter().filter(|change| is_curated(change.path.as_bstr()));
    let brought: Vec<(&BString, BlobId)> =
        brought.filter_map(|change| Some((&change.path, change.after?.id))).collect();
    let shared = scope.to_shared();
    let look = |scope: &Scope, id: BlobId| trees::blob(scope, id).map(faults).unwrap_or_default();
    let found = parallel::map(&brought, || shared.to_local(), |scope, (_, id)| look(scope, *id));
    named(brought.into_iter().map(|(path, _)| path).zip(found))
}

fn is_curated(path: &BStr) -> bool {
    TreePath::parse(path).is_ok_and(|path| path.kind().is_curated())
}

fn named<'a>(found: impl Iterator<Item = (&'a BString, Vec<Fault>)>) -> Vec<Flaw> {
    let mut flaws: Vec<Flaw> = found
        .flat_map(|(path, faults)| faults.into_iter().map(|fault| Flaw { path: path.clone(), fault }))
        .collect();
    flaws.sort_by(|a, b| {
        (&a.path, a.fault.line, a.fault.column).cmp(&(&b.path, b.fault.line, b.fault.column))
    });
    flaws
}
