//! Change parts of the body of an entry: sections, labels of the raw concept, facts.
//!
//! A revision splices the body and keeps every byte that the given parts do not name. The result is parsed again: unless
//! the given parts read back, and the others as before, the revision fails and changes nothing. Does not know the
//! frontmatter, nor where the parts come from.

mod concept;
mod facts;
mod factual;
mod items;
mod joined;
mod lead;
mod markdown;

use brv_base::sorting;
use std::collections::BTreeMap;
use std::ops::Range;

pub use items::ItemChange;
pub use joined::TakenConcept;

use super::content::{EntryBody, Unwritable, ended, trimmed, unified};
use super::edit::{self, Effect};
use super::render::{SECTIONS, section};
use super::{Document, Narrative, Outline, Statement, bare_title, is_same_subject, normal};

/// Why a revision failed; the document is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unrevised {
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    #[error("there is no section `{0}`")]
    NoSection(String),
    #[error("there is no fact about `{0}`")]
    NoFact(String),
    #[error("the entry is not UTF-8")]
    NotUtf8,
    #[error(transparent)]
    Edit(#[from] edit::Error),
}

impl Document {
    /// Replace the parts that `content` has: labels of the raw concept, parts of the narrative, the snippets as a whole,
    /// and the facts about the subjects that it names. Other parts stay, and missing sections are added in order.
    ///
    /// # Errors
    /// [`Unrevised`]; the document is unchanged.
    pub fn revise(&mut self, content: &EntryBody) -> Result<Effect, Unrevised> {
        let wanted = content.normal()?;
        let before = EntryBody::of(self).normal_texts();
        let mut plan = Plan::of(self);
        plan.concept(&wanted, &before);
        plan.narrative(&wanted, &before);
        plan.snippets(&wanted, &before);
        plan.facts(&wanted.facts);
        let after = plan.done()?;
        check(&wanted, &before, &EntryBody::of(&after).normal_texts())?;
        self.keep(after)
    }

    /// Replace the text below the headings that `markdown` has, and add the sections that are new. A heading names the
    /// text up to the next heading; facts below `## Facts` replace those of their subjects, and no others, whatever else
    /// stands there. Text without a heading is added to the text before the first heading, or below the title; a paragraph
    /// that stands there already is not added again.
    ///
    /// # Errors
    /// [`Unrevised`]; the document is unchanged.
    pub fn revise_markdown(&mut self, markdown: &str) -> Result<Effect, Unrevised> {
        let given = unified(markdown);
        let mut plan = Plan::of(self);
        let facts = plan.markdown(&given);
        plan.facts(&facts);
        let after = plan.done()?;
        markdown::check(&given, &facts, self, &after)?;
        self.keep(after)
    }

    /// Remove the sections with these headings, with everything nested in them. A heading may be a path:
    /// `Narrative/Rules`.
    ///
    /// # Errors
    /// [`Unrevised::NoSection`]; the document is unchanged.
    pub fn remove_sections(&mut self, headings: &[String]) -> Result<Effect, Unrevised> {
        let mut plan = Plan::of(self);
        let mut removed: Vec<Range<usize>> = Vec::new();
        for heading in headings {
            let found = sections_named(plan.outline, heading);
            if found.is_empty() {
                return Err(Unrevised::NoSection(heading.clone()));
            }
            removed.extend(found.into_iter().map(|at| plan.outline.span(at)));
        }
        sorting::sort_by_key(&mut removed, |range| (range.start, std::cmp::Reverse(range.end)));
        let mut end = 0;
        for range in removed {
            if range.start >= end {
                end = range.end;
                plan.splice(range, "");
            }
        }
        let after = plan.done()?;
        self.keep(after)
    }

    /// Remove the facts about these subjects, with their lines.
    ///
    /// # Errors
    /// [`Unrevised::NoFact`]; the document is unchanged.
    pub fn remove_facts(&mut self, subjects: &[String]) -> Result<Effect, Unrevised> {
        let facts = self.facts();
        let is_about = |own: &Option<String>, subject: &str| {
            own.as_ref().is_some_and(|own| is_same_subject(own, subject))
        };
        if let Some(unknown) =
            subjects.iter().find(|one| !facts.iter().any(|fact| is_about(&fact.subject, one)))
        {
            return Err(Unrevised::NoFact(unknown.clone()));
        }
        let gone = facts.iter().filter(|fact| subjects.iter().any(|one| is_about(&fact.subject, one)));
        let body = super::disputes::cut(self, gone.map(|fact| &fact.span));
        Ok(self.replace_body(body)?)
    }

