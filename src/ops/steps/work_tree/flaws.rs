//! Find problems in an entry that would block a push, so that `add` and `commit` can report them at once.
//!
//! Checks bytes; stages and rejects nothing.

use crate::doc::{Document, ProblemKind};
use crate::fs;
use crate::git::trees::{self, Change};
use crate::git::{BlobId, Scope};
use crate::parallel;
use crate::path::TreePath;
use bstr::{BStr, BString, ByteSlice as _};

/// The rules, named as in the findings of `vc check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// BRV001: a complete set of conflict markers outside of code fences.
    ConflictMarker,
    /// BRV003: invalid frontmatter, or a duplicate key.
    Frontmatter,
}

impl Rule {
    /// The stable name of the rule.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::ConflictMarker => "BRV001",
            Self::Frontmatter => "BRV003",
        }
    }
}

/// A problem in some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The rule.
    pub rule: Rule,
    /// The exact problem, in words.
    pub message: String,
}

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The path, relative to the tree.
    pub path: BString,
    /// The problem.
    pub fault: Fault,
}

/// Check the bytes of an entry.
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

/// Check curated files (relative to the tree) on disk. Files that cannot be read are skipped.
pub fn on_disk<'a>(scope: &Scope, paths: impl IntoIterator<Item = &'a BString>) -> Vec<Flaw> {
    let paths: Vec<&BString> = paths.into_iter().filter(|path| is_curated(path.as_bstr())).collect();
    let root = scope.root();
    let read = |path: &BString| fs::read(&fs::below(&root, path.as_bstr())?);
    let look = |path: &BString| read(path).map(faults).unwrap_or_default();
    let found = parallel::map(&paths, || (), |(), path| look(path));
    named(paths.into_iter().zip(found))
}

/// Check the curated files that a commit changes. Files that cannot be read are skipped.
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
