//! The first page, and its parts that are kept while nothing changes.

use super::{PageMaker, WebAnswer};
use crate::say::site::frame::SiteSection;
use crate::say::site::home::{self, HomeView, StalePage};
use crate::say::site::problem::PageProblem;
use brv_commands::links::{self, LinkSelection};
use brv_commands::vc::diff::Detail;
use brv_commands::vc::{log, status};
use brv_commands::{stale, tree, ui};
use hyper::StatusCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many commits of the week are looked at.
const COMMITS: usize = 200;

/// How long files are not looked at again.
const UNLOOKED: Duration = Duration::from_secs(5);

/// What was found at one state of the tree and the code.
#[derive(Debug)]
pub struct KeptFinding<T>(Mutex<Option<(String, Instant, Arc<T>)>>);

impl<T> Default for KeptFinding<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> KeptFinding<T> {
    /// What was found at this state, or is found now.
    fn get<E>(&self, state: impl Fn() -> String, find: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, when, found)) = &*kept
            && when.elapsed() < UNLOOKED
        {
            return Ok(found.clone());
        }
        let now = state();
        if let Some((then, when, found)) = &mut *kept
            && *then == now
        {
            *when = Instant::now();
            return Ok(found.clone());
        }
        let found = Arc::new(find()?);
        *kept = Some((now, Instant::now(), found.clone()));
        Ok(found)
    }

    /// What was found last, if anything was looked for.
    fn last(&self) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().map(|(_, _, found)| found.clone())
    }
}

impl PageMaker<'_> {
    /// The entries whose code has changed, as it was found last: a list of a folder does not wait for that.
    pub(super) fn known_stale(&self) -> Vec<(String, &'static str)> {
        let found = self.visit.pages.stale.last();
        let entries = found.iter().flat_map(|found| &found.entries);
        entries.map(|entry| (entry.path.to_string(), entry.freshness.state.word())).collect()
    }

    pub(super) fn home(&self) -> Result<WebAnswer, PageProblem> {
        match &*self.below {
            "" => self.overview(),
            "stale" => self.stale(),
            "broken" => self.broken(),
            _ => Err(super::nowhere().into()),
        }
    }

    fn overview(&self) -> Result<WebAnswer, PageProblem> {
        let cx = &self.cx;
        let options = log::Options {
            since: Some("7.days.ago".to_owned()),
            limit: Some(COMMITS),
            detail: Some(Detail::Names),
            ..log::Options::default()
        };
        let domains = self.domains()?;
        let view = HomeView {
            status: &status::run(cx, &status::Options::default())?,
            waiting: &self.visit.waiting,
            comments: &self.comments()?,
            week: &self.log(&options)?,
            domains: &domains,
        };
        let commands = ["brv status".to_owned(), "brv vc log --since 7.days.ago".to_owned()];
        let frame = self.frame(SiteSection::Home, "Home", &commands);
        Ok(WebAnswer::Page(StatusCode::OK, home::page(&frame, &view)))
    }

    /// The first level of the tree.
    fn domains(&self) -> Result<Arc<tree::Outcome>, PageProblem> {
        let find = || tree::run(&self.cx, &tree::Options { name: None, depth: Some(1), at: None });
        Ok(self.visit.pages.domains.get(|| self.state(), find)?)
    }

    fn stale(&self) -> Result<WebAnswer, PageProblem> {
        let pages = self.visit.pages;
        let find = || stale::list::run(&self.cx, &stale::list::Options::default());
        let found = pages.stale.get(|| self.state(), find)?;
        let domains = self.domains()?;
        let commands = ["brv stale".to_owned()];
        let frame = self.frame(SiteSection::Home, "Code that has changed", &commands);
        let place = match self.is_part() {
            true => StalePage::Part(&pages.addresses, &domains),
            false => StalePage::Whole(&frame, &domains),
        };
        Ok(WebAnswer::Page(StatusCode::OK, home::stale(place, &found)))
    }

    fn broken(&self) -> Result<WebAnswer, PageProblem> {
        let pages = self.visit.pages;
        let find = || links::run(&self.cx, &LinkSelection::Broken, None);
        let found = pages.broken.get(|| self.state(), find)?;
        let links = match &*found {
            links::Outcome::Broken { links, .. } => &links[..],
            links::Outcome::Of { .. } => &[],
        };
        let commands = ["brv links --broken".to_owned()];
        let frame = self.frame(SiteSection::Home, "Broken links", &commands);
        let whole = (!self.is_part()).then_some(&frame);
        Ok(WebAnswer::Page(StatusCode::OK, home::broken(whole, &pages.addresses, links)))
    }

    /// A word for the state of the tree, its files and the code.
    fn state(&self) -> String {
        let watched = self.visit.pages.watch.as_ref().map(|watch| watch.tree(true));
        format!("{watched:?} {:?}", ui::code_head(&self.cx))
    }
}
