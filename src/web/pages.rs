//! Makes each page: runs the commands behind it, and has their outcomes written.

use super::request::SiteRequest;
use crate::say::Failure;
use crate::say::site::SiteAddresses;
use crate::say::site::frame::{PageFrame, SiteSection};
use crate::say::site::links::EntryLinks;
use crate::say::site::problem::PageProblem;
use crate::say::site::tree::TreeView;
use crate::say::site::{changes, entry, links, past, problem, review, search, tree};
use brv_base::clock::Clock;
use brv_base::config::{Config, Flags};
use brv_base::environment::Environment;
use brv_base::escape::shell_word;
use brv_base::path::{Derived, PathKind, TreePath};
use brv_base::progress::Silent;
use brv_commands::op::log as op_log;
use brv_commands::read::{Absence, PieceKind};
use brv_commands::review::{pending, show as reviewing};
use brv_commands::ui::UiTarget;
use brv_commands::vc::diff::Detail;
use brv_commands::vc::{blame, check, diff, log, show};
use brv_commands::watch::Watch;
use brv_commands::{links as linking, read, search as searching, tree as listing};
use brv_engine::{Actor, Audience, BrokenRefs, Context, FailureKind, Preceding};
use hyper::StatusCode;
use std::sync::OnceLock;

/// A page, or where it is.
pub enum WebAnswer {
    Page(StatusCode, String),
    /// Another address shows it.
    Elsewhere(String),
    /// There is something newer: the word for what is there now.
    Changed(String),
    Unchanged,
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
    setup: WebSetup,
    addresses: SiteAddresses,
    /// `None` where the tree is gone.
    watch: Option<Watch>,
}

/// A page as it is being made.
struct PageMaker<'m> {
    pages: &'m WebPages,
    cx: Context<'static>,
    request: &'m SiteRequest,
    /// What stands behind the kind of the page.
    below: String,
    /// The address that tells whether it is out of date.
    changed: String,
}

impl WebPages {
    /// The pages below the addresses of a run.
    pub fn of(setup: WebSetup, addresses: SiteAddresses) -> Self {
        let watch = Watch::of(&setup.target.tree, &setup.environment);
        Self { setup, addresses, watch }
    }

    /// What the addresses of all pages begin with.
    pub fn base(&self) -> &str {
        self.addresses.base()
    }

    /// The page at an address below the run.
    pub fn page(&self, request: &SiteRequest) -> WebAnswer {
        let below = request.path.get(2..).unwrap_or_default().join("/");
        let kind = request.path.get(1).map_or("", String::as_str);
        let is_entry = kind == "entry" && TreePath::parse(below.as_bytes()).is_ok();
        let is_folder = kind == "tree" && TreePath::parse(below.as_bytes()).is_ok();
        let watched = if is_entry || is_folder { &*below } else { "" };
        // before the page: what changes meanwhile is told
        let seen = self.watch.as_ref().map(|watch| watch.word(watched));
        let changed = seen.map(|seen| self.addresses.changed(watched, &seen)).unwrap_or_default();
        let made = match (kind, self.context()) {
            ("", _) => return WebAnswer::Elsewhere(self.addresses.tree("")),
            ("changed", _) => return self.is_changed(&below, request.get("seen")),
            (_, Ok(cx)) => PageMaker { pages: self, cx, request, below, changed: changed.clone() }.page(kind),
            (_, Err(failure)) => Err(failure.into()),
        };
        made.unwrap_or_else(|problem| self.problem(&problem, &changed))
    }

    /// Whether the tree, or this entry, is another one than was seen.
    fn is_changed(&self, path: &str, seen: Option<&str>) -> WebAnswer {
        let is_path = path.is_empty() || TreePath::parse(path.as_bytes()).is_ok();
        let now = self.watch.as_ref().filter(|_| is_path).map(|watch| watch.word(path));
        match now {
            Some(now) if Some(&*now) != seen => WebAnswer::Changed(now),
            _ => WebAnswer::Unchanged,
        }
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
        PageFrame { addresses, project, section, title, query: "", commands, changed: "" }
    }

    fn problem(&self, problem: &PageProblem, changed: &str) -> WebAnswer {
        let (status, heading) = match problem.failure.stop.kind {
            FailureKind::Usage => (StatusCode::NOT_FOUND, "Not found"),
            FailureKind::Busy => (StatusCode::SERVICE_UNAVAILABLE, "Busy"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "That did not work"),
        };
        let frame = PageFrame { changed, ..self.frame(SiteSection::Other, heading, &[]) };
        WebAnswer::Page(status, problem::page(&frame, problem))
    }
}

