//! Makes each page: runs the commands behind it, and has their outcomes written.

use super::request::SiteRequest;
use crate::say::Failure;
use crate::say::site::SiteAddresses;
use crate::say::site::frame::{PageFrame, SiteSection};
use crate::say::site::links::EntryLinks;
use crate::say::site::problem::PageProblem;
use crate::say::site::tree::TreeView;
use crate::say::site::{entry, links, problem, search, tree};
use brv_base::clock::Clock;
use brv_base::config::{Config, Flags};
use brv_base::environment::Environment;
use brv_base::path::{PathKind, TreePath};
use brv_base::progress::Silent;
use brv_commands::read::{Absence, PieceKind};
use brv_commands::ui::UiTarget;
use brv_commands::vc::blame;
use brv_commands::{links as linking, read, search as searching, tree as listing};
use brv_engine::{Actor, Audience, BrokenRefs, Context, FailureKind, Preceding};
use hyper::StatusCode;
use std::sync::OnceLock;

/// A page, or where it is.
pub enum WebAnswer {
    Page(StatusCode, String),
    /// Another address shows it.
    Elsewhere(String),
}

/// How many results a search has.
const RESULTS: usize = 30;

/// What the pages are of.
#[derive(Debug, Clone)]
pub struct WebSetup {
    pub environment: Environment,
    pub clock: Clock,
    pub target: UiTarget,
}

/// The pages of one tree.
pub struct WebPages {
    pub setup: WebSetup,
    pub addresses: SiteAddresses,
}

impl WebPages {
    /// The page at an address below the run.
    pub fn page(&self, request: &SiteRequest) -> WebAnswer {
        let below = request.path.get(2..).unwrap_or_default().join("/");
        let name = request.path.get(1).map_or("", String::as_str);
        let made = match self.context() {
            Ok(cx) => match name {
                "" => return WebAnswer::Elsewhere(self.addresses.tree("")),
                "tree" => self.tree(&cx, below.trim_end_matches('/'), request),
                "entry" => self.entry(&cx, &below),
                "links" => self.links(&cx, &below, request.get("part").is_some()),
                "search" => self.search(&cx, request.get("q").unwrap_or_default()),
                _ => Err(nowhere().into()),
            },
            Err(failure) => Err(failure.into()),
        };
        made.unwrap_or_else(|problem| self.problem(&problem))
    }

