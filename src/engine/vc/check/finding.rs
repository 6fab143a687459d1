//! A finding with its weight, and where in the history it is.

use brv_base::sorting;
use brv_git::CommitId;
use brv_text::lint::{Finding, Severity};

/// A finding, as commands report it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFinding {
    /// What is wrong, and where.
    pub finding: Finding,
    /// How much it weighs here: a policy may raise what the rule says.
    pub severity: Severity,
    /// Whether the newest state still has it.
    pub standing: FindingStanding,
    /// The oldest commit of the range that has it, if it was found in a commit.
    pub commit: Option<CommitId>,
}

/// Whether the newest state still has a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingStanding {
    Present,
    /// A later commit changed or removed the file.
    Corrected,
}

impl CheckFinding {
    /// A finding that stands, as much as its rule says.
    pub fn present(finding: Finding) -> Self {
        let severity = finding.rule.severity();
        Self { finding, severity, standing: FindingStanding::Present, commit: None }
    }

    /// By path and place; findings of one place by rule.
    pub fn sort(found: &mut [Self]) {
        sorting::sort_by(found, |a, b| a.key().cmp(&b.key()));
    }

    fn key(&self) -> (&[u8], usize, usize, brv_text::lint::Rule, brv_text::lint::Fingerprint) {
        let Finding { path, line, column, rule, fingerprint, .. } = &self.finding;
        (path, *line, *column, *rule, *fingerprint)
    }
}
