//! Apply operations of curation to entries, and learn what became of each.
//!
//! One operation that is wrong fails alone; what is right lands together, as one operation and one commit.

mod alike;
mod core;
mod in_memory;
mod overviews;
mod replacing;
mod turning;
mod view;

use crate::Stop;
use crate::journal::{CodeHead, OperationId, OperationKind, SourceCommit};
use crate::open::context::{Opened, Parts};
use crate::open::signals;
use crate::read::history::changes::{Contents, Detail};
use crate::read::history::knowledge::{self, ChangeReport};
use crate::review;
use crate::write::landing::{self, Landing, LandingResult, Note, Uncommitted};
use crate::write::operation::files_only::Rewrite;
use crate::write::operation::{self, Derived, Locking, WriteOutcome, Writing};
use brv_base::path::TreePath;
use brv_git::trees::Change;
use brv_git::{BlobId, CommitId};
use brv_text::curate::{self, Act, Code, Grounds, NotAList, Read, Refused, SectionOutcome, Why};
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use alike::Similar;
pub use in_memory::{Sketch, Stopped};
pub use replacing::Outranked;
pub use view::CurateView;

use crate::Mode;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The operations, in order.
    pub operations: Vec<Read>,
    /// Whether anything is written.
    pub mode: Mode,
    /// Whether one operation that fails keeps the others out.
    pub extent: CurateAtomicity,
    /// The commit of the code that the knowledge comes from.
    pub source_commit: Option<SourceCommit>,
    /// Who wrote that commit, if it is not whose clone this is.
    pub source_author: Option<String>,
    /// What that commit is called, by which it is recognised where its id is not known any more.
    pub source_subject: Option<String>,
    /// Where it comes from none: the head of the code when it was written, with which its lines are compared later.
    pub code_head: Option<CodeHead>,
    /// The subject of the commit; `None`: the reason of its only operation, or their number.
    pub subject: Option<String>,
    /// The model that wrote the operations.
    pub model: Option<String>,
    /// The version of the rules that wrote the operations.
    pub rules: Option<u32>,
    /// What the operations remove because they say it better; nobody has to review that.
    pub replacing: Vec<Outranked>,
    /// Why each change is to be reviewed, whatever it changes; [`Why::Again`] stands at one change for all.
    pub review: Option<Why>,
    /// Entries whose content is filed anew: nobody has to review what they lose.
    pub renewed: BTreeSet<TreePath>,
    /// The text that a model made the operations of, in which their facts are looked up.
    pub grounds: Option<Arc<Grounds>>,
    /// The job that the operation is, for the operation log.
    pub job: Option<String>,
}

/// What becomes of the other operations if one fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CurateAtomicity {
    /// They are applied.
    #[default]
    Each,
    /// Nothing is written.
    Whole,
}

impl Options {
    /// The operations of a list in JSON.
    ///
    /// # Errors
    /// [`NotAList`]: then none of it is applied.
    pub fn of_list(bytes: &[u8], mode: Mode) -> Result<Self, NotAList> {
        Ok(Self { operations: curate::read(bytes)?, mode, ..Self::default() })
    }
}

#[derive(Debug, Default)]
pub struct Outcome {
    /// One for each operation, in order.
    pub applied: Vec<Applied>,
    /// The commit, if one was made.
    pub commit: Option<CommitId>,
    /// The files that were written and are not in the commit.
    pub uncommitted: Vec<Uncommitted>,
    /// The changes by meaning (dry run only).
    pub told: ChangeReport,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
    /// What went wrong with the signals of the entries.
    pub trouble: Option<Stop>,
    /// Whether a change was marked for a person to look at.
    pub waits: bool,
}

/// What became of an operation.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Applied {
    /// Its type, as written.
    // if that is a text; without the value of a secret
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its path, as written.
    // likewise
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    // what it did, or why it did nothing
    #[serde(flatten, serialize_with = "result")]
    #[schemars(with = "Became<'static>")]
    pub result: Result<Done, Refused>,
    /// Where operations name the commit of the code that they come from: the operation that this one is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Likewise: the commit of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
}

// the JSON of a result
#[derive(JsonSchema, Serialize)]
struct Became<'a> {
    /// `success` or `failed`
    status: &'static str,
    /// What it did, or why it failed.
    message: &'a str,
    /// Why it failed: `invalid`, `exists`, `not_found`, `changed`, `conflict`, `over_limit`, `blocked` or `too_deep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// The file of the entry, or the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a TreePath>,
    #[serde(flatten)]
    done: Option<&'a Done>,
}

