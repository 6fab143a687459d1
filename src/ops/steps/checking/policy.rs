//! The team's policy `brv.yaml`, as a commit has it.

use crate::git::trees::{self, Found};
use crate::git::{self, CommitId, Scope};
use crate::lint::policy::{FILE, Policy};
use crate::lint::{Finding, Severity};

/// The policy of a commit, and what is wrong in the file, each with its weight. Without the file it is the default.
///
/// # Errors
/// Objects that cannot be read.
pub fn at(scope: &Scope, commit: CommitId) -> Result<(Policy, Vec<(Finding, Severity)>), git::Error> {
    let Some(Found::File(version)) = trees::find(scope, scope.tree_of(commit)?, FILE.into())? else {
        return Ok((Policy::default(), Vec::new()));
    };
    let (policy, faults) = Policy::parse(&String::from_utf8_lossy(&trees::blob(scope, version.id)?));
    let at = |(fault, severity): (crate::lint::Fault, Severity)| (fault.at(FILE.into()), severity);
    Ok((policy, faults.into_iter().map(at).collect()))
}
