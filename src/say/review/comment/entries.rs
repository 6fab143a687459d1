//! The changed entries by domain, the risky first: a line for each, with its changes folded below it.

use super::findings::sign;
use super::room::length;
use crate::say::gist::gist;
use crate::say::page::markdown::entry::{changes, sign as kind_sign};
use crate::say::page::markdown::paper::Paper;
use crate::say::page::phrases::{self, EntryChangeKind};
use crate::say::review::order::{DomainEntries, Ranked, domains, is_disputed};
use crate::say::review::title;
use crate::say::words::many;
use brv_base::sorting;
use brv_commands::vc::check::Outcome as Check;
use std::cmp::Reverse;

pub(super) struct CommentEntries {
    pub(super) text: String,
    /// Number of entries that are left out.
    pub(super) cut: usize,
    /// Number of entries whose changes are left out.
    pub(super) brief: usize,
}

/// An entry, drawn as far as there is room.
struct EntryRow<'a> {
    ranked: &'a Ranked<'a>,
    domain: usize,
    /// What it is shown as; `None` if it is left out.
    shown: Option<String>,
    has_changes: bool,
}

impl EntryRow<'_> {
    /// Whether there is more to show of it than is shown.
    fn is_brief(&self) -> bool {
        self.shown.is_some() && !self.has_changes && !self.ranked.item.differs_in_form_only()
    }
}

/// Draw the entries in at most `room` UTF-16 units: first a line for each, as far as they fit, then the changes of those
/// for which there is room. The risky are served first, of whatever domain they are.
pub(super) fn draw(check: &Check, room: usize) -> CommentEntries {
    const HEADING: &str = "\n### Entries\n";
    let domains = domains(check);
    let headings: Vec<String> = domains.iter().map(heading).collect();
    let row = |domain: usize| move |ranked| EntryRow { ranked, domain, shown: None, has_changes: false };
    let numbered = domains.iter().enumerate();
    let mut rows: Vec<EntryRow<'_>> =
        numbered.flat_map(|(number, domain)| domain.entries.iter().map(row(number))).collect();
    let mut order: Vec<&mut EntryRow<'_>> = rows.iter_mut().collect();
    sorting::sort_by_key(&mut order, |row| Reverse(row.ranked.risk));
    let left = lines(&mut order, &headings, room.saturating_sub(length(HEADING)));
    wholes(&mut order, left);
    let mut text = String::new();
    let mut domain = None;
    for row in &rows {
        let Some(shown) = &row.shown else { continue };
        text.push_str(if domain.is_none() { HEADING } else { "" });
        text.push_str(if domain == Some(row.domain) { "" } else { &headings[row.domain] });
        text.push_str(shown);
        domain = Some(row.domain);
    }
    let cut = rows.iter().filter(|row| row.shown.is_none()).count();
    CommentEntries { text, cut, brief: rows.iter().filter(|row| row.is_brief()).count() }
}

