//! Check every content that a range of commits brings: each file that a commit added or changed, even if a later
//! commit corrected it, since the earlier commit is shared all the same.

use super::{Found, Standing};
use crate::git::history::added_files::{self, Brought};
use crate::git::trees;
use crate::git::{self, BlobId, CommitId, Scope};
use crate::lint::Fault;
use crate::parallel;
use crate::path::TreePath;
use bstr::{BString, ByteSlice as _};
use std::collections::{HashMap, HashSet};

/// Judges the bytes of an entry.
pub type Judge<'j> = &'j (dyn Fn(Vec<u8>) -> Vec<Fault> + Sync);

/// Check the commits that are reachable from `tips` and not from `known`. Each content is read once.
///
/// # Errors
/// Objects that cannot be read.
pub fn check(
    scope: &Scope,
    tips: &[CommitId],
    known: &[CommitId],
    judge: Judge<'_>,
) -> Result<Vec<Found>, git::Error> {
    let places = places(added_files::between(scope, tips, known)?);
    let contents: Vec<BlobId> =
        places.iter().map(|place| place.content).collect::<HashSet<_>>().into_iter().collect();
    let look = |scope: &Scope, content: &BlobId| Ok::<_, git::Error>(judge(trees::blob(scope, *content)?));
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
        findings.extend(faults.iter().map(|fault| place.found(fault, standing)));
    }
    Found::sort(&mut findings);
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
        if matches!(found, Some(trees::Found::File(version)) if version.id == place.content) {
            return Ok(Standing::Present);
        }
    }
    Ok(Standing::Corrected)
}

impl Place {
    fn found(&self, fault: &Fault, standing: Standing) -> Found {
        let finding = fault.clone().at(self.path.as_bstr());
        Found { standing, commit: Some(self.commit), ..Found::present(finding) }
    }
}
