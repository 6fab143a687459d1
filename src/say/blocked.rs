//! The failure for content that must not be pushed, with the ways out.

use super::Failure;
use crate::say::words::many;
use brv_base::escape::escape_line;
use brv_commands::vc::check::Finding;
use brv_engine::review::ReviewRow;
use brv_engine::vc::check::gate::Unreviewed;
use brv_engine::{Context, FailureKind};

/// The rules that `push --no-verify` passes over.
const OPENED: [&str; 2] = ["BRV001", "BRV003"];

/// Who reads the ways out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Person,
    /// A model: what passes over a check is a person's to decide.
    Agent,
}

impl Reader {
    pub fn of(cx: &Context<'_>) -> Self {
        if cx.is_by_agent() { Self::Agent } else { Self::Person }
    }
}

/// The failure for what blocked a push: findings, and changes that nobody has reviewed; `None` if nothing did.
pub fn failure(findings: &[Finding], unreviewed: &Unreviewed, reader: Reader) -> Option<Failure> {
    let waiting = if unreviewed.stops { unreviewed.rows.as_slice() } else { &[] };
    let details = findings.iter().map(line).chain(waiting.iter().map(row));
    let failure = |message: String| Some(Failure::new(FailureKind::Blocked, message).detailing(details));
    match (findings.is_empty(), waiting.len()) {
        (true, 0) => None,
        (true, count) => {
            let changes = many(count, "change waits", "changes wait");
            failure(format!("push blocked: {changes} for review"))?.hinting(Some(review(reader))).into()
        }
        (false, _) => failure("push blocked: these files have errors".to_owned())?
            .hinting(Some(hint(findings, reader)))
            .into(),
    }
}

/// What helps where changes wait for review.
const fn review(reader: Reader) -> &'static str {
    match reader {
        Reader::Person => {
            "see them with `brv review show ID`, then `brv review approve ID` or `brv review reject ID`; or push them as \
             they are with `brv vc push --allow review --reason TEXT`"
        }
        Reader::Agent => {
            "ask a person to review them: `brv review show ID` shows a change, `brv review approve ID` and `brv review reject \
             ID` decide"
        }
    }
}

/// `ID line (why)`
pub fn row(row: &ReviewRow) -> String {
    let (line, why) = (escape_line(row.line.as_bytes()), row.why.join(", "));
    format!("{} {line} ({})", row.id, escape_line(why.as_bytes()))
}

/// A warning for each change that leaves without a review; beyond a limit they are only counted.
pub fn warnings(unreviewed: &Unreviewed) -> Vec<String> {
    const NAMED: usize = 10;
    if unreviewed.stops {
        return Vec::new();
    }
    let line = |one: &ReviewRow| format!("not reviewed: {}", row(one));
    let more = unreviewed.rows.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {} not reviewed", many(more, "more change", "more changes")));
    unreviewed.rows.iter().take(NAMED).map(line).chain(more).collect()
}

/// `RULE path:line:column fingerprint message`, then in brackets the commit that has it.
pub fn line(finding: &Finding) -> String {
    let later = if finding.is_corrected() { ", corrected later" } else { "" };
    let commit = finding.commit.as_ref().map(|commit| format!(" (commit {}{later})", &commit[..7]));
    format!(
        "{} {}:{}:{} {} {}{}",
        finding.rule,
        escape_line(finding.path.as_bytes()),
        finding.line,
        finding.column,
        finding.fingerprint,
        escape_line(finding.message.as_bytes()),
        commit.unwrap_or_default(),
    )
}

fn hint(findings: &[Finding], reader: Reader) -> String {
    let (ways, over) = ways(findings);
    match (reader, over) {
        (_, None) => ways.to_owned(),
        (Reader::Person, Some(over)) => format!("{ways}; or {over}"),
        (Reader::Agent, Some(_)) => format!("{ways}; if it must go as it is, ask a person"),
    }
}

/// What to do about findings, and what passes over them.
fn ways(findings: &[Finding]) -> (&'static str, Option<&'static str>) {
    const ALLOW: &str = "allow it with `--allow secret:FINGERPRINT` and a `--reason`";
    let is_name = |one: &Finding| one.commit.is_none() && one.path == "." && one.rule == "BRV006";
    if !findings.is_empty() && findings.iter().all(is_name) {
        ("give the branch or tag another name (`brv vc branch -m NAME`)", Some(ALLOW))
    } else if findings.iter().any(|one| one.rule == "BRV006") {
        (
            "remove each secret from its file, path or message in the commits listed: `brv vc commit -a --amend` for the last \
             one, `git rebase --interactive` in the tree for earlier ones",
            Some(ALLOW),
        )
    } else if findings.iter().any(|one| one.rule == "BRV015") {
        (
            "correct the team's policy or baseline, and put the correction into the listed commit: `brv vc commit -a --amend` \
             for the last one, `git rebase --interactive` in the tree for earlier ones",
            None,
        )
    } else if findings.iter().all(|one| one.is_corrected() && OPENED.contains(&one.rule)) {
        (
            "the files are fixed now, but the listed commits still have the old versions: fix the commits with `git rebase \
             --interactive` in the tree",
            Some("push them anyway with `brv vc push --no-verify`"),
        )
    } else {
        (
            "fix the files (`brv vc repair PATH` redoes a merge by line), and put the fix into the listed commits: `brv vc \
             commit -a --amend` for the last one, `git rebase --interactive` in the tree for earlier ones",
            None,
        )
    }
}
