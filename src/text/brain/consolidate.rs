//! Entries that say nearly the same become one in the list of entries, and only that one states something: the first of them, in the order of the document.
//!
//! They must also be called and summed up alike, and be of one kind and status: an open issue whose body is that of a
//! decision is another entry.
//!
//! Few pairs are compared in full: only those that share some of the least hashes of their three-word runs.

use super::digest::SKETCH;
use super::one_line::flat;
use super::place::Placed;
use crate::doc::Document;
use crate::words::Runs;
use std::collections::HashMap;
use std::rc::Rc;

/// From this share of the three-word runs on, of the longer text, two entries are nearly equal.
const NEAR: f64 = 0.8;

/// How many of [`SKETCH`] hashes two entries must share to be compared. Two that are just near enough share about eleven; of
/// a hundred such pairs two are missed.
const SHARED: usize = 7;

/// A run that so many entries have is one of a template, and tells nothing.
const TEMPLATE: usize = 64;

/// What of an entry is compared with that of others.
pub struct Compared {
    title: Option<String>,
    summary: Option<String>,
    runs: Runs,
}

impl Compared {
    /// What is compared of an entry with these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let document = Document::parse(bytes);
        let named = |text: String| flat(&text).to_lowercase();
        Self {
            title: document.title().map(named),
            summary: document.meta().summary.map(named),
            runs: Runs::of(document.body()),
        }
    }

    fn is_near(&self, other: &Self) -> bool {
        self.title == other.title && self.summary == other.summary && self.runs.likeness(&other.runs) >= NEAR
    }
}

/// For each entry the one that stands for it; itself for most of them. Only the first `most` of a layer stand for others: no
/// more are looked at for a document. `compared` reads an entry.
pub fn stand_ins(
    placed: &[Placed<'_>],
    most: usize,
    compared: &dyn Fn(&Placed<'_>) -> Compared,
) -> Vec<usize> {
    let mut of_layer = [0; 4];
    let mut by_hash: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut read: HashMap<usize, Rc<Compared>> = HashMap::new();
    let mut stands = Vec::with_capacity(placed.len());
    for (at, one) in placed.iter().enumerate() {
        let known: Vec<&[usize]> =
            one.entry.sketch.iter().map(|hash| by_hash.get(hash).map_or(&[][..], Vec::as_slice)).collect();
        let telling: Vec<&[usize]> = known.into_iter().filter(|others| others.len() < TEMPLATE).collect();
        let mut shared: HashMap<usize, usize> = HashMap::new();
        telling.iter().copied().flatten().for_each(|other| *shared.entry(*other).or_default() += 1);
        let least = (telling.len() * SHARED).div_ceil(SKETCH);
        let may_be =
            |(other, count): &(usize, usize)| *count >= least && is_of_one_sort(one, &placed[*other]);
        let mut near: Vec<usize> = shared.into_iter().filter(may_be).map(|(other, _)| other).collect();
        near.sort_unstable();
        let mut is_near = |other: &usize| {
            let mut of =
                |at: usize| Rc::clone(read.entry(at).or_insert_with(|| Rc::new(compared(&placed[at]))));
            of(at).is_near(&of(*other))
        };
        let stand_in = near.into_iter().find(|other| is_near(other)).unwrap_or(at);
        let own = &mut of_layer[usize::from(one.layer)];
        *own += usize::from(stand_in == at);
        if stand_in == at && *own <= most {
            one.entry.sketch.iter().for_each(|hash| by_hash.entry(*hash).or_default().push(at));
        }
        stands.push(stand_in);
    }
    stands
}

/// Whether two entries are of one kind, status and standing, and as long.
fn is_of_one_sort(one: &Placed<'_>, other: &Placed<'_>) -> bool {
    let sort = |placed: &Placed<'_>| (placed.entry.kind, placed.entry.status, placed.entry.is_disputed);
    sort(one) == sort(other) && is_as_long(one, other)
}

/// Whether two entries have so nearly the same number of runs that the shorter one may have enough of the longer one's.
fn is_as_long(one: &Placed<'_>, other: &Placed<'_>) -> bool {
    let (one, other) = (f64::from(one.entry.runs), f64::from(other.entry.runs));
    one.min(other) >= NEAR * one.max(other)
}
