//! Join the raw concepts of two entries that become one: label by label, so that each value stays under its label.

use super::{Document, Effect, EntryBody, Plan, Unrevised, check, normal};
use crate::doc::content::{trimmed, unified};
use crate::doc::render::LABELS;
use crate::doc::{Concept, concept};

/// The raw concept of the entry that goes into the other one.
#[derive(Debug)]
pub struct TakenConcept {
    concept: Concept,
    /// Text before the first label.
    loose: String,
    /// Labels that have no meaning, each with its text.
    unknown: String,
}

impl Document {
    /// Take out the raw concept; `None` unless both have one. That of `other` stands in its place, so that a merge of
    /// the two matches the sections around it.
    ///
    /// # Errors
    /// A body that cannot be replaced.
    pub fn take_concept(&mut self, other: &Document) -> Result<Option<TakenConcept>, Unrevised> {
        let content = |document: &Document| {
            let outline = document.outline();
            outline.titled("raw concept").next().map(|at| outline.sections()[at].content.clone())
        };
        let Some((own, others)) = content(self).zip(content(other)) else { return Ok(None) };
        let taken = TakenConcept::of(&unified(&self.body()[own.clone()]));
        let mut plan = Plan::of(self);
        plan.replace(own, &unified(trimmed(&other.body()[others])));
        let after = plan.done()?;
        let _ = self.keep(after)?;
        Ok(Some(taken))
    }

    /// Join a raw concept with the own one: of single values the own first, of lists what is not there yet.
    ///
    /// # Errors
    /// [`Unrevised`]; the document is unchanged.
    pub fn join_concept(&mut self, taken: &TakenConcept) -> Result<Effect, Unrevised> {
        let before = EntryBody::of(self).normal_texts();
        let concept = joined(before.concept.clone(), taken.concept.clone());
        let wanted = EntryBody { concept, ..EntryBody::default() }.normal()?;
        let mut plan = Plan::of(self);
        let Some(at) = plan.outline.titled("raw concept").next() else { return self.revise(&wanted) };
        plan.labels(at, &wanted.concept, &before.concept);
        let content = plan.outline.sections()[at].content.clone();
        let own = &plan.body[content.clone()];
        let mut first = content.start;
        for line in own.split_inclusive('\n').take_while(|line| concept::label(line).is_none()) {
            first += line.len();
        }
        let is_new = |text: &str| !text.is_empty() && !unified(own).contains(text);
        for (place, text) in [(first, &taken.loose), (content.end, &taken.unknown)] {
            if is_new(text) {
                plan.insert(place, text.as_str());
            }
        }
        let after = plan.done()?;
        check(&wanted, &before, &EntryBody::of(&after).normal_texts())?;
        self.keep(after)
    }
}

impl TakenConcept {
    fn of(text: &str) -> Self {
        let (mut loose, mut known, mut unknown) = (String::new(), String::new(), String::new());
        let mut to = &mut loose;
        for line in text.split_inclusive('\n') {
            if let Some((name, _)) = concept::label(line) {
                let is_known = LABELS.iter().any(|label| label.eq_ignore_ascii_case(name));
                to = if is_known { &mut known } else { &mut unknown };
            }
            to.push_str(line);
        }
        let read = Document::parse(format!("## Raw Concept\n\n{known}"));
        Self {
            concept: EntryBody::of(&read).normal_texts().concept,
            loose: trimmed(&loose).to_owned(),
            unknown: trimmed(&unknown).to_owned(),
        }
    }
}

fn joined(ours: Concept, theirs: Concept) -> Concept {
    Concept {
        task: one(ours.task, theirs.task),
        changes: all(ours.changes, theirs.changes),
        files: all(ours.files, theirs.files),
        flow: one(ours.flow, theirs.flow),
        timestamp: one(ours.timestamp, theirs.timestamp),
        author: one(ours.author, theirs.author),
        patterns: all(ours.patterns, theirs.patterns),
    }
}

/// Both values on one line, each part once: an entry may take in the same source again.
fn one(ours: Option<String>, theirs: Option<String>) -> Option<String> {
    let (mut joined, theirs) = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours, theirs),
        (ours, theirs) => return ours.or(theirs),
    };
    let has = |joined: &str, text: &str| {
        joined.split("; ").chain([joined]).any(|part| normal(part) == normal(text))
    };
    if has(&joined, &theirs) {
        return Some(joined);
    }
    for part in theirs.split("; ") {
        if !has(&joined, part) {
            let gap = if joined.ends_with(['.', '!', '?', ';']) { " " } else { "; " };
            joined = format!("{joined}{gap}{part}");
        }
    }
    Some(joined)
}

fn all(mut ours: Vec<String>, theirs: Vec<String>) -> Vec<String> {
    for item in theirs {
        if !ours.iter().any(|own| normal(own) == normal(&item)) {
            ours.push(item);
        }
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_both_have_is_there_once() {
        let one = |ours: &str, theirs: &str| one(Some(ours.into()), Some(theirs.into())).unwrap();
        assert_eq!(one("limit; quota", "Quota; burst"), "limit; quota; burst");
        assert_eq!(one("limit", "limit"), "limit");
        assert_eq!(one("Set it.", "Raise it"), "Set it. Raise it");
    }
}
