//! What `brv stale` found, for the pull request of the code, for CI and for other programs.
//!
//! Placed at the files of the code. As in the pages of a check, everything from the tree is escaped for its place; here it
//! may come from a file that anybody wrote.

use super::comment::MAX_LENGTH;
use super::comment::room::{CommentPart, brief, length};
use super::sarif::log;
use super::{github, gitlab, order};
use crate::say::page::markdown::paper::Paper;
use crate::say::words::many;
use brv_commands::stale::list::{Outcome, StaleCounts, StaleEntry, StaleFact};

/// The first line of the comment, by which it is found and replaced.
pub const MARKER: &str = "<!-- brv:stale -->";

/// The command that lists everything.
const COMMAND: &str = "brv stale";

/// What is kept for the words about what was cut, and for the next command.
const END: usize = 1_000;

/// The number of lines of an entry that the comment quotes.
const QUOTED: usize = 3;

/// `2 entries may no longer hold: 1 gone, 1 changed`
pub fn headline(counts: &StaleCounts) -> String {
    match counts.gone + counts.changed {
        0 => "No entry is stale".to_owned(),
        stale => format!("{} may no longer hold: {}", many(stale, "entry", "entries"), parts(counts, true)),
    }
}

/// `3 touched, 12 fresh, 2 unknown, 5 cite no code`: what need not be looked at.
pub fn others(counts: &StaleCounts) -> String {
    parts(counts, false)
}

