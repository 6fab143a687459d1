//! Apply operations in memory, one after the other: each finds the tree as the ones before left it.

use super::turning::Links;
use super::view::{CurateView, FileBytes, PathObstacle};
use super::{Applied, Disturbed, Done, Options, overviews, replacing};
use crate::journal::Discarded;
use crate::merge::discarded;
use crate::open::context::Opened;
use crate::read::archive;
use crate::{FailureKind, OrStop, Stop};
use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath};
use brv_git as git;
use brv_text::curate::{
    self, Act, Code, CurateKind as Verb, CurateTarget, Grounds, Operation, Read, Refused, SectionOutcome,
    Setting, Sides, Why, locate, locate_source,
};
use brv_text::doc::Document;
use brv_text::lint::{Steering, secrets};
use bstr::ByteSlice as _;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All operations, applied in memory.
pub(super) struct CurateResult<'a> {
    pub(super) applied: Vec<Applied>,
    pub(super) view: CurateView<'a>,
    /// Values that a merge with another version discarded.
    pub(super) discarded: Vec<Discarded>,
}

/// Apply all operations but those that were disturbed. A relation may name an entry that a later operation of the list
/// makes: if that one fails, the list is applied again without it.
pub(super) fn apply_all<'a>(
    opened: &'a Opened,
    now: i64,
    (options, disturbed): (&Options, &Disturbed),
) -> Result<CurateResult<'a>, Stop> {
    let reads = &options.operations;
    let mut awaited = awaited(&CurateView::of(&opened.scope), reads);
    loop {
        let mut sketch = Sketch::of(opened, CurateView::of(&opened.scope), now);
        sketch.awaited.clone_from(&awaited);
        sketch.grounds.clone_from(&options.grounds);
        let mut applied = Vec::with_capacity(reads.len());
        for (at, read) in reads.iter().enumerate() {
            let result = match disturbed.get(&at) {
                Some(path) => {
                    Err(Refused::new(Code::Changed, git::held::changed(std::slice::from_ref(path))))
                }
                None => match &read.operation {
                    Ok(operation) => sketch.one(operation)?,
                    Err(refused) => Err(refused.clone()),
                },
            };
            let result =
                result.map_err(|refused| Refused::new(refused.code, brief(&shown(&refused.message))));
            let (kind, path) = (read.kind.as_deref().map(shown), read.path.as_deref().map(shown));
            applied.push(Applied { kind, path, result, operation: None, commit: None });
        }
        let failed: Vec<TreePath> =
            awaited.iter().filter(|path| !sketch.view.is_there(path)).cloned().collect();
        if failed.is_empty() {
            sketch.replace(options, &mut applied)?;
            let Sketch { view, discarded, .. } = sketch;
            return Ok(CurateResult { applied, view, discarded });
        }
        failed.iter().for_each(|path| {
            awaited.remove(path);
        });
    }
}

/// What is shown of a text that the caller wrote.
fn shown(text: &str) -> String {
    secrets::masked(text).into_owned()
}

/// What is shown of a section: the headings of an entry may have anything.
fn masked(section: SectionOutcome) -> SectionOutcome {
    let headings = section.headings.iter().map(|heading| shown(heading)).collect();
    SectionOutcome { headings, ..section }
}

/// A message without the middle of what is very long in it: a title of the caller has no limit of its own.
fn brief(message: &str) -> String {
    const START: usize = 300;
    const END: usize = 100;
    let length = message.chars().count();
    if length <= START + END {
        return message.to_owned();
    }
    let start: String = message.chars().take(START).collect();
    let end: String = message.chars().skip(length - END).collect();
    format!("{start} … {end}")
}

/// The entries that the list may make.
fn awaited(view: &CurateView<'_>, reads: &[Read]) -> BTreeSet<TreePath> {
    let makes = |operation: &&Operation| matches!(operation.kind, Verb::Add | Verb::Upsert);
    let operations = reads.iter().filter_map(|read| read.operation.as_ref().ok()).filter(makes);
    let target = |operation| match locate(operation, view) {
        Ok(CurateTarget::File { path, .. }) => Some(path),
        _ => None,
    };
    operations.filter_map(target).collect()
}

