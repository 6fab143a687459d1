//! The page of a command that failed: its message, what helps, and what is named alike.

use super::frame::Frame;
use crate::say::Failure;

/// What went wrong.
pub fn page(frame: &Frame<'_>, heading: &'static str, failure: &Failure) -> String {
    let stop = &failure.stop;
    frame.page(|sheet| {
        sheet.own("<h1>").own(heading).own("</h1>\n<p>").value(&stop.message).own("</p>\n");
        if let Some(hint) = &stop.hint {
            sheet.own("<p class=\"hint\">").value(hint).own("</p>\n");
        }
    })
}
