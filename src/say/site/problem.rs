//! The page of a command that failed: its message, what helps, and what is named alike.

use super::frame::PageFrame;
use crate::say::Failure;

/// Why there is no page.
#[derive(Debug)]
pub struct PageProblem {
    pub failure: Box<Failure>,
    /// Paths that are named alike.
    pub nearest: Vec<String>,
}

impl<F: Into<Failure>> From<F> for PageProblem {
    fn from(failure: F) -> Self {
        Self { failure: Box::new(failure.into()), nearest: Vec::new() }
    }
}

/// What went wrong.
pub fn page(frame: &PageFrame<'_>, problem: &PageProblem) -> String {
    let stop = &problem.failure.stop;
    frame.page(|sheet| {
        sheet.own("<h1>").value(frame.title).own("</h1>\n<p>").value(&stop.message).own("</p>\n");
        if let Some(hint) = &stop.hint {
            sheet.own("<p class=\"hint\">").value(hint).own("</p>\n");
        }
        if problem.nearest.is_empty() {
            return;
        }
        sheet.own("<p>Perhaps</p>\n<ul class=\"links\">\n");
        for path in &problem.nearest {
            let address = match path.ends_with(".md") {
                true => frame.addresses.entry(path),
                false => frame.addresses.tree(path),
            };
            sheet.own("<li><a href=\"").bare(address).own("\">").value(path).own("</a></li>\n");
        }
        sheet.own("</ul>\n");
    })
}
