//! `brv signals`: how important, recent and settled each entry is, and how often it was used and updated.
//!
//! Only entries have signals. A folder stands for everything below it.

use brv_base::path::TreePath;
use brv_base::sorting;
use brv_base::{fs, parallel};
use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::subjects;
use brv_engine::open::signals::{self, EntrySignal, Signals};
use brv_engine::open::survey::{Class, Survey};
use brv_engine::outcome::json;
use brv_engine::read::history::last_changes;
use brv_git as git;
use brv_git::trees::Renames;
use brv_text::doc::Document;
use brv_text::lifecycle;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashMap;

pub use brv_text::lifecycle::Maturity;

/// Which entries to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SignalChoice {
    /// All, by path.
    #[default]
    All,
    /// This many, the most important first.
    Top(usize),
    /// This many, the least important first; of equals, those that changed longest ago.
    Stale(usize),
}

/// `brv.signals/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Signals")]
pub struct Outcome {
    /// The entries: by path, with `--top` the most important first, with `--stale` the least important first.
    pub signals: Vec<SignalEntry>,
}

/// What is known of an entry on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Signal")]
pub struct SignalEntry {
    /// Its path.
    pub path: TreePath,
    /// From 0 to 100: it grows with hits and updates, and fades without them.
    pub importance: f64,
    /// From 1 at the last change of the entry towards 0.
    pub recency: f64,
    /// How settled it is.
    pub maturity: Maturity,
    /// How often it served a caller, once per session.
    pub hits: u64,
    /// How often curation updated it.
    pub updates: u64,
    /// When it was first seen on this machine.
    #[serde(serialize_with = "json::time")]
    #[schemars(with = "String")]
    pub first_seen: i64,
    /// Its last change: `updatedAt`, else the time of the last commit that changed it; `null` if it has neither.
    #[serde(serialize_with = "json::optional_time")]
    #[schemars(with = "Option<String>")]
    pub last_update: Option<i64>,
}

impl SignalEntry {
    fn new(path: &TreePath, signal: &EntrySignal, last_update: Option<i64>, now: i64) -> Self {
        let recency = last_update.map_or(1.0, |changed| lifecycle::recency(changed, now));
        Self {
            path: path.clone(),
            importance: json::to(signal.importance, 2),
            recency: json::to(recency, 4),
            maturity: signal.maturity,
            hits: signal.hits,
            updates: signal.updates,
            first_seen: signal.first_seen,
            last_update,
        }
    }
}

/// Find the signals of the named entries and folders; without names, of the whole tree. What happened to the signals
/// themselves is beside the outcome.
///
/// # Errors
/// A name that is not in the tree; the disk or git.
pub fn run(
    cx: &Context<'_>,
    names: &[String],
    choice: SignalChoice,
) -> Result<(Outcome, Option<Stop>), Stop> {
    let (opened, now) = (cx.open()?, cx.clock.seconds());
    let survey = derive::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    let curated = derive::curated_paths(&opened.scope, &survey)?;
    let wanted = subjects::entries((&opened.scope.root(), &cx.cwd), &curated, names)?;
    let (mut signals, trouble) = signals::read(&opened, now);
    signals.see(&uncommitted(&opened, &survey)?);
    let mut chosen = chosen(&signals, wanted, choice);
    let changes = changes(&opened, &chosen)?;
    if let SignalChoice::Stale(count) = choice {
        let recency = |path| changes.get(path).map_or(1.0, |changed| lifecycle::recency(*changed, now));
        sorting::sort_by(&mut chosen, |(one, of_one), (other, of_other)| {
            let importance = by_importance(of_one, of_other);
            importance.then(recency(*one).total_cmp(&recency(*other))).then_with(|| one.cmp(other))
        });
        chosen.truncate(count);
    }
    let entry = |(path, signal): (&TreePath, EntrySignal)| {
        SignalEntry::new(path, &signal, changes.get(path).copied(), now)
    };
    Ok((Outcome { signals: chosen.into_iter().map(entry).collect() }, trouble))
}

/// Entries that are in no commit of the branch.
fn uncommitted(opened: &Opened, survey: &Survey) -> Result<Vec<TreePath>, Stop> {
    let scope = &opened.scope;
    let staged = survey.staged(scope, Renames::Ignore)?.into_iter();
    let staged = staged.filter(|change| change.before.is_none()).map(|change| change.path);
    let untracked = survey.unrecorded(scope)?.into_iter().filter(|file| file.class == Class::Untracked);
    let paths = staged.chain(untracked.map(|file| file.path));
    Ok(paths.filter_map(|path| TreePath::parse(&path).ok()).collect())
}

/// The chosen entries; of the stale ones all that may be among them, since the last change decides between equals.
fn chosen<'a>(
    signals: &Signals,
    wanted: Vec<&'a TreePath>,
    choice: SignalChoice,
) -> Vec<(&'a TreePath, EntrySignal)> {
    let mut all: Vec<_> = wanted.into_iter().map(|path| (path, signals.of(path))).collect();
    match choice {
        SignalChoice::All => {}
        SignalChoice::Top(count) => {
            sorting::sort_by(&mut all, |(_, one), (_, other)| by_importance(other, one));
            all.truncate(count);
        }
        SignalChoice::Stale(count) => {
            sorting::sort_by(&mut all, |(_, one), (_, other)| by_importance(one, other));
            let last =
                count.checked_sub(1).and_then(|last| all.get(last)).map(|(_, signal)| signal.importance);
            all.retain(|(_, signal)| last.is_none_or(|last| signal.importance <= last));
        }
    }
    all
}

fn by_importance(one: &EntrySignal, other: &EntrySignal) -> Ordering {
    one.importance.total_cmp(&other.importance)
}

/// When each entry last changed.
fn changes<'a>(
    opened: &Opened,
    chosen: &[(&'a TreePath, EntrySignal)],
) -> Result<HashMap<&'a TreePath, i64>, Stop> {
    let root = opened.scope.root();
    let written = parallel::try_map(
        chosen,
        || (),
        |(), (path, _)| {
            let bytes = fs::read_below(&root, &path.on_disk(&root))?.unwrap_or_default();
            let updated_at = Document::parse(bytes).meta().updated_at;
            Ok::<_, fs::Error>(
                updated_at.and_then(|text| brv_text::doc::instant(&text)).map(|(seconds, _)| seconds),
            )
        },
    )?;
    let mut changes = HashMap::new();
    let mut without = Vec::new();
    for ((path, _), written) in chosen.iter().zip(written) {
        match written {
            Some(seconds) => drop(changes.insert(*path, seconds)),
            None => without.push(*path),
        }
    }
    changes.extend(last_changes::of(&opened.scope, &without)?);
    Ok(changes)
}
