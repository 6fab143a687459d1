//! Layers 0 and 1: the best statements, those that settle something, where work happens, and what is new.

use super::choice::{Candidate, Choice};
use super::detail::Detail;
use super::lines;
use super::seen::Seen;
use super::shelf::{Part, Shelf, Shown};
use crate::doc::normal;
use crate::lint::contradictions;
use std::collections::{BTreeMap, BTreeSet};

/// How many statements in a row may not fit before a section counts as full.
const MISSES: usize = 8;

/// A section of a layer.
#[derive(Clone, Copy)]
struct Section {
    title: &'static str,
    why: &'static str,
    /// The most statements it has, and of one entry.
    most: usize,
    per_entry: usize,
}

const BRIEF: Section = Section { title: "Brief", why: "among the six best", most: 6, per_entry: 1 };
const SETTLED: Section =
    Section { title: "Decisions, rules, limits", why: "a decision, rule or limit", most: 9, per_entry: 1 };
const WORK: Section =
    Section { title: "Where work happens", why: "where work happens", most: 10, per_entry: 2 };
const LATELY: Section = Section { title: "Lately", why: "among the newest", most: 8, per_entry: 2 };

/// Writes sections.
pub(super) struct Writer<'s, 'a> {
    shelf: &'s Shelf<'a>,
    choice: &'s Choice<'a>,
    /// What is on the page.
    pub seen: Seen,
    /// The entry of each title, in normal form.
    first: BTreeMap<String, usize>,
    taken: BTreeSet<(usize, u16)>,
    /// The entries that are shown in part or whole, or would be.
    pub considered: BTreeSet<usize>,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub fn new(shelf: &'s Shelf<'a>, choice: &'s Choice<'a>) -> Self {
        let considered = choice.hot.iter().flatten().map(|one| one.at).collect();
        let (seen, first, taken) = Default::default();
        Self { shelf, choice, seen, first, taken, considered }
    }

    /// Layer 0: the head and the six best, within so many characters.
    pub fn brief(&mut self, head: &str, room: usize) -> Part {
        let mut part = Part { text: head.to_owned(), ..Part::default() };
        if head.chars().count() > room {
            return Part::default();
        }
        let best = &self.choice.best;
        self.section(BRIEF, best.iter(), room, &mut part);
        part
    }

    /// The first section of layer 1.
    pub fn settled(&mut self, room: usize) -> Part {
        let (mut part, best) = (Part::default(), &self.choice.best);
        self.section(SETTLED, best.iter().filter(|one| one.is_settled()), room, &mut part);
        part
    }

    /// Layer 1.
    pub fn active(&mut self, room: usize) -> Part {
        let (mut part, choice) = (self.settled(room), self.choice);
        let hot = |is_left: bool| choice.hot.iter().flatten().filter(move |one| one.is_left == is_left);
        self.section(WORK, hot(false).chain(hot(true)), room, &mut part);
        self.section(LATELY, choice.lately.iter(), room, &mut part);
        part
    }

    /// Add a section with the statements that are new and fit.
    fn section<'c>(
        &mut self,
        section: Section,
        all: impl Iterator<Item = &'c Candidate<'c>>,
        room: usize,
        part: &mut Part,
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
    fn line(&mut self, candidate: &Candidate<'_>, why: &'static str) -> Option<(String, Shown)> {
        let Candidate { at, row, month, score, .. } = *candidate;
        let placed = &self.shelf.placed[at];
        let detail = self.shelf.detail(at)?;
        let said = detail.statements.get(usize::from(row.number))?;
        self.considered.insert(at);
        let freshness = (self.shelf.sources.freshness)(placed.path());
        let unmerged = self.shelf.left(at, row.number).map(|left| left.branch.clone());
        let against = self.against(at, &detail, &said.title);
        let told = lines::Told {
            freshness: freshness.as_ref(),
            is_left: unmerged.is_some(),
            against: against.map(|other| self.shelf.placed[other].path()),
        };
        let line = lines::statement(placed, &detail, (said, month), &told);
        let (title, text) = (said.title.clone(), said.lead.clone());
        Some((line, Shown { at, title, text, kind: row.kind, month, score, why, unmerged, against }))
    }

    /// The entry on the page that says otherwise about a subject.
    fn against(&self, at: usize, detail: &Detail, title: &str) -> Option<usize> {
        let title = normal(title);
        let other = *self.first.get(&title).filter(|other| **other != at)?;
        let above = self.shelf.detail(other)?;
        let domain = |at: usize| self.shelf.placed[at].domain();
        let found = contradictions(&[(domain(other), &above.claims), (domain(at), &detail.claims)]);
        found.iter().any(|one| normal(&one.subject) == title).then_some(other)
    }
}