impl PageMaker<'_> {
    fn page(&self, kind: &str) -> Result<WebAnswer, PageProblem> {
        match kind {
            "tree" => self.tree(),
            "entry" => match self.below.rsplit_once(".md/") {
                Some((path, "links")) => self.links(&format!("{path}.md")),
                Some((path, "history")) => self.history(&format!("{path}.md")),
                Some((path, "blame")) => self.blame(&format!("{path}.md")),
                _ => self.entry(),
            },
            "changes" => self.changes(),
            "commit" => self.commit(),
            "diff" => self.difference(),
            "findings" => self.findings(),
            "review" if self.below.is_empty() => self.queue(),
            "review" => self.reviewed(),
            "search" => self.search(),
            _ => Err(nowhere().into()),
        }
    }

    fn frame<'f>(&'f self, section: SiteSection, title: &'f str, commands: &'f [String]) -> PageFrame<'f> {
        PageFrame { changed: &self.changed, ..self.pages.frame(section, title, commands) }
    }

    /// Whether a page asks for a part of it.
    fn is_part(&self) -> bool {
        self.request.get("part").is_some()
    }

    fn tree(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, request, folder) = (&self.cx, self.request, self.below.trim_end_matches('/'));
        if !folder.is_empty() {
            TreePath::parse(folder.as_bytes()).map_err(|_| nowhere())?;
        }
        // by its index: an entry may have the name of the folder
        let name = (!folder.is_empty()).then(|| format!("{folder}/_index.md"));
        let options = listing::Options { name, depth: Some(1), at: None };
        let outcome = match listing::run(cx, &options) {
            Ok(outcome) if outcome.path == folder => outcome,
            _ => return self.not_a_folder(folder),
        };
        let stem = folder.rsplit('/').next().filter(|name| !name.is_empty());
        let title = outcome.title.as_deref().or(stem).unwrap_or(&self.pages.setup.target.project);
        let commands = [command(&["tree", folder])];
        let page = request.get("page").and_then(|page| page.parse().ok()).unwrap_or_default();
        let view = TreeView { filter: request.get("filter").unwrap_or_default().to_owned(), page };
        let frame = self.frame(SiteSection::Tree, title, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, tree::page(&frame, &outcome, &view)))
    }

    /// The entry of that name, or the names that are like it.
    fn not_a_folder(&self, name: &str) -> Result<WebAnswer, PageProblem> {
        let options = listing::Options { name: Some(name.to_owned()), depth: Some(1), at: None };
        let outcome = listing::run(&self.cx, &options)?;
        curated(&outcome.path)?;
        Ok(WebAnswer::Elsewhere(self.pages.addresses.entry(&outcome.path)))
    }

    fn entry(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, path) = (&self.cx, &*self.below);
        let known = curated(path)?;
        if known.kind() == PathKind::NodeOverview {
            return Ok(WebAnswer::Elsewhere(self.pages.addresses.tree(known.folder())));
        }
        let at = self.request.get("at").map(revision).transpose()?;
        let options = read::Options { names: vec![path.to_owned()], level: None, at: at.clone() };
        let (outcome, _) = read::run(cx, &options)?;
        let Some(piece) = outcome.pieces.first() else { return Err(absent(path, outcome.missing)) };
        let is_archived = piece.subject == PieceKind::Archived;
        let is_whole = piece.source.as_ref().is_some_and(|source| source.conflict.is_none());
        let blamed = (is_whole && !is_archived).then(|| {
            let arguments = at.iter().cloned().collect();
            let options =
                blame::Options { arguments, paths: vec![path.to_owned()], ..blame::Options::default() };
            // a file that is not committed yet has no history
            blame::run(cx, &options).ok()
        });
        let bare = path.strip_suffix(".md").unwrap_or(path);
        let commands =
            [command(&["read", bare]), command(&["vc", "log", path]), command(&["vc", "blame", path])];
        let frame = self.frame(SiteSection::Tree, entry::title(piece), &commands);
        Ok(WebAnswer::Page(
            StatusCode::OK,
            entry::page(&frame, piece, blamed.flatten().as_ref(), at.as_deref()),
        ))
    }

    fn history(&self, path: &str) -> Result<WebAnswer, PageProblem> {
        curated(path)?;
        let paths = vec![path.to_owned()];
        let options = log::Options { paths, limit: Some(past::COMMITS), ..log::Options::default() };
        let found = log::run(&self.cx, &options)?;
        if self.is_part() {
            return Ok(WebAnswer::Page(
                StatusCode::OK,
                past::history_part(&self.pages.addresses, path, &found),
            ));
        }
        let commands = [command(&["vc", "log", path])];
        let frame = self.frame(SiteSection::Tree, path, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, past::history_page(&frame, path, &found)))
    }

    fn blame(&self, path: &str) -> Result<WebAnswer, PageProblem> {
        curated(path)?;
        let options = blame::Options { paths: vec![path.to_owned()], ..blame::Options::default() };
        let found = blame::run(&self.cx, &options)?;
        let commands = [command(&["vc", "blame", path])];
        let frame = self.frame(SiteSection::Tree, path, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, past::blame(&frame, path, &found)))
    }

    fn links(&self, path: &str) -> Result<WebAnswer, PageProblem> {
        let cx = &self.cx;
        curated(path)?;
        let outcome = linking::run(cx, &linking::LinkSelection::Of(path.to_owned()), None)?;
        let linking::Outcome::Of { title, outgoing, incoming, .. } = &outcome else {
            return Err(nowhere().into());
        };
        let title = title.as_deref().unwrap_or(path);
        let found = EntryLinks { path, title, outgoing, incoming };
        if self.is_part() {
            return Ok(WebAnswer::Page(StatusCode::OK, links::part(&self.pages.addresses, found)));
        }
        let commands = [command(&["links", path.strip_suffix(".md").unwrap_or(path)])];
        let frame = self.frame(SiteSection::Tree, title, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, links::page(&frame, found)))
    }

    fn changes(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, request) = (&self.cx, self.request);
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

    fn commit(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, name) = (&self.cx, &*self.below);
        let object = revision(name)?;
        let options = show::Options { object, detail: DETAIL, with_lines: true, is_masked: true };
        let found = show::run(cx, &options)?;
        let commands = [command(&["vc", "show", name]), command(&["vc", "check", name])];
        let frame = self.frame(SiteSection::Changes, name, &commands);
        let page = changes::commit(&frame, &found).ok_or_else(nowhere)?;
        Ok(WebAnswer::Page(StatusCode::OK, page))
    }

    fn difference(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, range) = (&self.cx, &*self.below);
        let range_of_two = Some(range).filter(|range| range.contains("..")).ok_or_else(nowhere)?;
        let arguments = vec![revision(range_of_two)?];
        let options = diff::Options {
            arguments,
            paths: Vec::new(),
            against: diff::Against::WorkTree,
            detail: DETAIL,
            with_lines: true,
            is_masked: true,
        };
        let found = diff::run(cx, &options)?;
        let commands = [command(&["vc", "diff", range]), command(&["vc", "check", range])];
        let frame = self.frame(SiteSection::Changes, range, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, changes::difference(&frame, range, &found)))
    }

    fn findings(&self) -> Result<WebAnswer, PageProblem> {
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

    fn queue(&self) -> Result<WebAnswer, PageProblem> {
        let found = pending::run(&self.cx, pending::ReviewExtent::Outgoing)?;
        let commands = ["brv review pending".to_owned()];
        let frame = self.frame(SiteSection::Review, "Review", &commands);
        Ok(WebAnswer::Page(StatusCode::OK, review::queue(&frame, &found)))
    }

    fn reviewed(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, id) = (&self.cx, &*self.below);
        let found = reviewing::run(cx, id)?;
        let commands = [command(&["review", "show", id])];
        let frame = self.frame(SiteSection::Review, id, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, review::change(&frame, &found)))
    }

    fn search(&self) -> Result<WebAnswer, PageProblem> {
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

fn nowhere() -> Failure {
    Failure::usage("there is no page at this address")
}

/// The command line of these words, for a person to paste.
fn command(words: &[&str]) -> String {
    let words = ["brv"].into_iter().chain(words.iter().copied().filter(|word| !word.is_empty()));
    words.map(shell_word).collect::<Vec<_>>().join(" ")
}

/// What names a commit or a range, and is no flag.
fn revision(name: &str) -> Result<String, Failure> {
    match name.is_empty() || name.starts_with('-') {
        true => Err(nowhere()),
        false => Ok(name.to_owned()),
    }
}

/// A path of an entry, of a folder's overview, or of the stub of an archived entry.
fn curated(path: &str) -> Result<TreePath, Failure> {
    let is_shown = |kind: PathKind| kind.is_curated() || matches!(kind, PathKind::Derived(Derived::Stub));
    let known = TreePath::parse(path.as_bytes()).ok().filter(|path| is_shown(path.kind()));
    known.ok_or_else(nowhere)
}

fn absent(path: &str, missing: Vec<read::MissingName>) -> PageProblem {
    let failure = Box::new(Failure::usage(format!("`{path}` is not in the context tree")));
    let alike = missing.into_iter().filter(|missing| missing.why == Absence::NotThere);
    PageProblem { failure, nearest: alike.flat_map(|missing| missing.nearest).collect() }
}
