//! The signals of entries: how important each is, how settled, how often it was used and updated.
//!
//! They are kept beside the tree, so they never change a file, an operation or a status, and undo leaves them alone.
//! A command never fails because of them: every function here returns what went wrong, for a warning.
//!
//! # What has a row
//!
//! A project's signals begin with the first command that reads or changes them. The entries of `HEAD` at that moment
//! get no rows: they share the moment as their first sight, so that beginning costs nothing on a large tree. Rows are
//! made for entries that come later, that are used or updated, or that leave.
//!
//! # Following the tree
//!
//! Before anything is read or changed, the rows follow `HEAD` from the tree that was last looked at (`follow`): new
//! entries are seen now, renamed ones keep their row, and rows of entries that left are kept for `follow::KEPT`, since a
//! switch or an undo may bring them back. Refreshing the derived files does so, too, if the project has signals.

mod changes;
mod follow;
mod served;

pub use changes::{merge, note_updates};
pub use served::{GivenEntry, ServedAnswer, note_served, receipts};

use crate::Stop;
use crate::open::context::Opened;
use crate::open::state::{self, Missing, State, StatePlace, StateResult};
use brv_base::clock::Clock;
use brv_base::path::{PathKind, TreePath};
use brv_text::derive::Importance;
use brv_text::lifecycle::{Life, Maturity};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// The signals of an entry at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntrySignal {
    /// From 0 to 100, with the fading since the last hit or update.
    pub importance: f64,
    /// With the fading since the last hit or update.
    pub maturity: Maturity,
    /// How often it served a caller, once per session.
    pub hits: u64,
    /// How often curation updated it.
    pub updates: u64,
    /// When it was first seen on this machine.
    pub first_seen: i64,
    /// When it last served a caller here, or curation updated it; `None`: never.
    pub used_at: Option<i64>,
}

/// The signals of all entries at a moment.
#[derive(Debug, Clone)]
pub struct Signals {
    lives: HashMap<String, Life>,
    /// When entries without a row were first seen.
    began: i64,
    now: i64,
}

impl Signals {
    /// The signals of a project that has none yet: every entry is first seen now.
    pub fn none(now: i64) -> Self {
        Self { lives: HashMap::new(), began: now, now }
    }

    pub fn of(&self, path: &TreePath) -> EntrySignal {
        self.of_path(path.as_str())
    }

    /// Whether any entry ever served a caller here. Where nobody asks, little importance says nothing.
    pub fn are_used(&self) -> bool {
        self.lives.values().any(|life| life.hits > 0)
    }

    /// The same signals, as they are at another moment if nothing happens in between.
    pub fn at(self, now: i64) -> Self {
        Self { now, ..self }
    }

    /// As [`Signals::of`].
    pub fn of_path(&self, path: &str) -> EntrySignal {
        let life = self.lives.get(path).copied().unwrap_or_else(|| Life::seen(self.began));
        EntrySignal::of(life, self.now)
    }

    /// Count entries without signals that are in no commit as first seen now.
    pub fn see<'a>(&mut self, uncommitted: impl IntoIterator<Item = &'a TreePath>) {
        for path in uncommitted {
            self.lives.entry(path.as_str().to_owned()).or_insert_with(|| Life::seen(self.now));
        }
    }

    fn importance(&self) -> Importance {
        let now = |life: &Life| life.at(self.now).importance;
        Importance {
            of: self.lives.iter().map(|(path, life)| (path.clone(), now(life))).collect(),
            others: now(&Life::seen(self.began)),
        }
    }
}

impl EntrySignal {
    fn of(life: Life, now: i64) -> Self {
        let used_at = (life.hits + life.updates > 0).then_some(life.at);
        let Life { importance, maturity, hits, updates, first_seen, .. } = life.at(now);
        Self { importance, maturity, hits, updates, first_seen, used_at }
    }
}

/// The signals of all entries. If they cannot be read, every entry counts as first seen now, and nothing may be judged
/// by its importance.
pub fn read(opened: &Opened, now: i64) -> (Signals, Option<Stop>) {
    read_from(opened, Missing::Make, now)
}

/// As [`read`], for a command that only shows what it would do: a project without signals stays without.
pub fn preview(opened: &Opened, now: i64) -> (Signals, Option<Stop>) {
    read_from(opened, Missing::Leave, now)
}

