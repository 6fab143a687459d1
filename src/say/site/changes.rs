//! The history, a commit, the difference of two states, and what a check finds in them.

use super::form::{SiteAct, SiteForms};
use super::frame::PageFrame;
use super::{SiteAddresses, changed};
use crate::say::page::{Page, PageFront};
use crate::say::sheet::Sheet;
use crate::say::words::many;
use brv_commands::op::log::{LoggedOperation, Outcome as OpLog, Target};
use brv_commands::vc::check::Outcome as Check;
use brv_commands::vc::diff::Outcome as Diff;
use brv_commands::vc::log::{LoggedCommit, Outcome as Log, ShownCommit};
use brv_commands::vc::show::Outcome as Show;
use brv_text::diff::knowledge::Entry;

/// How many commits a page has.
pub const COMMITS: usize = 50;

/// How many entries of a change a page names, and how many of them it draws.
const NAMED: usize = 200;
pub(super) const DRAWN: usize = 50;

/// How many findings a page has.
const FINDINGS: usize = 300;

/// The entries that a page names, from this one on.
pub(super) fn part_of(entries: &[Entry], from: usize) -> &[Entry] {
    let rest = entries.get(from..).unwrap_or_default();
    &rest[..rest.len().min(NAMED)]
}

/// The ways to the entries before and after.
pub(super) fn ways(sheet: &mut Sheet, address: &str, from: usize, total: usize) {
    if total <= NAMED {
        return;
    }
    sheet.own("<nav class=\"pages\" aria-label=\"Parts of the change\">");
    if from > 0 {
        let before = format!("{address}?from={}", from.saturating_sub(NAMED));
        sheet.own("<a rel=\"prev\" href=\"").bare(before).own("\">Before</a> ");
    }
    let (first, last) = (from.saturating_add(1).min(total), from.saturating_add(NAMED).min(total));
    sheet.own("<span>").value(format!("{first} to {last} of {total}")).own("</span>");
    if last < total {
        sheet.own(" <a rel=\"next\" href=\"").bare(format!("{address}?from={last}")).own("\">After</a>");
    }
    sheet.own("</nav>\n");
}

/// The history from a place on; one commit more than [`COMMITS`] tells that there are more.
pub fn history(frame: &PageFrame<'_>, log: &Log, operations: &OpLog, from: usize) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>Changes</h1>\n");
        if log.commits.is_empty() && from == 0 {
            sheet.own("<p class=\"nothing\">There is no commit yet: <code>brv vc commit</code> makes the first one.</p>\n");
            return;
        }
        let (shown, more) = log.commits.split_at(log.commits.len().min(COMMITS));
        let mut day = "";
        for commit in shown {
            let own = commit.commit.author.day();
            if own != day {
                sheet.own(if day.is_empty() { "<h2>" } else { "</ul>\n<h2>" }).value(own).own("</h2>\n<ul class=\"rows\">\n");
                day = own;
            }
            let made = operation(operations, &commit.commit.id);
            row(sheet, frame.addresses, commit, (made, Some(&frame.forms)), None);
        }
        sheet.own("</ul>\n<nav class=\"pages\" aria-label=\"Parts of the history\">");
        if from > 0 {
            let address = format!("{}?from={}", frame.addresses.changes(), from.saturating_sub(COMMITS));
            sheet.own("<a rel=\"prev\" href=\"").bare(address).own("\">Newer</a> ");
        }
        if !more.is_empty() {
            let address = format!("{}?from={}", frame.addresses.changes(), from.saturating_add(COMMITS));
            sheet.own("<a rel=\"next\" href=\"").bare(address).own("\">Older</a>");
        }
        sheet.own("</nav>\n");
    })
}

/// A commit; `then` is the address of what was there at it.
pub(super) fn row(
    sheet: &mut Sheet,
    addresses: &SiteAddresses,
    commit: &LoggedCommit,
    (made, forms): (Option<&LoggedOperation>, Option<&SiteForms<'_>>),
    then: Option<String>,
) {
    let operation = made;
    let made = operation.and_then(|made| made.known.as_ref());
    let ShownCommit { id, author, subject, names, .. } = &commit.commit;
    sheet.own("<li><a href=\"").bare(addresses.commit(id)).own("\" dir=\"auto\">");
    sheet.value(if subject.is_empty() { &b"(no message)"[..] } else { &**subject }).own("</a>");
    for name in names {
        sheet.own(" <span class=\"mark\">").value(&name.name).own("</span>");
    }
    if made.is_some_and(|made| made.undone_by.is_some()) {
        sheet.own(" <span class=\"mark warn\">! undone</span>");
    }
    sheet.own("<p><bdi>").value(&*author.name).own("</bdi> · <time>").value(author.day()).own("</time>");
    if let Some(made) = made {
        sheet.own(" · ").value(made.kind);
        let actor = made.actor.split_once(" <").map_or(&*made.actor, |(name, _)| name);
        if !actor.is_empty() && *actor.as_bytes() != *author.name {
            sheet.own(" by <bdi>").value(actor).own("</bdi>");
        }
    }
    sheet.own(" · <code>").value(&commit.short).own("</code>");
    if let Some(then) = then {
        sheet.own(" · <a href=\"").bare(then).own("\">as it was</a>");
    }
    sheet.own("</p>");
    if let Some((operation, forms)) = operation.zip(forms) {
        undoing(sheet, forms, operation);
    }
    sheet.own("</li>\n");
}

/// The form that undoes an operation which is not undone yet.
fn undoing(sheet: &mut Sheet, forms: &SiteForms<'_>, operation: &LoggedOperation) {
    if operation.known.as_ref().is_some_and(|known| known.undone_by.is_none()) {
        forms.button(sheet, SiteAct::Undo, &[("id", &operation.id.to_string())]);
    }
}

/// The operation that made a commit.
fn operation<'o>(operations: &'o OpLog, commit: &str) -> Option<&'o LoggedOperation> {
    let is_new = |made: &&LoggedOperation| {
        let moves = made.known.iter().flat_map(|known| &known.moves);
        moves
            .into_iter()
            .any(|step| matches!(&step.new, Some(Target::Object(id)) if id.to_string() == commit))
    };
    operations.operations.iter().rfind(is_new)
}

