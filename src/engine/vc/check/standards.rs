//! What a change is held to: the policy and the baseline of a team, as two revisions have them.
//!
//! The stricter policy of both holds. Only the base's baseline counts: a change cannot excuse itself.

use crate::vc::check::finding::CheckFinding;
use brv_git as git;
use brv_git::trees;
use brv_git::{CommitId, Scope};
use brv_text::lint::baseline::{self, LintBaseline};
use brv_text::lint::policy::{self, FailOn, Policy};
use brv_text::lint::{Fault, Rule, secrets};
use bstr::{BStr, ByteSlice as _};

/// The policy and the baseline that hold.
#[derive(Debug, Default)]
pub struct Standards {
    pub policy: Policy,
    /// From which weight on a check fails, if a policy says it; a policy without it means errors.
    pub fail_on: Option<FailOn>,
    /// The findings that the base has on its list.
    pub baseline: LintBaseline,
    /// What is wrong in the files of the state that is checked: BRV015.
    pub findings: Vec<CheckFinding>,
    /// What is wrong in the files of the base, in words.
    pub warnings: Vec<String>,
}

impl Standards {
    /// The standards of a base and of the state that is checked, each given by what reads its files.
    ///
    /// # Errors
    /// The errors of `base` and `head`.
    pub fn of<E>(
        base: impl Fn(&BStr) -> Result<Option<Vec<u8>>, E>,
        head: impl Fn(&BStr) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Self, E> {
        let mut standards = Self::default();
        if let Some(bytes) = base(policy::FILE.into())? {
            let (policy, faults) = policy_of(&bytes);
            standards.policy = policy;
            let wrong = faults.iter().map(|found| &found.finding).map(|fault| {
                format!("`{}` of the base, line {}: {}", policy::FILE, fault.line, fault.message)
            });
            standards.warnings.extend(wrong);
        }
        if let Some(bytes) = head(policy::FILE.into())? {
            let (policy, faults) = policy_of(&bytes);
            standards.fail_on = fail_on(standards.policy.fail_on, policy.fail_on);
            standards.policy = standards.policy.stricter(&policy);
            standards.findings = faults;
        } else {
            standards.fail_on = fail_on(standards.policy.fail_on, None);
        }
        if let Some(bytes) = base(baseline::FILE.into())? {
            match LintBaseline::parse(&bytes) {
                Ok(baseline) => standards.baseline = baseline,
                Err(error) => standards.warnings.push(format!("{error}, so the base excuses nothing")),
            }
        }
        if let Some(bytes) = head(baseline::FILE.into())?
            && let Err(error) = LintBaseline::parse(&bytes)
        {
            let fault = Fault::about_subject(Rule::Policy, error.place(), error.to_string(), "baseline");
            standards.findings.push(CheckFinding::present(fault.at(baseline::FILE.into())));
        }
        standards.warnings.iter_mut().for_each(|warning| *warning = secrets::masked(warning).into_owned());
        Ok(standards)
    }
}

/// The stricter of two, if one of them is set.
fn fail_on(base: Option<FailOn>, head: Option<FailOn>) -> Option<FailOn> {
    let said = |one: Option<FailOn>| one.unwrap_or(FailOn::Error);
    base.or(head).map(|_| said(base).max(said(head)))
}

/// Reads single files of a commit; without a commit there are none.
pub fn at(scope: &Scope, commit: Option<CommitId>) -> impl Fn(&BStr) -> Result<Option<Vec<u8>>, git::Error> {
    move |path| {
        let Some(commit) = commit else { return Ok(None) };
        trees::file_bytes(scope, scope.tree_of(commit)?, path)
    }
}

fn policy_of(bytes: &[u8]) -> (Policy, Vec<CheckFinding>) {
    let (policy, faults) = Policy::parse(&bytes.to_str_lossy());
    let found = faults.into_iter().map(|(fault, severity)| CheckFinding {
        severity,
        ..CheckFinding::present(fault.at(policy::FILE.into()))
    });
    (policy, found.collect())
}
