//! What was found.

use super::frame::PageFrame;
use crate::say::words::many;
use brv_base::path::PathKind;
use brv_commands::query::Outcome as Query;
use brv_commands::search::Outcome;

/// The page of results with the answer to the same words; `None`: nothing was asked for.
pub fn page(frame: &PageFrame<'_>, outcome: Option<&Outcome>, answer: Option<&Query>) -> String {
    frame.page(|sheet| {
        sheet.own("<h1>Search</h1>\n");
        let Some(outcome) = outcome else {
            sheet.own("<p class=\"nothing\">Words, a \"phrase in quotes\", or the name of a thing.</p>\n");
            return;
        };
        sheet.own("<p class=\"soft\" role=\"status\">").value(many(outcome.total, "match", "matches"));
        sheet.own(" for <bdi>").value(&outcome.query).own("</bdi></p>\n");
        if let Some((answer, found)) = answer.and_then(|found| Some((found.answer.as_ref()?, found))) {
            sheet.own("<blockquote class=\"said\" dir=\"auto\">").value(answer).own("</blockquote>\n<p>");
            for source in &found.sources {
                sheet
                    .own("<a href=\"")
                    .bare(frame.addresses.entry(&source.path))
                    .own("\">")
                    .value(&source.path);
                sheet.own("</a> ");
            }
            let why = format!("{}?q={}", frame.addresses.why(), super::encoded(&outcome.query));
            sheet.own("<a href=\"").bare(why).own("\">Why this</a></p>\n");
        }
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
