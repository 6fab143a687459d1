//! `brv archive run`: move entries out of the tree, each with a record in the `context.md` of its folder.

use super::words;
use brv_base::fs::Listing;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_engine::derive;
use brv_engine::journal::OperationKind;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::open::survey::{self, Survey};
use brv_engine::read::archive::{self, ArchiveCandidate, Committed, TypedName};
use brv_engine::read::history::source::Reading;
use brv_engine::write::landing::{self, Draft, Item, Note, Saved};
use brv_engine::write::operation::files_only::Rewrite;
use brv_engine::{Mode, Stop};
use brv_git as git;
use brv_git::{BlobId, Scope, trees};
use brv_text::doc::{self, ArchiveRecord};
use brv_text::lifecycle;
use bstr::{BStr, BString};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub use brv_engine::read::archive::{BELOW, Why};

/// `brv.archive.run/1`; paths are relative to the tree.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ArchiveRun")]
pub struct Outcome {
    /// The archived entries; with `--dry-run` those that would be archived.
    pub archived: Vec<ArchiveResult>,
    /// Without paths, and without a person who decides: what would be archived, the least important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<ArchiveResult>,
    /// Entries that stay. Without paths: those whose importance is low enough, and that something else holds back.
    pub skipped: Vec<Skipped>,
    /// Archived entries whose bytes the upstream lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unpublished: Vec<TreePath>,
    /// What was written.
    #[serde(flatten)]
    pub saved: Saved,
}

/// An archived entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Archived")]
pub struct ArchiveResult {
    /// The path that it had.
    pub path: TreePath,
    /// Its importance, 0 to 100; 50 without signals.
    pub importance: f64,
}

/// An entry that stays.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Skipped {
    /// Its path, or the name as typed.
    pub path: String,
    /// `not_committed`, `unpublished`, `dirty`, `not_on_disk`, `maturity`, `importance`, `young_signals`, `pinned`,
    /// `overview`, `limit` or `changed`.
    #[schemars(with = "String")]
    pub why: Why,
}

/// Archive entries by their names as typed; without names, those that are not important enough. What went wrong with the
/// signals is beside the outcome.
///
/// # Errors
/// A name that is not in the tree; the disk or git. Then nothing was written.
pub fn run(cx: &Context<'_>, names: &[String], mode: Mode) -> Result<(Outcome, Option<Stop>), Stop> {
    let opened = cx.open()?;
    let (scope, now) = (&opened.scope, cx.clock.seconds());
    let plan = |survey: &Survey| ArchivePlan::make(&opened, survey, (&cx.cwd, names), (mode, now));
    if mode == Mode::DryRun {
        let plan = plan(&derive::quick_survey(&opened, git::index::read(scope)?)?)?;
        return Ok((plan.outcome, plan.trouble));
    }
    let (saved, (mut outcome, trouble)) = landing::settled(cx.parts(&opened), || {
        let ArchivePlan { outcome, trouble, items, notes } =
            plan(&survey::survey(scope, git::index::read(scope)?, Listing::Nothing)?)?;
        let entries = outcome.archived.iter();
        let entries = entries.map(|one| (&one.path, format!(", importance {}", one.importance)));
        let words = |paths: &BTreeSet<&BStr>| {
            let (what, lines) = words(entries.clone(), paths);
            (format!("archive {what}"), lines)
        };
        let draft = Draft { notes, ..Draft::new(items, &words) };
        Ok((landing::save(cx.parts(&opened), OperationKind::Archive, &draft)?, (outcome, trouble)))
    })?;
    outcome.leave_out(&saved.differed);
    outcome.saved = saved;
    Ok((outcome, trouble))
}

/// What [`run`] would archive without names. Nothing is written.
///
/// # Errors
/// The disk or git.
pub fn list(cx: &Context<'_>) -> Result<(Outcome, Option<Stop>), Stop> {
    let (outcome, trouble) = run(cx, &[], Mode::DryRun)?;
    Ok((Outcome { candidates: outcome.archived, archived: Vec::new(), ..outcome }, trouble))
}

impl Outcome {
    /// Other programs changed these files again and again: the entries of their folders stay.
    fn leave_out(&mut self, differed: &[BString]) {
        let folders: Vec<TreePath> = self
            .archived
            .iter()
            .filter(|one| differed.iter().any(|path| path == one.path.as_bytes()))
            .map(|one| archive::overview_of(&one.path))
            .collect();
        let stays = |path: &TreePath| {
            let overview = archive::overview_of(path);
            folders.contains(&overview) || differed.iter().any(|path| path == overview.as_bytes())
        };
        let (left, done) = std::mem::take(&mut self.archived).into_iter().partition(|one| stays(&one.path));
        self.archived = done;
        let left: Vec<ArchiveResult> = left;
        self.skipped
            .extend(left.into_iter().map(|one| Skipped { path: one.path.to_string(), why: Why::Changed }));
        sorting::sort_by(&mut self.skipped, |one, other| one.path.cmp(&other.path));
        self.unpublished.retain(|path| !stays(path));
    }
}

/// What is to be written.
struct ArchivePlan {
    outcome: Outcome,
    trouble: Option<Stop>,
    items: Vec<Item>,
    notes: Vec<Note>,
}

