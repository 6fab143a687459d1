//! Worst first: the order of findings, and of entries by the risk that a change of them brings.

use crate::say::page::{Item, Page, PageFront};
use brv_base::sorting;
use brv_commands::vc::check::{Finding, Outcome as Check};
use brv_text::diff::knowledge::{Content, DisputeState, Entry, What};
use brv_text::lint::Rule;
use bstr::ByteSlice as _;
use std::collections::BTreeMap;

/// With this many facts changed or removed an entry says something else than before.
const MANY: usize = 3;

/// The findings: errors before warnings, secrets before other errors, then by path and place.
pub fn findings(check: &Check) -> Vec<&Finding> {
    sorted(&check.findings)
}

/// As [`findings`].
pub(super) fn sorted(findings: &[Finding]) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = findings.iter().collect();
    sorting::sort_by_key(&mut findings, |finding| {
        (!is_error(finding), !is_secret(finding), &finding.path, finding.line, finding.column, finding.rule)
    });
    findings
}

pub fn is_error(finding: &Finding) -> bool {
    finding.severity == "error"
}

pub fn is_secret(finding: &Finding) -> bool {
    finding.rule == Rule::Secret.id()
}

/// What a reviewer should look at, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Risk {
    /// Nothing it says changed.
    FormOnly,
    New,
    Changed,
    /// Archived or merged into another entry, or at least [`MANY`] of its facts were changed or removed.
    Many,
    Disputed,
    Deleted,
    /// It has a warning; a change of a pinned entry is one.
    Warning,
    Error,
}

impl Risk {
    fn of(item: &Item<'_>, findings: &[&Finding]) -> Self {
        let counts = item.knowledge().map(|knowledge| knowledge.counts().facts).unwrap_or_default();
        match item.entry.what {
            _ if findings.iter().any(|finding| is_error(finding)) => Self::Error,
            _ if !findings.is_empty() => Self::Warning,
            What::Deleted => Self::Deleted,
            _ if is_disputed(item.entry) => Self::Disputed,
            What::Merged | What::Archived => Self::Many,
            What::Added => Self::New,
            _ if counts.changed + counts.removed >= MANY => Self::Many,
            _ if item.differs_in_form_only() => Self::FormOnly,
            What::Modified | What::Renamed => Self::Changed,
        }
    }
}

/// Whether the change leaves a subject of the entry disputed.
pub(super) fn is_disputed(entry: &Entry) -> bool {
    let Content::Knowledge(knowledge) = &entry.content else { return false };
    knowledge.disputes.iter().any(|dispute| dispute.state != DisputeState::Settled)
}

/// A changed entry, with what was found in it.
pub(super) struct Ranked<'a> {
    pub(super) item: Item<'a>,
    pub(super) risk: Risk,
    pub(super) findings: Vec<&'a Finding>,
}

/// The changed entries of a domain: of a top folder, or of the root.
pub(super) struct DomainEntries<'a> {
    pub(super) name: &'a [u8],
    /// The risky ones first, then by path.
    pub(super) entries: Vec<Ranked<'a>>,
}

/// The changed entries by domain; the domain with the worst entry first, then by name.
pub(super) fn domains(check: &Check) -> Vec<DomainEntries<'_>> {
    let mut by_path: BTreeMap<&[u8], Vec<&Finding>> = BTreeMap::new();
    for finding in findings(check) {
        by_path.entry(finding.path.as_bytes()).or_default().push(finding);
    }
    let mut domains: BTreeMap<&[u8], Vec<Ranked<'_>>> = BTreeMap::new();
    let front = PageFront::between(&check.before, &check.after);
    for item in Page::new(front, &check.told.entries, &check.told.files, &[]).items {
        let ranked = ranked(item, &by_path);
        domains.entry(domain(item.path())).or_default().push(ranked);
    }
    let mut domains: Vec<DomainEntries<'_>> =
        domains.into_iter().map(|(name, entries)| DomainEntries { name, entries }).collect();
    for domain in &mut domains {
        sorting::sort_by(&mut domain.entries, |a, b| {
            b.risk.cmp(&a.risk).then_with(|| a.item.path().cmp(b.item.path()))
        });
    }
    sorting::sort_by_key(&mut domains, |domain| {
        std::cmp::Reverse(domain.entries.first().map(|entry| entry.risk))
    });
    domains
}

fn ranked<'a>(item: Item<'a>, by_path: &BTreeMap<&[u8], Vec<&'a Finding>>) -> Ranked<'a> {
    let places = [&item.entry.after, &item.entry.before];
    let mut paths: Vec<&[u8]> = places.into_iter().flatten().map(|place| place.path.as_slice()).collect();
    paths.dedup();
    let findings: Vec<&Finding> =
        paths.iter().filter_map(|path| by_path.get(path)).flatten().copied().collect();
    Ranked { risk: Risk::of(&item, &findings), item, findings }
}

/// `auth` for `auth/jwt/tokens.md`; empty for a file at the root.
fn domain(path: &[u8]) -> &[u8] {
    path.find_byte(b'/').map_or(b"", |end| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{check, finding, warning};

    #[test]
    fn errors_stand_before_warnings_and_secrets_before_all() {
        let mut check = check(&[]);
        check.findings = vec![
            warning("BRV004", "a.md"),
            finding("BRV001", "a.md"),
            finding("BRV006", "z.md"),
            finding("BRV008", "b.md"),
        ];
        let order: Vec<&str> = findings(&check).iter().map(|finding| finding.rule).collect();
        assert_eq!(order, ["BRV006", "BRV001", "BRV008", "BRV004"]);
    }

    #[test]
    fn the_risky_come_first_in_a_domain_and_among_domains() {
        let facts = |value: &str| {
            format!("# T\n\n## Facts\n\n- **a**: {value} one\n- **b**: {value} two\n- **c**: {value} three\n")
        };
        let (old, new) = (facts("old words"), facts("new words"));
        let disputed = "# T\n\n## Facts\n\n- **a**: one thing\n- **a**: another thing\n";
        let mut check = check(&[
            ("a/new.md", None, Some("# N\n")),
            ("a/form.md", Some("x\ny\n"), Some("x y\n")),
            ("a/some.md", Some("# Old\n"), Some("# New\n")),
            ("b/gone.md", Some("# G\n"), None),
            ("b/many.md", Some(&old), Some(&new)),
            ("b/two.md", Some("# T\n\n## Facts\n\n- **a**: one thing\n"), Some(disputed)),
            ("c/wrong.md", Some("# W\n"), Some("# X\n")),
            ("c/worst.md", None, Some("# X\n")),
            ("top.md", None, Some("# Top\n")),
        ]);
        check.findings = vec![finding("BRV008", "c/worst.md"), warning("BRV010", "c/wrong.md")];
        let order: Vec<(String, Vec<Risk>)> = domains(&check)
            .into_iter()
            .map(|domain| {
                (domain.name.to_str_lossy().into(), domain.entries.iter().map(|entry| entry.risk).collect())
            })
            .collect();
        let expected = [
            ("c", vec![Risk::Error, Risk::Warning]),
            ("b", vec![Risk::Deleted, Risk::Disputed, Risk::Many]),
            ("a", vec![Risk::Changed, Risk::New, Risk::FormOnly]),
            ("", vec![Risk::New]),
        ];
        assert_eq!(order, expected.map(|(name, risks)| (name.to_owned(), risks)));
    }
}
