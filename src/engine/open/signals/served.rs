//! What is written behind an answer: the hits of the entries that served, and receipts of those that an agent was given.
//!
//! Nobody waits for it: where another process holds the state for longer than [`BEHIND`], both are dropped.

use super::changes::{changing, hit};
use super::{is_entry, patience, place};
use crate::Stop;
use crate::open::context::{Actor, Opened};
use crate::open::state::{
    self, Change, Missing, ServedCall, ServedEntry, ServedFilter, ServedLimits, StoredReceipt,
};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{PathKind, TreePath};
use brv_text::lifecycle::DAY;
use brv_text::lint::secrets;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long to wait for another process that writes the state, after the answer was shown.
const BEHIND: Duration = Duration::from_millis(50);

/// The most entries in all receipts together.
const MOST_RECEIPTS: usize = 100_000;

/// The most characters of what was asked for, and of each other text of a receipt but the path.
const MOST_CHARACTERS: usize = 200;

/// What an answer gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedAnswer {
    /// The command that answered.
    pub command: &'static str,
    /// What was asked for; `None`: nothing in particular.
    pub asked: Option<String>,
    /// The entries that count as used.
    pub hits: Vec<TreePath>,
    /// The entries whose content was given, in the order of the answer; of one that is listed twice the first counts.
    pub given: Vec<GivenEntry>,
}

/// An entry whose content was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenEntry {
    pub path: String,
    /// The id of what was given; `None`: that of the file.
    pub blob: Option<ContentId>,
    /// Why this entry.
    pub why: String,
}

/// Note that entries served a caller, and what an agent was given. What goes wrong is worth no message to those who only
/// asked.
pub fn note_served(opened: &Opened, actor: &Actor, answer: &ServedAnswer, now: i64) -> Option<Stop> {
    let hits: BTreeSet<&TreePath> = answer.hits.iter().filter(|path| is_entry(path)).collect();
    let receipts = ReceiptChange::of(opened, actor, answer, now);
    if hits.is_empty() && receipts == ReceiptChange::Nothing {
        return None;
    }
    let patience = patience(opened).min(BEHIND);
    changing(opened, (hits.len(), patience), now, &|change, first| {
        if !hits.is_empty() {
            hit(change, &hits, first, actor.session.as_deref())?;
        }
        receipts.write(change)
    })
}

/// What becomes of the receipts.
#[derive(Debug, PartialEq, Eq)]
enum ReceiptChange {
    Nothing,
    /// The user wants none.
    Clear,
    Add {
        call: ServedCall,
        entries: Vec<ServedEntry>,
        /// Calls before this moment are forgotten.
        oldest: i64,
    },
}

impl ReceiptChange {
    fn of(opened: &Opened, actor: &Actor, answer: &ServedAnswer, now: i64) -> Self {
        let days = i64::from(opened.config.served.keep_days.value);
        match actor.door {
            None if answer.hits.is_empty() => Self::Nothing,
            Some(_) if answer.hits.is_empty() && answer.given.is_empty() => Self::Nothing,
            _ if days == 0 => Self::Clear,
            None => Self::Nothing,
            Some(door) => {
                let entries = entries(opened, &answer.given);
                if entries.is_empty() {
                    return Self::Nothing;
                }
                let call = ServedCall {
                    time: now,
                    session: actor.session.as_deref().map(short),
                    actor: actor.name.as_deref().map(short),
                    door: door.word().to_owned(),
                    command: answer.command.to_owned(),
                    asked: answer.asked.as_deref().map(short),
                };
                Self::Add { call, entries, oldest: now - days * DAY }
            }
        }
    }

    fn write(&self, change: &Change<'_>) -> Result<(), state::Error> {
        match self {
            Self::Nothing => Ok(()),
            Self::Clear => change.clear_served(),
            Self::Add { call, entries, oldest } => {
                let limits = ServedLimits { oldest: *oldest, most: MOST_RECEIPTS };
                change.add_served(call, entries, limits)
            }
        }
    }
}

/// The entries and overviews among what was given, each once.
fn entries(opened: &Opened, given: &[GivenEntry]) -> Vec<ServedEntry> {
    let root = opened.scope.root();
    let mut seen = BTreeSet::new();
    let entry = |one: &GivenEntry| {
        let path = TreePath::parse(one.path.as_bytes()).ok()?;
        let is_knowledge = matches!(path.kind(), PathKind::Entry | PathKind::NodeOverview);
        let of_file = || {
            let bytes = fs::read_below(&root, &path.on_disk(&root)).ok().flatten()?;
            Some(ContentId::of(&bytes))
        };
        let blob = one.blob.or_else(of_file).filter(|_| is_knowledge)?;
        Some(ServedEntry { path: one.path.clone(), blob: blob.to_string(), why: cut(&one.why) })
    };
    given.iter().filter(|one| seen.insert(&one.path)).filter_map(entry).collect()
}

/// The start of what a caller said, without secrets: these are masked first, since a part of one is not recognised.
fn short(text: &str) -> String {
    cut(&secrets::masked(text))
}

fn cut(text: &str) -> String {
    let mut start: String = text.chars().take(MOST_CHARACTERS).collect();
    if start.len() < text.len() {
        start.pop();
        start.push('…');
    }
    start
}

/// The newest receipts that meet a filter; none where there is no state.
///
/// # Errors
/// The state cannot be read.
pub fn receipts(opened: &Opened, filter: &ServedFilter) -> Result<Vec<StoredReceipt>, Stop> {
    let read = |state: &mut state::State| state.served(filter);
    let found = state::with(&place(opened)?, Missing::Leave, patience(opened), read)?;
    Ok(found.map(|found| found.result).unwrap_or_default())
}
