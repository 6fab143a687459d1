//! What a check holds a change to: the policy and the baseline of a team, as two revisions have them.
//!
//! The stricter policy of both holds. Only the base's baseline counts: a change cannot excuse itself.

use super::found::Found;
use super::state::State;
use crate::git::Scope;
use crate::lint::baseline::{self, Baseline};
use crate::lint::policy::{self, Policy};
use crate::lint::{Finding, Rule};
use crate::ops::steps::cause::Cause;
use bstr::{BStr, ByteSlice as _};

/// The policy and the baseline that hold.
#[derive(Debug, Default)]
pub struct Standards {
    /// The stricter of both policies.
    pub policy: Policy,
    /// The findings that the base has on its list.
    pub baseline: Baseline,
    /// What is wrong in the files of the state that is checked: BRV015.
    pub findings: Vec<Found>,
    /// What is wrong in the files of the base, in words.
    pub warnings: Vec<String>,
}

impl Standards {
    /// Read those of a base and of the state that is checked.
    ///
    /// # Errors
    /// Files and blobs that cannot be read.
    pub fn of(scope: &Scope, base: &State, head: &State) -> Result<Self, Cause> {
        let mut standards = Self::default();
        if let Some(bytes) = base.read(scope, policy::FILE.into())? {
            let (policy, faults) = policy_of(bytes);
            standards.policy = policy;
            let wrong = faults.iter().map(|found| &found.finding).map(|fault| {
                format!("`{}` of the base, line {}: {}", policy::FILE, fault.line, fault.message)
            });
            standards.warnings.extend(wrong);
        }
        if let Some(bytes) = head.read(scope, policy::FILE.into())? {
            let (policy, faults) = policy_of(bytes);
            standards.policy = standards.policy.stricter(&policy);
            standards.findings = faults;
        }
        if let Some(bytes) = base.read(scope, baseline::FILE.into())? {
            match Baseline::parse(&bytes) {
                Ok(baseline) => standards.baseline = baseline,
                Err(error) => {
                    standards.warnings.push(format!("of the base, {error}; no finding is left out"))
                }
            }
        }
        if let Some(bytes) = head.read(scope, baseline::FILE.into())?
            && let Err(error) = Baseline::parse(&bytes)
        {
            let path: &BStr = baseline::FILE.into();
            standards.findings.push(Found::present(Finding::of_path(
                Rule::Policy,
                path,
                error.to_string(),
                "baseline",
            )));
        }
        Ok(standards)
    }
}

fn policy_of(bytes: Vec<u8>) -> (Policy, Vec<Found>) {
    let (policy, faults) = Policy::parse(&bytes.to_str_lossy());
    let found = faults
        .into_iter()
        .map(|(fault, severity)| Found { severity, ..Found::present(fault.at(policy::FILE.into())) });
    (policy, found.collect())
}
