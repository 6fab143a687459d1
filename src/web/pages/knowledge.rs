//! Folders and entries.

use super::{PageMaker, WebAnswer, command, nowhere, revision};
use crate::say::Failure;
use crate::say::site::frame::SiteSection;
use crate::say::site::links::EntryLinks;
use crate::say::site::problem::PageProblem;
use crate::say::site::tree::TreeView;
use crate::say::site::view::EntryView;
use crate::say::site::{encoded, entry, links, past, tree};
use brv_base::path::{Derived, PathKind, TreePath};
use brv_commands::read::{Absence, PieceKind};
use brv_commands::vc::{blame, log};
use brv_commands::{links as linking, read, served, tree as listing};
use hyper::StatusCode;

impl PageMaker<'_> {
    pub(super) fn tree(&self) -> Result<WebAnswer, PageProblem> {
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
        let title = outcome.title.as_deref().or(stem).unwrap_or(&self.visit.pages.setup.target.project);
        let commands = [command(&["tree", folder])];
        let page = request.get("page").and_then(|page| page.parse().ok()).unwrap_or_default();
        let view = TreeView {
            filter: request.get("filter").unwrap_or_default().to_owned(),
            page,
            waiting: self.visit.waiting.iter().map(|row| row.path.clone()).collect(),
            stale: self.known_stale(),
            ..TreeView::default()
        };
        let frame = self.frame(SiteSection::Tree, title, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, tree::page(&frame, &outcome, &view)))
    }

    /// The entry of that name, or the names that are like it.
    pub(super) fn not_a_folder(&self, name: &str) -> Result<WebAnswer, PageProblem> {
        let options = listing::Options { name: Some(name.to_owned()), depth: Some(1), at: None };
        let outcome = listing::run(&self.cx, &options)?;
        curated(&outcome.path)?;
        Ok(WebAnswer::Elsewhere(self.visit.pages.addresses.entry(&outcome.path)))
    }

    pub(super) fn entry(&self) -> Result<WebAnswer, PageProblem> {
        let (cx, path) = (&self.cx, &*self.below);
        let known = curated(path)?;
        if known.kind() == PathKind::NodeOverview {
            return Ok(WebAnswer::Elsewhere(self.visit.pages.addresses.tree(known.folder())));
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
        let blame = blamed.flatten();
        let waiting = self.visit.waiting.iter().filter(|row| row.path == piece.path).collect();
        let said = self.comments()?;
        let view = EntryView {
            piece,
            blame: blame.as_ref(),
            at: at.as_deref(),
            waiting,
            written: None,
            comments: said.iter().filter(|one| one.path == piece.path).collect(),
            given: self.count_given(&piece.path),
            editor: at.is_none().then(|| self.editor(&piece.path)).flatten(),
        };
        Ok(WebAnswer::Page(StatusCode::OK, entry::page(&frame, &view)))
    }

    /// How many times agents were given an entry, as far as is worth counting, and whether it is more.
    fn count_given(&self, path: &str) -> (usize, bool) {
        /// What a page tells of exactly.
        const MOST: usize = 99;
        let options =
            served::Options { path: Some(path.to_owned()), limit: MOST + 1, ..served::Options::default() };
        // nobody was given what nothing is remembered of
        let found = served::run(&self.cx, &options).map_or(0, |found| found.served.len());
        (found.min(MOST), found > MOST)
    }

    /// The address by which the editor of the settings opens a file.
    fn editor(&self, path: &str) -> Option<String> {
        let template = self.cx.config.ui.editor.value.as_ref()?;
        let file = self.visit.pages.setup.target.tree.join(path);
        let file = encoded(file.to_str()?);
        Some(template.replace("{path}", &file).replace("{line}", "1"))
    }

    pub(super) fn history(&self, path: &str) -> Result<WebAnswer, PageProblem> {
        curated(path)?;
        let paths = vec![path.to_owned()];
        let options = log::Options { paths, limit: Some(past::COMMITS), ..log::Options::default() };
        let found = self.log(&options)?;
        if self.is_part() {
            return Ok(WebAnswer::Page(
                StatusCode::OK,
                past::history_part(&self.visit.pages.addresses, path, &found),
            ));
        }
        let commands = [command(&["vc", "log", path])];
        let frame = self.frame(SiteSection::Tree, path, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, past::history_page(&frame, path, &found)))
    }

    pub(super) fn blame(&self, path: &str) -> Result<WebAnswer, PageProblem> {
        curated(path)?;
        let subject = self.request.get("fact").filter(|subject| !subject.is_empty());
        let what = subject
            .map_or_else(blame::BlameTarget::default, |subject| blame::BlameTarget::Fact(subject.to_owned()));
        let options = blame::Options { arguments: Vec::new(), paths: vec![path.to_owned()], what };
        let found = blame::run(&self.cx, &options)?;
        if let Some(subject) = subject {
            let commands = [command(&["vc", "blame", "--fact", subject, path])];
            let frame = self.frame(SiteSection::Tree, subject, &commands);
            return Ok(WebAnswer::Page(StatusCode::OK, past::stated(&frame, path, &found)));
        }
        let commands = [command(&["vc", "blame", path])];
        let frame = self.frame(SiteSection::Tree, path, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, past::blame(&frame, path, &found)))
    }

    pub(super) fn links(&self, path: &str) -> Result<WebAnswer, PageProblem> {
        let cx = &self.cx;
        curated(path)?;
        let outcome = linking::run(cx, &linking::LinkSelection::Of(path.to_owned()), None)?;
        let linking::Outcome::Of { title, outgoing, incoming, .. } = &outcome else {
            return Err(nowhere().into());
        };
        let title = title.as_deref().unwrap_or(path);
        let found = EntryLinks { path, title, outgoing, incoming };
        if self.is_part() {
            return Ok(WebAnswer::Page(StatusCode::OK, links::part(&self.visit.pages.addresses, found)));
        }
        let commands = [command(&["links", path.strip_suffix(".md").unwrap_or(path)])];
        let frame = self.frame(SiteSection::Tree, title, &commands);
        Ok(WebAnswer::Page(StatusCode::OK, links::page(&frame, found)))
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
