//! Bring the sections of a given markdown text into a body.
//!
//! Sections are matched by their path of headings; level-1 headings may be missing on either side, since many entries
//! have their title as the first heading. The second of two equal paths is matched with the second. Facts are always
//! merged, see [`super::factual`].

use std::collections::HashMap;

use super::{Plan, Unwritable, facts};
use crate::doc::content::{relevelled, trimmed};
use crate::doc::render::SECTIONS;
use crate::doc::{Content, Document, Outline, Statement, is_same_subject, normal};

impl Plan<'_> {
    /// Plan the sections of `given`; the facts that are to be merged with those of the body are returned instead.
    pub(super) fn markdown(&mut self, given: &str) -> Vec<Statement> {
        let outline = Outline::of(given);
        let matches = matched(&outline, self.outline);
        let mut facts = Vec::new();
        self.preamble(trimmed(&given[outline.sections()[0].content.clone()]));
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

    /// Text before the first heading.
    fn preamble(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let sections = self.outline.sections();
        let is_blank = self.body[sections[0].content.clone()].trim().is_empty();
        match sections.get(1).filter(|first| is_blank && first.level == 1) {
            Some(title) => self.replace(title.content.clone(), text),
            None if is_blank => {
                self.insert(sections.get(1).map_or(self.body.len(), |first| first.heading.start), text)
            }
            None => self.replace(sections[0].content.clone(), text),
        }
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

/// For each section of `given` the one of `own` with the same path of headings.
fn matched(given: &Outline, own: &Outline) -> Vec<Option<usize>> {
    let (full, short) = (indexed(own, false), indexed(own, true));
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut matches = vec![None; given.sections().len()];
    for (at, own) in matches.iter_mut().enumerate().skip(1) {
        let path = path_of(given, at, false);
        let nth = seen.entry(path.clone()).or_default();
        let found = full.get(&path).or_else(|| short.get(&path_of(given, at, true)));
        *own = found.and_then(|all| all.get(*nth)).copied();
        *nth += 1;
    }
    matches
}

fn indexed(outline: &Outline, without_title: bool) -> HashMap<String, Vec<usize>> {
    let mut index: HashMap<String, Vec<usize>> = HashMap::new();
    for at in 1..outline.sections().len() {
        index.entry(path_of(outline, at, without_title)).or_default().push(at);
    }
    index
}

/// The normal path of headings, without the level-1 heading above if that does not count.
fn path_of(outline: &Outline, at: usize, without_title: bool) -> String {
    let path = outline.path(at);
    let mut top = at;
    while let Some(parent) = outline.sections()[top].parent {
        top = parent;
    }
    let skipped = usize::from(without_title && path.len() > 1 && outline.sections()[top].level == 1);
    path[skipped..].iter().map(|title| normal(title)).collect::<Vec<_>>().join("\n")
}

/// Check that every heading of both is there, as often as in either, that the facts read back, and that no fact is gone
/// that was not named.
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
    if !(has(titles(before.outline())) && has(titles(&Outline::of(given)))) {
        return Err(Unwritable { part: "markdown" });
    }
    let read = Content::of(after).facts;
    let is_read = |fact: &Statement| read.iter().any(|one| facts::is_same(fact, one));
    let is_named = |fact: &&Statement| {
        let subjects = || stated.iter().filter_map(|one| one.subject.as_ref());
        fact.subject.as_ref().is_some_and(|own| subjects().any(|one| is_same_subject(one, own)))
    };
    let kept = Content::of(before).facts;
    let mut all = stated.iter().chain(kept.iter().filter(|fact| !is_named(fact)));
    if all.all(is_read) { Ok(()) } else { Err(Unwritable { part: "facts" }) }
}

fn titles(outline: &Outline) -> HashMap<String, usize> {
    let mut titles = HashMap::new();
    for section in outline.sections().iter().skip(1) {
        *titles.entry(normal(&section.title)).or_default() += 1;
    }
    titles
}