/// A commit with its changes; `None` if the outcome is something else.
pub fn commit(frame: &PageFrame<'_>, outcome: &Show, from: usize) -> Option<String> {
    let (commit, files, entries) = match outcome {
        Show::Commit { commit, files, entries, .. } => (commit, files, entries),
        Show::Tag { target, .. } => return self::commit(frame, target, from),
        Show::File { .. } | Show::Folder { .. } => return None,
    };
    let entries = entries.as_deref().unwrap_or_default();
    let (shown, total) = (part_of(entries, from), entries.len());
    let page = Page::new(PageFront::of_commit(commit), shown, &files.drawn, &[]).drawing(DRAWN);
    Some(frame.page(|sheet| {
        changed::whole(sheet, &page);
        ways(sheet, &frame.addresses.commit(&commit.id), from, total);
        // its trailer is enough: the operation says itself whether it can be undone
        let mut lines = commit.message.split(|byte| *byte == b'\n').rev();
        let trailer = lines.find_map(|line| std::str::from_utf8(line.strip_prefix(b"Brv-Op: ")?).ok());
        if let Some(id) = trailer {
            frame.forms.button(sheet, SiteAct::Undo, &[("id", id.trim())]);
        }
        findings_of(sheet, &frame.addresses.findings(&commit.id));
    }))
}

/// The difference of two states, which a range names.
pub fn difference(frame: &PageFrame<'_>, range: &str, outcome: &Diff, from: usize) -> String {
    let front = PageFront::between(&outcome.before, &outcome.after);
    let entries = outcome.entries.as_deref().unwrap_or_default();
    let (shown, total) = (part_of(entries, from), entries.len());
    let page = Page::new(front, shown, &outcome.files.drawn, &outcome.unmerged).drawing(DRAWN);
    frame.page(|sheet| {
        changed::whole(sheet, &page);
        ways(sheet, &frame.addresses.difference(range), from, total);
        findings_of(sheet, &frame.addresses.findings(range));
    })
}

/// The place of what a check finds.
pub(super) fn findings_of(sheet: &mut Sheet, address: &str) {
    sheet.own("<section class=\"part\" aria-label=\"Findings\" data-part=\"").bare(address);
    sheet.own("\"><a href=\"").bare(address).own("\">Findings</a></section>\n");
}

/// A page of what a check finds.
pub fn findings_page(frame: &PageFrame<'_>, check: &Check) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>Findings</h1>\n");
        findings(sheet, frame, check);
    })
}

/// The part of the page of a commit.
pub fn findings_part(frame: &PageFrame<'_>, check: &Check) -> String {
    let mut sheet = Sheet::masking();
    sheet.own("<h2>Findings</h2>\n");
    findings(&mut sheet, frame, check);
    sheet.finish()
}

fn findings(sheet: &mut Sheet, frame: &PageFrame<'_>, check: &Check) {
    if check.findings.is_empty() {
        sheet.own("<p class=\"soft\">A check finds nothing wrong.</p>\n");
        return;
    }
    for found in check.findings.iter().take(FINDINGS) {
        sheet.own(if found.severity == "error" {
            "<div class=\"find error\">"
        } else {
            "<div class=\"find\">"
        });
        sheet.own("<p class=\"pair\"><span class=\"mark\">").own(if found.severity == "error" {
            "x "
        } else {
            "! "
        });
        sheet.own(found.rule).own("</span> ");
        match found.path.ends_with(".md") {
            true => {
                sheet
                    .own("<a href=\"")
                    .bare(frame.addresses.entry(&found.path))
                    .own("\">")
                    .value(&found.path);
                sheet.own("</a>");
            }
            false => {
                sheet.value(&found.path);
            }
        }
        sheet.own(" <span class=\"soft\">line ").number(found.line).own("</span></p>\n<p dir=\"auto\">");
        sheet.value(&found.message).own("</p></div>\n");
    }
    let more = check.cut + check.findings.len().saturating_sub(FINDINGS);
    if more > 0 {
        sheet.own("<p class=\"soft\">").value(many(more, "more is", "more are")).own(" not listed.</p>\n");
    }
}