/// The tree while operations are applied to it.
pub struct Sketch<'a> {
    pub view: CurateView<'a>,
    links: Links<'a>,
    /// Entries that later operations make: a relation may name them.
    awaited: BTreeSet<TreePath>,
    /// The text that facts must stand on, where a model made them.
    grounds: Option<Arc<Grounds>>,
    /// Values that a merge with another version discarded.
    pub discarded: Vec<Discarded>,
    now: i64,
}

/// What an operation failed of: itself, or the command as a whole.
pub type Stopped = OrStop<Refused>;

impl From<Refused> for Stopped {
    fn from(refused: Refused) -> Self {
        Self::This(refused)
    }
}

/// Why the operation failed. A file or folder that cannot be read is its own fault alone: the others go on.
fn refused(stopped: Stopped) -> Result<Refused, Stop> {
    match stopped {
        Stopped::This(refused) => Ok(refused),
        Stopped::Stop(stop) if stop.kind == FailureKind::File => {
            Ok(Refused::new(Code::Invalid, stop.message))
        }
        Stopped::Stop(stop) => Err(stop),
    }
}

impl<'a> Sketch<'a> {
    pub fn of(opened: &'a Opened, view: CurateView<'a>, now: i64) -> Self {
        let (links, awaited) = (Links::of(opened), BTreeSet::new());
        Self { view, links, awaited, grounds: None, discarded: Vec::new(), now }
    }

    /// Apply one operation. One that fails leaves the tree as it was.
    pub fn one(&mut self, operation: &Operation) -> Result<Result<Done, Refused>, Stop> {
        self.together(|sketch| sketch.step(operation))
    }

