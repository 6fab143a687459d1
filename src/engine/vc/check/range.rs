//! Check every content that a range of commits brings: each file that a commit added or changed, even if a later
//! commit corrected it, since the earlier commit is shared all the same. Paths and messages are looked at for secrets.

use super::{CheckFinding, CheckedContent, FindingStanding, names};
use brv_base::parallel;
use brv_git as git;
use brv_git::history::added_files::{self, CommitAdditions};
use brv_git::trees;
use brv_git::{BlobId, CommitId, Scope};
use brv_text::lint::Fault;
use bstr::{BString, ByteSlice as _};
use std::collections::{HashMap, HashSet};

/// Judges the bytes of a file.
pub type ContentJudge<'j> = &'j (dyn Fn(CheckedContent, Vec<u8>) -> Vec<Fault> + Sync);

/// Check the commits that are reachable from `tips` and not from `known`: every file that they bring, curated or not.
/// Each content is read once.
pub fn check(
    scope: &Scope,
    tips: &[CommitId],
    known: &[CommitId],
    judge: ContentJudge<'_>,
) -> Result<Vec<CheckFinding>, git::Error> {
    let range = added_files::between(scope, tips, known)?;
    let mut findings: Vec<CheckFinding> = messages(&range);
    let places = places(range);
    let blobs: Vec<(BlobId, CheckedContent)> =
        places.iter().map(|place| place.blob).collect::<HashSet<_>>().into_iter().collect();
    let look = |scope: &Scope, (id, content): &(BlobId, CheckedContent)| {
        Ok::<_, git::Error>(judge(*content, trees::blob(scope, *id)?))
    };
    let found = if parallel::workers(blobs.len()) == 1 {
        blobs.iter().map(|blob| look(scope, blob)).collect::<Result<Vec<_>, _>>()?
    } else {
        let shared = scope.to_shared();
        parallel::try_map(&blobs, || shared.to_local(), |scope, blob| look(scope, blob))?
    };
    let broken: HashMap<(BlobId, CheckedContent), Vec<Fault>> =
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
    CheckFinding::sort(&mut findings);
    Ok(findings)
}

/// The secrets in the messages of a range, each with the oldest commit that has it.
fn messages(range: &[CommitAdditions]) -> Vec<CheckFinding> {
    let oldest_first = range.iter().rev();
    let mut found: Vec<CheckFinding> =
        oldest_first.flat_map(|one| names::message(one.commit, one.message.as_bstr())).collect();
    let mut seen = HashSet::new();
    found.retain(|one| seen.insert(one.finding.fingerprint));
    found
}

/// One finding for all versions of a file that have it: as the tips have it, else as the oldest one had it; with the
/// oldest commit. `findings` are ordered by commit, oldest first.
fn once(findings: Vec<CheckFinding>) -> Vec<CheckFinding> {
    let key = |found: &CheckFinding| (found.finding.path.clone(), found.finding.fingerprint);
    let mut oldest = HashMap::new();
    let mut standing = HashSet::new();
    for found in &findings {
        oldest.entry(key(found)).or_insert((found.commit, found.finding.line, found.finding.column));
        if found.standing == FindingStanding::Present {
            standing.insert(key(found));
        }
    }
    let is_kept = |found: &CheckFinding| match found.standing {
        FindingStanding::Present => true,
        FindingStanding::Corrected => {
            let (commit, line, column) = oldest[&key(found)];
            let is_oldest =
                (found.commit, found.finding.line, found.finding.column) == (commit, line, column);
            is_oldest && !standing.contains(&key(found))
        }
    };
    let kept = findings.iter().filter(|found| is_kept(found));
    kept.map(|found| CheckFinding { commit: oldest[&key(found)].0, ..found.clone() }).collect()
}

/// A content at a path, and the oldest commit that has it there.
struct RangeContent {
    path: BString,
    blob: (BlobId, CheckedContent),
    commit: CommitId,
}

/// The places of all files, each once.
fn places(range: Vec<CommitAdditions>) -> Vec<RangeContent> {
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for CommitAdditions { commit, files, .. } in range.into_iter().rev() {
        for (path, id) in files {
            if seen.insert((path.clone(), id)) {
                let blob = (id, CheckedContent::at(path.as_bstr()));
                places.push(RangeContent { path, blob, commit });
            }
        }
    }
    places
}

fn standing(scope: &Scope, tips: &[CommitId], place: &RangeContent) -> Result<FindingStanding, git::Error> {
    for tip in tips {
        let found = trees::find(scope, scope.tree_of(*tip)?, place.path.as_bstr())?;
        if matches!(found, Some(trees::TreeItem::File(version)) if version.id == place.blob.0) {
            return Ok(FindingStanding::Present);
        }
    }
    Ok(FindingStanding::Corrected)
}

impl RangeContent {
    fn found(&self, fault: &Fault, standing: FindingStanding) -> CheckFinding {
        let finding = fault.clone().at(self.path.as_bstr());
        CheckFinding { standing, commit: Some(self.commit), ..CheckFinding::present(finding) }
    }
}
