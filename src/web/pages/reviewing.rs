//! What waits for review.

use super::{PageMaker, WebAnswer, command, revision};
use crate::say::site::form;
use crate::say::site::frame::SiteSection;
use crate::say::site::problem::PageProblem;
use crate::say::site::review::{self, QueueView, ReviewView};
use crate::web::acts::versions;
use brv_commands::review::comment::Comment;
use brv_commands::review::{branch as beside, comments, log as deciding, pending, show as reviewing};
use brv_commands::vc::branch::{self as branching, BranchListing};
use hyper::StatusCode;

impl PageMaker<'_> {
    pub(super) fn queue(&self) -> Result<WebAnswer, PageProblem> {
        let found = pending::run(&self.cx, pending::ReviewExtent::Outgoing)?;
        let commands = ["brv review pending".to_owned()];
        let listing = BranchListing { patterns: vec!["dream/*".to_owned()], ..BranchListing::default() };
        let dreams = branching::run(&self.cx, &branching::Options::List(listing))?.branches;
        let dreams: Vec<_> = dreams.unwrap_or_default().into_iter().filter(|one| !one.current).collect();
        let frame = self.frame(SiteSection::Review, "Review", &commands);
        let (comments, decisions) = (self.comments()?, deciding::run(&self.cx)?);
        let view = QueueView {
            pending: &found,
            dreams: &dreams,
            comments: &comments,
            log: &decisions,
            from: self.from(),
        };
        Ok(WebAnswer::Page(StatusCode::OK, review::queue(&frame, &view)))
    }

    pub(super) fn reviewed(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, id) = (&self.cx, &*self.below);
        let found = reviewing::run(cx, id)?;
        let commands = [command(&["review", "show", id])];
        let frame = self.frame(SiteSection::Review, id, &commands);
        let paths: Vec<&str> = found.items.iter().map(|item| &*item.row.path).collect();
        let now = versions(cx, &paths)?;
        let seen = paths.iter().map(|path| form::seen(now.get(*path).map(|now| &*now.id), path)).collect();
        let comments = self.comments()?;
        let view = ReviewView { shown: &found, seen, comments: &comments, from: self.from() };
        Ok(WebAnswer::Page(StatusCode::OK, review::change(&frame, &view)))
    }

    /// What was said and is not closed.
    pub(super) fn comments(&self) -> Result<Vec<Comment>, PageProblem> {
        let options = comments::Options::default();
        Ok(comments::run(&self.cx, &options)?.comments)
    }

    pub(super) fn branch(&self, name: &str) -> Result<WebAnswer, PageProblem> {
        let cx = &self.cx;
        let found = beside::run(cx, &revision(name)?)?;
        let range = format!("HEAD...{name}");
        let diff = self.compared(&range)?;
        let commands = [
            command(&["vc", "diff", &range]),
            command(&["vc", "check", &range]),
            command(&["vc", "merge", name]),
        ];
        let frame = self.frame(SiteSection::Review, name, &commands);
        let page = review::branch(&frame, &found, &diff, self.from());
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }
}