impl ArchivePlan {
    fn make(
        opened: &Opened,
        survey: &Survey,
        (cwd, names): (&Path, &[String]),
        (mode, now): (Mode, i64),
    ) -> Result<Self, Stop> {
        let scope = &opened.scope;
        let committed = Committed::of(scope, survey)?;
        let (signals, trouble) = archive::signals(opened, committed.entries(), (mode, now));
        let mut plan = Self { outcome: Outcome::default(), trouble, items: Vec::new(), notes: Vec::new() };
        let chosen = match names {
            [] => plan.by_importance(scope, &committed, signals)?,
            names => plan.by_name(scope, &committed, (cwd, names), signals)?,
        };
        plan.archive(scope, &committed, chosen, now)?;
        sorting::sort_by(&mut plan.outcome.skipped, |one, other| one.path.cmp(&other.path));
        Ok(plan)
    }

    fn by_importance(
        &mut self,
        scope: &Scope,
        committed: &Committed,
        signals: Vec<ArchiveCandidate>,
    ) -> Result<Vec<(TreePath, f64)>, Stop> {
        let chosen = archive::choose(scope, committed, signals)?;
        self.skip(chosen.held_back.into_iter().map(|(path, why)| (path.to_string(), why)));
        Ok(chosen.entries)
    }

    fn by_name(
        &mut self,
        scope: &Scope,
        committed: &Committed,
        (cwd, names): (&Path, &[String]),
        signals: Vec<ArchiveCandidate>,
    ) -> Result<Vec<(TreePath, f64)>, Stop> {
        let known: BTreeMap<TreePath, f64> =
            signals.into_iter().map(|known| (known.path, known.importance)).collect();
        let mut chosen: BTreeMap<TreePath, f64> = BTreeMap::new();
        for name in names {
            let path = match resolve::resolve(&scope.root(), cwd, name)? {
                Some(Named::File(path) | Named::Abstract(path) | Named::Overview(path)) => Ok(path),
                Some(Named::Folder(_)) => Err(Why::Overview),
                Some(Named::NotKnowledge(_)) => Err(Why::NotCommitted),
                None => absent(scope, committed, (cwd, name))?,
            };
            match path.map(|path| (committed.hinders(&path), path)) {
                Err(why) => self.skip([(name.clone(), why)]),
                Ok((Some(why), path)) => self.skip([(path.to_string(), why)]),
                Ok((None, path)) => {
                    let importance = known.get(&path).copied().unwrap_or(lifecycle::START);
                    chosen.insert(path, importance);
                }
            }
        }
        Ok(chosen.into_iter().collect())
    }

    fn skip(&mut self, entries: impl IntoIterator<Item = (String, Why)>) {
        self.outcome.skipped.extend(entries.into_iter().map(|(path, why)| Skipped { path, why }));
    }

    /// Plan the removal of the entries and their records, folder by folder.
    fn archive(
        &mut self,
        scope: &Scope,
        committed: &Committed,
        chosen: Vec<(TreePath, f64)>,
        now: i64,
    ) -> Result<(), Stop> {
        let mut folders: BTreeMap<TreePath, Vec<(TreePath, f64, BlobId)>> = BTreeMap::new();
        for (path, importance) in chosen {
            let Some(id) = committed.version(&path) else { continue };
            folders.entry(archive::overview_of(&path)).or_default().push((path, importance, id));
        }
        for (overview, entries) in folders {
            let before = committed.version(&overview).map(|id| trees::blob(scope, id)).transpose()?;
            let records: Vec<ArchiveRecord> =
                entries.iter().map(|(path, importance, id)| record(path, *importance, *id, now)).collect();
            let Ok(after) = doc::add_archive_records(before.as_deref(), &records) else {
                self.skip(entries.into_iter().map(|(path, ..)| (path.to_string(), Why::Overview)));
                continue;
            };
            let mut files = vec![Rewrite::new(&overview, before, Some(after))];
            for ((path, _, id), record) in entries.into_iter().zip(records) {
                files.push(Rewrite::new(&path, Some(trees::blob(scope, id)?), None));
                let reason = format!("archived, importance {}", record.importance);
                self.notes.push(Note { path: path.as_str().into(), reason, review: None });
                if committed.is_unpublished(&path) {
                    self.outcome.unpublished.push(path.clone());
                }
                self.outcome.archived.push(ArchiveResult { path, importance: record.importance });
            }
            let relies = files.iter().map(|file| file.path.clone()).collect();
            self.items.push(Item { files, relies });
        }
        Ok(())
    }
}

/// The entry of a name that is not on disk: it may be deleted there, or archived.
fn absent(
    scope: &Scope,
    committed: &Committed,
    (cwd, name): (&Path, &str),
) -> Result<Result<TreePath, Why>, Stop> {
    let sought = TypedName::of(scope, cwd, name);
    if archive::found(scope, &Reading::on_disk(scope.root()), &sought)?.is_some() {
        return Ok(Err(Why::Archived));
    }
    if let Some(path) = sought.committed(committed) {
        return Ok(Ok(path));
    }
    Err(resolve::missing(name, &committed.entries()))
}

fn record(path: &TreePath, importance: f64, blob: BlobId, at: i64) -> ArchiveRecord {
    let importance = (importance * 100.0).round() / 100.0;
    ArchiveRecord { name: path.file_name().to_owned(), blob, importance, at }
}
