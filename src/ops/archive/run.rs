//! `brv archive run`: move entries out of the tree, each with a record in the `context.md` of its folder.

use crate::doc::{self, ArchiveRecord};
use crate::fs::Listing;
use crate::git::{self, BlobId, CommitId, Scope, trees};
use crate::journal::Kind;
use crate::lifecycle;
use crate::ops::cause::{Cause, caused};
use crate::ops::context::{Context, Opened};
use crate::ops::steps::archived::{self, Candidate, Committed, Sought};
use crate::ops::steps::landing::{self, Landed, Landing, Note, Uncommitted};
use crate::ops::steps::naming::entries::{self, Named};
use crate::ops::steps::refresh;
use crate::ops::steps::signals::Trouble;
use crate::ops::steps::survey::{self, Survey};
use crate::ops::steps::telling::source::{self, Reading};
use crate::ops::steps::writing::files_only::Rewrite;
use crate::ops::steps::writing::{self, Derived, Locking, Writing, Written};
use crate::ops::{Fails, FailureKind, Mode};
use crate::path::TreePath;
use bstr::{BStr, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub use crate::ops::steps::archived::Why;

/// What to archive.
#[derive(Debug, Clone)]
pub struct Options {
    /// Entries as typed; empty: those that are not important enough.
    pub names: Vec<String>,
    /// Whether anything is written.
    pub mode: Mode,
}

/// What was archived.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The archived entries, each with its importance.
    pub archived: Vec<(TreePath, f64)>,
    /// Entries that were not archived: paths of the tree, or names as typed.
    pub skipped: Vec<(String, Why)>,
    /// Archived entries whose bytes the upstream lacks.
    pub unpublished: Vec<TreePath>,
    /// What went wrong with the signals.
    pub trouble: Option<Trouble>,
    /// The commit, if one was made.
    pub commit: Option<CommitId>,
    /// The files that were written and are not in the commit.
    pub uncommitted: Vec<Uncommitted>,
    /// What else was written: operation and derived files.
    pub written: Written,
}

