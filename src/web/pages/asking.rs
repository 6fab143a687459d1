//! What is found, and what would be served.

use super::{PageMaker, WebAnswer};
use crate::say::site::frame::{PageFrame, SiteSection};
use crate::say::site::problem::PageProblem;
use crate::say::site::search;
use brv_commands::search as searching;
use hyper::StatusCode;

/// How many results a search has.
const RESULTS: usize = 30;

impl PageMaker<'_> {
    pub(super) fn search(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, text) = (&self.cx, self.request.get("q").unwrap_or_default());
        let found = match text.trim() {
            "" => None,
            text => {
                let options = searching::Options {
                    text: text.to_owned(),
                    limit: RESULTS,
                    scope: None,
                    related: false,
                    no_hits: true,
                    fresh: false,
                    explain: false,
                };
                Some(searching::run(cx, &options)?)
            }
        };
        let commands: Vec<String> = found.iter().map(|_| "brv search TEXT".to_owned()).collect();
        let frame = PageFrame { query: text, ..self.frame(SiteSection::Other, "Search", &commands) };
        let page = search::page(&frame, found.as_ref().map(|(outcome, ..)| outcome));
        if let Some((_, _, after)) = found {
            after();
        }
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }
}