/// Draw a line for each entry until there is no room; returns what is left of it.
fn lines(order: &mut [&mut EntryRow<'_>], headings: &[String], room: usize) -> usize {
    let mut left = room;
    let mut is_headed = vec![false; headings.len()];
    for row in order {
        let line = line(row.ranked);
        let heading = if is_headed[row.domain] { 0 } else { length(&headings[row.domain]) };
        let Some(rest) = left.checked_sub(heading + length(&line)) else { break };
        left = rest;
        is_headed[row.domain] = true;
        row.shown = Some(line);
    }
    left
}

/// With less room the changes of no entry fit, so that none are drawn in vain.
const LEAST: usize = 40;

/// Draw the changes of each entry that has a line, where they fit.
fn wholes(order: &mut [&mut EntryRow<'_>], room: usize) {
    let mut left = room;
    for row in order {
        let Some(line) = row.shown.as_ref().filter(|_| left >= LEAST) else { return };
        if row.ranked.item.differs_in_form_only() {
            continue;
        }
        let whole = whole(row.ranked);
        if let Some(rest) = (left + length(line)).checked_sub(length(&whole)) {
            left = rest;
            row.has_changes = true;
            row.shown = Some(whole);
        }
    }
}

fn heading(domain: &DomainEntries<'_>) -> String {
    let mut paper = Paper::default();
    paper.own("\n#### ");
    if domain.name.is_empty() {
        paper.own("At the root");
    } else {
        paper.value(domain.name);
    }
    paper.own(" · ").value(many(domain.entries.len(), "entry", "entries")).own("\n\n");
    paper.finish()
}

fn line(ranked: &Ranked<'_>) -> String {
    let mut paper = Paper::default();
    account(paper.own("<p>"), ranked);
    paper.own("</p>\n\n");
    paper.finish()
}

/// The entry in a line, with its changes folded below.
fn whole(ranked: &Ranked<'_>) -> String {
    let mut paper = Paper::default();
    account(paper.own("<details>\n<summary>"), ranked);
    paper.own("</summary>\n");
    changes(&mut paper, &ranked.item);
    paper.own("\n</details>\n\n");
    paper.finish()
}

/// What happened to the entry, in HTML: `✏️ Token lifetime auth/tokens.md · ⚠️ disputed · 1 fact added · tokens +12`.
fn account(paper: &mut Paper, ranked: &Ranked<'_>) {
    let item = &ranked.item;
    let kind = EntryChangeKind::of(item.entry);
    paper.own(kind_sign(kind)).own("<b>").html_value(item.name()).own("</b> ").html_code(item.path());
    labels(paper, ranked);
    if kind != EntryChangeKind::Changed {
        paper.own(" · ").own(kind.word());
    }
    let gist = gist(item.entry);
    if !gist.is_empty() {
        paper.own(" · ").html_value(gist.join("; "));
    }
    let delta = item.knowledge().map_or(0, |knowledge| knowledge.tokens.delta());
    if delta != 0 {
        paper.own(" · tokens ").html_value(phrases::signed(delta));
    }
}

/// What was found in the entry, each kind once.
fn labels(paper: &mut Paper, ranked: &Ranked<'_>) {
    let mut told: Vec<&str> = Vec::new();
    for finding in &ranked.findings {
        if !told.contains(&finding.rule) {
            told.push(finding.rule);
            paper.own(" · ").own(sign(finding)).own("<b>").own(title(finding)).own("</b>");
        }
    }
    if is_disputed(ranked.item.entry) {
        paper.own(" · ⚠️ <b>disputed</b>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::review::samples::{Sampled as _, check, finding, warning};

    const ROOM: usize = 30_000;

    #[test]
    fn an_entry_is_a_line_with_its_changes_folded() {
        let before = "# T\n\n## Facts\n\n- **ttl**: tokens live 24 hours\n";
        let after = before.replace("24", "12");
        let check = check(&[("auth/jwt/t.md", Some(before), Some(&after))])
            .finding(vec![warning("BRV010", "auth/jwt/t.md"), warning("BRV010", "auth/jwt/t.md")]);
        assert_eq!(
            draw(&check, ROOM).text,
            concat!(
                "\n### Entries\n\n#### auth · 1 entry\n\n<details>\n",
                "<summary>✏️ <b>T</b> <code>auth/jwt/t.md</code> · ⚠️ <b>pinned entry changed</b> · 1 fact changed (ttl)</summary>\n",
                "\n**Facts**\n\n- `ttl`: tokens live ~~24~~ **12** hours\n\n</details>\n\n",
            )
        );
    }

    #[test]
    fn what_differs_in_form_only_is_a_line() {
        let shown = draw(&check(&[("a.md", Some("x\ny\n"), Some("x y\n"))]), ROOM);
        assert!(
            shown.text.ends_with(
                "#### At the root · 1 entry\n\n<p>✏️ <b>a.md</b> <code>a.md</code> · in form only: 1 block</p>\n\n"
            ),
            "{}",
            shown.text
        );
        assert_eq!((shown.cut, shown.brief), (0, 0));
    }

    #[test]
    fn with_little_room_the_risky_are_shown_and_the_others_counted() {
        let text = "# New\n\nSome words that say something.\n";
        let paths: Vec<String> = (0..20).map(|number| format!("a/{number:02}.md")).collect();
        let mut files: Vec<_> = paths.iter().map(|path| (path.as_str(), None, Some(text))).collect();
        files.push(("z/worst.md", None, Some(text)));
        let check = check(&files).finding(vec![finding("BRV006", "z/worst.md")]);
        let shown = draw(&check, 1_000);
        assert!(length(&shown.text) <= 1_000 && shown.text.contains("z/worst.md"), "{}", shown.text);
        let listed = shown.text.matches(" · new").count();
        assert_eq!((listed + shown.cut, shown.cut > 0, shown.brief > 0), (21, true, true));
        let shown = draw(&check, ROOM);
        assert_eq!((shown.text.matches("<details>").count(), shown.cut, shown.brief), (21, 0, 0));
        assert_eq!(draw(&check, 10).text, "");
    }
}
