//! The entries that a dream reads: those that are committed as they are on disk, of a branch those of `HEAD`.
//!
//! An entry with uncommitted changes is somebody's unfinished work and left alone. Where the commit is a person's in any
//! case, such as in-repo, entries count as they are on disk.

use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::curate::CurateView;
use brv_engine::derive;
use brv_engine::open::context::Opened;
use brv_engine::read::archive::Committed;
use brv_engine::read::history::source::Reading;
use brv_git as git;
use brv_git::{CommitId, Scope};
use brv_text::doc::Document;
use std::collections::BTreeMap;

/// Where a dream is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DreamPlace {
    /// The files on disk.
    Disk,
    /// A branch that begins at `HEAD`.
    Branch,
}

pub struct Ground {
    pub place: DreamPlace,
    pub base: Option<CommitId>,
    pub committed: Committed,
    /// The entries, with their versions; none that is kept off this disk.
    pub entries: BTreeMap<TreePath, ContentId>,
    reading: Reading,
    /// Whether what the dream writes on disk is committed at once.
    is_committed: bool,
}

impl Ground {
    pub fn of(opened: &Opened, place: DreamPlace) -> Result<Self, Stop> {
        let scope = &opened.scope;
        let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
        let base = survey.head.commit();
        let committed = Committed::of(scope, &survey)?;
        let is_committed = place == DreamPlace::Disk && commits(opened);
        let is_at_commit = place == DreamPlace::Branch || is_committed;
        let reading = match base {
            Some(commit) if is_at_commit => Reading::open(scope, Some(&commit.to_string()))?,
            _ => Reading::on_disk(scope.root()),
        };
        let entries: BTreeMap<TreePath, ContentId> = match place {
            DreamPlace::Branch => {
                let curated = reading.curated().unwrap_or_default();
                curated.into_iter().map(|file| (file.path, file.id)).collect()
            }
            DreamPlace::Disk => {
                let there = derive::differences(scope, &survey, std::iter::empty())?;
                let is_fit = |path: &TreePath, id: ContentId| {
                    !is_at_commit || committed.version(path) == Some(id) && !committed.is_dirty(path)
                };
                let found = there.into_iter().filter_map(|(path, file)| Some((path, file?.id)));
                found.filter(|(path, id)| is_fit(path, *id)).collect()
            }
        };
        let is_ours = |path: &TreePath| path.kind() == PathKind::Entry && !committed.is_absent(path);
        let entries = entries.into_iter().filter(|(path, _)| is_ours(path)).collect();
        Ok(Self { place, base, committed, entries, reading, is_committed })
    }

    /// Whether somebody edits a file, so that what the dream writes into it would miss in its commit.
    pub fn is_unfinished(&self, path: &TreePath) -> bool {
        self.is_committed && self.committed.is_dirty(path)
    }

    /// What the operations of the dream begin with.
    pub fn view<'a>(&self, scope: &'a Scope) -> CurateView<'a> {
        match self.place {
            DreamPlace::Disk => CurateView::of(scope),
            DreamPlace::Branch => CurateView::beginning(scope, self.reading.clone()),
        }
    }

    /// The bytes of entries as they are read here, in parallel.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    pub fn document(&self, path: &TreePath) -> Result<Option<Document>, Stop> {
        Ok(self.reading.read(path)?.map(Document::parse))
    }
}

/// Whether operations end in a commit here.
fn commits(opened: &Opened) -> bool {
    opened.scope.prefix().is_empty() && opened.config.commit_auto.value
}
