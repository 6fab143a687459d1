//! A folder: what is in it, two hundred at a time.

use super::frame::{PageFrame, crumbs};
use super::stem;
use crate::say::sheet::Sheet;
use crate::say::words::many;
use brv_commands::tree::{Outcome, TreeRow};

/// How many rows a page has.
pub const ROWS: usize = 200;

/// Which rows are shown.
#[derive(Debug, Clone, Default)]
pub struct TreeView {
    /// Only those that have these letters in path, title or summary.
    pub filter: String,
    /// From 0.
    pub page: usize,
    /// Paths of entries with a change that waits for review.
    pub waiting: Vec<String>,
    /// Paths of entries whose code has changed, each with the word for it, as far as that is known.
    pub stale: Vec<(String, &'static str)>,
    /// What is said about the whole list.
    pub note: Option<String>,
}

/// The page of a folder.
pub fn page(frame: &PageFrame<'_>, outcome: &Outcome, view: &TreeView) -> String {
    frame.page(|sheet| {
        if !outcome.path.is_empty() {
            crumbs(sheet, frame.addresses, &outcome.path);
        }
        sheet.own("<h1 dir=\"auto\">").value(frame.title).own("</h1>\n");
        if let Some(summary) = &outcome.summary {
            sheet.own("<p class=\"lead\" dir=\"auto\">").value(summary).own("</p>\n");
        }
        let entries = many(outcome.entries, "entry", "entries");
        let folders = if outcome.path.is_empty() { ("domain", "domains") } else { ("folder", "folders") };
        sheet
            .own("<p class=\"soft\">")
            .value(format!("{entries} in {}", many(outcome.folders, folders.0, folders.1)));
        sheet.own("</p>\n");
        if let Some(note) = &view.note {
            sheet.own("<p class=\"soft\">").value(note).own("</p>\n");
        }
        let wanted = view.filter.to_lowercase();
        let rows: Vec<&TreeRow> = outcome.rows.iter().filter(|row| has(row, &wanted)).collect();
        let is_written = frame.addresses.files().is_some();
        if !is_written && (outcome.rows.len() > ROWS / 10 || !wanted.is_empty()) {
            filter(sheet, frame, outcome, view);
        }
        let first = view.page.saturating_mul(ROWS);
        let shown = rows.get(first..).unwrap_or_default();
        let shown = &shown[..shown.len().min(ROWS)];
        match (shown, outcome.rows.is_empty()) {
            ([], true) if is_written => {
                sheet.own("<p class=\"nothing\">There is no entry.</p>\n");
            }
            ([], true) => nothing(sheet),
            ([], false) => {
                sheet.own("<p class=\"nothing\">No row has these letters.</p>\n");
            }
            _ => list(sheet, frame, shown, view),
        }
        pages(sheet, frame, outcome, view, rows.len());
    })
}

/// How to add the first entry.
pub(super) fn nothing(sheet: &mut Sheet) {
    sheet.own("<p class=\"nothing\">There is no entry yet. <code>brv curate</code> writes the first one; ");
    sheet.own("<code>brv help curating</code> tells how.</p>\n");
}

fn has(row: &TreeRow, wanted: &str) -> bool {
    let (TreeRow::Folder { path, title, summary, .. } | TreeRow::Entry { path, title, summary, .. }) = row;
    let texts = [Some(path), title.as_ref(), summary.as_ref()];
    wanted.is_empty() || texts.into_iter().flatten().any(|text| text.to_lowercase().contains(wanted))
}

fn filter(sheet: &mut Sheet, frame: &PageFrame<'_>, outcome: &Outcome, view: &TreeView) {
    sheet.own("<form class=\"filter\" action=\"").bare(frame.addresses.tree(&outcome.path)).own("\">");
    sheet
        .own("<label for=\"filter\">Filter</label> <input id=\"filter\" name=\"filter\" value=\"")
        .bare(&view.filter);
    sheet.own("\" autocomplete=\"off\"> <button>Show</button></form>\n");
}

fn list(sheet: &mut Sheet, frame: &PageFrame<'_>, rows: &[&TreeRow], view: &TreeView) {
    sheet.own("<ul class=\"rows\">\n");
    for row in rows {
        let (TreeRow::Folder { path, title, summary, flagged, .. }
        | TreeRow::Entry { path, title, summary, flagged, .. }) = row;
        let (address, name) = match row {
            TreeRow::Folder { .. } => (frame.addresses.tree(path), format!("{}/", stem(path))),
            TreeRow::Entry { .. } => (frame.addresses.entry(path), stem(path).to_owned()),
        };
        sheet.own("<li><a href=\"").bare(address).own("\"><bdi>");
        sheet.value(title.as_deref().unwrap_or(&name)).own("</bdi></a> <span class=\"name\">").value(&name);
        if let TreeRow::Folder { entries, .. } = row {
            sheet.value(format!(" · {}", many(*entries, "entry", "entries")));
        }
        sheet.own("</span>");
        if let TreeRow::Entry { status: Some(status), .. } = row {
            sheet.own(" <span class=\"mark\">").own(status).own("</span>");
        }
        if matches!(row, TreeRow::Entry { disputed: true, .. }) {
            sheet.own(" <span class=\"mark warn\">! disputed</span>");
        }
        if let Some((_, word)) = view.stale.iter().find(|(known, _)| known == path) {
            sheet.own(" <span class=\"mark warn\">! ").own(word).own("</span>");
        }
        if view.waiting.contains(path) {
            sheet.own(" <span class=\"mark warn\">? pending</span>");
        }
        if !flagged.is_empty() {
            sheet.own(" <span class=\"mark warn\">! flagged</span>");
        }
        if let Some(summary) = summary {
            sheet.own("<p dir=\"auto\">").value(summary).own("</p>");
        }
        sheet.own("</li>\n");
    }
    sheet.own("</ul>\n");
}

/// The ways to the pages before and after this one.
fn pages(sheet: &mut Sheet, frame: &PageFrame<'_>, outcome: &Outcome, view: &TreeView, rows: usize) {
    let last = rows.div_ceil(ROWS).saturating_sub(1);
    if last == 0 {
        return;
    }
    let address = |page: usize| frame.addresses.tree_part(&outcome.path, page, &view.filter);
    sheet.own("<nav class=\"pages\" aria-label=\"Parts of the list\">");
    if view.page > 0 {
        sheet.own("<a rel=\"prev\" href=\"").bare(address(view.page - 1)).own("\">Before</a> ");
    }
    let (first, end) =
        (view.page.saturating_mul(ROWS), view.page.saturating_add(1).saturating_mul(ROWS).min(rows));
    sheet.own("<span>").value(format!("{} to {end} of {rows}", (first + 1).min(rows))).own("</span>");
    if view.page < last {
        sheet.own(" <a rel=\"next\" href=\"").bare(address(view.page + 1)).own("\">After</a>");
    }
    sheet.own("</nav>\n");
}