fn result<S: Serializer>(result: &Result<Done, Refused>, serializer: S) -> Result<S::Ok, S::Error> {
    let became = match result {
        Ok(done) => Became {
            status: "success",
            message: done.act.word(),
            code: None,
            file: Some(&done.file),
            done: Some(done),
        },
        Err(refused) => Became {
            status: "failed",
            message: &refused.message,
            code: Some(refused.code.as_str()),
            file: None,
            done: None,
        },
    };
    became.serialize(serializer)
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Done {
    #[serde(skip)]
    pub act: Act,
    /// Whether it changes items or marks alone, which the intake of a commit does: that is neither use nor a change to look at.
    #[serde(skip)]
    pub is_of_items: bool,
    #[serde(skip)]
    pub verb: curate::CurateKind,
    #[serde(skip)]
    pub reason: String,
    #[serde(skip)]
    pub file: TreePath,
    /// The blob id of the entry before.
    // as it stood when this operation was applied
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<BlobId>,
    /// The blob id of the entry after: `base` or `expect` of the next operation on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<BlobId>,
    /// Why a person should review it: `deleted`, `merged`, `fact_removed`, `body_removed`, `pinned`, `unsupported`, `again`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review: Vec<Why>,
    /// The sections of the entry that changed. Facts do not count: they are replaced by subject.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SectionOutcome>,
    /// Relations that were left out because their target does not exist, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped_relations: Vec<String>,
    /// Subjects with more than one claim.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
    /// With `--model`: subjects of facts that the text they were made of does not support; of a fact without one, what it says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// With `source_commit`: the titles of the items that brv had filed from that commit, and that were replaced.
    // of all operations together; at the first that changed something
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    /// Entries similar to an added one, which might be updated instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<Similar>,
    /// Overviews that were made for the first entry of their folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<TreePath>,
    /// Other files that were removed.
    // the source of a MERGE, the files of a folder, overviews that were never edited
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<TreePath>,
    /// Archived entries whose records were deleted with the overview of their folder: `brv archive restore` no longer
    /// finds them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<TreePath>,
    /// Other entries whose links were updated.
    // to the target of a MERGE
    #[serde(rename = "relinked", skip_serializing_if = "Vec::is_empty")]
    pub turned: Vec<TreePath>,
    /// Whether an archived version of the new entry exists.
    #[serde(skip)]
    pub archived: bool,
}

impl Outcome {
    /// The files that operations changed, each once.
    pub fn changed(&self) -> impl Iterator<Item = &TreePath> {
        changes(&self.applied).flat_map(Done::files).collect::<BTreeSet<_>>().into_iter()
    }

    /// Whether a person has to approve what was filed before it replaces anything: it is not in its source, or it instructs.
    pub fn is_pending(&self) -> bool {
        let waits = |why: &Why| matches!(why, Why::Unsupported | Why::Instructions);
        changes(&self.applied).any(|done| done.review.iter().any(waits))
    }

    /// Why operations did nothing.
    pub fn refusals(&self) -> impl Iterator<Item = &Refused> {
        self.applied.iter().filter_map(|one| one.result.as_ref().err())
    }

    /// Whether an operation failed for one of these reasons.
    pub fn is_refused(&self, codes: &[Code]) -> bool {
        self.refusals().any(|refused| codes.contains(&refused.code))
    }
}

impl Done {
    /// An existing file that was changed in another way than by an operation of curation.
    pub fn changed(file: &TreePath, reason: &str) -> Self {
        Self {
            act: Act::Updated,
            is_of_items: false,
            verb: curate::CurateKind::Update,
            reason: reason.to_owned(),
            file: file.clone(),
            before: None,
            after: None,
            review: Vec::new(),
            sections: Vec::new(),
            dropped_relations: Vec::new(),
            disputed: Vec::new(),
            unsupported: Vec::new(),
            replaced: Vec::new(),
            similar: Vec::new(),
            made: Vec::new(),
            removed: Vec::new(),
            unrecorded: Vec::new(),
            turned: Vec::new(),
            archived: false,
        }
    }

    /// Every file that the operation changed.
    pub fn files(&self) -> impl Iterator<Item = &TreePath> {
        [&self.file].into_iter().chain(&self.made).chain(&self.removed).chain(&self.turned)
    }
}

/// Apply the operations, in order.
///
/// # Errors
/// What stops it; then nothing was written. An operation that fails is an outcome.
pub fn curate(parts: Parts<'_>, options: &Options) -> Result<Outcome, Stop> {
    let (opened, now) = (parts.opened, parts.clock.seconds());
    if options.mode == Mode::DryRun {
        let mut worked = in_memory::apply_all(opened, now, (options, &Disturbed::new()))?;
        mark(opened, &mut worked.applied, (options, now));
        alike::note(&parts, &mut worked.applied, &worked.view, now);
        let told = compared(opened, worked.view)?;
        return Ok(Outcome { applied: worked.applied, told, ..Outcome::default() });
    }
    let mut disturbed = Disturbed::new();
    operation::settle(Stop::kind, |locking| write(parts, options, &mut disturbed, locking))
}

/// The operations that fail because another program saved one of their files between the reading and the writing, by
/// their place in the list, with that file.
type Disturbed = BTreeMap<usize, BString>;

fn write(
    parts: Parts<'_>,
    options: &Options,
    disturbed: &mut Disturbed,
    locking: Locking,
) -> Result<Outcome, Stop> {
    let (opened, now) = (parts.opened, parts.clock.seconds());
    let mut writing = Writing::begin(parts)?.locking(locking);
    let manner = landing::commit_mode(&writing.parts())?;
    let worked = in_memory::apply_all(opened, now, (options, disturbed))?;
    let in_memory::CurateResult { mut applied, view, discarded } = worked;
    mark(opened, &mut applied, (options, now));
    if options.extent == CurateAtomicity::Whole && applied.iter().any(|one| one.result.is_err()) {
        return Ok(Outcome { applied, written: writing.finish(Derived::Leave), ..Outcome::default() });
    }
    alike::note(&writing.parts(), &mut applied, &view, now);
    let words = |paths: &BTreeSet<&BStr>| {
        let (subject, lines) = words(&applied, paths);
        (options.subject.clone().unwrap_or(subject), lines)
    };
    let gone = view.gone();
    let notes = notes(&applied, &view, review::is_enabled(opened));
    let is_marked = |note: &Note| note.review.as_deref().is_some_and(|why| why != Why::Again.as_str());
    let is_waiting = notes.iter().any(is_marked);
    let landing = Landing {
        kind: OperationKind::Curate,
        reason: words(&view.changed_paths()).0,
        notes,
        files: view.into_rewrites(),
        discarded,
        words: &words,
        source_commit: options.source_commit,
        source_author: options.source_author.clone(),
        source_subject: options.source_subject.clone(),
        code_head: options.code_head,
        model: options.model.clone(),
        rules: options.rules,
        job: options.job.clone(),
        dream: None,
        relies: BTreeSet::new(),
    };
    // read last, so that as little time as possible is left in which git may write it
    let index = writing.index()?;
    let landed = landing::land(&mut writing, index, manner, landing);
    let landed = landed.inspect_err(|error| disturbed.extend(concerned(&applied, landing::saved(error))));
    let LandingResult { commit, uncommitted, derived, instructing, .. } = landed?;
    let is_waiting = is_waiting || !instructing.is_empty();
    let waits = |done: &&mut Done| instructing.contains(done.file.as_bytes().as_bstr());
    let done = applied.iter_mut().filter_map(|one| one.result.as_mut().ok());
    done.filter(waits).for_each(|done| done.review.push(Why::Instructions));
    let trouble = note_signals(opened, &applied, &gone, now);
    let written = writing.finish(derived.unwrap_or(Derived::Leave));
    let told = ChangeReport::default();
    Ok(Outcome { applied, commit, uncommitted, told, written, trouble, waits: is_waiting })
}

/// Note why changes are to be reviewed, beyond what the operations show.
fn mark(opened: &Opened, applied: &mut [Applied], (options, now): (&Options, i64)) {
    core::mark(opened, applied, now);
    let done = applied.iter_mut().filter_map(|one| one.result.as_mut().ok());
    let mut changed: Vec<&mut Done> = done.filter(|done| done.act != Act::Unchanged).collect();
    for done in changed.iter_mut().filter(|done| options.renewed.contains(&done.file)) {
        done.review.clear();
    }
    // the last one stands for all that are filed again
    let first = if options.review == Some(Why::Again) { changed.len().saturating_sub(1) } else { 0 };
    for done in changed.into_iter().skip(first) {
        done.review.extend(options.review.filter(|why| !done.review.contains(why)));
    }
}

/// The operations that change one of these files.
fn concerned<'a>(
    applied: &'a [Applied],
    saved: &'a [BString],
) -> impl Iterator<Item = (usize, BString)> + use<'a> {
    applied.iter().enumerate().filter_map(|(at, one)| {
        let done = one.result.as_ref().ok()?;
        let path = saved.iter().find(|path| done.files().any(|file| file.as_bytes() == path.as_slice()))?;
        Some((at, path.clone()))
    })
}

