//! What waits for review.

use super::{PageMaker, WebAnswer, command};
use crate::say::site::form;
use crate::say::site::frame::SiteSection;
use crate::say::site::problem::PageProblem;
use crate::say::site::review::{self, ReviewView};
use crate::web::acts::versions;
use brv_commands::review::{pending, show as reviewing};
use brv_commands::ui;
use hyper::StatusCode;

impl PageMaker<'_> {
    pub(super) fn queue(&self) -> Result<WebAnswer, PageProblem> {
        let found = pending::run(&self.cx, pending::ReviewExtent::Outgoing)?;
        let commands = ["brv review pending".to_owned()];
        let frame = self.frame(SiteSection::Review, "Review", &commands);
        Ok(WebAnswer::Page(StatusCode::OK, review::queue(&frame, &found)))
    }

    pub(super) fn reviewed(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, id) = (&self.cx, &*self.below);
        let found = reviewing::run(cx, id)?;
        let commands = [command(&["review", "show", id])];
        let frame = self.frame(SiteSection::Review, id, &commands);
        let paths: Vec<&str> = found.items.iter().map(|item| &*item.row.path).collect();
        let now = versions(cx, &paths)?;
        let seen = paths.iter().map(|path| form::seen(now.get(*path).map(|now| &*now.id), path)).collect();
        let view = ReviewView { shown: &found, seen, is_merging: ui::is_merging(cx)? };
        Ok(WebAnswer::Page(StatusCode::OK, review::change(&frame, &view)))
    }
}
