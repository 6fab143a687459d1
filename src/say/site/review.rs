//! What waits for a person: the queue, and one change with its effect.

use super::changed;
use super::changes::{DRAWN, findings_of, part_of, ways};
use super::comments::{self, named};
use super::form::{self, SiteAct};
use super::frame::PageFrame;
use crate::say::page::{Page, PageFront};
use crate::say::sheet::Sheet;
use crate::say::words::many;
use brv_base::clock::format_utc;
use brv_commands::review::branch::BranchReview;
use brv_commands::review::comment::Comment;
use brv_commands::review::log::Outcome as ReviewLog;
use brv_commands::review::pending::Outcome as Pending;
use brv_commands::review::show::{Item, Outcome as Shown, ReviewStanding};
use brv_commands::review::{Decision, ReviewRow};
use brv_commands::vc::branch::Branch;
use brv_commands::vc::diff::Outcome as Diff;
use brv_text::diff::knowledge::Content;

/// More folders than one change has.
const GROUPS: usize = 1_000;

/// What waits, and what was decided.
#[derive(Debug)]
pub struct QueueView<'a> {
    pub pending: &'a Pending,
    /// The branches of dreams.
    pub dreams: &'a [Branch],
    /// What was said and is not closed.
    pub comments: &'a [Comment],
    /// What was decided, newest first.
    pub log: &'a ReviewLog,
    /// From which change on the page lists them.
    pub from: usize,
}

/// How many changes the queue lists at a time, and how many decisions.
const QUEUED: usize = 200;
const DECIDED: usize = 20;

/// The queue.
pub fn queue(frame: &PageFrame<'_>, view: &QueueView<'_>) -> String {
    let QueueView { pending, dreams, .. } = view;
    frame.page(|sheet| {
        sheet.own("<h1>Review</h1>\n");
        if !dreams.is_empty() {
            sheet.own("<h2>Dreams on branches</h2>\n<ul class=\"rows\">\n");
            for dream in *dreams {
                sheet.own("<li><a href=\"").bare(frame.addresses.reviewed_branch(&dream.name)).own("\">");
                sheet.value(&dream.name).own("</a><p dir=\"auto\">").value(&dream.subject).own("</p></li>\n");
            }
            sheet.own("</ul>\n<h2>Changes</h2>\n");
        }
        if pending.pending.is_empty() {
            sheet.own("<p class=\"nothing\">Nothing waits for you.</p>\n");
            comments::listed(sheet, frame, view.comments);
            decided(sheet, frame, view.log);
            return;
        }
        let waits = many(pending.count, "change waits", "changes wait");
        sheet.own("<p class=\"soft\">").value(waits).own(" for a person.</p>\n<ul class=\"rows\">\n");
        for row in pending.pending.iter().skip(view.from).take(QUEUED) {
            sheet.own("<li><a href=\"").bare(frame.addresses.reviewed(&row.id)).own("\" dir=\"auto\">");
            sheet.value(&row.action).own(" ").value(&row.path).own("</a>");
            why(sheet, row);
            sheet.own("<p dir=\"auto\">").value(&row.reason).own("</p><p><bdi>").value(named(&row.actor));
            sheet.own("</bdi>");
            if let Some(operation) = row.operation.as_ref().filter(|own| together(pending, own) > 1) {
                sheet.own(" · <a href=\"").bare(frame.addresses.reviewed(operation)).own("\">");
                sheet.value(many(together(pending, operation), "change", "changes")).own(" together</a>");
            }
            sheet.own(" · ").value(&row.kind).own(" · <code>").value(&row.id).own("</code></p></li>\n");
        }
        sheet.own("</ul>\n");
        ways(sheet, &frame.addresses.review(), view.from, pending.pending.len());
        comments::listed(sheet, frame, view.comments);
        decided(sheet, frame, view.log);
    })
}

/// How many of the changes that wait an operation made.
fn together(pending: &Pending, operation: &str) -> usize {
    pending.pending.iter().filter(|row| row.operation.as_deref() == Some(operation)).count()
}