/// Note which entries were updated and merged, apart from those that a later operation removed. New ones are seen by
/// their commit, deleted ones are forgotten in time.
fn note_signals(opened: &Opened, applied: &[Applied], gone: &BTreeSet<TreePath>, now: i64) -> Option<Stop> {
    let done = || applied.iter().filter_map(|one| one.result.as_ref().ok());
    let done = || done().filter(|done| !gone.contains(&done.file));
    let updated: Vec<TreePath> = done()
        .filter(|done| done.act == Act::Updated && !done.is_of_items)
        .map(|done| done.file.clone())
        .collect();
    let merged = done().filter(|done| done.act == Act::Merged);
    let pairs: Vec<_> =
        merged.filter_map(|done| Some((done.removed.first()?.clone(), done.file.clone()))).collect();
    let trouble = signals::note_updates(opened, &updated, now);
    signals::merge(opened, &pairs, now).or(trouble)
}

fn changes(applied: &[Applied]) -> impl Iterator<Item = &Done> {
    let done = applied.iter().filter_map(|one| one.result.as_ref().ok());
    done.filter(|done| done.act != Act::Unchanged)
}

/// Subject and body of the commit that has these paths.
fn words(applied: &[Applied], paths: &BTreeSet<&BStr>) -> (String, Vec<String>) {
    let is_in = |done: &&Done| done.files().any(|file| paths.contains(file.as_bytes().as_bstr()));
    let done: Vec<&Done> = changes(applied).filter(is_in).collect();
    let line = |done: &&Done| format!("- {} {}: {}", done.verb.as_str(), done.file, done.reason);
    let subject = match &done[..] {
        [only] => only.reason.clone(),
        several => format!("curate: {} operations", several.len()),
    };
    (subject, done.iter().map(line).collect())
}

