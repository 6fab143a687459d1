//! What may not leave: the content of the tip that a push would publish is looked at first. Not that of the commits
//! between it and what the remote has.

use crate::doc::{Document, ProblemKind};
use crate::git::trees::{self, Change, Renames};
use crate::git::{self, CommitId, Scope, TreeId};
use crate::parallel;
use crate::path::TreePath;
use bstr::BString;

/// Something that a reader at the other end should never get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub path: BString,
    /// On which line, from 1.
    pub line: usize,
    /// In which column, in characters from 1.
    pub column: usize,
    /// What.
    pub rule: Rule,
    /// What exactly, in words.
    pub message: String,
}

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

/// Look at every curated file that differs from what the remote is known to have (`None`: nothing).
///
/// # Errors
/// Objects that cannot be read.
pub fn check(scope: &Scope, known: Option<CommitId>, tip: CommitId) -> Result<Vec<Finding>, git::Error> {
    let before = known.map_or(Ok(TreeId::empty()), |known| scope.tree_of(known))?;
    let changes = trees::diff(scope, before, scope.tree_of(tip)?, Renames::Ignore)?;
    let changed: Vec<&Change> = changes.iter().filter(|change| is_curated(change)).collect();
    let shared = scope.to_shared();
    let found = parallel::try_map(
        &changed,
        || shared.to_local(),
        |scope, change| {
            let Some(after) = change.after else { return Ok(Vec::new()) };
            let bytes = trees::blob(scope, after.id)?;
            Ok::<_, git::Error>(look_at(&change.path, bytes))
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

fn is_curated(change: &Change) -> bool {
    change.after.is_some() && TreePath::parse(&change.path).is_ok_and(|path| path.kind().is_curated())
}

fn look_at(path: &BString, bytes: Vec<u8>) -> Vec<Finding> {
    let document = Document::parse(bytes);
    let finding = |line, column, rule, message| Finding { path: path.clone(), line, column, rule, message };
    let conflicts = document.conflicts().into_iter().map(|conflict| {
        finding(conflict.line, 1, Rule::ConflictMarker, "conflict markers are left".to_owned())
    });
    let broken = document.problems().iter().filter(|problem| is_broken_frontmatter(&problem.kind));
    let broken = broken
        .map(|problem| finding(problem.line, problem.column, Rule::Frontmatter, problem.kind.to_string()));
    conflicts.chain(broken).collect()
}

const fn is_broken_frontmatter(kind: &ProblemKind) -> bool {
    !matches!(kind, ProblemKind::NotUtf8 { .. } | ProblemKind::Nul)
}