/// What was decided last.
fn decided(sheet: &mut Sheet, frame: &PageFrame<'_>, log: &ReviewLog) {
    if log.decisions.is_empty() {
        return;
    }
    sheet.own("<h2>Decided</h2>\n<ul class=\"rows\">\n");
    for one in log.decisions.iter().take(DECIDED) {
        sheet
            .own("<li><a href=\"")
            .bare(frame.addresses.reviewed(&one.id))
            .own("\" dir=\"auto\">")
            .value(&one.path);
        sheet
            .own("</a> <span class=\"mark\">")
            .own(match one.decision {
                Decision::Approved => "approved",
                Decision::Rejected => "rejected",
                Decision::Reopened => "reopened",
                Decision::Published => "published",
            })
            .own("</span><p><bdi>");
        sheet
            .value(named(&one.actor))
            .own("</bdi> · <time>")
            .value(format_utc(one.time).get(..10).unwrap_or_default());
        sheet.own("</time>");
        if let Some(comment) = &one.comment {
            sheet.own(" · <span dir=\"auto\">").value(comment).own("</span>");
        }
        sheet.own("</p></li>\n");
    }
    sheet.own("</ul>\n");
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
    /// What was said and is not closed.
    pub comments: &'a [Comment],
    /// From which change on the page shows them.
    pub from: usize,
}

/// The page of a change.
pub fn change(frame: &PageFrame<'_>, view: &ReviewView<'_>) -> String {
    let shown = view.shown;
    frame.page(|sheet| {
        sheet.own("<h1>Review</h1>\n");
        if shown.items.len() > 1 {
            sheet
                .own("<p>")
                .value(many(shown.items.len(), "change", "changes"))
                .own(", decided together or one by one.</p>\n");
            decide(sheet, frame, view, &(0..shown.items.len()).collect::<Vec<_>>());
        }
        let last = view.from.saturating_add(OF_A_PAGE);
        let items = shown.items.iter().enumerate().skip(view.from).take(OF_A_PAGE);
        for (number, item) in items {
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
            decide(sheet, frame, view, &[number]);
            let front = PageFront::Between { before: String::new(), after: String::new() };
            let page = Page::new(front, &item.told.entries, &item.told.files, &[]).drawing(DRAWN);
            changed::entries(sheet, &page, number * GROUPS);
            said(sheet, frame, view, item);
            sheet.own("</section>\n");
        }
        let total = shown.items.len();
        if total > last || view.from > 0 {
            let address = frame.addresses.reviewed(&shown.id);
            sheet.own("<nav class=\"pages\" aria-label=\"Parts of the operation\">");
            if view.from > 0 {
                let before = format!("{address}?from={}", view.from.saturating_sub(OF_A_PAGE));
                sheet.own("<a rel=\"prev\" href=\"").bare(before).own("\">Before</a> ");
            }
            if total > last {
                sheet
                    .own("<a rel=\"next\" href=\"")
                    .bare(format!("{address}?from={last}"))
                    .own("\">After</a>");
            }
            sheet.own("</nav>\n");
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

/// How many changes of one operation a page has.
const OF_A_PAGE: usize = 20;

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
pub fn branch(frame: &PageFrame<'_>, found: &BranchReview, diff: &Diff, from: usize) -> String {
    let name = frame.title;
    let tip = found.tip.to_string();
    let about = [("branch", name), ("tip", &*tip)];
    frame.page(|sheet| {
        sheet.own("<div class=\"head\"><h1 dir=\"auto\">").value(name).own("</h1>\n");
        sheet.own("<div class=\"acts\">");
        if found.commits > 0 {
            frame.forms.button(sheet, SiteAct::Merge, &about);
        }
        frame.forms.button(sheet, SiteAct::Delete, &about);
        sheet.own("</div>");
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
        let shown = part_of(entries, from);
        changed::entries(
            sheet,
            &Page::new(front, shown, &diff.files.drawn, &diff.unmerged).drawing(DRAWN),
            0,
        );
        ways(sheet, &frame.addresses.reviewed_branch(name), from, entries.len());
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
