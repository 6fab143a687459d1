//! A change by meaning, as the pages of changes and of reviews show it.

use crate::say::page::{Page, html};
use crate::say::sheet::Sheet;

/// What is compared, the list of entries, and their changes.
pub fn whole(sheet: &mut Sheet, page: &Page<'_>) {
    sheet.own("<div class=\"diff\">\n");
    html::write(sheet, page, ["<div class=\"changes\">\n", "</div>\n"]);
    sheet.own("</div>\n");
}

/// The changes alone; see [`html::write_changes`].
pub fn entries(sheet: &mut Sheet, page: &Page<'_>, first: usize) {
    sheet.own("<div class=\"diff\"><div class=\"changes\">\n");
    html::write_changes(sheet, page, first);
    sheet.own("</div></div>\n");
}
