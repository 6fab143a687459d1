//! Write the contents of the merged files: read and merge them on all cores, then graft them onto our tree.

use super::fate::{self, MergedFile, MergedFileSource};
use super::outcome::{Conflict, ConflictKind, Settled};
use super::places::Arranged;
use super::{MergedTree, Terms, Trees};
use brv_base::content::ContentId;
use brv_base::parallel;
use brv_git as git;
use brv_git::{BlobId, Drafts, FileMode, Scope, Version, trees};
use brv_text::merge::{self, Additions, Format, Names, Rules, Versions};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;

struct MergedContent {
    version: Version,
    /// The bytes, if no side has them.
    new: Option<Vec<u8>>,
    records: Vec<merge::Record>,
    conflicts: Vec<merge::Conflict>,
}

/// Read and merge the files that need it, and make the tree.
pub(super) fn fill(
    scope: &Scope,
    drafts: &mut Drafts,
    trees: Trees,
    arranged: Arranged,
    terms: &Terms<'_>,
) -> Result<MergedTree, git::Error> {
    let files: Vec<(BString, Vec<MergedFile>)> = arranged.files.into_iter().collect();
    let shared = drafts.scope().to_shared();
    let format = |path: &BStr| match fate::kind(scope, path) {
        Some(kind) if kind.is_curated() => Format::Document,
        _ => Format::Lines,
    };
    let jobs: Vec<ContentMergeJob<'_>> = files
        .iter()
        .map(|(path, landings)| ContentMergeJob { path, landings, format: format(path.as_bstr()), terms })
        .collect();
    let filled = parallel::try_map(&jobs, || shared.to_local(), |whole, job| job.fill(whole))?;
    drop(jobs);
    let ours: BTreeMap<&BString, Version> =
        arranged.left.iter().map(|placed| (&placed.path, placed.version)).collect();
    let mut edits: BTreeMap<BString, Option<Version>> =
        ours.keys().map(|path| ((*path).clone(), None)).collect();
    let mut merged = MergedTree { tree: trees.ours, conflicts: Vec::new(), settled: Vec::new() };
    let mut blobs = Vec::new();
    for ((path, landings), file) in files.into_iter().zip(filled) {
        if ours.get(&path) == Some(&file.version) {
            edits.remove(&path);
        } else {
            edits.insert(path.clone(), Some(file.version));
        }
        blobs.extend(file.new.map(|bytes| (file.version.id, bytes)));
        merged.tell(path, landings, file.records, file.conflicts);
    }
    drafts.add_blobs(blobs);
    merged.tree = drafts.tree_with(trees.ours, edits.iter().map(|(path, version)| (path, *version)))?;
    Ok(merged)
}

impl MergedTree {
    /// Add the outcome at a path. Paths come in order.
    fn tell(
        &mut self,
        path: BString,
        landings: Vec<MergedFile>,
        records: Vec<merge::Record>,
        decisions: Vec<merge::Conflict>,
    ) {
        let versions = match &landings[..] {
            [only] => only.versions,
            _ => [None, landings[0].versions[1], landings[1].versions[2]],
        };
        let (mut events, mut kind) = (Vec::new(), None);
        for landing in landings {
            events.extend(landing.event);
            kind = kind.or(landing.conflict);
        }
        if kind.is_none() && !decisions.is_empty() {
            kind = Some((ConflictKind::of(&versions), None));
        }
        // a file that came from two places has an event for each
        let mut events = events.into_iter();
        let event = events.next();
        if event.is_some() || !records.is_empty() {
            self.settled.push(Settled { path: path.clone(), event, records });
        }
        self.settled.extend(events.map(|event| Settled {
            path: path.clone(),
            event: Some(event),
            records: Vec::new(),
        }));
        self.conflicts.extend(kind.map(|(kind, other)| Conflict { path, versions, kind, other, decisions }));
    }
}

struct ContentMergeJob<'a> {
    path: &'a BString,
    /// One landing, or two if both sides brought a file to this path.
    landings: &'a [MergedFile],
    format: Format,
    terms: &'a Terms<'a>,
}

