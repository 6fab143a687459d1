//! The findings as a list, errors first.

use super::room::{CommentPart, brief};
use crate::say::page::markdown::paper::Paper;
use crate::say::review::order::{findings, is_error};
use crate::say::review::verdict::standing;
use crate::say::review::{is_of_tree, title};
use brv_commands::vc::check::{Finding, Outcome as Check};

/// Two lines for each finding: what and where, then what can be known and done about it.
pub(super) fn part(check: &Check) -> CommentPart {
    let close = if check.verdict.secrets > 0 {
        "\n> A secret must be replaced at its issuer: a later commit does not remove it from the history.\n"
    } else {
        ""
    };
    CommentPart {
        open: "\n### Findings\n\n".to_owned(),
        rows: findings(check).into_iter().map(row).collect(),
        close: close.to_owned(),
    }
}

fn row(finding: &Finding) -> String {
    let mut paper = Paper::default();
    paper.own("- ").own(sign(finding)).own("**").value(title(finding)).own("** ");
    if is_of_tree(finding) {
        paper.own("in the tree as a whole");
    } else {
        paper.code(format!("{}:{}:{}", finding.path, finding.line, finding.column));
    }
    paper.own(": ");
    quoting(&mut paper, &brief(&finding.message));
    paper.own("  \n  ").value(finding.rule);
    paper.own(" · ").code(&finding.fingerprint);
    if let Some(standing) = standing(finding) {
        paper.own(" · ").value(standing);
    }
    if let Some(fix) = &finding.fix {
        paper.own(" · `--fix`: ");
        quoting(&mut paper, &brief(fix));
    }
    paper.own("\n");
    paper.finish()
}

/// A message in which names stand between backticks. Each piece is escaped for its place, so that a backtick in a name
/// only moves the marks.
fn quoting(paper: &mut Paper, message: &str) {
    for (at, piece) in message.split('`').enumerate().filter(|(_, piece)| !piece.is_empty()) {
        match at % 2 {
            0 => paper.value(piece),
            _ => paper.code(piece),
        };
    }
}

pub(super) fn sign(finding: &Finding) -> &'static str {
    if is_error(finding) { "❌ " } else { "⚠️ " }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{Sampled as _, check, finding, warning};

    fn shown(findings: Vec<Finding>) -> String {
        part(&check(&[]).finding(findings)).fit(10_000).text
    }

    #[test]
    fn a_finding_tells_what_where_and_what_to_do() {
        let found = Finding {
            line: 3,
            column: 9,
            message: "links to `auth/gone.md`, perhaps `auth/*.md".into(),
            fix: Some("link to auth/tokens.md".into()),
            ..warning("BRV004", "auth/a.md")
        };
        assert_eq!(
            shown(vec![found]),
            "\n### Findings\n\n- ⚠️ **broken link** `auth/a.md:3:9`: links to `auth/gone.md`, perhaps `auth/*.md`  \n  BRV004 · `00112233445566ff` · `--fix`: link to auth/tokens.md\n"
        );
    }

    #[test]
    fn a_corrected_secret_is_not_gone() {
        let found = Finding {
            standing: "corrected",
            commit: Some("3a".repeat(20)),
            ..finding("BRV006", "auth/a.md")
        };
        let text = shown(vec![found]);
        assert!(text.contains("· corrected later, but still in commit `3a3a3a3`\n"), "{text}");
        assert!(text.ends_with("\n> A secret must be replaced at its issuer: a later commit does not remove it from the history.\n"));
    }

    #[test]
    fn the_tree_as_a_whole_has_no_line() {
        let text = shown(vec![finding("BRV009", ".")]);
        assert!(
            text.contains("- ❌ **mass deletion** in the tree as a whole: something is wrong  \n"),
            "{text}"
        );
        assert_eq!(shown(Vec::new()), "");
    }
}
