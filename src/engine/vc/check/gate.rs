//! Decide what stops a push: secrets, conflict markers and invalid frontmatter in any outgoing commit, a secret in the
//! name of a ref, what the team's policy adds, and a policy that cannot be read. What the baseline at the remote has is
//! excused.

use super::standards::{self, Standards};
use super::{CheckFinding, CheckedContent, blocking, names, range};
use crate::Stop;
use crate::open::context::Opened;
use crate::review::{self, Judged, ReviewRow};
use crate::write::overriding::{Allowed, Guard};
use brv_git as git;
use brv_git::push::{KnownRef, Leaving};
use brv_git::{CommitId, Scope, history};
use brv_text::lint::baseline::LintBaseline;
use brv_text::lint::policy::Policy;
use brv_text::lint::{Fault, Finding, Rule, Severity};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// What the user lets pass.
#[derive(Clone, Copy)]
pub struct PushGate<'a> {
    /// The tree that is pushed.
    pub opened: &'a Opened,
    pub allowed: &'a Allowed,
    /// Whether conflict markers and invalid frontmatter stop the push.
    pub verify: Verify,
}

/// Whether conflict markers and invalid frontmatter stop a push. Secrets, and what a policy adds, always do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verify {
    #[default]
    Content,
    /// They do not (`--no-verify`).
    Nothing,
}

/// What was found in the outgoing commits.
#[derive(Debug, Default)]
pub struct PushVerdict {
    pub stopped: Vec<CheckFinding>,
    /// Changes that nobody has reviewed.
    pub unreviewed: Unreviewed,
    /// The guards that were met and are overridden.
    pub opened: Vec<Guard>,
}

/// Changes that leave though nobody has reviewed them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unreviewed {
    /// The changes of the push that nobody has reviewed.
    #[serde(rename = "pending", skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<ReviewRow>,
    /// Whether they stop the push; else they are only a warning.
    #[serde(skip)]
    pub stops: bool,
}

impl PushVerdict {
    /// Whether nothing may be sent.
    pub const fn stops(&self) -> bool {
        !self.stopped.is_empty() || self.unreviewed.stops
    }
}

impl PushGate<'_> {
    /// Judge the commits that leave, without those that are reachable from `known`. The strictest policy holds of those
    /// that the refs have here and at the remote, and the baselines at the remote excuse what they have.
    pub fn judge(self, leaving: &[Leaving], known: &[KnownRef]) -> Result<PushVerdict, Stop> {
        let scope = &self.opened.scope;
        let refs = known;
        let mut known: Vec<CommitId> = refs.iter().map(|one| one.commit).collect();
        known.sort_unstable();
        known.dedup();
        let known = known.as_slice();
        let mut held = PushRules::to(scope, leaving, known)?;
        let (policy, mut found) = (&held.policy, std::mem::take(&mut held.broken));
        let tips: Vec<CommitId> = leaving.iter().map(|one| one.tip).collect();
        let verify = self.verify;
        let judge = |content: CheckedContent, bytes: Vec<u8>| verify.faults(policy, content, bytes);
        let named = leaving.iter().flat_map(|one| names::reference(one.to.as_bstr()));
        for one in range::check(scope, &tips, known, &judge)?.into_iter().chain(named) {
            if !held.excuses(&one) {
                found.push(CheckFinding { severity: policy.severity_of(one.finding.rule), ..one });
            }
        }
        let judged = review::judge(self.opened, leaving, refs, policy.review)?;
        let mut verdict = PushVerdict::default();
        self.review(judged, &mut verdict);
        for one in found {
            match guard(&one).filter(|guard| self.allowed.lets(*guard)) {
                Some(guard) => verdict.opened.push(guard),
                None => verdict.stopped.push(one),
            }
        }
        Ok(verdict)
    }

    fn review(self, Judged { pending, stops }: Judged, verdict: &mut PushVerdict) {
        match stops && self.allowed.lets(Guard::Review) {
            true => verdict.opened.push(Guard::Review),
            false => verdict.unreviewed = Unreviewed { rows: pending, stops },
        }
    }
}

impl Verify {
    fn faults(self, policy: &Policy, content: CheckedContent, bytes: Vec<u8>) -> Vec<Fault> {
        let mut faults = match policy.block_on {
            Some(_) => content.faults(bytes, policy.max_bytes),
            None => blocking(content, bytes),
        };
        faults.retain(|fault| policy.stops_push(fault.rule) && !self.passes(fault.rule));
        faults
    }

    fn passes(self, rule: Rule) -> bool {
        self == Self::Nothing && matches!(rule, Rule::ConflictMarker | Rule::Frontmatter)
    }
}

/// The guard that a finding is behind, if it is a secret.
pub fn guard(found: &CheckFinding) -> Option<Guard> {
    let finding = &found.finding;
    (finding.rule == Rule::Secret).then_some(Guard::Secret(finding.fingerprint))
}

/// What the outgoing commits are held to.
#[derive(Default)]
struct PushRules {
    policy: Policy,
    /// The baseline of each branch as the remote has it.
    baselines: Vec<LintBaseline>,
    /// Errors in policies and baselines of commits that the remote lacks.
    broken: Vec<CheckFinding>,
}

impl PushRules {
    fn to(scope: &Scope, leaving: &[Leaving], known: &[CommitId]) -> Result<Self, git::Error> {
        let mut held = Self::default();
        for Leaving { tip, there, .. } in leaving {
            let standards = Standards::of(standards::at(scope, *there), standards::at(scope, Some(*tip)))?;
            held.policy = held.policy.stricter(&standards.policy);
            let mut errors = standards.findings;
            errors.retain(|found| {
                let is_known = held.has(&found.finding) || standards.baseline.has(&found.finding);
                found.severity == Severity::Error && !is_known
            });
            held.baselines.push(standards.baseline);
            if !errors.is_empty() && !history::between(scope, &[*tip], known)?.is_empty() {
                held.broken
                    .extend(errors.into_iter().map(|found| CheckFinding { commit: Some(*tip), ..found }));
            }
        }
        Ok(held)
    }

    fn has(&self, finding: &Finding) -> bool {
        self.broken.iter().any(|other| other.finding == *finding)
    }

    /// Whether every branch has the finding on its list.
    fn excuses(&self, found: &CheckFinding) -> bool {
        self.baselines.iter().all(|baseline| baseline.has(&found.finding))
    }
}