struct Brought {
    bytes: Vec<u8>,
    mode: FileMode,
    records: Vec<merge::Record>,
    conflicts: Vec<merge::Conflict>,
}

impl ContentMergeJob<'_> {
    fn fill(&self, whole: &Scope) -> Result<MergedContent, git::Error> {
        let (brought, known) = match self.landings {
            [MergedFile { content: MergedFileSource::Take(version), .. }] => {
                let version = *version;
                return Ok(MergedContent { version, new: None, records: Vec::new(), conflicts: Vec::new() });
            }
            [only] => (self.bring(whole, only)?, only.versions),
            [ours, theirs, ..] => {
                let known = [None, ours.versions[1], theirs.versions[2]];
                (self.meet(self.bring(whole, ours)?, self.bring(whole, theirs)?), known)
            }
            [] => unreachable!("a path is only there with a file"),
        };
        let Brought { bytes, mode, records, conflicts } = brought;
        let id = identity(self.path, &bytes)?;
        let is_known = known.iter().flatten().any(|version| version.id == id);
        let new = (!is_known).then_some(bytes);
        Ok(MergedContent { version: Version { mode, id }, new, records, conflicts })
    }

    /// The content that one stream brings to this path.
    fn bring(&self, whole: &Scope, landing: &MergedFile) -> Result<Brought, git::Error> {
        match landing.content {
            MergedFileSource::Take(Version { mode, id }) => {
                let bytes = trees::blob(whole, id)?;
                Ok(Brought { bytes, mode, records: Vec::new(), conflicts: Vec::new() })
            }
            MergedFileSource::Merge { base, ours, theirs, mode } => {
                let read = |id: BlobId| trees::blob(whole, id);
                let (base, ours, theirs) = (base.map(read).transpose()?, read(ours)?, read(theirs)?);
                let versions = Versions { base: base.as_deref(), ours: &ours, theirs: &theirs };
                Ok(self.merge(&versions, &landing.names, mode))
            }
        }
    }

    /// Merge two files that both sides brought to one path.
    fn meet(&self, ours: Brought, theirs: Brought) -> Brought {
        let mode = if ours.mode == theirs.mode { ours.mode } else { FileMode::Regular };
        let versions = Versions { base: None, ours: &ours.bytes, theirs: &theirs.bytes };
        let mut both = self.merge(&versions, &[None, None], mode);
        both.records.splice(0..0, ours.records.into_iter().chain(theirs.records));
        // the second merge moved their markers to unknown lines
        let earlier = ours.conflicts.into_iter().chain(theirs.conflicts);
        both.conflicts.splice(0..0, earlier.map(|conflict| merge::Conflict { span: None, ..conflict }));
        both
    }

    fn merge(&self, versions: &Versions<'_>, names: &[Option<BString>; 2], mode: FileMode) -> Brought {
        let options = &self.terms.options;
        let name = |side: &str, other: &Option<BString>| match other {
            Some(path) => format!("{side}:{path}"),
            None if names.iter().any(Option::is_some) => format!("{side}:{}", self.path),
            None => side.to_owned(),
        };
        let (ours, theirs) = (name(options.ours, &names[0]), name(options.theirs, &names[1]));
        let rules = Rules {
            names: Names { base: self.terms.base, ours: &ours, theirs: &theirs },
            committed: self.terms.committed,
            undecided: options.undecided,
            disputes: options.disputes,
            additions: Additions::Sorted,
            format: self.format,
        };
        let merge::Outcome { bytes, records, conflicts, .. } = merge::merge(versions, &rules);
        Brought { bytes, mode, records, conflicts }
    }
}

fn identity(path: &BString, bytes: &[u8]) -> Result<BlobId, git::Error> {
    ContentId::try_of(bytes)
        .ok_or_else(|| git::Error::new(format!("merge `{path}`"), "its content is a SHA-1 collision attack"))
}
