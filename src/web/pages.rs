//! Makes each page: runs the commands behind it, and has their outcomes written.

use super::request::SiteRequest;
use crate::say::Failure;
use crate::say::site::SiteAddresses;
use crate::say::site::frame::{PageFrame, SiteSection};
use crate::say::site::links::EntryLinks;
use crate::say::site::problem::PageProblem;
use crate::say::site::tree::TreeView;
use crate::say::site::{changes, entry, links, problem, review, search, tree};
use brv_base::clock::Clock;
use brv_base::config::{Config, Flags};
use brv_base::environment::Environment;
use brv_base::path::{PathKind, TreePath};
use brv_base::progress::Silent;
use brv_commands::op::log as op_log;
use brv_commands::read::{Absence, PieceKind};
use brv_commands::review::{pending, show as reviewing};
use brv_commands::ui::UiTarget;
use brv_commands::vc::diff::Detail;
use brv_commands::vc::{blame, check, diff, log, show};
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

/// How many operations are looked at for those that made the commits of a page.
const OPERATIONS: usize = 300;

/// How much of a change is shown.
const DETAIL: Detail = Detail::Meaning { context: 3 };

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
                "changes" => self.changes(&cx, request),
                "commit" => self.commit(&cx, &below),
                "diff" => self.difference(&cx, &below),
                "findings" => self.findings(&cx, &below, request.get("part").is_some()),
                "review" if below.is_empty() => self.queue(&cx),
                "review" => self.reviewed(&cx, &below),
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
        let frame = self.frame(SiteSection::Other, heading, &[]);
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

    fn changes(&self, cx: &Context<'_>, request: &SiteRequest) -> Result<WebAnswer, PageProblem> {
        let from: usize = request.get("from").and_then(|from| from.parse().ok()).unwrap_or_default();
        let options =
            log::Options { skip: from, limit: Some(changes::COMMITS + 1), ..log::Options::default() };
        let found = log::run(cx, &options)?;
        let operations =
            op_log::run(cx, &op_log::Options { limit: Some(OPERATIONS), ..op_log::Options::default() })?;
        let commands = ["brv vc log".to_owned(), "brv op log".to_owned()];
        let frame = self.frame(SiteSection::Changes, "Changes", &commands);
        Ok(WebAnswer::Page(StatusCode::OK, changes::history(&frame, &found, &operations, from)))
    }

    fn commit(&self, cx: &Context<'_>, name: &str) -> Result<WebAnswer, PageProblem> {
        let object = revision(name)?;
        let options = show::Options { object, detail: DETAIL, with_lines: true };
        let found = show::run(cx, &options)?;
        let commands = [format!("brv vc show {name}"), format!("brv vc check {name}")];
        let frame = self.frame(SiteSection::Changes, name, &commands);
        let page = changes::commit(&frame, &found).ok_or_else(nowhere)?;
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }

    fn difference(&self, cx: &Context<'_>, range: &str) -> Result<WebAnswer, PageProblem> {
        let arguments = vec![revision(range)?];
        let options = diff::Options {
            arguments,
            paths: Vec::new(),
            against: diff::Against::WorkTree,
            detail: DETAIL,
            with_lines: true,
        };
        let found = diff::run(cx, &options)?;
        let commands = [format!("brv vc diff {range}"), format!("brv vc check {range}")];
        let frame = self.frame(SiteSection::Changes, range, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, changes::difference(&frame, range, &found)))
    }

    fn findings(&self, cx: &Context<'_>, name: &str, is_part: bool) -> Result<WebAnswer, PageProblem> {
        let options = check::Options { arguments: vec![revision(name)?], ..check::Options::default() };
        let found = check::run(cx, &options)?;
        let commands = [format!("brv vc check {name}")];
        let frame = self.frame(SiteSection::Changes, "Findings", &commands);
        let page = match is_part {
            true => changes::findings_part(&frame, &found),
            false => changes::findings_page(&frame, &found),
        };
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }

    fn queue(&self, cx: &Context<'_>) -> Result<WebAnswer, PageProblem> {
        let found = pending::run(cx, pending::ReviewExtent::Outgoing)?;
        let commands = ["brv review pending".to_owned()];
        let frame = self.frame(SiteSection::Review, "Review", &commands);
        Ok(WebAnswer::Page(StatusCode::OK, review::queue(&frame, &found)))
    }

    fn reviewed(&self, cx: &Context<'_>, id: &str) -> Result<WebAnswer, PageProblem> {
        let found = reviewing::run(cx, id)?;
        let commands = [format!("brv review show {id}")];
        let frame = self.frame(SiteSection::Review, id, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, review::change(&frame, &found)))
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
        let frame = PageFrame { query: text, ..self.frame(SiteSection::Other, "Search", &commands) };
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

/// What names a commit or a range, and is no flag.
fn revision(name: &str) -> Result<String, Failure> {
    match name.is_empty() || name.starts_with('-') {
        true => Err(nowhere()),
        false => Ok(name.to_owned()),
    }
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
