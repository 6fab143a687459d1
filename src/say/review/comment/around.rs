//! What the change does to the entries around it: links, disputes, and entries that cite what changed.

use super::room::{CommentPart, brief};
use crate::say::knowledge;
use crate::say::page::markdown::paper::Paper;
use crate::say::words::many;
use brv_commands::vc::check::{BrokenLink, Cited, Outcome as Check};
use brv_text::diff::knowledge::{Content, DisputeChange, DisputeState, Entry};

/// Number of citing entries, or of statements, that are listed.
const LISTED: usize = 3;

/// A line for each: disputes, broken links, cited entries, mended links.
pub(super) fn part(check: &Check) -> CommentPart {
    let around = &check.consequences;
    let disputes = check
        .told
        .entries
        .iter()
        .flat_map(|entry| disputes(entry).iter().map(move |one| dispute(entry, one)));
    let rows = disputes
        .chain(around.broken.iter().map(|found| link("- ⚠️ broken link: ", found)))
        .chain(around.cited.iter().map(cited))
        .chain(around.mended.iter().map(|found| link("- ✅ link works now: ", found)));
    CommentPart { open: "\n### Consequences\n\n".to_owned(), rows: rows.collect(), close: String::new() }
}

fn disputes(entry: &Entry) -> &[DisputeChange] {
    match &entry.content {
        Content::Knowledge(knowledge) => &knowledge.disputes,
        Content::Lines(_) => &[],
    }
}

fn dispute(entry: &Entry, dispute: &DisputeChange) -> String {
    let mut paper = Paper::default();
    paper.own(match dispute.state {
        DisputeState::Settled => "- ✅ ",
        _ => "- ⚠️ ",
    });
    paper.code(brief(&dispute.subject)).own(" ").value(knowledge::dispute(dispute));
    if let Some(place) = knowledge::place(entry) {
        paper.own(" in ").code(&place.path);
    }
    for (number, statement) in dispute.statements.iter().take(LISTED).enumerate() {
        paper.own(if number == 0 { "  \n  " } else { " / " }).own("“").value(brief(statement)).own("”");
    }
    paper.own(if dispute.statements.len() > LISTED { " / …\n" } else { "\n" });
    paper.finish()
}

fn link(words: &'static str, link: &BrokenLink) -> String {
    let mut paper = Paper::default();
    paper.own(words).code(&link.path).own(" → ").code(&link.target).own("\n");
    paper.finish()
}

/// An entry that changed under those that link to it.
fn cited(cited: &Cited) -> String {
    let mut paper = Paper::default();
    paper.own("- 🔗 ").code(&cited.path).own(" is cited by ");
    for (number, path) in cited.by.iter().take(LISTED).enumerate() {
        paper.own(if number == 0 { "" } else { ", " }).code(path);
    }
    if cited.by.len() > LISTED {
        paper.own(" and ").value(many(cited.by.len() - LISTED, "other", "others"));
    }
    paper.own("\n");
    paper.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::check;
    use brv_commands::vc::check::Consequences;

    #[test]
    fn what_a_change_does_elsewhere_is_listed() {
        let before = "# T\n\n## Facts\n\n- **ttl**: tokens live 12 hours\n";
        let after = format!("{before}- **ttl**: tokens live 6 hours\n");
        let mut check = check(&[("auth/tokens.md", Some(before), Some(&after))]);
        let link = |path: &str, target: &str| BrokenLink { path: path.into(), target: target.into() };
        check.consequences = Consequences {
            broken: vec![link("a.md", "gone.md")],
            mended: vec![link("b.md", "new.md")],
            cited: vec![Cited {
                path: "auth/tokens.md".into(),
                by: ["a", "b", "c", "d"].map(str::to_owned).into(),
            }],
        };
        assert_eq!(
            part(&check).fit(10_000).text,
            concat!(
                "\n### Consequences\n\n",
                "- ⚠️ `ttl` now has 2 statements in `auth/tokens.md`  \n  “tokens live 12 hours” / “tokens live 6 hours”\n",
                "- ⚠️ broken link: `a.md` → `gone.md`\n",
                "- 🔗 `auth/tokens.md` is cited by `a`, `b`, `c` and 1 other\n",
                "- ✅ link works now: `b.md` → `new.md`\n",
            )
        );
    }

    #[test]
    fn a_change_without_consequences_has_no_such_part() {
        assert_eq!(part(&check(&[("a.md", None, Some("# A\n"))])).fit(10_000).text, "");
    }
}
