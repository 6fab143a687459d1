//! Samples of checks for the tests of all formats.

use crate::say::page::samples::{Sample, SampleVersions};
use brv_commands::vc::check::{
    ChangedLines, EntryCounts, FactCounts, Finding, Outcome as Check, RangeCommit, TokenChange, Verdict,
};
use brv_engine::read::history::knowledge::ChangeReport;
use brv_engine::read::history::states::Endpoint;
use brv_text::diff::knowledge::{Content, Counts, DisputeState, Knowledge, What};

/// A check of two commits, in which these files changed and nothing was found.
pub(crate) fn check(files: &[SampleVersions<'_>]) -> Check {
    of(Sample::new(files))
}

/// A check of two commits with these changes, in which nothing was found.
pub(in crate::say) fn of(sample: Sample) -> Check {
    let told = sample.told();
    let commit = |digit: &str, name: &str| Endpoint {
        kind: "commit",
        commit: Some(digit.repeat(40)),
        name: Some(name.into()),
    };
    let verdict = verdict(&told);
    Check { verdict, told, ..Check::new(commit("1", "main"), commit("2", "HEAD")) }
}

/// Checks that are made step by step.
pub(crate) trait Sampled {
    /// The same with these findings, which the verdict counts; errors fail it.
    fn finding(self, findings: Vec<Finding>) -> Self;

    /// The same as it is read from its JSON, with the numbers of its lists.
    fn printed(self) -> Self;
}

impl Sampled for Check {
    fn finding(mut self, findings: Vec<Finding>) -> Self {
        let count = |fits: &dyn Fn(&Finding) -> bool| findings.iter().filter(|finding| fits(finding)).count();
        self.verdict.errors = count(&|finding| finding.severity == "error");
        self.verdict.warnings = count(&|finding| finding.severity == "warning");
        self.verdict.secrets = count(&|finding| finding.rule == "BRV006");
        self.fails = self.verdict.errors > 0;
        self.findings = findings;
        self
    }

    fn printed(mut self) -> Self {
        self.entries = self.told.entries.clone();
        self.files = self.told.files.iter().filter_map(ChangedLines::of).collect();
        self.verdict = self.counted();
        let data = serde_json::to_value(&self).unwrap();
        let envelope = serde_json::json!({
            "schema": "brv.vc.check/1", "ok": !self.fails, "data": data, "warnings": [], "next": [],
        });
        Self::read(envelope.to_string().as_bytes(), None).unwrap()
    }
}

fn verdict(told: &ChangeReport) -> Verdict {
    let mut verdict = Verdict::default();
    let (mut counts, mut tokens) = (Counts::default(), TokenChange::default());
    for entry in &told.entries {
        *kind(&mut verdict.entries, &entry.what) += 1;
        if let Content::Knowledge(knowledge) = &entry.content {
            counts += knowledge.counts();
            tokens.before += knowledge.tokens.before;
            tokens.after += knowledge.tokens.after;
            verdict.disputed += disputed(knowledge);
        }
    }
    let facts = counts.facts;
    verdict.facts = FactCounts { added: facts.added, changed: facts.changed, removed: facts.removed };
    verdict.tokens = tokens;
    verdict
}

const fn kind<'c>(counts: &'c mut EntryCounts, what: &What) -> &'c mut usize {
    match what {
        What::Added => &mut counts.added,
        What::Deleted => &mut counts.deleted,
        What::Archived => &mut counts.archived,
        What::Merged => &mut counts.merged,
        What::Modified => &mut counts.modified,
        What::Renamed => &mut counts.renamed,
    }
}

fn disputed(knowledge: &Knowledge) -> usize {
    knowledge.disputes.iter().filter(|dispute| dispute.state != DisputeState::Settled).count()
}

/// An error at the first line of a file.
pub(crate) fn finding(rule: &'static str, path: &str) -> Finding {
    Finding {
        rule,
        severity: "error",
        path: path.into(),
        line: 1,
        column: 1,
        subject: None,
        message: "something is wrong".into(),
        fingerprint: "00112233445566ff".into(),
        standing: "present",
        commit: None,
        fix: None,
    }
}

/// A warning at the first line of a file.
pub(crate) fn warning(rule: &'static str, path: &str) -> Finding {
    Finding { severity: "warning", ..finding(rule, path) }
}

/// A commit by a person, without an agent.
pub(crate) fn commit(digit: &str, subject: &str) -> RangeCommit {
    RangeCommit {
        commit: digit.repeat(40),
        subject: subject.into(),
        author: "Ada".into(),
        date: "2026-03-01T10:00:00+01:00".into(),
        actor: None,
        session: None,
        operation: None,
        source_commit: None,
        source_author: None,
    }
}