    /// What commands run in: the folder of the tree, so that a name is a path of the tree.
    fn context(&self) -> Result<Context<'static>, Failure> {
        let WebSetup { environment, clock, target } = &self.setup;
        let config = Config::load(Flags::default(), environment);
        let config = config.map_err(|error| Failure::because(FailureKind::Usage, &error))?;
        Ok(Context {
            cwd: target.tree.clone(),
            environment: environment.clone(),
            clock: *clock,
            config,
            progress: &Silent,
            actor: Actor::of(environment),
            audience: Audience::Headless,
            input: Some(Vec::new()),
            preceding: Preceding::default(),
            broken_refs: BrokenRefs::default(),
            kept: OnceLock::new(),
            ends_with_process: false,
            ends_at: None,
        })
    }

    fn frame<'f>(&'f self, section: SiteSection, title: &'f str, commands: &'f [String]) -> PageFrame<'f> {
        let (addresses, project) = (&self.addresses, &*self.setup.target.project);
        PageFrame { addresses, project, section, title, query: "", commands }
    }

    fn problem(&self, problem: &PageProblem) -> WebAnswer {
        let (status, heading) = match problem.failure.stop.kind {
            FailureKind::Usage => (StatusCode::NOT_FOUND, "Not found"),
            FailureKind::Busy => (StatusCode::SERVICE_UNAVAILABLE, "Busy"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "That did not work"),
        };
        let frame = self.frame(SiteSection::Search, heading, &[]);
        WebAnswer::Page(status, problem::page(&frame, problem))
    }

    fn tree(&self, cx: &Context<'_>, folder: &str, request: &SiteRequest) -> Result<WebAnswer, PageProblem> {
        let name = (!folder.is_empty()).then(|| folder.to_owned());
        let outcome = listing::run(cx, &listing::Options { name, depth: Some(1), at: None })?;
        if outcome.path != folder {
            return Ok(WebAnswer::Elsewhere(self.addresses.entry(&outcome.path)));
        }
        let stem = folder.rsplit('/').next().filter(|name| !name.is_empty());
        let title = outcome.title.as_deref().or(stem).unwrap_or(&self.setup.target.project);
        let commands = [format!("brv tree {folder}").trim_end().to_owned()];
        let page = request.get("page").and_then(|page| page.parse().ok()).unwrap_or_default();
        let view = TreeView { filter: request.get("filter").unwrap_or_default().to_owned(), page };
        let frame = self.frame(SiteSection::Tree, title, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, tree::page(&frame, &outcome, &view)))
    }

    fn entry(&self, cx: &Context<'_>, path: &str) -> Result<WebAnswer, PageProblem> {
        let known = curated(path)?;
        if known.kind() == PathKind::NodeOverview {
            return Ok(WebAnswer::Elsewhere(self.addresses.tree(known.folder())));
        }
        let options = read::Options { names: vec![path.to_owned()], level: None, at: None };
        let (outcome, _) = read::run(cx, &options)?;
        let Some(piece) = outcome.pieces.first() else { return Err(absent(path, outcome.missing)) };
        let is_archived = piece.subject == PieceKind::Archived;
        let blamed = (!is_archived).then(|| {
            let options = blame::Options { paths: vec![path.to_owned()], ..blame::Options::default() };
            // a file that is not committed yet has no history
            blame::run(cx, &options).ok()
        });
        let bare = path.strip_suffix(".md").unwrap_or(path);
        let commands =
            [format!("brv read {bare}"), format!("brv vc log {path}"), format!("brv vc blame {path}")];
        let frame = self.frame(SiteSection::Tree, entry::title(piece), &commands);
        Ok(WebAnswer::Page(StatusCode::OK, entry::page(&frame, piece, blamed.flatten().as_ref())))
    }

    fn links(&self, cx: &Context<'_>, path: &str, is_part: bool) -> Result<WebAnswer, PageProblem> {
        curated(path)?;
        let outcome = linking::run(cx, &linking::LinkSelection::Of(path.to_owned()), None)?;
        let linking::Outcome::Of { title, outgoing, incoming, .. } = &outcome else {
            return Err(nowhere().into());
        };
        let title = title.as_deref().unwrap_or(path);
        let found = EntryLinks { path, title, outgoing, incoming };
        if is_part {
            return Ok(WebAnswer::Page(StatusCode::OK, links::part(&self.addresses, found)));
        }
        let commands = [format!("brv links {}", path.strip_suffix(".md").unwrap_or(path))];
        let frame = self.frame(SiteSection::Tree, title, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, links::page(&frame, found)))
    }

    fn search(&self, cx: &Context<'_>, text: &str) -> Result<WebAnswer, PageProblem> {
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
        let frame = PageFrame { query: text, ..self.frame(SiteSection::Search, "Search", &commands) };
        let page = search::page(&frame, found.as_ref().map(|(outcome, ..)| outcome));
        if let Some((_, _, after)) = found {
            after();
        }
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }
}

fn nowhere() -> Failure {
    Failure::usage("there is no page at this address")
}

/// A path of an entry or of a folder's overview.
fn curated(path: &str) -> Result<TreePath, Failure> {
    let known = TreePath::parse(path.as_bytes()).ok().filter(|path| path.kind().is_curated());
    known.ok_or_else(nowhere)
}

fn absent(path: &str, missing: Vec<read::MissingName>) -> PageProblem {
    let failure = Failure::usage(format!("`{path}` is not in the context tree"));
    let alike = missing.into_iter().filter(|missing| missing.why == Absence::NotThere);
    PageProblem { failure, nearest: alike.flat_map(|missing| missing.nearest).collect() }
}
