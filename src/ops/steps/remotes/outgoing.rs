//! Check outgoing commits for content that must not be pushed: every file that a commit of the range added or changed
//! is checked, even if a later commit corrected it, since the earlier commit is pushed all the same.

use crate::git::history::added_files::{self, Brought};
use crate::git::trees::{self, Found};
use crate::git::{self, BlobId, CommitId, Scope};
use crate::ops::steps::work_tree::flaws::{self, Fault};
use crate::parallel;
use crate::path::TreePath;
use bstr::{BString, ByteSlice};
use std::collections::{HashMap, HashSet};

pub use crate::ops::steps::work_tree::flaws::Rule;

/// A problem that must not reach the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub path: BString,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The rule.
    pub rule: Rule,
    /// The exact problem, in words.
    pub message: String,
    /// The oldest commit of the range with the problem.
    pub commit: CommitId,
    /// Whether the pushed tip still has the problem.
    pub standing: Standing,
}

/// Whether the pushed tip still has the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Present,
    /// A later commit changed or removed the file.
    Corrected,
}

/// Check the commits that are reachable from `tips` and not from `known`. Each content is read once.
///
/// # Errors
/// Objects that cannot be read.
pub fn check(scope: &Scope, tips: &[CommitId], known: &[CommitId]) -> Result<Vec<Finding>, git::Error> {
    let places = places(added_files::between(scope, tips, known)?);
    let contents: Vec<BlobId> =
        places.iter().map(|place| place.content).collect::<HashSet<_>>().into_iter().collect();
    let look =
        |scope: &Scope, content: &BlobId| Ok::<_, git::Error>(flaws::faults(trees::blob(scope, *content)?));
    let found = if parallel::workers(contents.len()) == 1 {
        contents.iter().map(|content| look(scope, content)).collect::<Result<Vec<_>, _>>()?
    } else {
        let shared = scope.to_shared();
        parallel::try_map(&contents, || shared.to_local(), |scope, content| look(scope, content))?
    };
    let broken: HashMap<BlobId, Vec<Fault>> =
        contents.into_iter().zip(found).filter(|(_, faults)| !faults.is_empty()).collect();
    let mut findings = Vec::new();
    for place in &places {
        let Some(faults) = broken.get(&place.content) else { continue };
        let standing = standing(scope, tips, place)?;
        findings.extend(faults.iter().map(|fault| place.finding(fault, standing)));
    }
    findings.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
    Ok(findings)
}

/// A content at a path, and the oldest commit that has it there.
struct Place {
    path: BString,
    content: BlobId,
    commit: CommitId,
}

/// The places of curated files, each once.
fn places(range: Vec<Brought>) -> Vec<Place> {
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for Brought { commit, files } in range.into_iter().rev() {
        for (path, content) in files {
            let is_curated = TreePath::parse(&path).is_ok_and(|path| path.kind().is_curated());
            if is_curated && seen.insert((path.clone(), content)) {
                places.push(Place { path, content, commit });
            }
        }
    }
    places
}

fn standing(scope: &Scope, tips: &[CommitId], place: &Place) -> Result<Standing, git::Error> {
    for tip in tips {
        let found = trees::find(scope, scope.tree_of(*tip)?, place.path.as_bstr())?;
        if matches!(found, Some(Found::File(version)) if version.id == place.content) {
            return Ok(Standing::Present);
        }
    }
    Ok(Standing::Corrected)
}

impl Place {
    fn finding(&self, fault: &Fault, standing: Standing) -> Finding {
        Finding {
            path: self.path.clone(),
            line: fault.line,
            column: fault.column,
            rule: fault.rule,
            message: fault.message.clone(),
            commit: self.commit,
            standing,
        }
    }
}
