//! Findings about paths: derived files that are committed (BRV002), paths that are not portable (BRV013).

use super::found::{Found, Standing};
use super::state::State;
use crate::derive::stamp::{self, Stamp};
use crate::git::history::added_files::{self, Brought};
use crate::git::{self, CommitId, Scope};
use crate::lint::{Finding, Rule};
use crate::ops::steps::cause::Cause;
use crate::ops::steps::remotes::case_collisions::Spellings;
use crate::path::{self, Kind, TreePath};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

/// What is wrong with the paths of a state; `is_touched` says which are looked at.
///
/// # Errors
/// A stub that cannot be read.
pub fn findings(
    scope: &Scope,
    state: &State,
    is_touched: impl Fn(&BStr) -> bool,
) -> Result<Vec<Found>, Cause> {
    let spellings = Spellings::of(state.paths());
    let mut findings = Vec::new();
    for path in state.paths().filter(|path| is_touched(path)) {
        if !is_archive_of_another_tool(scope, state, path)? {
            findings.extend(finding(path, spellings.other(path)));
        }
    }
    Ok(findings.into_iter().map(|finding| Found::present(fixable(finding))).collect())
}

/// Whether a path is an archive that another tool had committed: brv cannot regenerate it, and leaves it alone.
fn is_archive_of_another_tool(scope: &Scope, state: &State, path: &BStr) -> Result<bool, Cause> {
    let original = TreePath::parse(path).ok().filter(path::is_archive_file);
    let original = original.and_then(|path| path::archived_original(path.as_str()));
    let Some(paths) = original.and_then(|path| path::ArchivePaths::of(&path)) else { return Ok(false) };
    let stub = state.read(scope, paths.stub.as_bytes().as_bstr())?;
    Ok(!stub.is_some_and(|stub| stamp::read(&stub) != Stamp::Foreign))
}

/// What is wrong with paths that a commit of the range added and the state no longer has.
///
/// # Errors
/// Commits and trees that cannot be read.
pub fn corrected(
    scope: &Scope,
    (tip, known): (CommitId, &[CommitId]),
    state: &State,
) -> Result<Vec<Found>, git::Error> {
    let mut oldest: BTreeMap<BString, CommitId> = BTreeMap::new();
    for Brought { commit, files } in added_files::between(scope, &[tip], known)? {
        oldest.extend(files.into_iter().map(|(path, _)| (path, commit)));
    }
    oldest.retain(|path, _| !state.has(path.as_ref()));
    let is_archive = |path: &BString| TreePath::parse(path).is_ok_and(|path| path::is_archive_file(&path));
    let found = oldest.into_iter().filter(|(path, _)| !is_archive(path)).filter_map(|(path, commit)| {
        let finding = finding(path.as_ref(), None)?;
        Some(Found { standing: Standing::Corrected, commit: Some(commit), ..Found::present(finding) })
    });
    Ok(found.collect())
}

/// A derived file can be regenerated, so nothing is lost where it is no longer tracked.
fn fixable(finding: Finding) -> Finding {
    let fix = (finding.rule == Rule::DerivedFile).then(|| "stop tracking it".to_owned());
    Finding { fix, ..finding }
}

fn finding(path: &BStr, twin: Option<&BString>) -> Option<Finding> {
    match TreePath::parse(path) {
        Err(why) => Some(Finding::of_path(Rule::Path, path, format!("the path {why}"), "")),
        Ok(parsed) if matches!(parsed.kind(), Kind::Derived(_)) => {
            Some(Finding::of_path(Rule::DerivedFile, path, "brv generates this file on each machine", ""))
        }
        Ok(_) => twin.map(|twin| {
            let message = format!("the path differs from `{twin}` only in case");
            Finding::of_path(Rule::Path, path, message, "case")
        }),
    }
}
