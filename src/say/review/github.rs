//! Annotations of a pull request: workflow commands, which a runner of GitHub Actions reads from a step's output.
//!
//! A step shows at most ten annotations of each severity. See "Workflow commands for GitHub Actions" in GitHub's
//! documentation; the runner takes a line for a command only if it begins with `::`, and decodes `%25`, `%0D`, `%0A`, and in
//! properties also `%3A` and `%2C`.

use super::order::{findings, is_error};
use super::verdict::{CheckCommands, headline, message};
use super::{at, is_of_tree, title};
use brv_base::escape::escape_line;
use brv_commands::vc::check::{Finding, Outcome as Check};

/// Number of annotations of one severity that a step may have.
const MOST: usize = 10;

/// The commands for the first findings, errors first, then a line with the result. `prefix` is the path of the tree in
/// the repository that runs the workflow, with a slash at its end, or empty.
pub fn annotations(check: &Check, prefix: &str) -> String {
    let count = check.verdict.errors + check.verdict.warnings;
    let result = Result { headline: headline(check), count, command: &CheckCommands::of(check).check };
    commands(&findings(check), &result, prefix)
}

/// The text after the findings.
pub(super) struct Result<'a> {
    pub headline: String,
    /// Number of findings, listed or not.
    pub count: usize,
    /// The command that lists them all.
    pub command: &'a str,
}

/// As [`annotations`], for sorted findings.
pub(super) fn commands(findings: &[&Finding], result: &Result<'_>, prefix: &str) -> String {
    let (errors, warnings): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().copied().partition(|finding| is_error(finding));
    let mut text = String::new();
    for finding in errors.iter().take(MOST).chain(warnings.iter().take(MOST)) {
        text.push_str(&command(finding, prefix));
        text.push('\n');
    }
    text.push_str(&result.headline);
    text.push('\n');
    let shown = errors.len().min(MOST) + warnings.len().min(MOST);
    let more = result.count.saturating_sub(shown);
    if more > 0 {
        text.push_str(&format!("{more} more: {}\n", result.command));
    }
    text
}

/// What only an older commit has gets no place: its line numbers are those of a version that is not shown.
fn command(finding: &Finding, prefix: &str) -> String {
    let mut properties = Vec::new();
    if !is_of_tree(finding) && !finding.is_corrected() {
        properties.push(format!("file={}", property(&at(prefix, finding))));
        properties.push(format!("line={}", finding.line));
        properties.push(format!("col={}", finding.column));
    }
    properties.push(format!("title={}", property(&format!("{} {}", finding.rule, title(finding)))));
    let words = match finding.is_corrected() && !is_of_tree(finding) {
        true => format!("{}:{}: {}", at(prefix, finding), finding.line, message(finding)),
        false => message(finding),
    };
    let severity = if is_error(finding) { "error" } else { "warning" };
    format!("::{severity} {}::{}", properties.join(","), data(&words))
}

fn data(text: &str) -> String {
    escape_line(text.as_bytes()).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{Sampled as _, check, finding, warning};

    #[test]
    fn a_finding_stands_at_its_place_in_the_repository() {
        let found = Finding {
            line: 12,
            column: 5,
            message: "50% of it: a, b\n::error::no".into(),
            ..finding("BRV006", "auth/a,b:c.md")
        };
        let check = check(&[]).finding(vec![found]);
        assert_eq!(
            annotations(&check, ".brv/context-tree/"),
            "::error file=.brv/context-tree/auth/a%2Cb%3Ac.md,line=12,col=5,title=BRV006 secret::50%25 of it: a, b\\n::error::no\nKnowledge check failed: 1 error\n"
        );
    }

    #[test]
    fn only_the_first_ten_of_each_severity_are_shown() {
        let many = |make: fn(&'static str, &str) -> Finding| {
            (0..12).map(move |number| make("BRV004", &format!("{number:02}.md")))
        };
        let check = check(&[]).finding(many(warning).chain(many(finding)).collect());
        let text = annotations(&check, "");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 22, "{text}");
        assert!(lines[..10].iter().all(|line| line.starts_with("::error file=")));
        assert!(lines[10..20].iter().all(|line| line.starts_with("::warning file=")));
        assert_eq!(lines[20], "Knowledge check failed: 12 errors, 12 warnings");
        assert_eq!(lines[21], "4 more: brv vc check 111111111111..222222222222");
    }

    #[test]
    fn a_finding_without_a_line_of_today_has_no_place() {
        let corrected = Finding {
            standing: "corrected",
            commit: Some("3".repeat(40)),
            line: 7,
            ..finding("BRV006", "auth/a.md")
        };
        let check = check(&[]).finding(vec![corrected, finding("BRV009", ".")]);
        assert_eq!(
            annotations(&check, ""),
            "::error title=BRV006 secret::auth/a.md:7: something is wrong (corrected later, but still in commit 3333333)\n::error title=BRV009 mass deletion::something is wrong\nKnowledge check failed: 2 errors\n"
        );
    }
}
