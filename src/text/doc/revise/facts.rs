//! Replace and add facts.
//!
//! A fact with a subject replaces all facts of that subject, at the place of the first; one without a subject is added,
//! unless it is already there.

use super::Plan;
use crate::doc::disputes::{head_of, lines_of};
use crate::doc::facts::without_marker;
use crate::doc::render::SECTIONS;
use crate::doc::{Fact, Statement, is_same_subject, normal};

/// Whether `wanted` is stated by `there`. A category that is not given is not asked for.
pub(super) fn is_same(wanted: &Statement, there: &Statement) -> bool {
    let is_subject = match (&wanted.subject, &there.subject) {
        (Some(one), Some(other)) => is_same_subject(one, other),
        (None, None) => return normal(&wanted.statement) == normal(&there.statement),
        _ => false,
    };
    is_subject
        && wanted.statement == there.statement
        && (wanted.category.is_none() || wanted.category == there.category)
}

fn statement(fact: &Fact) -> Statement {
    Statement { subject: fact.subject.clone(), statement: fact.statement.clone(), category: fact.category }
}

impl Plan<'_> {
    pub(super) fn facts(&mut self, wanted: &[Statement]) {
        let existing = self.document.facts();
        let mut added: Vec<&Statement> = Vec::new();
        let mut done: Vec<&str> = Vec::new();
        for fact in wanted {
            let Some(subject) = &fact.subject else {
                let is_known = existing.iter().any(|one| is_same(fact, &statement(one)))
                    || added.iter().any(|one| is_same(fact, one));
                added.extend((!is_known).then_some(fact));
                continue;
            };
            if done.iter().any(|known| is_same_subject(known, subject)) {
                continue;
            }
            done.push(subject);
            let is_about =
                |own: &Option<String>| own.as_ref().is_some_and(|own| is_same_subject(own, subject));
            let group: Vec<&Statement> = wanted.iter().filter(|one| is_about(&one.subject)).collect();
            let known: Vec<&Fact> = existing.iter().filter(|one| is_about(&one.subject)).collect();
            match known.is_empty() {
                true => added.extend(group),
                false => self.subject(&group, &known),
            }
        }
        self.added(&added, existing.last());
    }

    /// Make `known`, the facts about one subject, state what `wanted` states.
    fn subject(&mut self, wanted: &[&Statement], known: &[&Fact]) {
        let mut left: Vec<&Statement> = wanted.to_vec();
        let mut stale: Vec<&Fact> = Vec::new();
        for fact in known {
            match left.iter().position(|one| is_same(one, &statement(fact))) {
                Some(at) => {
                    left.remove(at);
                }
                None => stale.push(fact),
            }
        }
        let mut left = left.into_iter();
        for fact in stale {
            match left.next() {
                Some(one) => self.restate(fact, one),
                None => self.splice(lines_of(self.document, &fact.span), ""),
            }
        }
        if let Some(last) = known.last() {
            self.after(last, left.as_slice());
        }
    }

    /// Another statement in the same item: its marker and the way the subject is written stay, and the category unless
    /// another one is given.
    fn restate(&mut self, fact: &Fact, wanted: &Statement) {
        let item = &self.body[fact.span.clone()];
        let Some(head) = head_of(item) else { return };
        let category = wanted.category.or(fact.category);
        let text = Statement { subject: None, category, statement: wanted.statement.clone() }.text();
        let blank = if head.trim_end_matches("**").ends_with('\u{ff1a}') { "" } else { " " };
        let start = fact.span.start + head.len();
        self.splice(start..fact.span.end, format!("{blank}{text}"));
    }

    /// Add items below an item, with its marker.
    fn after(&mut self, fact: &Fact, added: &[&Statement]) {
        let item = &self.body[fact.span.clone()];
        let indent = &item[..item.len() - item.trim_start().len()];
        let marker = item.trim_start().chars().next().filter(|c| matches!(c, '*' | '+')).unwrap_or('-');
        debug_assert!(without_marker(item).len() < item.len());
        let lines: String = added.iter().map(|one| format!("\n{indent}{marker} {}", one.text())).collect();
        if !lines.is_empty() {
            self.splice(fact.span.end..fact.span.end, lines);
        }
    }

    fn added(&mut self, added: &[&Statement], last: Option<&Fact>) {
        if added.is_empty() {
            return;
        }
        if let Some(last) = last {
            return self.after(last, added);
        }
        let items = added.iter().map(|one| format!("- {}", one.text())).collect::<Vec<_>>().join("\n");
        match self.outline.titled("facts").next() {
            Some(section) => self.insert(self.outline.sections()[section].content.end, items),
            None => self.insert(self.place_for(None, "Facts", &SECTIONS), format!("## Facts\n{items}")),
        }
    }
}
