//! What was found.

use super::frame::PageFrame;
use crate::say::words::many;
use brv_base::path::PathKind;
use brv_commands::search::Outcome;

/// The page of results; `None`: nothing was asked for.
pub fn page(frame: &PageFrame<'_>, outcome: Option<&Outcome>) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>Search</h1>\n");
        let Some(outcome) = outcome else {
            sheet.own("<p class=\"nothing\">Words, a \"phrase in quotes\", or the name of a thing.</p>\n");
            return;
        };
        sheet.own("<p class=\"soft\" role=\"status\">").value(many(outcome.total, "match", "matches"));
        sheet.own(" for <bdi>").value(&outcome.query).own("</bdi></p>\n");
        if outcome.results.is_empty() {
            sheet.own("<p class=\"nothing\">Nothing has these words.</p>\n");
            return;
        }
        sheet.own("<ul class=\"rows\">\n");
        for result in &outcome.results {
            let address = match result.path.kind() {
                PathKind::NodeOverview => frame.addresses.tree(result.path.folder()),
                _ => frame.addresses.entry(result.path.as_str()),
            };
            sheet.own("<li><a href=\"").bare(address).own("\"><bdi>").value(&result.title).own("</bdi></a>");
            sheet.own(" <span class=\"name\">").value(result.path.as_str()).own("</span>");
            for (is_so, mark) in [
                (!result.pending.is_empty(), " <span class=\"mark warn\">? pending</span>"),
                (result.disputed, " <span class=\"mark warn\">! disputed</span>"),
                (!result.flagged.is_empty(), " <span class=\"mark bad\">! flagged</span>"),
                (result.points_to.is_some(), " <span class=\"mark\">archived</span>"),
            ] {
                if is_so {
                    sheet.own(mark);
                }
            }
            sheet.own("<p dir=\"auto\">").value(&result.excerpt).own("</p></li>\n");
        }
        sheet.own("</ul>\n");
    })
}