    fn keep(&mut self, after: Document) -> Result<Effect, Unrevised> {
        let effect = if *self == after { Effect::Unchanged } else { Effect::Changed };
        *self = after;
        Ok(effect)
    }
}

/// The sections with this title, or else those that have it apart from attributes and tags, or whose path of headings
/// ends in it.
fn sections_named(outline: &Outline, heading: &str) -> Vec<usize> {
    let title = heading.trim_start_matches('#');
    let named = |titled: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (1..outline.sections().len()).filter(|at| titled(&outline.sections()[*at].title)).collect()
    };
    let found = named(&|own| normal(own) == normal(title));
    if !found.is_empty() {
        return found;
    }
    let found = named(&|own| normal(bare_title(own)) == normal(bare_title(title)));
    if !found.is_empty() {
        return found;
    }
    let titles: Vec<&str> = heading.split('/').map(str::trim).collect();
    outline.find(&titles).filter(|_| titles.len() > 1).into_iter().collect()
}

struct Plan<'d> {
    document: &'d Document,
    body: &'d str,
    outline: &'d Outline,
    splices: Vec<(Range<usize>, String)>,
    /// Whole blocks to insert, with blank lines around them, by position.
    blocks: BTreeMap<usize, Vec<String>>,
}

impl<'d> Plan<'d> {
    fn of(document: &'d Document) -> Self {
        let (body, outline) = (document.body(), document.outline());
        Self { document, body, outline, splices: Vec::new(), blocks: BTreeMap::new() }
    }

    fn splice(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.push((range, text.into()));
    }

    fn insert(&mut self, at: usize, block: impl Into<String>) {
        self.blocks.entry(at).or_default().push(block.into());
    }

    /// Replace the text in `range`, which begins and ends at a line; the blank lines around it stay.
    fn replace(&mut self, range: Range<usize>, text: &str) {
        let old = &self.body[range.clone()];
        if unified(trimmed(old)) == text {
            return;
        }
        if old.trim().is_empty() && !text.is_empty() {
            let has_heading =
                self.body[..range.start].lines().next_back().is_some_and(|line| !line.trim().is_empty());
            let before = if has_heading && !self.body[..range.start].ends_with('\n') { "\n" } else { "" };
            let after = if range.end == self.body.len() { "\n" } else { "\n\n" };
            return self.splice(range, format!("{before}{text}{after}"));
        }
        let kept = trimmed(old);
        let start = range.start + (kept.as_ptr() as usize - old.as_ptr() as usize);
        let end = if text.is_empty() { range.end } else { start + kept.len() };
        self.splice(start..end, text);
    }

    /// Where a section with this title belongs below `parent`, by an order of titles.
    fn place_for(&self, parent: Option<usize>, title: &str, order: &[&str]) -> usize {
        let rank = |title: &str| order.iter().position(|known| known.eq_ignore_ascii_case(title));
        let end = parent.map_or(self.body.len(), |parent| self.outline.span(parent).end);
        let Some(own) = rank(title) else { return end };
        let sections = self.outline.sections();
        let is_below = |at: &usize| parent.is_none_or(|parent| sections[*at].parent == Some(parent));
        let ranked =
            (1..sections.len()).filter(is_below).filter_map(|at| Some((rank(&sections[at].title)?, at)));
        let ranked: Vec<(usize, usize)> = ranked.collect();
        match ranked.iter().rev().find(|(rank, _)| *rank < own) {
            Some((_, before)) => self.outline.span(*before).end,
            None => {
                ranked.iter().find(|(rank, _)| *rank > own).map_or(end, |(_, at)| sections[*at].heading.start)
            }
        }
    }

    fn concept(&mut self, wanted: &EntryBody, before: &EntryBody) {
        match self.outline.titled("raw concept").next() {
            Some(section) => self.labels(section, &wanted.concept, &before.concept),
            None => self.whole("Raw Concept", wanted),
        }
    }