/// Why nothing was archived.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error("`{name}` is not in the context tree")]
    Unknown { name: String, nearest: Vec<String> },
    #[error(transparent)]
    Reading(#[from] source::Error),
    #[error(transparent)]
    Landing(#[from] landing::Error),
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Unknown { .. } => FailureKind::Usage,
            Self::Reading(error) => error.kind(),
            Self::Landing(error) => error.kind(),
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Archive entries.
///
/// # Errors
/// [`Error`]; then nothing was written. An entry that stays is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    writing::settle(Error::kind, |locking| once(cx, options, locking))
}

fn once(cx: &Context<'_>, options: &Options, locking: Locking) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let now = cx.clock.seconds();
    if options.mode == Mode::DryRun {
        let survey = refresh::quick_survey(&opened, git::index::read(&opened.scope)?)?;
        return Ok(Plan::make(&opened, &survey, (&cx.cwd, &options.names), (options.mode, now))?.outcome);
    }
    let mut writing = Writing::begin(cx.parts(&opened))?.locking(locking);
    let manner = landing::manner(&writing.parts())?;
    let scope = writing.scope();
    let survey = writing.survey(|index| survey::survey(scope, index, Listing::Nothing))?;
    let Plan { mut outcome, files, notes } =
        Plan::make(&opened, &survey, (&cx.cwd, &options.names), (options.mode, now))?;
    let words = |paths: &BTreeSet<&BStr>| words(&outcome.archived, paths);
    let all: BTreeSet<&BStr> = files.iter().map(|file| file.path.as_bstr()).collect();
    let reason = words(&all).0;
    let landing = Landing {
        kind: Kind::Archive,
        reason,
        files,
        notes,
        discarded: Vec::new(),
        words: &words,
        source_commit: None,
    };
    let Landed { commit, uncommitted, derived, .. } =
        landing::land(&mut writing, survey.index, manner, landing)?;
    (outcome.commit, outcome.uncommitted) = (commit, uncommitted);
    outcome.written = writing.finish(derived.unwrap_or(Derived::Leave));
    Ok(outcome)
}

/// Subject and body of the commit that has these paths.
fn words(archived: &[(TreePath, f64)], paths: &BTreeSet<&BStr>) -> (String, Vec<String>) {
    let is_in = |(path, _): &&(TreePath, f64)| paths.contains(path.as_bytes().as_bstr());
    let done: Vec<&(TreePath, f64)> = archived.iter().filter(is_in).collect();
    let line = |(path, importance): &&(TreePath, f64)| format!("- {path}, importance {importance}");
    let subject = match &done[..] {
        [(path, _)] => format!("archive {path}"),
        several => format!("archive {} entries", several.len()),
    };
    (subject, done.iter().map(line).collect())
}

/// What is to be written.
struct Plan {
    outcome: Outcome,
    files: Vec<Rewrite>,
    notes: Vec<Note>,
}

impl Plan {
    fn make(
        opened: &Opened,
        survey: &Survey,
        (cwd, names): (&Path, &[String]),
        (mode, now): (Mode, i64),
    ) -> Result<Self, Error> {
        let scope = &opened.scope;
        let committed = Committed::of(scope, survey)?;
        let mut plan = Self { outcome: Outcome::default(), files: Vec::new(), notes: Vec::new() };
        let (signals, trouble) = archived::signals(opened, committed.entries(), (mode, now));
        plan.outcome.trouble = trouble;
        let chosen = match names {
            [] => plan.by_importance(scope, &committed, signals)?,
            names => plan.by_name(scope, &committed, (cwd, names), signals)?,
        };
        plan.archive(scope, &committed, chosen, now)?;
        plan.outcome.skipped.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(plan)
    }

    fn by_importance(
        &mut self,
        scope: &Scope,
        committed: &Committed,
        signals: Vec<Candidate>,
    ) -> Result<Vec<(TreePath, f64)>, Cause> {
        let chosen = archived::choose(scope, committed, signals)?;
        let held_back = chosen.held_back.into_iter().map(|(path, why)| (path.to_string(), why));
        self.outcome.skipped.extend(held_back);
        Ok(chosen.entries)
    }

    fn by_name(
        &mut self,
        scope: &Scope,
        committed: &Committed,
        (cwd, names): (&Path, &[String]),
        signals: Vec<Candidate>,
    ) -> Result<Vec<(TreePath, f64)>, Error> {
        let known: BTreeMap<TreePath, f64> =
            signals.into_iter().map(|known| (known.path, known.importance)).collect();
        let mut chosen: BTreeMap<TreePath, f64> = BTreeMap::new();
        for name in names {
            let path = match entries::resolve(&scope.root(), cwd, name)? {
                Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path)) => Ok(path),
                Some(Named::Folder(_)) => Err(Why::Overview),
                Some(Named::NotKnowledge(_)) => Err(Why::NotCommitted),
                None => absent(scope, committed, (cwd, name))?,
            };
            match path.map(|path| (committed.hinders(&path), path)) {
                Err(why) => self.outcome.skipped.push((name.clone(), why)),
                Ok((Some(why), path)) => self.outcome.skipped.push((path.to_string(), why)),
                Ok((None, path)) => {
                    let importance = known.get(&path).copied().unwrap_or(lifecycle::START);
                    chosen.insert(path, importance);
                }
            }
        }
        Ok(chosen.into_iter().collect())
    }

    /// Plan the removal of the entries and their records, folder by folder.
    fn archive(
        &mut self,
        scope: &Scope,
        committed: &Committed,
        chosen: Vec<(TreePath, f64)>,
        now: i64,
    ) -> Result<(), Cause> {
        let mut folders: BTreeMap<TreePath, Vec<(TreePath, f64, BlobId)>> = BTreeMap::new();
        for (path, importance) in chosen {
            let Some(id) = committed.version(&path) else { continue };
            folders.entry(archived::overview_of(&path)).or_default().push((path, importance, id));
        }
        for (overview, entries) in folders {
            let before = committed.version(&overview).map(|id| trees::blob(scope, id)).transpose()?;
            let records: Vec<ArchiveRecord> =
                entries.iter().map(|(path, importance, id)| record(path, *importance, *id, now)).collect();
            let Ok(after) = doc::add_archive_records(before.as_deref(), &records) else {
                let skipped = entries.into_iter().map(|(path, ..)| (path.to_string(), Why::Overview));
                self.outcome.skipped.extend(skipped);
                continue;
            };
            self.files.push(Rewrite::new(&overview, before, Some(after)));
            for ((path, _, id), record) in entries.into_iter().zip(records) {
                self.files.push(Rewrite::new(&path, Some(trees::blob(scope, id)?), None));
                let reason = format!("archived, importance {}", record.importance);
                self.notes.push(Note { path: path.as_str().into(), reason, review: None });
                if committed.is_unpublished(&path) {
                    self.outcome.unpublished.push(path.clone());
                }
                self.outcome.archived.push((path, record.importance));
            }
        }
        Ok(())
    }
}

/// The entry of a name that is not on disk: it may be deleted there, or archived.
fn absent(
    scope: &Scope,
    committed: &Committed,
    (cwd, name): (&Path, &str),
) -> Result<Result<TreePath, Why>, Error> {
    let sought = Sought::of(scope, cwd, name);
    if archived::found(scope, &Reading::on_disk(scope.root()), &sought)?.is_some() {
        return Ok(Err(Why::Archived));
    }
    if let Some(path) = sought.committed(committed) {
        return Ok(Ok(path));
    }
    let entries = committed.entries();
    let nearest = entries::meant(name, entries.iter().map(TreePath::as_str));
    Err(Error::Unknown { name: name.to_owned(), nearest })
}

fn record(path: &TreePath, importance: f64, blob: BlobId, at: i64) -> ArchiveRecord {
    let importance = (importance * 100.0).round() / 100.0;
    ArchiveRecord { name: path.file_name().to_owned(), blob, importance, at }
}
