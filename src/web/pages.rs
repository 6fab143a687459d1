//! Makes each page: runs the commands behind it, and has their outcomes written.

use super::request::SiteRequest;
use super::server::WebServer;
use crate::say::Failure;
use crate::say::site::frame::{Frame, SiteSection};
use crate::say::site::links::EntryLinks;
use crate::say::site::tree::TreeView;
use crate::say::site::{entry, links, problem, search, tree};
use brv_base::path::{PathKind, TreePath};
use brv_commands::read::{Absence, PieceKind};
use brv_commands::vc::blame;
use brv_commands::{links as linking, read, search as searching, tree as listing};
use brv_engine::{Context, FailureKind};
use hyper::StatusCode;

/// A page, or where it is.
pub enum WebAnswer {
    Page(StatusCode, String),
    /// Another address shows it.
    Elsewhere(String),
}

/// How many results a search has.
const RESULTS: usize = 30;

impl WebServer {
    /// The page at an address below the run.
    pub(super) fn page(&self, request: &SiteRequest) -> WebAnswer {
        let below = request.path.get(2..).unwrap_or_default().join("/");
        let name = request.path.get(1).map_or("", String::as_str);
        let made = match self.context() {
            Ok(cx) => match name {
                "" => return WebAnswer::Elsewhere(self.addresses.tree("")),
                "tree" => self.tree(&cx, below.trim_end_matches('/'), request),
                "entry" => self.entry(&cx, &below),
                "links" => self.links(&cx, &below, request.get("part").is_some()),
                "search" => self.search(&cx, request.get("q").unwrap_or_default()),
                _ => Err(nowhere()),
            },
            Err(failure) => Err(failure),
        };
        made.unwrap_or_else(|failure| self.problem(&failure))
    }

    fn frame<'f>(&'f self, section: SiteSection, title: &'f str, commands: &'f [String]) -> Frame<'f> {
        let (addresses, project) = (&self.addresses, &*self.setup.target.project);
        Frame { addresses, project, section, title, query: "", commands }
    }

    fn problem(&self, failure: &Failure) -> WebAnswer {
        let (status, heading) = match failure.stop.kind {
            FailureKind::Usage => (StatusCode::NOT_FOUND, "Not found"),
            FailureKind::Busy => (StatusCode::SERVICE_UNAVAILABLE, "Busy"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "That did not work"),
        };
        let frame = self.frame(SiteSection::Search, heading, &[]);
        WebAnswer::Page(status, problem::page(&frame, heading, failure))
    }

    fn tree(&self, cx: &Context<'_>, folder: &str, request: &SiteRequest) -> Result<WebAnswer, Failure> {
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

    fn entry(&self, cx: &Context<'_>, path: &str) -> Result<WebAnswer, Failure> {
        let known = curated(path)?;
        if known.kind() == PathKind::NodeOverview {
            return Ok(WebAnswer::Elsewhere(self.addresses.tree(known.folder())));
        }
        let options = read::Options { names: vec![path.to_owned()], level: None, at: None };
        let (outcome, _) = read::run(cx, &options)?;
        let Some(piece) = outcome.pieces.first() else { return Err(absent(path, &outcome.missing)) };
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

    fn links(&self, cx: &Context<'_>, path: &str, is_part: bool) -> Result<WebAnswer, Failure> {
        curated(path)?;
        let outcome = linking::run(cx, &linking::LinkSelection::Of(path.to_owned()), None)?;
        let linking::Outcome::Of { title, outgoing, incoming, .. } = &outcome else { return Err(nowhere()) };
        let found = EntryLinks { path, outgoing, incoming };
        if is_part {
            return Ok(WebAnswer::Page(StatusCode::OK, links::part(&self.addresses, found)));
        }
        let commands = [format!("brv links {}", path.strip_suffix(".md").unwrap_or(path))];
        let frame = self.frame(SiteSection::Tree, title.as_deref().unwrap_or(path), &commands);
        Ok(WebAnswer::Page(StatusCode::OK, links::page(&frame, found)))
    }

    fn search(&self, cx: &Context<'_>, text: &str) -> Result<WebAnswer, Failure> {
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
        let frame = Frame { query: text, ..self.frame(SiteSection::Search, "Search", &commands) };
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

fn absent(path: &str, missing: &[read::MissingName]) -> Failure {
    let failure = Failure::usage(format!("`{path}` is not in the context tree"));
    let nearest = missing.iter().filter(|missing| missing.why == Absence::NotThere);
    let nearest: Vec<String> =
        nearest.flat_map(|missing| &missing.nearest).map(|name| format!("`{name}`")).collect();
    let hint = (!nearest.is_empty()).then(|| format!("perhaps {}", nearest.join(", ")));
    failure.hinting(hint)
}