    /// Do several things that belong together. If one fails, the tree is left as it was before the first.
    pub fn together<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Stopped>,
    ) -> Result<Result<T, Refused>, Stop> {
        let discarded = self.discarded.len();
        let done = work(self);
        let changed: Vec<TreePath> = self.view.in_hand();
        let done = self.view.end(done);
        changed.iter().try_for_each(|path| self.links.note(&self.view, path))?;
        match done {
            Ok(done) => Ok(Ok(done)),
            Err(stopped) => {
                self.discarded.truncate(discarded);
                refused(stopped).map(Err)
            }
        }
    }

    /// Remove what the operations say better.
    fn replace(&mut self, options: &Options, applied: &mut [Applied]) -> Result<(), Stop> {
        let mut titles = Vec::new();
        for removal in replacing::removals(&self.view, &options.replacing, applied)? {
            if self.one(&removal.operation)?.is_ok() {
                titles.extend(removal.titles);
            }
        }
        replacing::note(applied, titles);
        Ok(())
    }

    /// One operation of several that belong together.
    pub fn step(&mut self, operation: &Operation) -> Result<Done, Stopped> {
        let done = self.apply(operation)?;
        done.files().try_for_each(|path| self.links.note(&self.view, path))?;
        Ok(done)
    }

    fn apply(&mut self, operation: &Operation) -> Result<Done, Stopped> {
        let target = locate(operation, &self.view)?;
        match target {
            CurateTarget::Folder(folder) => self.delete_folder(operation, folder),
            CurateTarget::File { path, by_title } => self.file(operation, path, by_title),
        }
    }

    fn file(&mut self, operation: &Operation, path: TreePath, by_title: bool) -> Result<Done, Stopped> {
        self.refuse_other_ground(&path)?;
        let current = self.view.read(&path)?;
        let base = operation.base.map(|id| self.base(id)).transpose()?.flatten();
        let mut turned = self.source_of(operation, &path)?;
        let source = turned.as_ref().map(|source| (&source.path, source.bytes.as_slice()));
        let sides =
            Sides { path: &path, by_title, current: current.as_deref(), base: base.as_deref(), source };
        let leads = |relation: &str| self.leads(relation);
        let applied = curate::apply(operation, &sides, &Setting { now: self.now, leads: &leads })?;
        self.discarded.extend(discarded::of_file(path.as_bytes().as_bstr(), &applied.records));
        let (before, after) = (id(current.as_deref()), id(applied.bytes.as_deref()));
        let mut done = Done {
            act: applied.act,
            is_of_items: applied.only_marks || operation.filing.is_some() && operation.parts.is_empty(),
            verb: operation.kind,
            before,
            after,
            review: applied.review,
            sections: applied.sections.into_iter().map(masked).collect(),
            dropped_relations: applied.dropped_relations,
            disputed: applied.disputed,
            ..Done::changed(&path, &operation.reason)
        };
        self.ground(
            &mut done,
            [current.as_deref(), source.map(|(_, bytes)| bytes)],
            applied.bytes.as_deref(),
        );
        match applied.act {
            Act::Unchanged => {}
            Act::Added => {
                done.archived = self.view.is_archived(&path);
                let title = overviews::title_of(applied.bytes.as_deref().unwrap_or_default());
                self.view.set(&path, applied.bytes)?;
                if operation.filing.is_none() {
                    done.made = overviews::make(&mut self.view, &path, &title)?;
                }
            }
            Act::Updated => self.view.set(&path, applied.bytes)?,
            Act::Merged => {
                self.view.set(&path, applied.bytes)?;
                if let Some(source) = turned.take() {
                    self.merged(&mut done, source)?;
                }
            }
            Act::Deleted => {
                done.unrecorded = self.recorded_in(&path)?;
                self.view.set(&path, None)?;
                let title = overviews::title_of(current.as_deref().unwrap_or_default());
                done.removed = overviews::clear(&mut self.view, &path, &title)?;
            }
        }
        Ok(done)
    }

    /// Mark the facts of a model that its text does not support. What the entries said before was there without it.
    fn ground(&self, done: &mut Done, before: [Option<&[u8]>; 2], after: Option<&[u8]>) {
        let (Some(grounds), Some(after)) = (&self.grounds, after) else { return };
        let before: Vec<Document> = before.into_iter().flatten().map(Document::parse).collect();
        let found = curate::unsupported(grounds, &before, &Document::parse(after));
        if !found.is_empty() {
            done.review.push(Why::Unsupported);
            done.unsupported = found.iter().map(|subject| shown(subject)).collect();
        }
        // text that tries to steer an agent comes from whoever wrote the source
        let steers = |document: &Document| Steering::of(document);
        let known = before.iter().map(steers).fold(Steering::NONE, |all, one| all | one);
        if !steers(&Document::parse(after)).is_none() && known.is_none() {
            done.review.push(Why::Model);
        }
    }

    /// The version that the caller read. One that cannot be read is as good as none.
    fn base(&self, id: ContentId) -> Result<FileBytes, Refused> {
        let unreadable =
            |error| Refused::new(Code::Changed, format!("the version {id} cannot be read: {error}"));
        self.view.blob(id).map_err(unreadable)
    }

    /// Refuse a path where a file cannot stand.
    fn refuse_other_ground(&self, path: &TreePath) -> Result<(), Stopped> {
        let why = match self.view.ground(path)? {
            PathObstacle::Clear if self.view.is_in_the_way(path) => {
                "is a folder, or is below a file, by an earlier operation"
            }
            PathObstacle::Clear if self.view.is_off_disk(path)? => {
                "is not on this disk: a sparse checkout leaves it out, or the flag skip-worktree hides it"
            }
            PathObstacle::Clear => return Ok(()),
            PathObstacle::Special => "is a symlink or a special file, or is below one or below a file",
            PathObstacle::Folder => "is a folder",
        };
        Err(Refused::new(Code::Invalid, format!("`{path}` {why}")).into())
    }

    fn leads(&self, relation: &str) -> bool {
        let awaited =
            |path: String| TreePath::parse(path.as_bytes()).is_ok_and(|path| self.awaited.contains(&path));
        self.view.leads(relation) || awaited(relation.to_owned()) || awaited(format!("{relation}.md"))
    }

    /// The source of a MERGE, with its links as they must be at the target; `None` if there is none.
    fn source_of(
        &mut self,
        operation: &Operation,
        target: &TreePath,
    ) -> Result<Option<EntryMergeSource>, Stopped> {
        let Some(written) = operation.source.as_deref().filter(|_| operation.kind == Verb::Merge) else {
            return Ok(None);
        };
        let path = locate_source(written, &self.view)?;
        let Some(bytes) = self.view.read(&path)? else { return Ok(None) };
        let title = overviews::title_of(&bytes);
        if path == *target || self.view.read(target)?.is_none() {
            // which is refused
            return Ok(Some(EntryMergeSource { path, bytes, title, others: Vec::new(), is_linked: false }));
        }
        let mut turned = self.links.turned(&self.view, (&path, target))?;
        let bytes = turned.remove(&path).unwrap_or(bytes);
        let is_linked = turned.remove(target).is_some();
        Ok(Some(EntryMergeSource { path, bytes, title, others: turned.into_iter().collect(), is_linked }))
    }

    fn merged(&mut self, done: &mut Done, source: EntryMergeSource) -> Result<(), Stopped> {
        if source.is_linked {
            let both = (&source.path, &done.file);
            let mut turned = self.links.turned(&self.view, both)?;
            if let Some(bytes) = turned.remove(&done.file) {
                self.view.set(&done.file, Some(bytes))?;
            }
        }
        self.view.set(&source.path, None)?;
        done.removed = vec![source.path.clone()];
        done.removed.extend(overviews::clear(&mut self.view, &source.path, &source.title)?);
        for (path, bytes) in source.others {
            let (bytes, dropped) = self.with_relations_that_lead(bytes, &source.path)?;
            self.view.set(&path, Some(bytes))?;
            done.dropped_relations.extend(dropped);
            done.turned.push(path);
        }
        if let Some(bytes) = self.view.read(&done.file)? {
            let (bytes, dropped) = self.with_relations_that_lead(bytes, &source.path)?;
            done.dropped_relations.extend(dropped);
            done.dropped_relations.sort();
            done.dropped_relations.dedup();
            done.after = id(Some(&bytes));
            self.view.set(&done.file, Some(bytes))?;
        }
        Ok(())
    }

    /// An entry without relations that say the same twice, or that led to a folder that went with `gone`; these are
    /// returned as well.
    fn with_relations_that_lead(
        &self,
        bytes: Vec<u8>,
        gone: &TreePath,
    ) -> Result<(Vec<u8>, Vec<String>), Stopped> {
        let is_above =
            |folder: &str| gone.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let leads = |relation: &str| !is_above(relation) || self.leads(relation);
        Ok(curate::with_distinct_relations(bytes, &leads)?)
    }

    fn delete_folder(&mut self, operation: &Operation, folder: TreePath) -> Result<Done, Stopped> {
        let files = self.view.curated_below(folder.as_str());
        if files.is_empty() {
            return Err(Refused::new(Code::NotFound, format!("there is no knowledge in `{folder}`")).into());
        }
        let mut unrecorded = Vec::new();
        for file in &files {
            unrecorded.extend(self.recorded_in(file)?);
        }
        for file in &files {
            self.view.set(file, None)?;
        }
        Ok(Done {
            act: Act::Deleted,
            verb: operation.kind,
            review: vec![Why::Deleted],
            removed: files,
            unrecorded,
            ..Done::changed(&folder, &operation.reason)
        })
    }

    /// The archived entries that a file records, if it is an overview. The record of a version that is there is void.
    fn recorded_in(&self, file: &TreePath) -> Result<Vec<TreePath>, Stopped> {
        let bytes = match file.kind() {
            PathKind::NodeOverview => self.view.read(file)?.unwrap_or_default(),
            _ => return Ok(Vec::new()),
        };
        let mut entries = Vec::new();
        for (entry, version) in archive::recorded_in(file, bytes) {
            if id(self.view.read(&entry)?.as_deref()) != Some(version) {
                entries.push(entry);
            }
        }
        entries.dedup();
        Ok(entries)
    }
}

struct EntryMergeSource {
    path: TreePath,
    bytes: Vec<u8>,
    title: String,
    /// Other entries, with their links turned to the target.
    others: Vec<(TreePath, Vec<u8>)>,
    /// Whether the target links to it: to itself then.
    is_linked: bool,
}

fn id(bytes: Option<&[u8]>) -> Option<ContentId> {
    bytes.map(ContentId::of)
}
