//! What an agent does not get to read, and what is marked for others.

use super::ReadPiece;
use crate::brain::digests;
use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath, is_archive_file};
use brv_engine::Stop;
use brv_engine::derive::Curated;
use brv_engine::open::context::{Audience, Context, Opened};
use brv_engine::read::history::source::Reading;
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_git as git;
use brv_git::trees;
use brv_text::doc::Document;
use brv_text::lint::Steering;
use std::collections::{BTreeMap, BTreeSet};

/// Judges what is read.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub opened: &'a Opened,
    pub reading: &'a Reading,
    trust: &'a Trust<'a>,
    is_agent: bool,
}

/// What is withheld of a folder.
#[derive(Default)]
pub(super) struct Withheld {
    pub count: usize,
    /// The curated files of the tree that are left, if any is withheld.
    pub rest: Option<Vec<Curated>>,
    /// The bytes of those of them that are left in the version that was last reviewed.
    pub reviewed: BTreeMap<TreePath, Vec<u8>>,
}

impl<'a> Judge<'a> {
    pub fn of(cx: &Context<'_>, opened: &'a Opened, reading: &'a Reading, trust: &'a Trust<'a>) -> Self {
        Self { opened, reading, trust, is_agent: cx.audience == Audience::Agent }
    }

    fn place(&self) -> EntryBytesSource {
        if self.reading.commit().is_some() { EntryBytesSource::Commit } else { EntryBytesSource::Disk }
    }

    /// What is flagged in a file. Of a derived file nobody knows from where its text is: agents get none of what is found in
    /// it.
    pub fn file(&self, path: &TreePath, bytes: &[u8]) -> Vec<String> {
        let is_derived = matches!(path.kind(), PathKind::Derived(_)) && !is_archive_file(path);
        match is_derived && self.is_agent {
            true => Steering::of(&Document::parse(bytes)).words(),
            false => self.trust.judge(path.as_str(), bytes, self.place()).words(),
        }
    }

    /// What is flagged in an archived entry, else in the stub of another tool.
    pub fn archived(&self, blob: Option<ContentId>, stub: &[u8]) -> Vec<String> {
        let foreign = || Steering::of(&Document::parse(stub));
        blob.map_or_else(foreign, |blob| self.trust.judge_blob(blob)).words()
    }

    /// The version of a file that an agent reads in its place, if it is withheld and was reviewed before.
    pub fn reviewed(&self, path: &TreePath, bytes: &[u8]) -> Option<Vec<u8>> {
        let is_withheld = || !self.trust.judge(path.as_str(), bytes, self.place()).is_none();
        let is_own = path.kind() == PathKind::Entry || path.kind() == PathKind::NodeOverview;
        (self.is_agent && is_own && is_withheld())
            .then(|| self.trust.reviewed(path.as_str(), self.trust.id(path.as_str(), bytes, self.place())))
            .flatten()
    }

    pub fn is_withheld(&self, piece: &ReadPiece) -> bool {
        self.is_agent && !piece.flagged.is_empty()
    }

    /// What an agent does not get of a folder: its index has text of what is below it.
    pub fn folder(&self, folder: &str) -> Result<Withheld, Stop> {
        if !self.is_agent {
            return Ok(Withheld::default());
        }
        let is_inside = |path: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let all = match self.reading.curated() {
            Some(all) => all,
            None => {
                let mut digests = digests::current(self.opened)?.digests;
                let suspects = self.trust.withhold(&mut digests);
                let withheld = suspects.iter().filter(|suspect| suspect.is_withheld());
                let count = withheld.filter(|suspect| is_inside(&suspect.path)).count();
                if count == 0 {
                    return Ok(Withheld::default());
                }
                let paths: BTreeSet<&str> = suspects
                    .iter()
                    .filter(|suspect| suspect.is_withheld())
                    .map(|suspect| suspect.path.as_str())
                    .collect();
                let rest: Vec<Curated> = digests.iter().filter_map(curated).collect();
                let replaced = rest.iter().filter(|file| paths.contains(file.path.as_str()));
                let blob =
                    |file: &Curated| Ok((file.path.clone(), trees::blob(&self.opened.scope, file.id)?));
                let reviewed = replaced.map(blob).collect::<Result<_, git::Error>>()?;
                return Ok(Withheld { count, rest: Some(rest), reviewed });
            }
        };
        let (mut rest, mut count) = (Vec::new(), 0);
        for file in all {
            let is_gone = is_inside(file.path.as_str()) && !self.trust.judge_blob(file.id).is_none();
            count += usize::from(is_gone);
            rest.extend(Some(file).filter(|_| !is_gone));
        }
        Ok(Withheld { count, rest: (count > 0).then_some(rest), ..Withheld::default() })
    }
}

fn curated(digest: &brv_text::brain::Digest) -> Option<Curated> {
    let path = TreePath::parse(digest.path.as_bytes()).ok()?;
    Some(Curated { path, id: digest.blob, ours: None })
}
