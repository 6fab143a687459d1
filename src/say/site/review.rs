//! What waits for a person: the queue, and one change with its effect.

use super::changed;
use super::changes::findings_of;
use super::comments;
use super::form::{self, SiteAct};
use super::frame::PageFrame;
use crate::say::page::{Page, PageFront};
use crate::say::sheet::Sheet;
use crate::say::words::many;
use brv_commands::review::ReviewRow;
use brv_commands::review::branch::BranchReview;
use brv_commands::review::comment::Comment;
use brv_commands::review::pending::Outcome as Pending;
use brv_commands::review::show::{Item, Outcome as Shown, ReviewStanding};
use brv_commands::vc::branch::Branch;
use brv_commands::vc::diff::Outcome as Diff;
use brv_text::diff::knowledge::Content;

/// More folders than one change has.
const GROUPS: usize = 1_000;

/// The queue.
pub fn queue(frame: &PageFrame<'_>, pending: &Pending, dreams: &[Branch]) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>Review</h1>\n");
        if !dreams.is_empty() {
            sheet.own("<h2>Dreams on branches</h2>\n<ul class=\"rows\">\n");
            for dream in dreams {
                sheet.own("<li><a href=\"").bare(frame.addresses.reviewed_branch(&dream.name)).own("\">");
                sheet.value(&dream.name).own("</a><p dir=\"auto\">").value(&dream.subject).own("</p></li>\n");
            }
            sheet.own("</ul>\n<h2>Changes</h2>\n");
        }
        if pending.pending.is_empty() {
            sheet.own("<p class=\"nothing\">Nothing waits for you.</p>\n");
            return;
        }
        let waits = many(pending.count, "change waits", "changes wait");
        sheet.own("<p class=\"soft\">").value(waits).own(" for a person.</p>\n<ul class=\"rows\">\n");
        for row in &pending.pending {
            sheet.own("<li><a href=\"").bare(frame.addresses.reviewed(&row.id)).own("\" dir=\"auto\">");
            sheet.value(&row.action).own(" ").value(&row.path).own("</a>");
            why(sheet, row);
            sheet.own("<p dir=\"auto\">").value(&row.reason).own("</p><p><bdi>").value(&row.actor);
            sheet.own("</bdi> · ").value(&row.kind).own(" · <code>").value(&row.id).own("</code></p></li>\n");
        }
        sheet.own("</ul>\n");
    })
}

fn why(sheet: &mut Sheet, row: &ReviewRow) {
    for word in &row.why {
        sheet.own(" <span class=\"mark warn\">? ").value(word.replace('_', " ")).own("</span>");
    }
}

/// One change, or all of an operation.
#[derive(Debug)]
pub struct ReviewView<'a> {
    pub shown: &'a Shown,
    /// The version of each entry that is there now, by the order of the changes, as a form says it.
    pub seen: Vec<String>,
    /// Whether a merge is not finished: nothing is decided then.
    pub is_merging: bool,
    /// What was said and is not closed.
    pub comments: &'a [Comment],
}

/// The page of a change.
pub fn change(frame: &PageFrame<'_>, view: &ReviewView<'_>) -> String {
    let shown = view.shown;
    frame.page(|sheet| {
        sheet.own("<h1>Review</h1>\n");
        if view.is_merging {
            sheet.own("<p class=\"note\">A merge is not finished: decide when it is, with <code>brv vc resolve</code>.</p>\n");
        }
        for (number, item) in shown.items.iter().enumerate() {
            let row = &item.row;
            sheet
                .own("<section aria-label=\"")
                .bare(&row.path)
                .own("\">\n<h2 dir=\"auto\">")
                .value(&row.action)
                .own(" ");
            sheet
                .own("<a href=\"")
                .bare(frame.addresses.entry(&row.path))
                .own("\">")
                .value(&row.path)
                .own("</a></h2>\n<p>");
            sheet.own(match item.standing {
                ReviewStanding::Pending => "<span class=\"mark warn\">? pending</span>",
                ReviewStanding::Published => "<span class=\"mark warn\">? published</span>",
                ReviewStanding::Approved => "<span class=\"mark\">approved</span>",
                ReviewStanding::TakenBack => "<span class=\"mark\">rejected or undone</span>",
            });
            why(sheet, row);
            sheet
                .own(" <bdi class=\"soft\">")
                .value(&row.actor)
                .own("</bdi></p>\n<p dir=\"auto\">")
                .value(&row.reason);
            sheet.own("</p>\n");
            for dropped in &row.dropped {
                sheet.own("<p class=\"dropped\" dir=\"auto\">dropped: ").value(dropped).own("</p>\n");
            }
            let front = PageFront::Between { before: String::new(), after: String::new() };
            changed::entries(
                sheet,
                &Page::new(front, &item.told.entries, &item.told.files, &[]),
                number * GROUPS,
            );
            said(sheet, frame, view, item);
            if !view.is_merging {
                decide(sheet, frame, view, &[number]);
            }
            sheet.own("</section>\n");
        }
        if shown.items.len() > 1 && !view.is_merging {
            sheet.own("<h2>All of them</h2>\n");
            decide(sheet, frame, view, &(0..shown.items.len()).collect::<Vec<_>>());
        }
    })
}

