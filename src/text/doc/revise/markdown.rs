//! Bring the sections of a given markdown text into a body.
//!
//! Sections are matched by their path of headings; level-1 headings may be missing on either side, since many entries
//! have their title as the first heading, and so may attributes and tags behind a heading. The second of two equal paths
//! is matched with the second. Text without a heading is added to the lead, see [`super::lead`]. Facts are always merged,
//! see [`super::factual`].

use std::collections::HashMap;

use super::{Plan, Unwritable, facts, lead};
use crate::doc::content::{relevelled, trimmed};
use crate::doc::render::SECTIONS;
use crate::doc::{Document, EntryBody, Outline, Statement, bare_title, is_same_subject, normal};

impl Plan<'_> {
    /// Plan the sections of `given`; the facts that are to be merged with those of the body are returned instead.
    pub(super) fn markdown(&mut self, given: &str) -> Vec<Statement> {
        let outline = Outline::of(given);
        let matches = matched(&outline, self.outline);
        let mut facts = Vec::new();
        self.lead(&lead::pieces(given, &outline, 0));
        for (at, section) in outline.sections().iter().enumerate().skip(1) {
            if let Some(place) = self.factual(&outline, &matches, at) {
                facts.extend(self.factual_section((given, &outline, &matches), at, place));
                continue;
            }
            let text = trimmed(&given[section.content.clone()]);
            let has_nested = outline.with_nested(at).len() > 1;
            match matches[at] {
                Some(own) if !text.is_empty() || !has_nested => {
                    self.replace(self.outline.sections()[own].content.clone(), text);
                }
                Some(_) => {}
                None => self.new_section((given, &outline, &matches), at, text),
            }
        }
        facts
    }

    /// A section that the body lacks: at the end of the section it is nested in, at its level.
    pub(super) fn new_section(
        &mut self,
        (given, outline, matches): (&str, &Outline, &[Option<usize>]),
        at: usize,
        text: &str,
    ) {
        let section = &outline.sections()[at];
        // the nearest one above that the body has; those in between are new as well and come just before
        let mut above = section.parent;
        while let Some(parent) = above.filter(|&parent| matches[parent].is_none()) {
            above = outline.sections()[parent].parent;
        }
        let known = above.and_then(|parent| matches[parent]);
        let shift = match (above, known) {
            (Some(parent), Some(own)) => {
                i16::from(self.outline.sections()[own].level) - i16::from(outline.sections()[parent].level)
            }
            _ => 0,
        };
        let level = u8::try_from((i16::from(section.level) + shift).clamp(1, 6)).unwrap_or(6);
        let heading = relevelled(&given[section.heading.clone()], level);
        let gap = &given[section.heading.clone()];
        let gap = if gap.ends_with("\n\n") { "\n\n" } else { "\n" };
        let block = if text.is_empty() { heading } else { format!("{heading}{gap}{text}") };
        let top = top_new(outline, matches, at);
        let place = self.place_for(known, &outline.sections()[top].title, &SECTIONS);
        self.insert(place, block);
    }
}

/// The outermost new section that `at` is nested in, or itself: all of them go to one place.
fn top_new(outline: &Outline, matches: &[Option<usize>], at: usize) -> usize {
    let mut top = at;
    while let Some(parent) = outline.sections()[top].parent.filter(|&parent| matches[parent].is_none()) {
        top = parent;
    }
    top
}

/// For each section of `given` the one of `own` with the same path of headings, each at most once: as it is written,
/// then without the title above, then both without attributes and tags.
fn matched(given: &Outline, own: &Outline) -> Vec<Option<usize>> {
    let mut matches = vec![None; given.sections().len()];
    let mut taken = vec![false; own.sections().len()];
    for (is_bare, without_title) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for at in 1..own.sections().len() {
            index.entry(path_of(own, at, (is_bare, without_title))).or_default().push(at);
        }
        for at in 1..matches.len() {
            if matches[at].is_some() {
                continue;
            }
            let fits =
                |one: usize| !taken[one] && (!is_bare || is_nested_alike(given, own, &matches, (at, one)));
            let found = index.get(&path_of(given, at, (is_bare, without_title)));
            if let Some(one) = found.and_then(|all| all.iter().copied().find(|&one| fits(one))) {
                (matches[at], taken[one]) = (Some(one), true);
            }
        }
    }
    matches
}

/// Whether the section above one of `given` is the one above that of `own`. Without attributes a path may name several.
fn is_nested_alike(
    given: &Outline,
    own: &Outline,
    matches: &[Option<usize>],
    (at, one): (usize, usize),
) -> bool {
    given.sections()[at].parent.is_none_or(|above| match matches[above] {
        Some(found) => own.sections()[one].parent == Some(found),
        None => given.sections()[above].level == 1,
    })
}

/// The normal path of headings, without the level-1 heading above if that does not count.
fn path_of(outline: &Outline, at: usize, (is_bare, without_title): (bool, bool)) -> String {
    let path = outline.path(at);
    let mut top = at;
    while let Some(parent) = outline.sections()[top].parent {
        top = parent;
    }
    let skipped = usize::from(without_title && path.len() > 1 && outline.sections()[top].level == 1);
    let titles = path[skipped..].iter().map(|title| normal(if is_bare { bare_title(title) } else { title }));
    titles.collect::<Vec<_>>().join("\n")
}

/// Check that every heading of both is there, as often as in either, that the leads of both are in the lead, that the
/// facts read back, and that no fact is gone that was not named.
pub(super) fn check(
    given: &str,
    stated: &[Statement],
    before: &Document,
    after: &Document,
) -> Result<(), Unwritable> {
    let there = titles(after.outline());
    let has = |wanted: HashMap<String, usize>| {
        wanted.iter().all(|(title, count)| there.get(title).is_some_and(|found| found >= count))
    };
    let outline = Outline::of(given);
    let lead = |document: &Document| {
        let at = lead::section(document.body(), document.outline());
        (at, lead::texts(document.body(), document.outline(), at))
    };
    let (at, old) = lead(before);
    let (_, led) = lead(after);
    let is_led = |texts: Vec<String>| texts.iter().all(|text| led.contains(text));
    // by its title it is replaced, as any section
    let is_titled = matched(&outline, before.outline()).contains(&Some(at));
    let is_lead_whole = (is_titled || is_led(old)) && is_led(lead::texts(given, &outline, 0));
    if !(has(titles(before.outline())) && has(titles(&outline)) && is_lead_whole) {
        return Err(Unwritable { part: "markdown" });
    }
    let read = EntryBody::of(after).facts;
    let is_read = |fact: &Statement| read.iter().any(|one| facts::is_same(fact, one));
    let is_named = |fact: &&Statement| {
        let subjects = || stated.iter().filter_map(|one| one.subject.as_ref());
        fact.subject.as_ref().is_some_and(|own| subjects().any(|one| is_same_subject(one, own)))
    };
    let kept = EntryBody::of(before).facts;
    let mut all = stated.iter().chain(kept.iter().filter(|fact| !is_named(fact)));
    if all.all(is_read) { Ok(()) } else { Err(Unwritable { part: "facts" }) }
}

fn titles(outline: &Outline) -> HashMap<String, usize> {
    let mut titles = HashMap::new();
    for section in outline.sections().iter().skip(1) {
        *titles.entry(normal(bare_title(&section.title))).or_default() += 1;
    }
    titles
}
