//! The page of a form that was not carried out: why, what is there now, and the form again with what was typed.

use super::changed;
use super::form::{self, SiteAct};
use super::frame::PageFrame;
use crate::say::Failure;
use crate::say::page::{Page, PageFront};
use crate::say::sheet::Sheet;
use brv_commands::ui::moved::MovedEntry;

/// More folders than one change has.
const GROUPS: usize = 1_000;

/// A form that was not carried out; nothing was written.
#[derive(Debug)]
pub struct RefusedAct {
    pub act: SiteAct,
    /// What was sent, without the secret and the page.
    pub fields: Vec<(String, String)>,
    pub failure: Failure,
    /// The entries that are others than the page showed.
    pub moved: Vec<MovedEntry>,
}

/// The page.
pub fn page(frame: &PageFrame<'_>, refused: &RefusedAct) -> String {
    let stop = &refused.failure.stop;
    frame.page(|sheet| {
        sheet
            .own("<h1>")
            .value(frame.title)
            .own("</h1>\n<p role=\"alert\">")
            .value(&stop.message)
            .own("</p>\n");
        if let Some(hint) = &stop.hint {
            sheet.own("<p class=\"hint\">").value(hint).own("</p>\n");
        }
        for (number, moved) in refused.moved.iter().enumerate() {
            versions(sheet, frame, moved, number);
        }
        if frame.forms.may(refused.act) {
            again(sheet, frame, refused);
        }
    })
}

/// What was shown and what is there now.
fn versions(sheet: &mut Sheet, frame: &PageFrame<'_>, moved: &MovedEntry, number: usize) {
    sheet.own("<h2 dir=\"auto\"><a href=\"").bare(frame.addresses.entry(&moved.path)).own("\">");
    sheet.value(&moved.path).own("</a></h2>\n");
    let Some(told) = &moved.told else {
        sheet.own("<p>The version that the page showed is not kept; the page of the entry shows what is there now.</p>\n");
        return;
    };
    sheet.own("<p class=\"soft\">From what the page showed to what is there now:</p>\n");
    let front = PageFront::Between { before: String::new(), after: String::new() };
    changed::entries(sheet, &Page::new(front, &told.entries, &told.files, &[]), number * GROUPS);
}

/// The form, about what is there now.
fn again(sheet: &mut Sheet, frame: &PageFrame<'_>, refused: &RefusedAct) {
    let now = |path: &str| refused.moved.iter().find(|moved| moved.path == path);
    let about: Vec<(&str, String)> = refused
        .fields
        .iter()
        .filter(|(name, _)| name != "text")
        .map(|(name, value)| {
            let moved = value.split_once(' ').filter(|_| name == "seen").and_then(|(_, path)| now(path));
            let value =
                moved.map_or_else(|| value.clone(), |moved| form::seen(moved.now.as_deref(), &moved.path));
            (&**name, value)
        })
        .collect();
    let about: Vec<(&str, &str)> = about.iter().map(|(name, value)| (*name, &**value)).collect();
    let text = refused.fields.iter().find(|(name, _)| name == "text");
    sheet.own("<h2>Again</h2>\n");
    if !refused.moved.is_empty() {
        sheet.own("<p>The same, now about what is there:</p>\n");
    }
    frame.forms.write(sheet, refused.act, &about, |sheet| {
        if let Some((_, text)) = text {
            form::field(sheet, "text", "Text", "again", text);
        }
        form::button(sheet, refused.act.label());
    });
}
