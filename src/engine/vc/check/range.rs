//! Check every content that a range of commits brings: each file that a commit added or changed, even if a later
//! commit corrected it, since the earlier commit is shared all the same. Paths and messages are looked at for secrets.

use super::{Content, Found, Standing, names};
use brv_base::parallel;
use brv_git as git;
use brv_git::history::added_files::{self, Brought};
use brv_git::trees;
use brv_git::{BlobId, CommitId, Scope};
use brv_text::lint::Fault;
use bstr::{BString, ByteSlice as _};
use std::collections::{HashMap, HashSet};

/// Judges the bytes of a file.
pub type Judge<'j> = &'j (dyn Fn(Content, Vec<u8>) -> Vec<Fault> + Sync);

/// Check the commits that are reachable from `tips` and not from `known`: every file that they bring, curated or not.
/// Each content is read once.
pub fn check(
    scope: &Scope,
    tips: &[CommitId],
    known: &[CommitId],
    judge: Judge<'_>,
) -> Result<Vec<Found>, git::Error> {
    let range = added_files::between(scope, tips, known)?;
    let mut findings: Vec<Found> = messages(&range);
    let places = places(range);
    let blobs: Vec<(BlobId, Content)> =
        places.iter().map(|place| place.blob).collect::<HashSet<_>>().into_iter().collect();
    let look = |scope: &Scope, (id, content): &(BlobId, Content)| {
        Ok::<_, git::Error>(judge(*content, trees::blob(scope, *id)?))
    };
    let found = if parallel::workers(blobs.len()) == 1 {
        blobs.iter().map(|blob| look(scope, blob)).collect::<Result<Vec<_>, _>>()?
    } else {
        let shared = scope.to_shared();
        parallel::try_map(&blobs, || shared.to_local(), |scope, blob| look(scope, blob))?
    };
    let broken: HashMap<(BlobId, Content), Vec<Fault>> =
        blobs.into_iter().zip(found).filter(|(_, faults)| !faults.is_empty()).collect();
    for place in &places {
        let mut faults: Vec<Fault> = names::path(place.path.as_bstr());
        faults.extend(broken.get(&place.blob).into_iter().flatten().cloned());
        if !faults.is_empty() {
            let standing = standing(scope, tips, place)?;
            findings.extend(faults.iter().map(|fault| place.found(fault, standing)));
        }
    }
    let mut findings = once(findings);
    Found::sort(&mut findings);
    Ok(findings)
}

/// The secrets in the messages of a range, each with the oldest commit that has it.
fn messages(range: &[Brought]) -> Vec<Found> {
    let oldest_first = range.iter().rev();
    let mut found: Vec<Found> =
        oldest_first.flat_map(|one| names::message(one.commit, one.message.as_bstr())).collect();
    let mut seen = HashSet::new();
    found.retain(|one| seen.insert(one.finding.fingerprint));
    found
}

/// One finding for all versions of a file that have it: as the tips have it, else as the oldest one had it; with the
/// oldest commit. `findings` are ordered by commit, oldest first.
fn once(findings: Vec<Found>) -> Vec<Found> {
    let key = |found: &Found| (found.finding.path.clone(), found.finding.fingerprint);
    let mut oldest = HashMap::new();
    let mut standing = HashSet::new();
    for found in &findings {
        oldest.entry(key(found)).or_insert((found.commit, found.finding.line, found.finding.column));
        if found.standing == Standing::Present {
            standing.insert(key(found));
        }
    }
    let is_kept = |found: &Found| match found.standing {
        Standing::Present => true,
        Standing::Corrected => {
            let (commit, line, column) = oldest[&key(found)];
            let is_oldest =
                (found.commit, found.finding.line, found.finding.column) == (commit, line, column);
            is_oldest && !standing.contains(&key(found))
        }
    };
    let kept = findings.iter().filter(|found| is_kept(found));
    kept.map(|found| Found { commit: oldest[&key(found)].0, ..found.clone() }).collect()
}

/// A content at a path, and the oldest commit that has it there.
struct Place {
    path: BString,
    blob: (BlobId, Content),
    commit: CommitId,
}

/// The places of all files, each once.
fn places(range: Vec<Brought>) -> Vec<Place> {
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for Brought { commit, files, .. } in range.into_iter().rev() {
        for (path, id) in files {
            if seen.insert((path.clone(), id)) {
                let blob = (id, Content::at(path.as_bstr()));
                places.push(Place { path, blob, commit });
            }
        }
    }
    places
}

fn standing(scope: &Scope, tips: &[CommitId], place: &Place) -> Result<Standing, git::Error> {
    for tip in tips {
        let found = trees::find(scope, scope.tree_of(*tip)?, place.path.as_bstr())?;
        if matches!(found, Some(trees::Found::File(version)) if version.id == place.blob.0) {
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