fn read_from(opened: &Opened, missing: Missing, now: i64) -> (Signals, Option<Stop>) {
    match within(opened, (missing, patience(opened)), &|state| all(state, opened, now)) {
        Ok(Some((signals, trouble))) => (signals, trouble),
        Ok(None) => (Signals::none(now), None),
        Err(trouble) => (Signals::none(now), Some(trouble)),
    }
}

/// Looks up the signals of one entry; `None` if they cannot be read.
pub type SignalReader<'a> = dyn Fn(&TreePath) -> Option<EntrySignal> + 'a;

/// The signals of some entries, while `work` asks for them one by one; of none if they cannot be read. Rows are taken as
/// they are: whether entries were renamed since is looked at by whoever changes rows.
pub fn with_signals<T>(opened: &Opened, now: i64, work: &dyn Fn(&SignalReader<'_>) -> T) -> T {
    let done = within(opened, (Missing::Leave, patience(opened)), &|state| {
        let began = state.baseline()?.map_or(now, |baseline| baseline.began);
        let lookup = state.lookup()?;
        Ok(Ok(work(&|path| {
            let life = lookup.life(path.as_str()).ok()?.unwrap_or_else(|| Life::seen(began));
            Some(EntrySignal::of(life, now))
        })))
    });
    done.ok().flatten().map_or_else(|| work(&|_| None), |(result, _)| result)
}

/// The importance of all entries, for the manifest; the same for all if the project has no signals. What goes wrong is
/// reported by commands that are about signals.
pub fn importance(opened: &Opened) -> Importance {
    let now = Clock::from_environment(opened.scope.environment()).seconds();
    let read = within(opened, (Missing::Leave, patience(opened)), &|state| all(state, opened, now));
    read.ok().flatten().map_or_else(Importance::default, |(signals, _)| signals.importance())
}

fn all(state: &mut State, opened: &Opened, now: i64) -> Worked<Signals> {
    Ok(match follow::head(state, opened, now)? {
        Ok(began) => Ok(Signals { lives: state.lives()?, began, now }),
        Err(trouble) => Err(trouble),
    })
}

/// The result of work with the state: outside what the state itself reports, since it may be mended; inside all else.
type Worked<T> = Result<Result<T, Stop>, state::Error>;

/// Work with the state of the project. `None`: there is none, and none was made.
fn within<T>(
    opened: &Opened,
    (missing, patience): (Missing, Duration),
    work: &dyn Fn(&mut State) -> Worked<T>,
) -> Result<Option<(T, Option<Stop>)>, Stop> {
    let done = place(opened).and_then(|place| state::with(&place, missing, patience, work));
    let Some(StateResult { result, set_aside }) = done.map_err(left_out)? else { return Ok(None) };
    Ok(Some((result.map_err(left_out)?, set_aside.as_deref().map(damaged))))
}

fn left_out(stop: Stop) -> Stop {
    Stop { message: format!("the signals of entries were left out: {}", stop.message), ..stop }
}

fn damaged(aside: &Path) -> Stop {
    let aside = aside.display();
    Stop::failed(format!(
        "the signals of entries were damaged and start again; the damaged file is `{aside}`"
    ))
}

fn place(opened: &Opened) -> Result<StatePlace, Stop> {
    StatePlace::of(&opened.places, opened.scope.environment())
}

/// What tells whether signals were written since.
pub fn stamp(opened: &Opened) -> String {
    let Ok(StatePlace { file, .. }) = place(opened) else { return String::new() };
    let mut log = file.clone().into_os_string();
    log.push("-wal");
    // to open the state touches the log, but for its content
    let content = |stat: brv_base::fs::FileStat| (stat.size, stat.modified, stat.inode);
    format!("{:?}", [file, log.into()].map(|file| brv_base::fs::stat(&file).ok().flatten().map(content)))
}

/// How long to wait for other processes, which hold the state for milliseconds.
fn patience(opened: &Opened) -> Duration {
    opened.config.lock_timeout.value
}

/// Whether a path is that of an entry: nothing else has signals.
fn is_entry(path: &TreePath) -> bool {
    path.kind() == PathKind::Entry
}
