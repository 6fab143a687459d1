//! Decide what stops a push: secrets, conflict markers and invalid frontmatter in any outgoing commit, what the team's
//! policy adds, and a policy that cannot be read.

use super::{Content, Found, blocking, policy, range};
use crate::doc::Document;
use crate::git::push::Leaving;
use crate::git::{self, CommitId, Scope, history};
use crate::lint::policy::Policy;
use crate::lint::{self, Fault, Finding, Rule, Severity};
use crate::ops::steps::overriding::{Allowed, Guard};

/// What the user lets pass.
#[derive(Debug, Clone, Copy)]
pub struct Gate<'a> {
    /// The allowed secrets.
    pub allowed: &'a Allowed,
    /// Whether conflict markers and invalid frontmatter stop the push.
    pub verify: Verify,
}

/// Whether conflict markers and invalid frontmatter stop a push. Secrets, and what a policy adds, always do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verify {
    /// They do.
    #[default]
    Content,
    /// They do not (`--no-verify`).
    Nothing,
}

/// What was found in the outgoing commits.
#[derive(Debug, Default)]
pub struct Verdict {
    /// What stops the push.
    pub stopped: Vec<Found>,
    /// The secrets that were found and are allowed.
    pub opened: Vec<Guard>,
}

impl Gate<'_> {
    /// Judge the commits that leave, without those that are reachable from `known`. The strictest policy holds of those
    /// that the refs have here and at the remote.
    ///
    /// # Errors
    /// Objects that cannot be read.
    pub fn judge(
        self,
        scope: &Scope,
        leaving: &[Leaving],
        known: &[CommitId],
    ) -> Result<Verdict, git::Error> {
        let (policy, mut found) = policies(scope, leaving, known)?;
        let tips: Vec<CommitId> = leaving.iter().map(|one| one.tip).collect();
        let judge = |content: Content, bytes: Vec<u8>| self.faults(&policy, content, bytes);
        for one in range::check(scope, &tips, known, &judge)? {
            found.push(Found { severity: policy.severity_of(one.finding.rule), ..one });
        }
        let mut verdict = Verdict::default();
        for one in found {
            match guard(&one).filter(|guard| self.allowed.lets(*guard)) {
                Some(guard) => verdict.opened.push(guard),
                None => verdict.stopped.push(one),
            }
        }
        Ok(verdict)
    }

    fn faults(self, policy: &Policy, content: Content, bytes: Vec<u8>) -> Vec<Fault> {
        let mut faults = match (content, policy.block_on) {
            (Content::Curated, Some(_)) => lint::faults(&Document::parse(bytes), policy.max_bytes),
            _ => blocking(content, bytes),
        };
        faults.retain(|fault| policy.stops_push(fault.rule) && !self.passes(fault.rule));
        faults
    }

    fn passes(self, rule: Rule) -> bool {
        self.verify == Verify::Nothing && matches!(rule, Rule::ConflictMarker | Rule::Frontmatter)
    }
}

/// The guard that a finding is behind, if it is a secret.
#[must_use]
pub fn guard(found: &Found) -> Option<Guard> {
    let finding = &found.finding;
    (finding.rule == Rule::Secret).then_some(Guard::Secret(finding.fingerprint))
}

/// The strictest of all policies, and the errors in those of commits that the remote lacks.
fn policies(
    scope: &Scope,
    leaving: &[Leaving],
    known: &[CommitId],
) -> Result<(Policy, Vec<Found>), git::Error> {
    let mut strictest = Policy::default();
    let mut broken: Vec<Found> = Vec::new();
    for Leaving { tip, there } in leaving {
        let (policy, faults) = policy::at(scope, *tip)?;
        strictest = strictest.stricter(&policy);
        let errors = faults.into_iter().filter(|(_, severity)| *severity == Severity::Error);
        let is_new = |finding: &Finding| broken.iter().all(|other| other.finding != *finding);
        let errors: Vec<Finding> = errors.map(|(finding, _)| finding).filter(is_new).collect();
        if !errors.is_empty() && !history::between(scope, &[*tip], known)?.is_empty() {
            let at = |finding| Found { commit: Some(*tip), ..Found::present(finding) };
            broken.extend(errors.into_iter().map(at));
        }
        if let Some(there) = there {
            strictest = strictest.stricter(&policy::at(scope, *there)?.0);
        }
    }
    Ok((strictest, broken))
}
