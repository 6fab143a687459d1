//! Where the change comes from: the commits of the range, and what their operations flagged for review.

use super::room::{CommentPart, brief};
use crate::say::page::markdown::paper::Paper;
use crate::say::review::verdict::short;
use crate::say::words::{many, short_operation};
use brv_commands::vc::check::{Flagged, Outcome as Check, RangeCommit};

/// More commits than this are folded.
const FEW: usize = 5;

/// Number of characters of a date that are its day.
const DAY: usize = 10;

/// A line for each path that was flagged.
pub(super) fn flagged(check: &Check) -> CommentPart {
    let rows = check.flagged.iter().map(|Flagged { operation, path, why, reason }| {
        let mut paper = Paper::default();
        paper.own("- 🚩 ").code(path).own(": ").value(brief(why));
        if let Some(reason) = reason {
            paper.own(" — ").value(brief(reason));
        }
        if !operation.is_empty() {
            paper.own(" (operation ").code(short_operation(operation)).own(")");
        }
        paper.own("\n");
        paper.finish()
    });
    CommentPart {
        open: "\n### Flagged for review\n\n".to_owned(),
        rows: rows.collect(),
        close: String::new(),
    }
}

/// A line for each commit, newest first.
pub(super) fn part(check: &Check) -> CommentPart {
    let rows = check.commits.iter().map(row).collect();
    if check.commits.len() <= FEW {
        return CommentPart { open: "\n### Where it comes from\n\n".to_owned(), rows, close: String::new() };
    }
    let mut paper = Paper::default();
    paper.own("\n### Where it comes from\n\n<details>\n<summary>");
    paper.html_value(many(check.commits.len(), "commit", "commits")).own("</summary>\n\n");
    CommentPart { open: paper.finish(), rows, close: "\n</details>\n".to_owned() }
}

fn row(source: &RangeCommit) -> String {
    let mut paper = Paper::default();
    paper.own("- ").code(short(&source.commit)).own(" ").value(brief(&source.subject)).own(" · ");
    paper.value(brief(&source.author)).own(", ").value(source.date.get(..DAY).unwrap_or(&source.date));
    let facts = [
        (" · agent ", source.actor.as_deref()),
        (" · session ", source.session.as_deref()),
        (" · operation ", source.operation.as_deref().map(short_operation)),
        (" · from code at ", source.source_commit.as_deref().map(short)),
        (" by ", source.source_author.as_deref()),
    ];
    for (words, value) in facts {
        if let Some(value) = value {
            paper.own(words).code(brief(value));
        }
    }
    paper.own("\n");
    paper.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{check, commit};

    #[test]
    fn a_commit_tells_who_made_it_how() {
        let mut check = check(&[]);
        check.commits = vec![
            RangeCommit {
                actor: Some("some-agent".into()),
                session: Some("s-1".into()),
                operation: Some("20260301-curate-0a1b2c3d".into()),
                source_commit: Some("9".repeat(40)),
                source_author: Some("Bo".into()),
                ..commit("4", "learn about tokens")
            },
            commit("5", "by hand"),
        ];
        assert_eq!(
            part(&check).fit(10_000).text,
            concat!(
                "\n### Where it comes from\n\n",
                "- `4444444` learn about tokens · Ada, 2026-03-01 · agent `some-agent` · session `s-1` · operation `0a1b2c3d` · from code at `9999999` by `Bo`\n",
                "- `5555555` by hand · Ada, 2026-03-01\n",
            )
        );
    }

    #[test]
    fn many_commits_are_folded() {
        let mut check = check(&[]);
        check.commits = (0..6).map(|_| commit("4", "a")).collect();
        let text = part(&check).fit(10_000).text;
        assert!(text.contains("<details>\n<summary>6 commits</summary>\n\n- `4444444` a"), "{text}");
        assert!(text.ends_with("\n</details>\n"), "{text}");
    }

    #[test]
    fn a_flagged_path_says_why() {
        let mut check = check(&[]);
        let flag = |operation: &str| Flagged {
            operation: operation.into(),
            path: "auth/a.md".into(),
            why: "two sources disagree".into(),
            reason: None,
        };
        let told = Flagged { reason: Some("measured".into()), ..flag("20260301-curate-0a1b2c3d") };
        check.flagged = vec![told, flag("")];
        assert_eq!(
            flagged(&check).fit(10_000).text,
            "\n### Flagged for review\n\n- 🚩 `auth/a.md`: two sources disagree — measured (operation `0a1b2c3d`)\n- 🚩 `auth/a.md`: two sources disagree\n"
        );
    }
}
