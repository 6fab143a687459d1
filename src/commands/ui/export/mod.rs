//! `brv ui --export`: what a written site has, from one commit, and the folder that it is written to.
//!
//! The site has what people here stand behind: of a text that waits for review the version before it, nothing that is withheld
//! from agents, nothing that no commit has. Knows no page: the program makes them.

mod folder;

pub use folder::{SitePages, write};

use brv_base::content::ContentId;
use brv_base::parallel;
use brv_base::path::{PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::merge::decisions;
use brv_engine::open::context::{Context, Opened};
use brv_engine::read::history::last_changes;
use brv_engine::read::history::source::{CuratedFiles, Reading};
use brv_engine::read::links::references::Places;
use brv_engine::review;
use brv_engine::review::trust::{EntryBytesSource, Trust};
use brv_git::{CommitId, history, trees};
use brv_text::derive::{Input, digest_of_document};
use brv_text::doc::{Dispute, Document, Status, disputes};
use brv_text::lint::{Steering, secrets};
use brv_text::merge::{self, Choice};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

pub use brv_engine::read::links::{Link, LinkTargetState};

/// `brv.ui.export/1`
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "UiExport")]
pub struct Outcome {
    /// The folder that the site is in, absolute.
    pub dir: String,
    /// The page to begin with, absolute.
    pub index: String,
    /// The commit that it shows.
    pub commit: CommitId,
    /// Number of entries.
    pub entries: usize,
    /// Number of folders.
    pub folders: usize,
    /// Number of files of the site.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Number of files that were written, since they are new or had other bytes.
    pub written: usize,
    /// Number of files of an earlier export that were removed.
    pub removed: usize,
    /// What the site does not have.
    pub left_out: LeftOut,
    /// Number of entries, and overviews of folders, that are shown as they were before a change that waits for review.
    pub earlier: usize,
}

/// What a written site does not have: numbers of entries, and of overviews of folders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// They wait for review, and there was nothing before.
    pub pending: usize,
    /// They are withheld from agents, and so is what was there before.
    pub withheld: usize,
    /// They are on disk otherwise than in the commit; with `--at`, nobody counts them.
    pub uncommitted: usize,
}

/// An entry that is shown.
#[derive(Debug)]
pub struct ExportedEntry {
    pub path: TreePath,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub status: Option<&'static str>,
    pub disputed: Vec<Dispute>,
    /// Whether a change of it waits for review, and this is the text from before.
    pub is_earlier: bool,
    /// When it was last changed, in seconds since 1970; `None` where that is not known, or the text is an earlier one.
    pub changed: Option<i64>,
    /// Links from it, in the order of the document.
    pub outgoing: Vec<Link>,
    /// Links to it, ordered by path.
    pub incoming: Vec<Link>,
}

/// A folder that is shown.
#[derive(Debug, Default)]
pub struct ExportedFolder {
    /// The title of its `context.md`.
    pub title: Option<String>,
    /// The purpose that it states.
    pub summary: Option<String>,
    /// Number of entries in and below it.
    pub entries: usize,
}

/// The text of an entry as it is shown.
pub struct ExportedText {
    /// The git blob id of the file.
    pub id: ContentId,
    pub bytes: Vec<u8>,
    /// Whether conflict markers were committed, and this is our side.
    pub has_markers: bool,
}

/// What a commit has for a site.
pub struct ExportContent {
    pub commit: CommitId,
    /// When it was committed, in seconds since 1970.
    pub seconds: i64,
    /// Ordered by path.
    pub entries: Vec<ExportedEntry>,
    /// By path, the root as an empty one.
    pub folders: BTreeMap<String, ExportedFolder>,
    pub left_out: LeftOut,
    pub earlier: usize,
    reading: Reading,
}

impl ExportContent {
    /// What the commit of this revision has; `None`: of `HEAD`.
    ///
    /// # Errors
    /// There is no tree, or no such commit.
    pub fn of(cx: &Context<'_>, at: Option<&str>) -> Result<Self, Stop> {
        let opened = cx.open()?;
        let reading = Reading::open(&opened.scope, Some(at.unwrap_or("HEAD")))?;
        let commit = reading.commit().ok_or_else(|| Stop::failed("there is no commit"))?;
        let committed = reading.curated().unwrap_or_default();
        let uncommitted = if at.is_none() { uncommitted(&opened, &committed_blobs(&committed))? } else { 0 };
        let mut shown = ShownFiles::of(&opened, commit, committed_blobs(&committed))?;
        shown.withhold(&opened, &reading)?;
        let ShownFiles { blobs, earlier, changed, left_out } = shown;
        let gone = changed.iter().filter(|(_, bytes)| bytes.is_none());
        let gone: BTreeSet<String> = gone.map(|(path, _)| path.to_string()).collect();
        let reading = reading.changed(changed);
        let mut read = ReadFiles::of(&reading, &blobs, &gone)?;
        read.point_back();
        let times = last_changes::recent(&opened.scope, commit, COMMITS)?.times;
        for entry in &mut read.entries {
            entry.is_earlier = earlier.contains(&entry.path);
            let changed = times.get(entry.path.as_bytes().as_bstr()).copied();
            entry.changed = changed.filter(|_| !entry.is_earlier);
        }
        Ok(Self {
            commit,
            seconds: history::read(&opened.scope, commit)?.committer.seconds,
            entries: read.entries,
            folders: read.folders,
            left_out: LeftOut { uncommitted, ..left_out },
            earlier: earlier.len(),
            reading,
        })
    }

