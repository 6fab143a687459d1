//! Findings about paths: derived files that are committed (BRV002), paths that are not portable (BRV013).
//!
//! A committed file with the name of a derived one is brv's if it has the stamp: it can be regenerated. Without the stamp
//! it is another tool's, which is shown and left alone.

use super::state::CheckedTree;
use crate::Stop;
use crate::vc::check::finding::{CheckFinding, FindingStanding};
use crate::write::policy::case_collisions::Spellings;
use brv_base::path::{self, ArchivePaths, PathKind, TreePath};
use brv_git as git;
use brv_git::history::added_files::{self, CommitAdditions};
use brv_git::{BlobId, CommitId, Scope, trees};
use brv_text::derive::stamp::{self, Stamp};
use brv_text::lint::{Finding, Rule, Severity};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

/// What is wrong with the paths of a state; `is_touched` says which are looked at.
pub fn findings(
    scope: &Scope,
    state: &CheckedTree,
    is_touched: impl Fn(&BStr) -> bool,
) -> Result<Vec<CheckFinding>, Stop> {
    let spellings = Spellings::of(state.paths());
    let mut findings = Vec::new();
    for path in state.paths().filter(|path| is_touched(path)) {
        findings.extend(match derived(path) {
            Some(parsed) => committed(path, &parsed, is_brvs(&parsed, |path| state.read(scope, path))?),
            None => finding(path, spellings.other(path)).map(CheckFinding::present),
        });
    }
    Ok(findings)
}

/// What is wrong with paths that a commit of the range added and the state no longer has.
pub fn corrected(
    scope: &Scope,
    (tip, known): (CommitId, &[CommitId]),
    state: &CheckedTree,
) -> Result<Vec<CheckFinding>, git::Error> {
    let mut oldest: BTreeMap<BString, (CommitId, BlobId)> = BTreeMap::new();
    for CommitAdditions { commit, files, .. } in added_files::between(scope, &[tip], known)? {
        oldest.extend(files.into_iter().map(|(path, id)| (path, (commit, id))));
    }
    oldest.retain(|path, _| !state.has(path.as_ref()));
    let mut found = Vec::new();
    for (path, (commit, id)) in oldest {
        let one = match derived(path.as_ref()) {
            Some(parsed) if path::is_archive_file(&parsed) => None,
            Some(parsed) => {
                let is_brvs = is_brvs(&parsed, |_| trees::blob(scope, id).map(Some))?;
                committed(path.as_ref(), &parsed, is_brvs).filter(|_| is_brvs)
            }
            None => finding(path.as_ref(), None).map(CheckFinding::present),
        };
        found.extend(one.map(|one| CheckFinding {
            finding: Finding { fix: None, ..one.finding },
            standing: FindingStanding::Corrected,
            commit: Some(commit),
            ..one
        }));
    }
    Ok(found)
}

fn derived(path: &BStr) -> Option<TreePath> {
    TreePath::parse(path).ok().filter(|path| matches!(path.kind(), PathKind::Derived(_)))
}

/// Whether brv wrote the file, edited since or not: by its stamp, or for a full copy by that of the stub beside it.
///
/// # Errors
/// What `read` fails with.
pub fn is_brvs<E>(path: &TreePath, read: impl Fn(&BStr) -> Result<Option<Vec<u8>>, E>) -> Result<bool, E> {
    let stub = path::archived_original(path.as_str()).and_then(|path| ArchivePaths::of(&path));
    let stamped = stub.map_or_else(|| path.clone(), |paths| paths.stub);
    Ok(read(stamped.as_bytes().as_bstr())?.is_some_and(|bytes| stamp::read(&bytes) != Stamp::Foreign))
}

/// The finding about a committed file with the name of a derived one. brv's own can be regenerated, so nothing is lost
/// where it is no longer tracked. An archive of another tool is none.
fn committed(path: &BStr, parsed: &TreePath, is_brvs: bool) -> Option<CheckFinding> {
    let of = |message| Finding::of_path(Rule::DerivedFile, path, message, "");
    if is_brvs {
        let finding = of("brv generates this file on each machine");
        return Some(CheckFinding::present(Finding { fix: Some("stop tracking it".to_owned()), ..finding }));
    }
    let finding = of("another tool's file under a derived name; left alone");
    (!path::is_archive_file(parsed))
        .then(|| CheckFinding { severity: Severity::Warning, ..CheckFinding::present(finding) })
}

fn finding(path: &BStr, twin: Option<&BString>) -> Option<Finding> {
    match TreePath::parse(path) {
        Err(why) => Some(Finding::of_path(Rule::Path, path, format!("the path {why}"), "")),
        Ok(_) => twin.map(|twin| {
            let message = format!("the path differs from `{twin}` only in case");
            Finding::of_path(Rule::Path, path, message, "case")
        }),
    }
}
