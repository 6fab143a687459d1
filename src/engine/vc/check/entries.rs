//! What a check needs of every entry of a state, from one parse of each.

use super::state::CheckedTree;
use crate::Stop;
use crate::read::links::references::{LinkTarget, Places, Reference};
use brv_base::content::ContentId;
use brv_base::fs::Below;
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_git::{BlobId, ObjectReader, Scope, SharedScope};
use brv_text::doc::{self, Document};
use brv_text::lint::{self, Claims, Fault, Runs};
use brv_text::stale::{self, Citation};
use bstr::{BStr, ByteSlice as _};
use std::collections::HashSet;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    /// What is wrong inside it, which has at most so many bytes.
    pub faults: Option<usize>,
    /// What it claims: compared with all other entries.
    pub claims: bool,
    /// Its runs of words: compared with the other entries of its domain.
    pub likeness: bool,
    pub links: bool,
    /// The source files that it cites.
    pub citations: bool,
    pub pin: bool,
}

/// What was read of an entry; parts that were not asked for are empty.
#[derive(Debug)]
pub struct Entry {
    pub path: TreePath,
    pub faults: Vec<Fault>,
    pub claims: Claims,
    pub runs: Runs,
    pub links: Vec<Link>,
    pub is_pinned: bool,
    /// The source files that it may cite.
    pub citations: Vec<CheckedCitation>,
}

/// A source file that an entry may cite.
#[derive(Debug)]
pub struct CheckedCitation {
    pub path: String,
    /// Its line and column, from 1.
    pub place: (usize, usize),
    /// Whether the Raw Concept lists it; else a code span may be something else as well.
    pub is_listed: bool,
}

#[derive(Debug)]
pub struct Link {
    pub reference: Reference,
    /// Where it is missing its line and column, from 1; of a link in the frontmatter, where its text first stands.
    pub place: (usize, usize),
}

impl Link {
    /// Whether it leads to a place in the tree where nothing is.
    pub const fn is_missing(&self) -> bool {
        matches!(self.reference.target, LinkTarget::Missing(_))
    }

    /// The path of its target, else as written.
    pub fn path(&self) -> &str {
        self.reference.target.path().unwrap_or(&self.reference.written)
    }
}

impl Entry {
    fn at(path: &TreePath) -> Self {
        Self {
            path: path.clone(),
            faults: Vec::new(),
            claims: Claims::default(),
            runs: Runs::default(),
            links: Vec::new(),
            is_pinned: false,
            citations: Vec::new(),
        }
    }

    pub fn bstr(&self) -> &BStr {
        self.path.as_str().as_bytes().as_bstr()
    }
}

/// Which links are kept, of the entry at a path.
pub type LinkFilter<'f> = &'f (dyn Fn(&TreePath, &Link) -> bool + Sync);

/// What is kept of what an entry links to and claims.
#[derive(Clone, Copy)]
pub struct EntryFilter<'f> {
    /// Where the links lead.
    pub places: &'f Places<'f>,
    pub links: LinkFilter<'f>,
    /// The subjects, in the form in which they are compared; `None`: all.
    pub subjects: Option<&'f HashSet<String>>,
}

/// Read entries, on all cores; `parts` says what is read of each.
pub fn read<'p>(
    scope: &Scope,
    state: &CheckedTree,
    curated: impl Iterator<Item = &'p TreePath>,
    filter: EntryFilter<'_>,
    parts: impl Fn(&TreePath) -> Parts + Sync,
) -> Result<Vec<Entry>, Stop> {
    let shared = scope.to_shared();
    let wanted: Vec<(&TreePath, Parts)> =
        curated.map(|path| (path, parts(path))).filter(|(_, parts)| *parts != Parts::default()).collect();
    parallel::try_map(
        &wanted,
        || EntryReader::of(&shared, state),
        |reader, (path, parts)| one(path, reader.read(path)?, filter, *parts),
    )
}

/// Reads entries of a state, many of one folder after another.
pub struct EntryReader<'r> {
    objects: ObjectReader,
    state: &'r CheckedTree,
    below: Below<'r>,
}

impl<'r> EntryReader<'r> {
    /// A reader for one thread.
    pub fn of(shared: &SharedScope, state: &'r CheckedTree) -> Self {
        Self { objects: shared.to_reader(), state, below: Below::of(state.root()) }
    }

    pub fn scope(&self) -> &Scope {
        &self.objects
    }

    /// The bytes of an entry; none if it is not there any more.
    pub fn read(&mut self, path: &TreePath) -> Result<Vec<u8>, Stop> {
        let found = self.state.read_with(&self.objects, &mut self.below, path.as_bytes().as_bstr())?;
        let bytes = found.unwrap_or_default();
        if self.state.is_committed(path.as_bytes().as_bstr()) {
            self.objects.has_read(bytes.len())?;
        }
        Ok(bytes)
    }

    /// The bytes, with the id of their blob if that is known and they are still those.
    pub fn read_blob(&mut self, path: &TreePath) -> Result<(Vec<u8>, Option<BlobId>), Stop> {
        let bytes = self.read(path)?;
        let blob = self.state.blob(path.as_bytes().as_bstr());
        let is_same = |blob: &BlobId| {
            self.state.is_committed(path.as_bytes().as_bstr()) || ContentId::of(&bytes) == *blob
        };
        let blob = blob.filter(is_same);
        Ok((bytes, blob))
    }
}

fn one(path: &TreePath, bytes: Vec<u8>, filter: EntryFilter<'_>, parts: Parts) -> Result<Entry, Stop> {
    let mut entry = Entry::at(path);
    let has_links = parts.links && doc::may_link(&bytes);
    let has_claims = parts.claims && bytes.contains_str("**");
    if !(parts.faults.is_some() || has_claims || parts.likeness || parts.pin || has_links || parts.citations)
    {
        return Ok(entry);
    }
    let document = Document::parse(bytes);
    if let Some(max_bytes) = parts.faults {
        entry.faults = lint::faults(&document, max_bytes);
    }
    if parts.likeness {
        entry.runs = Runs::of(document.body());
    }
    if has_claims {
        let is_wanted = |subject: &str| filter.subjects.is_none_or(|subjects| subjects.contains(subject));
        entry.claims = Claims::about(&document, is_wanted);
    }
    if has_links {
        let at = |reference: Reference| {
            let place = match &reference.target {
                LinkTarget::Missing(_) => place_of(document.text(), reference.line, &reference.written),
                _ => (1, 1),
            };
            Link { reference, place }
        };
        let links = filter.places.references(path, &document)?.into_iter().map(at);
        entry.links = links.filter(|link| (filter.links)(path, link)).collect();
    }
    entry.is_pinned = parts.pin && document.meta().pinned;
    if parts.citations {
        entry.citations = citations(&document);
    }
    Ok(entry)
}

fn citations(document: &Document) -> Vec<CheckedCitation> {
    let text = document.text();
    let cited = |Citation { path, line, is_listed }| {
        let place = place_of(text, Some(line), &path);
        CheckedCitation { path, place, is_listed }
    };
    stale::citations(document).into_iter().map(cited).collect()
}

/// Where a text first stands, from a line on: line and column in characters, from 1. If it is written in another way, the
/// beginning of that line.
fn place_of(text: &str, from: Option<usize>, sought: &str) -> (usize, usize) {
    let from = from.unwrap_or(1);
    let lines = text.lines().enumerate().skip(from - 1);
    let place = |(at, line): (usize, &str)| Some((at + 1, line[..line.find(sought)?].chars().count() + 1));
    lines.filter_map(place).next().unwrap_or((from, 1))
}
