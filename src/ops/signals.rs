//! `brv signals`: how important, recent and settled each entry is, and how often it was used and updated.
//!
//! Only entries have signals. A folder stands for everything below it.

use super::FailureKind;
use super::cause::{Cause, caused};
use super::context::{Context, Opened};
use super::steps::naming::entries::{self, Named};
use super::steps::refresh;
use super::steps::signals::{self, Signals};
pub use super::steps::signals::{Signal, Trouble};
use super::steps::telling::last_changes;
use crate::doc::Document;
use crate::git::trees::Renames;
use crate::ops::steps::survey::{Class, Survey};
use crate::path::{Kind, TreePath};
use crate::{fs, git, lifecycle, parallel};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Which signals to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Entries and folders, as typed; empty: the whole tree.
    pub names: Vec<String>,
    /// Which of their entries.
    pub choice: Choice,
}

/// Which entries to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice {
    /// All, by path.
    #[default]
    All,
    /// This many, the most important first.
    Top(usize),
    /// This many, the least important first; of equals, those that changed longest ago.
    Stale(usize),
}

/// The signals that were found.
#[derive(Debug)]
pub struct Outcome {
    /// The chosen entries, in the order of the choice.
    pub entries: Vec<Entry>,
    /// Why the signals could not be read, or what happened to them.
    pub trouble: Option<Trouble>,
}

/// An entry with its signals.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its path.
    pub path: TreePath,
    /// What is known of it on this machine.
    pub signal: Signal,
    /// From 1 at its last change towards 0.
    pub recency: f64,
    /// Its last change: `updatedAt`, else the last commit that changed it. `None` if it has neither: it is new.
    pub last_update: Option<i64>,
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error("`{name}` is not in the context tree")]
    Missing { name: String, nearest: Vec<String> },
}

impl Error {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Missing { .. } => FailureKind::Usage,
        }
    }
}

caused!(Error);

/// Show signals.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let (opened, now) = (cx.open()?, cx.clock.seconds());
    let survey = refresh::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    let curated = refresh::curated_paths(&opened.scope, &survey)?;
    let wanted = wanted(cx, &opened, &curated, &options.names)?;
    let (mut signals, trouble) = signals::read(&opened, now);
    signals.see(&uncommitted(&opened, &survey)?);
    let chosen = chosen(&signals, wanted, options.choice);
    let changes = changes(&opened, &chosen)?;
    let mut entries: Vec<Entry> = chosen
        .into_iter()
        .map(|(path, signal)| {
            let last_update = changes.get(path).copied();
            let recency = last_update.map_or(1.0, |changed| lifecycle::recency(changed, now));
            Entry { path: path.clone(), signal, recency, last_update }
        })
        .collect();
    if let Choice::Stale(count) = options.choice {
        entries.sort_by(|one, other| {
            let importance = by_importance(&one.signal, &other.signal);
            importance.then(one.recency.total_cmp(&other.recency)).then_with(|| one.path.cmp(&other.path))
        });
        entries.truncate(count);
    }
    Ok(Outcome { entries, trouble })
}

/// The entries that the names stand for, by path.
fn wanted<'a>(
    cx: &Context<'_>,
    opened: &Opened,
    curated: &'a [TreePath],
    names: &[String],
) -> Result<Vec<&'a TreePath>, Error> {
    let mut subjects = Vec::new();
    for name in names {
        let missing = || {
            let nearest = entries::meant(name, curated.iter().map(TreePath::as_str));
            Error::Missing { name: name.clone(), nearest }
        };
        let subject = match entries::resolve(&opened.scope.root(), &cx.cwd, name)?.ok_or_else(missing)? {
            Named::File(path) | Named::Abstract(path) | Named::Overview(path) => match path.kind() {
                Kind::Entry => path.to_string(),
                Kind::NodeOverview => path.folder().to_owned(),
                _ => return Err(missing()),
            },
            Named::Folder(path) => path,
            Named::NotKnowledge(_) => return Err(missing()),
        };
        if !(subject.is_empty() || curated.iter().any(|path| is_of(path, &subject))) {
            return Err(missing());
        }
        subjects.push(subject);
    }
    let is_wanted = |path: &TreePath| subjects.is_empty() || subjects.iter().any(|one| is_of(path, one));
    Ok(curated.iter().filter(|path| path.kind() == Kind::Entry && is_wanted(path)).collect())
}

/// Whether a path is the subject, or lies below it.
fn is_of(path: &TreePath, subject: &str) -> bool {
    let rest = path.as_str().strip_prefix(subject);
    subject.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Entries that are in no commit of the branch.
fn uncommitted(opened: &Opened, survey: &Survey) -> Result<Vec<TreePath>, Error> {
    let scope = &opened.scope;
    let staged = survey.staged(scope, Renames::Ignore)?.into_iter();
    let staged = staged.filter(|change| change.before.is_none()).map(|change| change.path);
    let untracked = survey.unrecorded(scope)?.into_iter().filter(|file| file.class == Class::Untracked);
    let paths = staged.chain(untracked.map(|file| file.path));
    Ok(paths.filter_map(|path| TreePath::parse(&path).ok()).collect())
}

/// The chosen entries; of the stale ones all that may be among them, since the last change decides between equals.
fn chosen<'a>(signals: &Signals, wanted: Vec<&'a TreePath>, choice: Choice) -> Vec<(&'a TreePath, Signal)> {
    let mut all: Vec<_> = wanted.into_iter().map(|path| (path, signals.of(path))).collect();
    match choice {
        Choice::All => {}
        Choice::Top(count) => {
            all.sort_by(|(_, one), (_, other)| by_importance(other, one));
            all.truncate(count);
        }
        Choice::Stale(count) => {
            all.sort_by(|(_, one), (_, other)| by_importance(one, other));
            let last =
                count.checked_sub(1).and_then(|last| all.get(last)).map(|(_, signal)| signal.importance);
            all.retain(|(_, signal)| last.is_none_or(|last| signal.importance <= last));
        }
    }
    all
}

fn by_importance(one: &Signal, other: &Signal) -> Ordering {
    one.importance.total_cmp(&other.importance)
}

/// When each entry last changed.
fn changes<'a>(
    opened: &Opened,
    chosen: &[(&'a TreePath, Signal)],
) -> Result<HashMap<&'a TreePath, i64>, Error> {
    let root = opened.scope.root();
    let written = parallel::try_map(
        chosen,
        || (),
        |(), (path, _)| {
            let bytes = fs::read_below(&root, &path.on_disk(&root))?.unwrap_or_default();
            let updated_at = Document::parse(bytes).meta().updated_at;
            Ok::<_, fs::Error>(
                updated_at.and_then(|text| crate::doc::instant(&text)).map(|(seconds, _)| seconds),
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
