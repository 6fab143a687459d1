//! The tree as a model may read it: without what is withheld from agents, and only in the folder that the caller chose.

use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::open::context::Opened;
use brv_engine::outcome::json;
use brv_engine::query::QuerySource;
use brv_engine::query::consult::ShownPiece;
use brv_engine::query::search::{SearchSession, excerpt};
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_text::doc::{self, Document};
use std::collections::BTreeSet;

pub struct Library<'a, 's> {
    pub(super) opened: &'a Opened,
    pub(super) sought: &'s mut SearchSession<'a>,
    /// Only what is in this folder or below it.
    pub(super) scope: Option<String>,
    /// The time by which importance and recency are judged.
    pub(super) now: i64,
    trust: Trust<'a>,
    /// The entries that were left out.
    withheld: BTreeSet<TreePath>,
}

/// An entry to read.
pub(super) struct LibraryEntry {
    pub path: TreePath,
    pub document: Document,
    pub is_in_conflict: bool,
}

impl<'a, 's> Library<'a, 's> {
    pub fn of(
        opened: &'a Opened,
        sought: &'s mut SearchSession<'a>,
        scope: Option<String>,
        now: i64,
    ) -> Self {
        Self { opened, sought, scope, now, trust: Trust::of(opened), withheld: BTreeSet::new() }
    }

    /// How many entries were left out.
    pub(super) fn withheld(&self) -> usize {
        self.withheld.len()
    }

    /// Whether a path is in the folder that the caller chose.
    pub(super) fn is_inside(&self, path: &str) -> bool {
        self.scope.as_deref().is_none_or(|scope| {
            path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The folders, within the one that the caller chose.
    pub(super) fn folders(&self) -> Vec<String> {
        let mut folders = self.sought.folders();
        folders.retain(|folder| self.is_inside(folder));
        folders
    }

    /// Whether a model may read this file.
    pub(super) fn may_read(&mut self, path: &TreePath, bytes: &[u8]) -> bool {
        let is_withheld = !self.trust.judge(path.as_str(), bytes, EntryBytesSource::Disk).is_none();
        if is_withheld {
            self.withheld.insert(path.clone());
        }
        !is_withheld && self.is_inside(path.as_str())
    }

    /// A file that is searched, as it is now; `None` if there is none, or the model may not read it.
    pub(super) fn entry(&mut self, path: &TreePath) -> Option<LibraryEntry> {
        let (bytes, is_in_conflict) = self.sought.shown(path)?;
        let may_read = self.may_read(path, &bytes);
        let path = path.clone();
        may_read.then(|| LibraryEntry { path, document: Document::parse(bytes), is_in_conflict })
    }
}

impl LibraryEntry {
    pub fn title(&self) -> String {
        let name = self.path.file_name();
        self.document.title().unwrap_or_else(|| name.strip_suffix(".md").unwrap_or(name).to_owned())
    }

    /// A piece of it, which begins at `line`. `words` are those that its excerpt shows, and `score` and `relevance` those
    /// of the search that found it.
    pub fn piece(
        &self,
        (line, text): (usize, String),
        words: &[String],
        (score, relevance): (f64, f64),
    ) -> ShownPiece {
        let bytes = self.document.as_bytes();
        let source = QuerySource {
            path: self.path.to_string(),
            title: self.title(),
            score: json::to(score, 4),
            relevance: json::to(relevance, 4),
            line,
            excerpt: excerpt(&text, words),
            disputed: doc::may_dispute(bytes) && !doc::disputes(&self.document).is_empty(),
            conflict: self.is_in_conflict,
            ..QuerySource::default()
        };
        ShownPiece { source, id: ContentId::of(bytes).to_string(), text }
    }
}