/// What was said about a change or its entry.
fn said(sheet: &mut Sheet, frame: &PageFrame<'_>, view: &ReviewView<'_>, item: &Item) {
    let row = &item.row;
    let is_on = |one: &&Comment| match &one.change {
        Some(change) => *change == row.id,
        None => one.path == row.path,
    };
    let found: Vec<&Comment> = view.comments.iter().filter(is_on).collect();
    let changed = match item.entry.as_ref().map(|entry| &entry.content) {
        Some(Content::Knowledge(knowledge)) => &knowledge.facts[..],
        _ => &[],
    };
    let claims = changed.iter().filter_map(|fact| fact.after.as_ref());
    let facts: Vec<&str> = claims.filter_map(|claim| claim.subject.as_deref()).collect();
    comments::comments(sheet, frame, &found, (&[("id", &row.id)], &facts));
}

/// The forms that decide about some of the changes.
fn decide(sheet: &mut Sheet, frame: &PageFrame<'_>, view: &ReviewView<'_>, which: &[usize]) {
    let items = || which.iter().map(|number| &view.shown.items[*number]);
    let is_open = |standing| matches!(standing, ReviewStanding::Pending | ReviewStanding::Published);
    let id = match which {
        [one] => &view.shown.items[*one].row.id,
        _ => &view.shown.id,
    };
    let versions = which.iter().filter_map(|number| view.seen.get(*number)).map(|seen| ("seen", &**seen));
    let about: Vec<(&str, &str)> = [("id", &**id)].into_iter().chain(versions).collect();
    if items().all(|item| item.standing == ReviewStanding::Approved) {
        frame.forms.button(sheet, SiteAct::Reopen, &about);
        return;
    }
    if !items().any(|item| is_open(item.standing)) {
        return;
    }
    sheet.own("<div class=\"decide\">\n");
    frame.forms.button(sheet, SiteAct::Approve, &about);
    frame.forms.write(sheet, SiteAct::Reject, &about, |sheet| {
        form::field(sheet, "text", "Reason", &format!("reject {id}"), "");
        form::button(sheet, SiteAct::Reject.label());
    });
    sheet.own("</div>\n");
}

/// A branch as a change: why each of its operations, what they dropped, what they changed and what a check finds.
pub fn branch(frame: &PageFrame<'_>, found: &BranchReview, diff: &Diff, is_merging: bool) -> String {
    let name = frame.title;
    let tip = found.tip.to_string();
    let about = [("branch", name), ("tip", &*tip)];
    frame.page(|sheet| {
        sheet.own("<div class=\"head\"><h1 dir=\"auto\">").value(name).own("</h1>\n");
        if !is_merging {
            sheet.own("<div class=\"acts\">");
            if found.commits > 0 {
                frame.forms.button(sheet, SiteAct::Merge, &about);
            }
            frame.forms.button(sheet, SiteAct::Delete, &about);
            sheet.own("</div>");
        }
        let commits = many(found.commits, "commit", "commits");
        sheet
            .own("</div>\n<p class=\"soft\">")
            .value(format!("{commits} that the current branch lacks"))
            .own(".</p>\n");
        if found.commits == 0 {
            sheet.own("<p class=\"nothing\">The current branch has all of it.</p>\n");
            return;
        }
        reasons(sheet, frame, &found.rows);
        let front = PageFront::between(&diff.before, &diff.after);
        let entries = diff.entries.as_deref().unwrap_or_default();
        sheet.own("<h2>What it changes</h2>\n");
        changed::entries(sheet, &Page::new(front, entries, &diff.files.drawn, &diff.unmerged), 0);
        findings_of(sheet, &frame.addresses.findings(&format!("HEAD...{name}")));
    })
}

fn reasons(sheet: &mut Sheet, frame: &PageFrame<'_>, rows: &[ReviewRow]) {
    if rows.is_empty() {
        return;
    }
    sheet.own("<h2>What a person should look at</h2>\n<ul class=\"rows\">\n");
    for row in rows {
        sheet.own("<li><strong>").value(&row.action).own("</strong> <a href=\"");
        sheet.bare(frame.addresses.entry(&row.path)).own("\" dir=\"auto\">").value(&row.path).own("</a>");
        why(sheet, row);
        sheet.own("<p dir=\"auto\">").value(&row.reason).own("</p>");
        for dropped in &row.dropped {
            sheet.own("<p class=\"dropped\" dir=\"auto\">dropped: ").value(dropped).own("</p>");
        }
        sheet.own("</li>\n");
    }
    sheet.own("</ul>\n");
}
