//! Where an entry comes from: its commits, and who wrote each line.

use super::SiteAddresses;
use super::changes::row;
use super::frame::{PageFrame, crumbs};
use crate::say::sheet::Sheet;
use brv_commands::vc::blame::{BlamedCommit, Outcome as Blame};
use brv_commands::vc::log::Outcome as Log;
use brv_text::lint::secrets;

/// How many commits of an entry are listed.
pub const COMMITS: usize = 20;

/// A page of the commits of an entry alone.
pub fn history_page(frame: &PageFrame<'_>, path: &str, log: &Log) -> String {
    frame.page(|sheet| {
        crumbs(sheet, frame.addresses, path);
        sheet.own("<h1 dir=\"auto\">").value(frame.title).own("</h1>\n");
        history(sheet, frame.addresses, path, log);
    })
}

/// The part of the entry's page.
pub fn history_part(addresses: &SiteAddresses, path: &str, log: &Log) -> String {
    let mut sheet = Sheet::masking();
    history(&mut sheet, addresses, path, log);
    sheet.finish()
}

fn history(sheet: &mut Sheet, addresses: &SiteAddresses, path: &str, log: &Log) {
    sheet.own("<h2>History</h2>\n");
    if log.commits.is_empty() {
        sheet.own("<p class=\"soft\">No commit has it yet.</p>\n");
        return;
    }
    sheet.own("<ul class=\"rows\">\n");
    for commit in log.commits.iter().take(COMMITS) {
        row(sheet, addresses, commit, (None, None), Some(addresses.entry_at(path, &commit.commit.id)));
    }
    sheet
        .own("</ul>\n<p><a href=\"")
        .bare(addresses.entry_part(path, "blame"))
        .own("\">Who wrote each line</a></p>\n");
}

/// What an entry states about a subject, and what it stated before.
pub fn stated(frame: &PageFrame<'_>, path: &str, outcome: &Blame) -> String {
    frame.page(|sheet| {
        crumbs(sheet, frame.addresses, path);
        let Some(fact) = &outcome.fact else { return };
        sheet.own("<h1 dir=\"auto\">").value(&fact.subject).own("</h1>\n<p>In <a href=\"");
        sheet.bare(frame.addresses.entry(path)).own("\" dir=\"auto\">").value(path).own("</a></p>\n");
        for (heading, statements) in [("<h2>Now</h2>\n", &fact.current), ("<h2>Before</h2>\n", &fact.earlier)]
        {
            if statements.is_empty() {
                continue;
            }
            sheet.own(heading).own("<ul class=\"rows\">\n");
            for one in statements {
                sheet.own("<li dir=\"auto\">").value(&one.statement).own("<p>");
                match outcome.commits.iter().find(|commit| Some(&commit.commit.id) == one.commit.as_ref()) {
                    Some(commit) => by(sheet, frame.addresses, commit),
                    None => drop(sheet.own("not committed yet")),
                }
                sheet.own("</p></li>\n");
            }
            sheet.own("</ul>\n");
        }
    })
}

/// Who wrote each line of an entry.
pub fn blame(frame: &PageFrame<'_>, path: &str, outcome: &Blame) -> String {
    frame.page(|sheet| {
        crumbs(sheet, frame.addresses, path);
        sheet.own("<h1 dir=\"auto\">Who wrote ").value(frame.title).own("</h1>\n");
        let lines = outcome.lines.as_deref().unwrap_or_default();
        let mut text = Vec::new();
        for line in lines {
            text.extend_from_slice(&line.text);
            text.push(b'\n');
        }
        // a secret is told by what stands around it
        let masked = secrets::masked_bytes(text);
        let shown: Vec<&[u8]> = masked.strip_suffix(b"\n").unwrap_or(&masked).split(|byte| *byte == b'\n').collect();
        if shown.len() != lines.len() {
            sheet.own("<p class=\"note\">A secret stands on several of its lines, so they are not shown.</p>\n");
            return;
        }
        sheet.own("<div class=\"wide\" tabindex=\"0\"><table class=\"blame\">\n<thead><tr><th scope=\"col\">Line</th>");
        sheet.own("<th scope=\"col\">Text</th><th scope=\"col\">By</th></tr></thead>\n<tbody>\n");
        let mut before = None;
        for (line, text) in lines.iter().zip(shown) {
            sheet.own("<tr><td>").number(line.line).own("</td><td><code>").value(text).own("</code></td><td class=\"by\">");
            let commit = outcome.commits.iter().find(|commit| Some(&commit.commit.id) == line.commit.as_ref());
            match commit {
                Some(commit) if before != Some(&line.commit) => by(sheet, frame.addresses, commit),
                None if before != Some(&line.commit) => {
                    sheet.own("not committed yet");
                }
                _ => {}
            }
            before = Some(&line.commit);
            sheet.own("</td></tr>\n");
        }
        sheet.own("</tbody></table></div>\n");
    })
}

/// Who made a commit, when, and its short id.
pub(super) fn by(sheet: &mut Sheet, addresses: &SiteAddresses, commit: &BlamedCommit) {
    let author = &commit.commit.author;
    sheet.own("<bdi>").value(&*author.name).own("</bdi>");
    if let Some(actor) = &commit.actor {
        sheet.own(" (agent <bdi>").value(actor).own("</bdi>)");
    }
    sheet.own(" · <time>").value(author.day()).own("</time> · <a href=\"");
    sheet.bare(addresses.commit(&commit.commit.id)).own("\"><code>").value(&commit.short).own("</code></a>");
}