    /// Add one of the standard sections as a whole.
    fn whole(&mut self, title: &str, wanted: &EntryBody) {
        if let Some(text) = section(title, wanted) {
            self.insert(self.place_for(None, title, &SECTIONS), text);
        }
    }

    fn narrative(&mut self, wanted: &EntryBody, before: &EntryBody) {
        let Some(narrative) = self.outline.titled("narrative").next() else {
            return self.whole("Narrative", wanted);
        };
        let parts = wanted.narrative.parts().into_iter().zip(before.narrative.parts());
        for (title, (text, old)) in Narrative::TITLES.into_iter().zip(parts) {
            let Some(text) = text.filter(|text| old != Some(*text)) else { continue };
            match self.outline.find(&["Narrative", title]) {
                Some(at) => {
                    let range = self.outline.sections()[at].content.start..self.outline.span(at).end;
                    self.replace(range, text);
                }
                None => {
                    let at = self.place_for(Some(narrative), title, &Narrative::TITLES);
                    self.insert(at, format!("### {title}\n{text}"));
                }
            }
        }
    }

    fn snippets(&mut self, wanted: &EntryBody, before: &EntryBody) {
        if wanted.snippets.is_empty() || wanted.snippets == before.snippets {
            return;
        }
        match self.outline.titled("snippets").next() {
            Some(at) => {
                let range = self.outline.sections()[at].content.start..self.outline.span(at).end;
                self.replace(range, &wanted.snippets.join("\n\n"));
            }
            None => self.whole("Snippets", wanted),
        }
    }

    fn done(mut self) -> Result<Document, Unrevised> {
        if !self.document.is_utf8() {
            return Err(Unrevised::NotUtf8);
        }
        for (at, blocks) in std::mem::take(&mut self.blocks) {
            let text = self.framed(at, &blocks.join("\n\n"));
            self.splice(at..at, text);
        }
        let ending = self.document.attributes().line_ending;
        self.splices.sort_by_key(|(range, _)| (range.start, range.end));
        let mut body = String::with_capacity(self.body.len() + 256);
        let mut at = 0;
        for (range, text) in self.splices {
            body.push_str(&self.body[at..range.start.max(at)]);
            body.push_str(&ended(&text, ending));
            at = range.end.max(at);
        }
        body.push_str(&self.body[at..]);
        let mut after = self.document.clone();
        let _ = after.replace_body(body)?;
        Ok(after)
    }

    /// A block with a blank line before and after it, as far as the text around it has none.
    fn framed(&self, at: usize, block: &str) -> String {
        let (before, after) = (unified(&self.body[..at]), &self.body[at..]);
        let above = match () {
            () if at == 0 && self.document.body_start() > 0 => "\n",
            () if before.trim().is_empty() || before.ends_with("\n\n") => "",
            () if before.ends_with('\n') => "\n",
            () => "\n\n",
        };
        let below = if after.trim().is_empty() { "\n" } else { "\n\n" };
        format!("{above}{block}{below}")
    }
}

/// Check that what was given reads back, and the rest as before.
fn check(wanted: &EntryBody, before: &EntryBody, after: &EntryBody) -> Result<(), Unwritable> {
    concept::check(&wanted.concept, &before.concept, &after.concept)?;
    let [wanted_parts, old, new] = [wanted, before, after].map(|content| content.narrative.parts());
    let is_read = |at: usize| new[at] == wanted_parts[at].or(old[at]);
    if !(0..new.len()).all(is_read) {
        return Err(Unwritable { part: "narrative" });
    }
    let snippets = if wanted.snippets.is_empty() { &before.snippets } else { &wanted.snippets };
    if *snippets != after.snippets {
        return Err(Unwritable { part: "snippets" });
    }
    let is_there = |fact: &Statement| after.facts.iter().any(|one| facts::is_same(fact, one));
    let is_named = |fact: &Statement| {
        fact.subject.as_ref().is_some_and(|subject| {
            wanted
                .facts
                .iter()
                .filter_map(|one| one.subject.as_ref())
                .any(|own| is_same_subject(own, subject))
        })
    };
    let all = wanted.facts.iter().chain(before.facts.iter().filter(|fact| !is_named(fact)));
    if all.into_iter().all(is_there) { Ok(()) } else { Err(Unwritable { part: "facts" }) }
}

#[cfg(test)]
mod tests;