    /// The text of an entry.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub fn text(&self, path: &TreePath) -> Result<ExportedText, Stop> {
        let bytes = self.reading.read(path)?.unwrap_or_default();
        let id = ContentId::of(&bytes);
        let document = Document::parse(bytes);
        if document.conflicts().is_empty() {
            return Ok(ExportedText { id, bytes: document.into_bytes(), has_markers: false });
        }
        let format = decisions::format_of(path.as_bytes().as_bstr());
        let ours = merge::decide(document.as_bytes(), format, &|_| Some(Choice::Ours));
        Ok(ExportedText { id, bytes: ours.bytes, has_markers: true })
    }
}

/// How many commits are looked at to see when an entry was last changed.
const COMMITS: usize = 5_000;

type ShownBlobs = BTreeMap<TreePath, ContentId>;

fn committed_blobs(committed: &[brv_engine::derive::Curated]) -> ShownBlobs {
    committed.iter().map(|file| (file.path.clone(), file.id)).collect()
}

/// How many curated files are on disk otherwise than in the commit that is checked out.
fn uncommitted(opened: &Opened, committed: &ShownBlobs) -> Result<usize, Stop> {
    let trust = Trust::of(opened);
    let reading = Reading::open(&opened.scope, None)?;
    let CuratedFiles { paths, blobs, absent } = reading.curated_files(opened)?;
    let mut count = 0;
    for (path, blob) in paths.iter().zip(blobs) {
        let id = match blob {
            Some(blob) => blob,
            None => {
                let bytes = reading.read(path)?.unwrap_or_default();
                trust.id(path.as_str(), &bytes, EntryBytesSource::Disk)
            }
        };
        count += usize::from(committed.get(path) != Some(&id));
    }
    let there: BTreeSet<&TreePath> = paths.iter().chain(&absent).collect();
    Ok(count + committed.keys().filter(|path| !there.contains(path)).count())
}

/// The files of a site, and in which version.
struct ShownFiles {
    blobs: ShownBlobs,
    /// Those that are shown as they were before a change.
    earlier: BTreeSet<TreePath>,
    /// What differs from the commit; `None`: it is left out.
    changed: BTreeMap<TreePath, Option<Vec<u8>>>,
    left_out: LeftOut,
}

impl ShownFiles {
    /// Those of a commit, without what waits for review.
    fn of(opened: &Opened, commit: CommitId, blobs: ShownBlobs) -> Result<Self, Stop> {
        let (earlier, changed, left_out) = (BTreeSet::new(), BTreeMap::new(), LeftOut::default());
        let mut shown = Self { blobs, earlier, changed, left_out };
        for (path, before) in review::unapproved(opened, commit)? {
            match before {
                Some(id) => shown.put_back(path, id, trees::blob(&opened.scope, id)?),
                None => shown.left_out.pending += usize::from(shown.leave_out(path)),
            }
        }
        Ok(shown)
    }

    fn put_back(&mut self, path: TreePath, id: ContentId, bytes: Vec<u8>) {
        self.blobs.insert(path.clone(), id);
        self.changed.insert(path.clone(), Some(bytes));
        self.earlier.insert(path);
    }

    /// Whether the file was there.
    fn leave_out(&mut self, path: TreePath) -> bool {
        self.earlier.remove(&path);
        let was_there = self.blobs.remove(&path).is_some();
        self.changed.insert(path, None);
        was_there
    }

    /// Take what is withheld out, or put the version that was last reviewed in its place.
    fn withhold(&mut self, opened: &Opened, reading: &Reading) -> Result<(), Stop> {
        let trust = Trust::of(opened);
        let files: Vec<(&TreePath, &ContentId)> = self.blobs.iter().collect();
        let suspects = parallel::try_map(
            &files,
            || (),
            |(), (path, id)| {
                let bytes = match self.changed.get(*path) {
                    Some(bytes) => bytes.clone(),
                    None => reading.read(path)?,
                };
                let found = Steering::of(&Document::parse(bytes.unwrap_or_default()));
                Ok::<_, Stop>((!found.is_none()).then(|| ((*path).clone(), **id)))
            },
        )?;
        for (path, id) in suspects.into_iter().flatten() {
            if trust.judge_blob(id).is_none() {
                continue;
            }
            match trust.reviewed(path.as_str(), id) {
                Some(bytes) => self.put_back(path, ContentId::of(&bytes), bytes),
                None => self.left_out.withheld += usize::from(self.leave_out(path)),
            }
        }
        Ok(())
    }
}

