//! The failure for content that must not be pushed, with the ways out.

use super::escape::escape_line;
use super::{Exit, Failure};
use crate::wire::Finding;

/// The rules that `push --no-verify` passes over.
const OPENED: [&str; 2] = ["BRV001", "BRV003"];

/// The failure for findings that blocked a push; `None` if there are none.
pub fn failure(findings: &[Finding]) -> Option<Failure> {
    let failure = || Failure::new(Exit::Blocked, "push blocked: these files have errors");
    (!findings.is_empty())
        .then(|| failure().detailing(findings.iter().map(line)).hinting(Some(hint(findings))))
}

/// `RULE path:line:column fingerprint message`, then in brackets the commit that has it.
pub(super) fn line(finding: &Finding) -> String {
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

fn hint(findings: &[Finding]) -> &'static str {
    if findings.iter().any(|one| one.rule == "BRV006") {
        "take each secret out of its file and out of the listed commits: `brv vc commit -a --amend` for the last one, \
                 `git rebase --interactive` in the tree for earlier ones; or allow it with \
                 `--allow secret:FINGERPRINT` and a `--reason`"
    } else if findings.iter().any(|one| one.rule == "BRV015") {
        "correct the team's policy or baseline, and put the correction into the listed commit: \
                 `brv vc commit -a --amend` for the last one, `git rebase --interactive` in the tree for earlier ones"
    } else if findings.iter().all(|one| one.is_corrected() && OPENED.contains(&one.rule)) {
        "the files are fixed now, but the listed commits still have the old versions: fix the commits with \
                 `git rebase --interactive` in the tree, or push them anyway with `brv vc push --no-verify`"
    } else {
        "fix the files (`brv vc repair PATH` redoes a merge by line), and put the fix into the listed commits: \
                 `brv vc commit -a --amend` for the last one, `git rebase --interactive` in the tree for earlier ones"
    }
}
