//! A code quality report, as GitLab reads it from the artifact `codequality` of a job.
//!
//! See "Code Quality report format" in GitLab's documentation: a JSON array, in which every fingerprint stands once.

use super::order::{findings, is_error, is_secret};
use super::verdict::message;
use super::{at, json, title};
use brv_commands::vc::check::{Finding, Outcome as Check};
use serde::Serialize;
use std::collections::HashMap;

#[derive(Serialize)]
struct GitlabIssue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: GitlabLines,
}

#[derive(Serialize)]
struct GitlabLines {
    begin: usize,
}

/// The findings, the worst first. `prefix` is the path of the tree in the project, with a slash at its end, or empty.
pub fn code_quality(check: &Check, prefix: &str) -> String {
    report(&findings(check), prefix)
}

/// As [`code_quality`], for sorted findings.
pub(super) fn report(findings: &[&Finding], prefix: &str) -> String {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut rows = Vec::new();
    for finding in findings.iter().copied() {
        let times = seen.entry(&finding.fingerprint).or_default();
        *times += 1;
        rows.push(GitlabIssue {
            description: format!("{}: {}", title(finding), message(finding)),
            check_name: finding.rule,
            fingerprint: fingerprint(finding, *times),
            severity: severity(finding),
            location: Location { path: at(prefix, finding), lines: GitlabLines { begin: finding.line } },
        });
    }
    json(&rows)
}

/// The finding's own fingerprint, which a text that is wrong twice in a file has twice: the second finding gets `-2` at its
/// end, counted from the top of the file. That number stays while lines move, and all others stay when the last is gone.
fn fingerprint(finding: &Finding, times: usize) -> String {
    match times {
        1 => finding.fingerprint.clone(),
        times => format!("{}-{times}", finding.fingerprint),
    }
}

/// On GitLab's scale of `info`, `minor`, `major`, `critical` and `blocker`: a secret must not be merged by anybody, and
/// other errors not as they are.
fn severity(finding: &Finding) -> &'static str {
    match is_error(finding) {
        true if is_secret(finding) => "blocker",
        true => "major",
        false => "minor",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{Sampled as _, check, finding, warning};
    use serde_json::{Value, json};

    fn rows(findings: Vec<Finding>, prefix: &str) -> Value {
        serde_json::from_str(&code_quality(&check(&[]).finding(findings), prefix)).unwrap()
    }

    #[test]
    fn a_row_has_what_gitlab_asks_for() {
        let found = Finding { line: 12, ..finding("BRV006", "auth/a.md") };
        assert_eq!(
            rows(vec![found], "notes/"),
            json!([{
                "description": "secret: something is wrong",
                "check_name": "BRV006",
                "fingerprint": "00112233445566ff",
                "severity": "blocker",
                "location": {"path": "notes/auth/a.md", "lines": {"begin": 12}},
            }])
        );
        assert_eq!(code_quality(&check(&[]), ""), "[]\n");
    }

    #[test]
    fn severities_are_on_the_scale_of_gitlab() {
        let rows = rows(vec![finding("BRV001", "a.md"), warning("BRV004", "a.md")], "");
        assert_eq!([&rows[0]["severity"], &rows[1]["severity"]], ["major", "minor"]);
    }

    #[test]
    fn a_fingerprint_stands_once_and_stays_while_lines_move() {
        let at = |line: usize| Finding { line, ..finding("BRV008", "a.md") };
        let prints = |lines: [usize; 3]| {
            let rows = rows(lines.into_iter().map(at).collect(), "");
            [0, 1, 2].map(|row: usize| rows[row]["fingerprint"].as_str().unwrap().to_owned())
        };
        assert_eq!(prints([3, 9, 12]), ["00112233445566ff", "00112233445566ff-2", "00112233445566ff-3"]);
        assert_eq!(prints([3, 9, 12]), prints([4, 10, 40]));
    }

    #[test]
    fn the_tree_as_a_whole_has_the_path_of_its_folder() {
        assert_eq!(rows(vec![finding("BRV009", ".")], "")[0]["location"]["path"], ".");
        assert_eq!(rows(vec![finding("BRV009", ".")], "t/")[0]["location"]["path"], "t/");
    }
}