/// What the files say.
struct ReadFiles {
    entries: Vec<ExportedEntry>,
    folders: BTreeMap<String, ExportedFolder>,
    /// Links from overviews.
    others: Vec<Link>,
}

impl ReadFiles {
    fn of(reading: &Reading, blobs: &ShownBlobs, gone: &BTreeSet<String>) -> Result<Self, Stop> {
        let paths: Vec<TreePath> = blobs.keys().cloned().collect();
        let places = Places::in_reading(reading, &paths);
        let files: Vec<(&TreePath, &ContentId)> = blobs.iter().collect();
        let read =
            parallel::try_map(&files, || (), |(), (path, id)| file(reading, &places, (path, **id), gone))?;
        let mut all = Self {
            entries: Vec::new(),
            folders: BTreeMap::from([(String::new(), ExportedFolder::default())]),
            others: Vec::new(),
        };
        for entry in read {
            all.count(entry.path.folder(), entry.path.kind() == PathKind::Entry);
            if entry.path.kind() == PathKind::Entry {
                all.entries.push(entry);
                continue;
            }
            if let Some(folder) = all.folders.get_mut(entry.path.folder()) {
                (folder.title, folder.summary) = (entry.title.clone(), entry.summary);
            }
            all.others.extend(entry.outgoing);
        }
        Ok(all)
    }

    /// Count a file in its folder and in all above it.
    fn count(&mut self, folder: &str, is_entry: bool) {
        let mut above = Some(folder);
        while let Some(folder) = above {
            self.folders.entry(folder.to_owned()).or_default().entries += usize::from(is_entry);
            let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
            above = (!folder.is_empty()).then_some(parent);
        }
    }

    /// Give each link the title of its other end, and each entry the links that lead to it.
    fn point_back(&mut self) {
        let entries = self.entries.iter().map(|entry| (entry.path.as_str(), &entry.title));
        let folders = self.folders.iter().map(|(path, folder)| (path.as_str(), &folder.title));
        let titles: BTreeMap<String, String> = entries
            .chain(folders)
            .filter_map(|(path, title)| Some((path.to_owned(), title.clone()?)))
            .collect();
        let mut to: BTreeMap<String, Vec<Link>> = BTreeMap::new();
        for link in self.entries.iter().flat_map(|entry| &entry.outgoing).chain(&self.others) {
            if let Some(end) = link.to.as_ref().filter(|end| *end != link.from.as_str()) {
                let from =
                    if link.from.kind() == PathKind::Entry { link.from.as_str() } else { link.from.folder() };
                to.entry(end.clone())
                    .or_default()
                    .push(Link { title: titles.get(from).cloned(), ..link.clone() });
            }
        }
        for entry in &mut self.entries {
            entry.incoming = to.remove(entry.path.as_str()).unwrap_or_default();
            entry.incoming.sort_by(|one, other| one.from.cmp(&other.from));
            for link in &mut entry.outgoing {
                link.title = link.to.as_ref().and_then(|to| titles.get(to).cloned());
            }
        }
    }
}

fn file(
    reading: &Reading,
    places: &Places<'_>,
    (path, id): (&TreePath, ContentId),
    gone: &BTreeSet<String>,
) -> Result<ExportedEntry, Stop> {
    let bytes = reading.read(path)?.unwrap_or_default();
    let document = Document::parse(bytes);
    let mask = |text: String| secrets::masked(&text).into_owned();
    let meta = document.meta();
    let (title, summary) = match path.kind() {
        PathKind::Entry => (document.title(), meta.summary),
        _ => {
            let digest = digest_of_document(&Input { path, id, bytes: document.as_bytes() }, &document);
            (digest.title, Some(digest.gist).filter(|gist| !gist.is_empty()))
        }
    };
    let link = |reference| {
        let link = Link::new(path, reference);
        // it is somewhere, though not on this site
        let is_left_out = link.state == LinkTargetState::Missing
            && link.to.as_ref().is_some_and(|to| gone.contains(to) || gone.contains(&format!("{to}.md")));
        Link { state: if is_left_out { LinkTargetState::Other } else { link.state }, ..link }
    };
    Ok(ExportedEntry {
        path: path.clone(),
        title: title.map(mask),
        summary: summary.map(mask),
        status: meta.status.map(Status::as_str),
        disputed: disputes(&document),
        is_earlier: false,
        changed: None,
        outgoing: places.references(path, &document)?.into_iter().map(link).collect(),
        incoming: Vec::new(),
    })
}
