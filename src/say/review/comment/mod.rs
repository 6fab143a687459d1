//! The comment on a pull request, in GitHub's markdown: what a reviewer must know, worst first.
//!
//! From the top: whether the check passes, the change in numbers, the findings, what the change does around it, the entries
//! by domain with their changes folded, what was flagged for review, where it comes from, and the next command. Each part
//! has a share of the room; what does not fit is counted at the end, with the commands that show it.

mod around;
mod entries;
mod findings;
pub(super) mod room;
mod sources;

use super::verdict::{self, CheckCommands, Ending, fixable};
use crate::say::page::markdown::paper::Paper;
use crate::say::page::phrases::grouped;
use crate::say::page::state;
use crate::say::words::many;
use brv_commands::vc::check::Outcome as Check;
use room::length;

/// The first line of the comment, by which it is found and replaced.
pub const MARKER: &str = "<!-- brv:review -->";

/// The longest comment that GitHub takes, in characters. Counted in UTF-16 units, which are never fewer.
pub const MAX_LENGTH: usize = 65_536;

/// The shares of the parts beside the entries, which have what is left: more than a third.
const FINDINGS: usize = 20_000;
const AROUND: usize = 8_000;
const FLAGGED: usize = 4_000;
const SOURCES: usize = 4_000;

/// What is kept for the words about what was cut, and for the next command.
const END: usize = 1_000;

/// The comment, at most [`MAX_LENGTH`] long.
pub fn comment(check: &Check) -> String {
    format!("{MARKER}\n{}", summary(check))
}

/// The comment without its marker, for the summary of a workflow's step, which may have 1 MiB.
pub fn summary(check: &Check) -> String {
    let mut text = head(check);
    let findings = findings::part(check).fit(FINDINGS);
    let around = around::part(check).fit(AROUND);
    let flagged = sources::flagged(check).fit(FLAGGED);
    let sources = sources::part(check).fit(SOURCES);
    let parts = [&findings, &around, &flagged, &sources];
    let taken: usize = parts.iter().map(|part| length(&part.text)).sum();
    let left = MAX_LENGTH - MARKER.len() - 1 - length(&text) - taken - END;
    let entries = entries::draw(check, left);
    for part in [&findings.text, &around.text, &entries.text, &flagged.text, &sources.text] {
        text.push_str(part);
    }
    let cut = [
        (findings.cut + check.cut, "finding", "findings"),
        (entries.cut, "entry", "entries"),
        (entries.brief, "entry without its changes", "entries without their changes"),
        (around.cut + flagged.cut + sources.cut, "other line", "other lines"),
    ];
    text.push_str(&end(check, &cut));
    text
}

/// The result in words, and the change in numbers.
fn head(check: &Check) -> String {
    let mut paper = Paper::default();
    paper.own("## ").own(match Ending::of(check) {
        Ending::Clean => "✅ ",
        Ending::Passed => "⚠️ ",
        Ending::Failed => "❌ ",
    });
    paper.value(verdict::headline(check)).own("\n\n**");
    for part in verdict::parts(&check.verdict) {
        paper.own(part.between);
        paper.own(if part.sign == "~" { "\\~" } else { part.sign });
        paper.value(grouped(part.number)).own(" ").own(part.noun);
    }
    paper.own("**\n\n").value(verdict::entries(check.verdict.entries));
    paper.own(" · ").code(room::brief(&state(&check.before)));
    paper.own(" → ").code(room::brief(&state(&check.after)));
    if check.baselined > 0 {
        let findings = many(check.baselined, "known finding", "known findings");
        paper.own(" · ").value(findings).own(" in the baseline");
    }
    paper.own(match (check.fails, check.verdict.errors) {
        (true, 0) => " · warnings fail this check",
        (false, 1..) => " · nothing fails this check",
        _ => "",
    });
    paper.own("\n");
    paper.finish()
}

/// What was cut, and what to do next.
fn end(check: &Check, cut: &[(usize, &str, &str)]) -> String {
    let commands = CheckCommands::of(check);
    let mut paper = Paper::default();
    paper.own("\n---\n\n");
    let cut: Vec<String> =
        cut.iter().filter(|cut| cut.0 > 0).map(|(count, one, more)| many(*count, one, more)).collect();
    if !cut.is_empty() {
        paper.own("✂️ Cut to fit: ").value(cut.join(", ")).own(". ");
        paper
            .code(&commands.check)
            .own(" lists the findings, ")
            .code(&commands.diff)
            .own(" all changes.\n\n");
    }
    paper.own("**Next:** ");
    match fixable(check) {
        0 => {
            let command = if check.told.entries.is_empty() { &commands.check } else { &commands.diff };
            paper.code(command).own(" shows this on your machine.\n");
        }
        count => {
            paper
                .own("on the branch of this change, `brv vc check --fix` fixes ")
                .value(many(count, "finding", "findings"));
            paper.own(", and shows what it changes.\n");
        }
    }
    paper.finish()
}

#[cfg(test)]
mod tests;
