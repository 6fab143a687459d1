//! What is remembered of earlier dreams, here and in the history.

use super::ground::Ground;
use super::reverted::TakenBack;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::dream::{self, DreamState};
use brv_engine::jobs::Store;
use brv_engine::open::context::Opened;
use brv_engine::open::state::{KeptEntry, Open};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Pairs of versions that dreams decided about. Where both are there again, the decision changed no file, or was taken
/// back.
pub struct DecidedPairs(HashSet<[String; 2]>);

impl DecidedPairs {
    pub fn of(opened: &Opened) -> Result<Self, Stop> {
        let store = Store::of(opened)?;
        Ok(Self(store.read(|state| state.decided_pairs())?))
    }

    pub fn add(&mut self, pairs: Vec<[ContentId; 2]>) {
        self.0.extend(pairs.into_iter().map(|[one, other]| pair(one, other)));
    }

    pub fn has(&self, one: ContentId, other: ContentId) -> bool {
        self.0.contains(&pair(one, other))
    }

    /// Whether every two of these versions were decided about.
    pub fn has_all(&self, blobs: &[ContentId]) -> bool {
        let mut pairs = blobs
            .iter()
            .enumerate()
            .flat_map(|(at, one)| blobs[at + 1..].iter().map(move |other| (*one, *other)));
        pairs.all(|(one, other)| self.has(one, other))
    }
}

/// Two versions in the order in which they are kept.
fn pair(one: ContentId, other: ContentId) -> [String; 2] {
    let mut pair = [one, other].map(|id| id.to_string());
    pair.sort();
    pair
}

/// What is remembered of earlier dreams.
pub(super) struct DreamMemory {
    pub state: DreamState,
    pub open: BTreeMap<TreePath, Open>,
    pub decided: DecidedPairs,
    pub kept: BTreeMap<String, KeptEntry>,
    /// Entries that were archived, and are there again as they were.
    pub archived: BTreeSet<TreePath>,
}

impl DreamMemory {
    pub fn of(opened: &Opened, ground: &Ground) -> Result<Self, Stop> {
        let store = Store::of(opened)?;
        let read = store.read(|state| Ok((state.open_files()?, state.kept_entries()?)));
        let (open, kept) = read?;
        let path = |(path, open): (String, Open)| Some((TreePath::parse(path.as_bytes()).ok()?, open));
        let open = open.into_iter().filter_map(path).collect();
        let TakenBack { pairs, archived } = TakenBack::of(&opened.scope, ground)?;
        let mut decided = DecidedPairs::of(opened)?;
        decided.add(pairs);
        Ok(Self { state: dream::read_state(opened)?, open, decided, kept, archived })
    }
}