/// The reasons for each changed path, in order, and why to review it, if changes are `marked`.
fn notes(applied: &[Applied], view: &CurateView<'_>, marked: bool) -> Vec<Note> {
    let mut notes: BTreeMap<BString, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    let changed = view.changed_paths();
    for done in changes(applied) {
        let files = done.files().map(|file| file.as_bytes().as_bstr());
        for path in files.filter(|path| changed.contains(path)) {
            let (reasons, reviews) = notes.entry(path.to_owned()).or_default();
            if !reasons.contains(&done.reason.as_str()) {
                reasons.push(&done.reason);
            }
            let is_own = done.file.as_bytes() == path.as_bytes();
            // of a folder each file is deleted by itself; the source of a MERGE goes with its target
            let is_gone = done.act == Act::Deleted && done.before.is_none();
            let why = done.review.iter().filter(|_| is_own || is_gone).map(|why| why.as_str());
            reviews.extend(why.filter(|why| !reviews.contains(why)).collect::<Vec<_>>());
        }
    }
    let note = |(path, (reasons, reviews)): (BString, (Vec<&str>, Vec<&str>))| Note {
        path,
        reason: reasons.join("; "),
        review: Some(reviews.join(", ")).filter(|review| marked && !review.is_empty()),
    };
    notes.into_iter().map(note).collect()
}

fn compared(opened: &Opened, view: CurateView<'_>) -> Result<ChangeReport, Stop> {
    let changes = view.changes();
    let files: BTreeMap<BString, Rewrite> =
        view.into_rewrites().into_iter().map(|file| (file.path.clone(), file)).collect();
    let before = |change: &Change| files.get(&change.path)?.before.clone();
    let after = |change: &Change| files.get(&change.path)?.after.clone();
    let contents = Contents::with_disk(&after).with_before(&before);
    let detail = Detail::Meaning { context: brv_text::diff::CONTEXT };
    Ok(knowledge::tell(&opened.scope, &changes, detail, &contents)?)
}
