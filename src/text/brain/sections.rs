//! Layers 0 and 1: the best statements, those that settle something, where work happens, and what is new.

use super::choice::{BrainCandidate, StatementChoice};
use super::detail::EntryDetail;
use super::lines;
use super::seen::ShownTexts;
use super::shelf::{LayerText, Shelf, ShelfItem};
use crate::doc::normal;
use crate::lint::contradictions;
use std::collections::{BTreeMap, BTreeSet};

/// How many statements in a row may not fit before a section counts as full.
const MISSES: usize = 8;

/// A section of a layer.
#[derive(Clone, Copy)]
struct LayerSection {
    title: &'static str,
    why: &'static str,
    /// The most statements it has, and of one entry.
    most: usize,
    per_entry: usize,
}

const BRIEF: LayerSection = LayerSection { title: "Brief", why: "among the six best", most: 6, per_entry: 1 };
const SETTLED: LayerSection = LayerSection {
    title: "Decisions, rules, limits",
    why: "a decision, rule or limit",
    most: 9,
    per_entry: 1,
};
const WORK: LayerSection =
    LayerSection { title: "Where work happens", why: "where work happens", most: 10, per_entry: 2 };
const LATELY: LayerSection = LayerSection { title: "Lately", why: "among the newest", most: 8, per_entry: 2 };

/// Writes sections.
pub(super) struct SectionWriter<'s, 'a> {
    shelf: &'s Shelf<'a>,
    choice: &'s StatementChoice<'a>,
    /// What is on the page.
    pub seen: ShownTexts,
    /// The entry of each title, in normal form.
    first: BTreeMap<String, usize>,
    taken: BTreeSet<(usize, u16)>,
    /// The entries that are shown in part or whole, or would be.
    pub considered: BTreeSet<usize>,
}

impl<'s, 'a> SectionWriter<'s, 'a> {
    pub fn new(shelf: &'s Shelf<'a>, choice: &'s StatementChoice<'a>) -> Self {
        let considered = choice.hot.iter().flatten().map(|one| one.at).collect();
        let (seen, first, taken) = Default::default();
        Self { shelf, choice, seen, first, taken, considered }
    }

    /// Layer 0: the head and the six best, within so many characters.
    pub fn brief(&mut self, head: &str, room: usize) -> LayerText {
        let mut part = LayerText { text: head.to_owned(), ..LayerText::default() };
        if head.chars().count() > room {
            return LayerText::default();
        }
        let best = &self.choice.best;
        self.section(BRIEF, best.iter(), room, &mut part);
        part
    }

    /// The first section of layer 1.
    pub fn settled(&mut self, room: usize) -> LayerText {
        let (mut part, best) = (LayerText::default(), &self.choice.best);
        self.section(SETTLED, best.iter().filter(|one| one.is_settled()), room, &mut part);
        part
    }

    /// Layer 1.
    pub fn active(&mut self, room: usize) -> LayerText {
        let (mut part, choice) = (self.settled(room), self.choice);
        let hot = |is_left: bool| choice.hot.iter().flatten().filter(move |one| one.is_left == is_left);
        self.section(WORK, hot(false).chain(hot(true)), room, &mut part);
        self.section(LATELY, choice.lately.iter(), room, &mut part);
        part
    }

    /// Add a section with the statements that are new and fit.
    fn section<'c>(
        &mut self,
        section: LayerSection,
        all: impl Iterator<Item = &'c BrainCandidate<'c>>,
        room: usize,
        part: &mut LayerText,
    ) {
        let gap = if part.text.is_empty() { "" } else { "\n" };
        let mut text = format!("{gap}## {}\n\n", section.title);
        let mut left = room.saturating_sub(part.text.chars().count() + text.chars().count());
        let (mut count, mut misses, mut of_entry) = (0, 0, BTreeMap::<usize, usize>::new());
        for candidate in all {
            if count >= section.most || misses >= MISSES {
                break;
            }
            let place = (candidate.at, candidate.row.number);
            let own = of_entry.entry(candidate.at).or_default();
            if *own >= section.per_entry || self.taken.contains(&place) {
                continue;
            }
            let Some((line, shown)) = self.line(candidate, section.why) else { continue };
            if line.chars().count() > left {
                (part.cut, misses) = (part.cut + 1, misses + 1);
                continue;
            }
            // both sides of a contradiction are shown
            if !self.seen.add(&shown.title, &shown.text) && shown.against.is_none() {
                continue;
            }
            self.first.entry(normal(&shown.title)).or_insert(candidate.at);
            (count, misses, left) = (count + 1, 0, left - line.chars().count());
            *own += 1;
            self.taken.insert(place);
            text.push_str(&line);
            part.shown.push(shown);
        }
        if count > 0 {
            part.text.push_str(&text);
        }
    }

    /// The line of a statement; `None` of one that is not to be shown here.
    fn line(&mut self, candidate: &BrainCandidate<'_>, why: &'static str) -> Option<(String, ShelfItem)> {
        let BrainCandidate { at, row, month, score, .. } = *candidate;
        let placed = &self.shelf.placed[at];
        let detail = self.shelf.detail(at)?;
        let said = detail.statements.get(usize::from(row.number))?;
        self.considered.insert(at);
        let freshness = (self.shelf.sources.freshness)(placed.path());
        let unmerged = self.shelf.left(at, row.number).map(|left| left.branch.clone());
        let against = self.against(at, &detail, &said.title);
        let told = lines::StatementContext {
            freshness: freshness.as_ref(),
            is_left: unmerged.is_some(),
            against: against.map(|other| self.shelf.placed[other].path()),
        };
        let line = lines::statement(placed, &detail, (said, month), &told);
        let (title, text) = (said.title.clone(), said.lead.clone());
        Some((line, ShelfItem { at, title, text, kind: row.kind, month, score, why, unmerged, against }))
    }

    /// The entry on the page that says otherwise about a subject.
    fn against(&self, at: usize, detail: &EntryDetail, title: &str) -> Option<usize> {
        let title = normal(title);
        let other = *self.first.get(&title).filter(|other| **other != at)?;
        let above = self.shelf.detail(other)?;
        let domain = |at: usize| self.shelf.placed[at].domain();
        let found = contradictions(&[(domain(other), &above.claims), (domain(at), &detail.claims)]);
        found.iter().any(|one| normal(&one.subject) == title).then_some(other)
    }
}
