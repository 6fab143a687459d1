//! What waits for a person: the queue, and one change with its effect.

use super::changed;
use super::form::{self, SiteAct};
use super::frame::PageFrame;
use crate::say::page::{Page, PageFront};
use crate::say::sheet::Sheet;
use crate::say::words::many;
use brv_commands::review::ReviewRow;
use brv_commands::review::pending::Outcome as Pending;
use brv_commands::review::show::{Outcome as Shown, ReviewStanding};

/// More folders than one change has.
const GROUPS: usize = 1_000;

/// The queue.
pub fn queue(frame: &PageFrame<'_>, pending: &Pending) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>Review</h1>\n");
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
