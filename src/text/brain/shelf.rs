//! The entries of a tree, and the list of them: layer 2.

use super::detail::EntryDetail;
use super::left::Left;
use super::lines;
use super::month::Month;
use super::place::Placed;
use super::said::StatementKind;
use super::seen::ShownTexts;
use crate::stale::Freshness;
use brv_base::sorting;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How many entries in a row may not fit before a layer counts as full.
const MISSES: usize = 8;

/// Where the document gets from what it shows.
pub struct Sources<'a> {
    /// Reads an entry; `None` if it is gone.
    pub detail: &'a dyn Fn(&Placed<'_>) -> Option<Rc<EntryDetail>>,
    pub freshness: &'a dyn Fn(&str) -> Option<Freshness>,
    /// The statements whose commits are on no branch of the code, by the paths of their entries.
    pub left: &'a BTreeMap<String, Vec<Left>>,
}

/// What a layer shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayerText {
    pub text: String,
    pub budget: u64,
    /// In the order of the text.
    pub shown: Vec<ShelfItem>,
    pub cut: usize,
}

/// A statement or an entry that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShelfItem {
    /// The position of its entry.
    pub at: usize,
    pub title: String,
    /// The shown part; empty for an entry whose summary is above.
    pub text: String,
    pub kind: StatementKind,
    pub month: Month,
    pub score: f64,
    pub why: &'static str,
    /// The branch that its commit was made on, if known; `None` if the commit is on a branch.
    pub unmerged: Option<Option<String>>,
    /// The position of an entry above that says otherwise about its subject.
    pub against: Option<usize>,
}

/// The entries, with what is known of those that were looked at.
pub(super) struct Shelf<'a> {
    pub placed: &'a [Placed<'a>],
    stands: &'a [usize],
    similar: BTreeMap<usize, usize>,
    pub sources: &'a Sources<'a>,
}

impl<'a> Shelf<'a> {
    pub fn new(placed: &'a [Placed<'a>], stands: &'a [usize], sources: &'a Sources<'a>) -> Self {
        let mut similar = BTreeMap::new();
        for (at, stand_in) in stands.iter().enumerate().filter(|(at, stand_in)| at != *stand_in) {
            if placed[at].layer < 3 {
                *similar.entry(*stand_in).or_default() += 1;
            }
        }
        Self { placed, stands, similar, sources }
    }

    /// Whether an entry stands for itself.
    pub fn is_own(&self, at: usize) -> bool {
        self.stands[at] == at
    }

    /// The entries of the list that stand for themselves, as positions.
    fn listed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.placed.len()).filter(|at| self.placed[*at].layer < 3 && self.is_own(*at))
    }

    /// What is to be said of the commit of a statement, by the position of its entry and its number there.
    pub fn left(&self, at: usize, number: u16) -> Option<&'a Left> {
        let own = self.sources.left.get(self.placed[at].path())?;
        let detail = self.detail(at)?;
        Left::titled(own, &detail.statements.get(usize::from(number))?.title)
    }

    pub fn detail(&self, at: usize) -> Option<Rc<EntryDetail>> {
        (self.sources.detail)(&self.placed[at])
    }

    fn shown(&self, at: usize, (title, text): (&str, &str), why: &'static str) -> ShelfItem {
        let one = &self.placed[at];
        let best = one.entry.stated.rows.first();
        let kind = best.map_or(StatementKind::Note, |row| row.kind);
        let (title, text) = (title.to_owned(), text.to_owned());
        let (month, score) = (one.changed, one.score);
        ShelfItem { at, title, text, kind, month, score, why, unmerged: None, against: None }
    }

    /// The entries by use and recency, one line each: of a tree in which no statement is worth more.
    pub fn by_use(&self, room: usize) -> LayerText {
        let mut part =
            LayerText { text: "## Entries, the most used first\n\n".to_owned(), ..LayerText::default() };
        let mut order: Vec<usize> = self.listed().collect();
        let by_use = |at: &usize| {
            let one = &self.placed[*at];
            (Reverse(one.importance), one.days, one.path())
        };
        sorting::sort_by_key(&mut order, by_use);
        let (mut misses, mut left) = (0, room.saturating_sub(part.text.chars().count()));
        for at in order {
            if misses >= MISSES {
                break;
            }
            let Some(detail) = self.detail(at) else { continue };
            let freshness = (self.sources.freshness)(self.placed[at].path());
            let line = lines::entry(&self.placed[at], &detail, freshness.as_ref());
            let cost = line.chars().count();
            if cost > left {
                (part.cut, misses) = (part.cut + 1, misses + 1);
                continue;
            }
            (left, misses) = (left - cost, 0);
            part.text.push_str(&line);
            part.shown.push(self.shown(at, (&detail.title, &detail.line), "by use and recency"));
        }
        if part.shown.is_empty() { LayerText { cut: part.cut, ..LayerText::default() } } else { part }
    }

    /// Layer 2: the entries by folder, those that fit, but for those in `done`. A summary that is `seen` above is left out.
    pub fn reference(&self, room: usize, done: &BTreeSet<usize>, seen: &ShownTexts) -> LayerText {
        const TITLE: &str = "## Entries\n";
        let mut left = room.saturating_sub(TITLE.chars().count());
        let mut groups: BTreeMap<&str, Vec<(String, ShelfItem)>> = BTreeMap::new();
        let (mut part, mut misses) = (LayerText::default(), 0);
        for at in self.listed().filter(|at| !done.contains(at)) {
            if misses >= MISSES {
                part.cut += 1;
                continue;
            }
            let one = &self.placed[at];
            let Some(detail) = self.detail(at) else { continue };
            let about = if seen.has(&detail.line) { "" } else { &detail.line };
            let similar = self.similar.get(&at).copied().unwrap_or_default();
            let freshness = (self.sources.freshness)(one.path());
            let block = lines::block(one, &detail, about, similar, freshness.as_ref());
            let opening =
                if groups.contains_key(one.domain()) { 0 } else { heading(one.domain()).chars().count() };
            let cost = block.chars().count() + opening;
            if cost > left {
                (part.cut, misses) = (part.cut + 1, misses + 1);
                continue;
            }
            (left, misses) = (left - cost, 0);
            let shown = self.shown(at, (&detail.title, about), one.why);
            groups.entry(one.domain()).or_default().push((block, shown));
        }
        if !groups.is_empty() {
            part.text.push_str(TITLE);
        }
        for (name, blocks) in groups {
            part.text.push_str(&heading(name));
            for (block, shown) in blocks {
                part.text.push_str(&block);
                part.shown.push(shown);
            }
        }
        part
    }
}

fn heading(name: &str) -> String {
    format!("\n### {name}\n\n")
}