fn parts(counts: &StaleCounts, is_stale: bool) -> String {
    let StaleCounts { fresh, touched, changed, gone, unknown, uncited } = *counts;
    let cites = if uncited == 1 { "cites no code" } else { "cite no code" };
    let all = [
        (true, gone, "gone"),
        (true, changed, "changed"),
        (false, touched, "touched"),
        (false, fresh, "fresh"),
        (false, unknown, "unknown"),
        (false, uncited, cites),
    ];
    let there = all.into_iter().filter(|(stale, count, _)| *stale == is_stale && *count > 0);
    there.map(|(_, count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// What there is to say about a statement whose commit is gone.
pub fn left_behind(branch: Option<&str>) -> String {
    match branch {
        Some(branch) => format!("not on this branch: made on {branch}"),
        None => "not on this branch".to_owned(),
    }
}

/// What there is to say about an edited statement of a reverted commit.
pub fn reverted_edited(commit: &str) -> String {
    let short = commit.get(..9).unwrap_or(commit);
    format!("its commit was reverted by {short}, and it was edited since")
}

/// The comment, at most as long as GitHub takes.
pub fn comment(found: &Outcome) -> String {
    format!("{MARKER}\n{}", summary(found))
}

/// The comment without its marker.
pub fn summary(found: &Outcome) -> String {
    let mut paper = Paper::default();
    paper.own("## ").own(if found.entries.is_empty() { "✅ " } else { "⚠️ " }).value(headline(&found.counts));
    let others = others(&found.counts);
    if !others.is_empty() {
        paper.own("\n\n").value(others);
    }
    paper.own("\n");
    let mut text = paper.finish();
    if found.entries.is_empty() {
        return text;
    }
    let rows = found.entries.iter().map(row).collect();
    let part = CommentPart { open: "\n### Entries\n\n".to_owned(), rows, close: String::new() };
    let fitted = part.fit(MAX_LENGTH - MARKER.len() - 1 - length(&text) - END);
    text.push_str(&fitted.text);
    text.push_str(&end(fitted.cut));
    text
}

/// The entry, what became of the code that it cites, and the first lines that say so.
fn row(entry: &StaleEntry) -> String {
    let mut paper = Paper::default();
    paper.own("- **").value(brief(entry.title.as_deref().unwrap_or(entry.path.as_str()))).own("** ");
    paper.code(entry.path.as_str());
    if let Some(line) = entry.freshness.line() {
        paper.own(": ").value(brief(&line));
    }
    paper.own("\n");
    let lines = lines(&entry.facts);
    for facts in lines.iter().take(QUOTED) {
        quote(facts, &mut paper);
    }
    if lines.len() > QUOTED {
        let more = many(lines.len() - QUOTED, "more line", "more lines");
        paper.own("  - ").value(more).own("\n");
    }
    paper.finish()
}

/// The facts of an entry, by the line on which they stand.
pub fn lines(facts: &[StaleFact]) -> Vec<&[StaleFact]> {
    facts.chunk_by(|one, other| one.line == other.line).collect()
}

/// What became of the code that a line names, each change once: the code before and after.
pub fn changes(facts: &[StaleFact]) -> Vec<(Option<&str>, Option<&str>)> {
    let mut all = Vec::new();
    for fact in facts {
        let change = (fact.change.before.as_deref(), fact.change.after.as_deref());
        if change != (None, None) && !all.contains(&change) {
            all.push(change);
        }
    }
    all
}

/// A line with the names that it has, and below it the code before and after.
fn quote(facts: &[StaleFact], paper: &mut Paper) {
    let Some(first) = facts.first() else { return };
    paper.own("  - line ").number(first.line);
    for fact in facts {
        paper.own(", ").code(brief(&fact.change.name));
    }
    paper.own(": ").value(brief(&first.text)).own("\n");
    for (before, after) in changes(facts) {
        paper.own("    - ");
        match before {
            Some(before) => paper.own("was ").code(before),
            None => paper.own("new"),
        };
        match after {
            Some(after) => paper.own(", now ").code(after),
            None => paper.own(", now gone"),
        };
        paper.own("\n");
    }
}

fn end(cut: usize) -> String {
    let mut paper = Paper::default();
    paper.own("\n---\n\n");
    if cut > 0 {
        paper.own("✂️ Cut to fit: ").value(many(cut, "entry", "entries")).own(". ");
        paper.code(COMMAND).own(" lists them.\n\n");
    }
    paper.own(
        "**Next:** correct the outdated lines; `brv stale confirm PATH` records that an entry still holds.\n",
    );
    paper.finish()
}

/// Workflow commands for GitHub Actions, and a line with the result.
pub fn annotations(found: &Outcome) -> String {
    let count = found.findings.len();
    let result = github::Result { headline: headline(&found.counts), count, command: COMMAND };
    github::commands(&order::sorted(&found.findings), &result, "")
}

/// A code quality report for GitLab.
pub fn code_quality(found: &Outcome) -> String {
    gitlab::report(&order::sorted(&found.findings), "")
}

/// A log for code scanners.
pub fn sarif(found: &Outcome) -> String {
    log(&order::sorted(&found.findings), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::{nasty, samples};
    use brv_base::path::TreePath;
    use brv_commands::vc::check::Finding;
    use serde_json::{Value, json};

    /// What `brv stale` found, with this value wherever the data has a text.
    fn found(value: &str, entries: usize) -> Outcome {
        let fact = |line: usize| json!({"line": line, "text": value, "name": value, "state": "altered", "before": value, "after": value});
        let change =
            json!({"name": value, "state": "altered", "before": value, "after": value, "moved_to": value});
        let file = json!({"path": value, "state": "changed", "names": [value], "changes": [change], "moved_to": value});
        let freshness = json!({"state": "changed", "base": "3".repeat(40), "files": [file]});
        let entry = |number: usize| {
            let path = TreePath::parse(format!("a/{number}.md").as_bytes()).unwrap();
            let facts = (1..=5).map(fact).collect::<Value>();
            json!({"path": path, "title": value, "freshness": freshness, "facts": facts})
        };
        let entries: Vec<Value> = (0..entries).map(entry).collect();
        let counts = json!({"fresh": 2, "touched": 0, "changed": entries.len(), "gone": 0, "unknown": 0, "uncited": 1});
        let finding = Finding {
            path: value.into(),
            message: value.into(),
            subject: Some(value.into()),
            ..samples::warning("BRV016", "")
        };
        let data = json!({"entries": entries, "findings": [finding], "counts": counts});
        serde_json::from_value(data).unwrap()
    }

    #[test]
    fn an_entry_is_told_with_what_changed_and_its_first_lines() {
        assert_eq!(
            comment(&found("MAX", 1)),
            concat!(
                "<!-- brv:stale -->\n## ⚠️ 1 entry may no longer hold: 1 changed\n\n2 fresh, 1 cites no code\n",
                "\n### Entries\n\n- **MAX** `a/0.md`: changed since `3333333:` MAX in MAX (now MAX)\n",
                "  - line 1, `MAX`: MAX\n    - was `MAX`, now `MAX`\n  - line 2, `MAX`: MAX\n    - was `MAX`, now `MAX`\n",
                "  - line 3, `MAX`: MAX\n    - was `MAX`, now `MAX`\n  - 2 more lines\n",
                "\n---\n\n**Next:** correct the outdated lines; `brv stale confirm PATH` records that an entry still holds.\n",
            )
        );
        let page = comment(&found("MAX", 0));
        assert_eq!(page, "<!-- brv:stale -->\n## ✅ No entry is stale\n\n2 fresh, 1 cites no code\n");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let page = comment(&found(&"long words ".repeat(40), 200));
        assert!(length(&page) <= MAX_LENGTH && page.contains("✂️ Cut to fit: "), "{}", length(&page));
    }

    #[test]
    fn every_value_is_text_in_every_format() {
        nasty::assert_text_only(MARKER, |value| comment(&found(value, 1)));
        for value in nasty::values() {
            let found = found(&value, 1);
            let [lines, rows, log] = [annotations(&found), code_quality(&found), sarif(&found)];
            assert!([&lines, &rows, &log].iter().all(|page| nasty::is_safe(page)), "{value:?}");
            let lines: Vec<&str> = lines.split(['\n', '\r']).collect();
            assert!(lines.len() == 3 && lines[0].starts_with("::warning file="), "{lines:?}");
            let rows: Value = serde_json::from_str(&rows).unwrap();
            assert_eq!(rows[0]["location"]["path"], value.as_str());
            let log: Value = serde_json::from_str(&log).unwrap();
            assert_eq!(log["runs"][0]["results"][0]["message"]["text"], value.as_str());
        }
    }
}
