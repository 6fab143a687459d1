//! What is found, what an agent would be given, and what agents were.

use super::{PageMaker, WebAnswer, command};
use crate::say::site::frame::{PageFrame, SiteSection};
use crate::say::site::problem::PageProblem;
use crate::say::site::why::{WhyAsked, WhyFound};
use crate::say::site::{search, why};
use brv_commands::brain::{self, for_files};
use brv_commands::{query, search as searching, served};
use hyper::StatusCode;

/// How many results a search has.
const RESULTS: usize = 30;

/// How many receipts a page has.
const RECEIPTS: usize = 200;

/// The last tier that answers without a model.
const WITHOUT_MODEL: u8 = 2;

impl PageMaker<'_> {
    pub(super) fn search(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, text) = (&self.cx, self.given("q"));
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
        // what is a search need not be a question
        let answer = found.as_ref().and_then(|_| self.answer(text).ok().flatten());
        let commands: Vec<String> = found.iter().map(|_| command(&["search", text])).collect();
        let frame = PageFrame { query: text, ..self.frame(SiteSection::Other, "Search", &commands) };
        let page = search::page(&frame, found.as_ref().map(|(outcome, ..)| outcome), answer.as_ref());
        if let Some((_, _, after)) = found {
            after();
        }
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }

    fn given(&self, name: &str) -> &str {
        self.request.get(name).unwrap_or_default()
    }

    /// The answer to a question, as an agent gets it without a model; nothing is remembered of it.
    fn answer(&self, question: &str) -> Result<Option<query::Outcome>, PageProblem> {
        let options = query::Options {
            question: question.to_owned(),
            scope: None,
            most_tier: WITHOUT_MODEL,
            no_model: true,
            extent: query::EntryTextExtent::Lines,
            no_cache: true,
            no_hits: true,
            fresh: false,
            explain: true,
        };
        let (reply, _, after) = query::run(&self.cx, options)?;
        after();
        Ok(Some(reply.outcome))
    }

    pub(super) fn why(&self) -> Result<WebAnswer, PageProblem> {
        match &*self.below {
            "" => {}
            "served" => return self.served(),
            _ => return Err(super::nowhere().into()),
        }
        let asked =
            WhyAsked { question: self.given("q"), file: self.given("file"), task: self.given("task") };
        let (page, told);
        if !asked.question.trim().is_empty() {
            told = command(&["query", "--explain", asked.question]);
            let found = self.answer(asked.question)?;
            page = self.explained(asked, &told, &found.as_ref().map_or(WhyFound::Nothing, WhyFound::Query));
        } else if !asked.file.trim().is_empty() {
            told = command(&["brain", "show", "--for", asked.file]);
            let file = self.cx.open()?.places.project.join(asked.file);
            let found = for_files::run(&self.cx, &[file], None)?;
            page = self.explained(asked, &told, &WhyFound::Files(&found));
        } else if !asked.task.trim().is_empty() {
            told = command(&["brain", "show", "--explain", "--task", asked.task]);
            let task = Some(asked.task.to_owned());
            let options = brain::Options { task, explain: true, unnoted: true, ..brain::Options::default() };
            let (found, _) = brain::run(&self.cx, &options)?;
            page = self.explained(asked, &told, &WhyFound::Task(&found));
        } else {
            told = "brv query --explain QUESTION".to_owned();
            page = self.explained(asked, &told, &WhyFound::Nothing);
        }
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }

    fn explained(&self, asked: WhyAsked<'_>, told: &str, found: &WhyFound<'_>) -> String {
        let commands = [told.to_owned()];
        why::page(&self.frame(SiteSection::Why, "Why", &commands), asked, found)
    }

    fn served(&self) -> Result<WebAnswer, PageProblem> {
        let path = self.request.get("path").filter(|path| !path.is_empty());
        let options = served::Options {
            session: self.request.get("session").map(str::to_owned),
            path: path.map(str::to_owned),
            since: self.request.get("since").map(str::to_owned),
            limit: RECEIPTS,
        };
        let found = served::run(&self.cx, &options)?;
        let commands = [match path {
            Some(path) => command(&["served", "--path", path]),
            None => "brv served".to_owned(),
        }];
        let frame = self.frame(SiteSection::Why, "What agents were given", &commands);
        Ok(WebAnswer::Page(StatusCode::OK, why::served(&frame, &found, path)))
    }
}
