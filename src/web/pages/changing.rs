//! The history, a commit, a difference, and what a check finds.

use super::{PageMaker, WebAnswer, command, nowhere, revision};
use crate::say::site::changes;
use crate::say::site::frame::SiteSection;
use crate::say::site::problem::PageProblem;
use brv_commands::op::log as op_log;
use brv_commands::vc::diff::Detail;
use brv_commands::vc::{check, diff, log, show};
use hyper::StatusCode;

/// How many operations are looked at for those that made the commits of a page.
const OPERATIONS: usize = 300;

/// How much of a change is shown.
const DETAIL: Detail = Detail::Meaning { context: 3 };

impl PageMaker<'_> {
    pub(super) fn changes(&self) -> Result<WebAnswer, PageProblem> {
        let from = self.from();
        let options =
            log::Options { skip: from, limit: Some(changes::COMMITS + 1), ..log::Options::default() };
        let found = self.log(&options)?;
        let operations = self.operations()?;
        let commands = ["brv vc log".to_owned(), "brv op log".to_owned()];
        let frame = self.frame(SiteSection::Changes, "Changes", &commands);
        Ok(WebAnswer::Page(StatusCode::OK, changes::history(&frame, &found, &operations, from)))
    }

    pub(super) fn commit(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, name) = (&self.cx, &*self.below);
        let object = revision(name)?;
        let options = show::Options { object, detail: DETAIL, with_lines: true, is_masked: true };
        let found = show::run(cx, &options)?;
        let commands = [command(&["vc", "show", name]), command(&["vc", "check", name])];
        let frame = self.frame(SiteSection::Changes, name, &commands);
        let page = changes::commit(&frame, &found, self.from()).ok_or_else(nowhere)?;
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }

    pub(super) fn difference(&self) -> Result<WebAnswer, PageProblem> {
        let range = &*self.below;
        let range_of_two = Some(range).filter(|range| range.contains("..")).ok_or_else(nowhere)?;
        let found = self.compared(&revision(range_of_two)?)?;
        let commands = [command(&["vc", "diff", range]), command(&["vc", "check", range])];
        let frame = self.frame(SiteSection::Changes, range, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, changes::difference(&frame, range, &found, self.from())))
    }

    pub(super) fn findings(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, name) = (&self.cx, &*self.below);
        let options = check::Options { arguments: vec![revision(name)?], ..check::Options::default() };
        let found = check::run(cx, &options)?;
        let commands = [command(&["vc", "check", name])];
        let frame = self.frame(SiteSection::Changes, "Findings", &commands);
        let page = match self.is_part() {
            true => changes::findings_part(&frame, &found),
            false => changes::findings_page(&frame, &found),
        };
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }

    /// From which row on a page shows what it has.
    pub(super) fn from(&self) -> usize {
        self.request.get("from").and_then(|from| from.parse().ok()).unwrap_or_default()
    }

    /// The last operations.
    fn operations(&self) -> Result<op_log::Outcome, PageProblem> {
        let options = op_log::Options { limit: Some(OPERATIONS), ..op_log::Options::default() };
        Ok(op_log::run(&self.cx, &options)?)
    }

    /// The difference of two states that a range names.
    pub(super) fn compared(&self, range: &str) -> Result<diff::Outcome, PageProblem> {
        let options = diff::Options {
            arguments: vec![range.to_owned()],
            paths: Vec::new(),
            against: diff::Against::WorkTree,
            detail: DETAIL,
            with_lines: true,
            is_masked: true,
        };
        Ok(diff::run(&self.cx, &options)?)
    }
}
