//! Bring the `Facts` sections of a given markdown text into a body.
//!
//! The facts are merged with those of the body, whatever else stands in the section: one that is not named stays, as do
//! comments. Prose replaces prose of its kind (a table the table, a paragraph the paragraph), or stands beside the facts.

use std::mem::{Discriminant, discriminant};

use super::{Plan, facts};
use crate::doc::content::{trimmed, unified};
use crate::doc::{Block, BlockKind, Fact, Outline, Statement, bare_title, fact, is_same_subject};

/// Where a section with facts goes.
pub(super) enum FactDestination {
    Section(usize),
    /// Into a section of its own.
    New,
}

/// What a block of such a section is.
#[derive(PartialEq, Eq)]
enum Role {
    Fact,
    /// Nobody sees it: it is kept, and added only where it is missing.
    Remark,
    Prose,
}

fn role(block: &Block, text: &str) -> Role {
    match &block.kind {
        BlockKind::Item { .. } => Role::Fact,
        BlockKind::Html if text.trim_start().starts_with("<!--") => Role::Remark,
        BlockKind::Definition | BlockKind::Blank => Role::Remark,
        _ => Role::Prose,
    }
}

fn statement(fact: Fact) -> Statement {
    Statement { subject: fact.subject, statement: fact.statement, category: fact.category }
}

fn is_facts(outline: &Outline, at: usize) -> bool {
    bare_title(&outline.sections()[at].title).eq_ignore_ascii_case("facts")
}

impl Plan<'_> {
    /// Where a given section goes if facts are read from it; `None`: it is an ordinary one.
    pub(super) fn factual(
        &self,
        outline: &Outline,
        matches: &[Option<usize>],
        at: usize,
    ) -> Option<FactDestination> {
        let mut above = Some(at);
        while let Some(section) = above.filter(|&section| !is_facts(outline, section)) {
            above = outline.sections()[section].parent;
        }
        above?;
        // one whose heading is nested otherwise is not a reason for a second one
        let other = || self.outline.titled("facts").next().filter(|_| is_facts(outline, at));
        Some(matches[at].or_else(other).map_or(FactDestination::New, FactDestination::Section))
    }

    /// Plan a section with facts. Those to be merged are returned; new ones of a nested section are placed in it.
    pub(super) fn factual_section(
        &mut self,
        (given, outline, matches): (&str, &Outline, &[Option<usize>]),
        at: usize,
        place: FactDestination,
    ) -> Vec<Statement> {
        let section = &outline.sections()[at];
        let blocks = &outline.blocks()[section.blocks.clone()];
        let existing: Vec<Statement> = self.document.facts().into_iter().map(statement).collect();
        let is_known = |one: &Statement| match &one.subject {
            Some(subject) => existing
                .iter()
                .filter_map(|known| known.subject.as_ref())
                .any(|known| is_same_subject(known, subject)),
            None => existing.iter().any(|known| facts::is_same(one, known)),
        };
        let text = |block: &Block| unified(&given[block.content.clone()]);
        let is_nested = !is_facts(outline, at);
        let (mut merged, mut fresh) = (Vec::new(), Vec::new());
        for block in blocks.iter().filter(|block| role(block, &text(block)) == Role::Fact) {
            let Some(one) = fact(&given[block.content.clone()]).map(statement) else { continue };
            let has_place = is_nested || matches!(place, FactDestination::New);
            match has_place && !is_known(&one) {
                true => fresh.push(block),
                false => merged.push(one),
            }
        }
        match place {
            FactDestination::New => {
                let mut kept = String::new();
                for block in blocks {
                    if role(block, &text(block)) != Role::Fact || fresh.contains(&block) {
                        kept.push_str(&given[block.span.clone()]);
                    }
                }
                self.new_section((given, outline, matches), at, trimmed(&kept));
            }
            FactDestination::Section(own) => {
                self.prose(own, blocks, &text);
                let fresh: Vec<String> = fresh.into_iter().map(text).collect();
                if !fresh.is_empty() {
                    self.add_items(own, &fresh.join("\n"));
                }
            }
        }
        merged
    }

    /// Add list items behind those of a section.
    fn add_items(&mut self, own: usize, items: &str) {
        let section = &self.outline.sections()[own];
        let blocks = &self.outline.blocks()[section.blocks.clone()];
        let last = blocks.iter().rev().find(|block| matches!(block.kind, BlockKind::Item { .. }));
        match last {
            Some(last) => self.splice(last.content.end..last.content.end, format!("\n{items}")),
            None => self.insert(section.content.end, items),
        }
    }

    /// Bring what is not a fact into a section of the body.
    fn prose(&mut self, own: usize, given: &[Block], text: &dyn Fn(&Block) -> String) {
        let section = &self.outline.sections()[own];
        let there = &self.outline.blocks()[section.blocks.clone()];
        let (start, end) = (section.content.start, section.content.end);
        let body = self.body;
        let own_text = |block: &Block| unified(&body[block.content.clone()]);
        let first_fact = given.iter().position(|block| role(block, &text(block)) == Role::Fact);
        let place = |at: usize| if first_fact.is_some_and(|first| at < first) { start } else { end };
        let mut done: Vec<Discriminant<BlockKind>> = Vec::new();
        for (at, block) in given.iter().enumerate() {
            match role(block, &text(block)) {
                Role::Fact => {}
                Role::Remark => {
                    let written = text(block);
                    let is_there = there.iter().any(|own| own_text(own).trim() == written.trim());
                    if !is_there && !written.trim().is_empty() {
                        self.insert(place(at), trimmed(&written));
                    }
                }
                Role::Prose if done.contains(&discriminant(&block.kind)) => {}
                Role::Prose => {
                    let kind = discriminant(&block.kind);
                    done.push(kind);
                    let alike = |text: &str, one: &Block| {
                        discriminant(&one.kind) == kind && role(one, text) == Role::Prose
                    };
                    let wanted: Vec<(usize, String)> = given
                        .iter()
                        .enumerate()
                        .map(|(at, one)| (at, text(one)))
                        .filter(|(at, text)| alike(text, &given[*at]))
                        .collect();
                    let old: Vec<&Block> = there.iter().filter(|one| alike(&own_text(one), one)).collect();
                    for (at, (given_at, text)) in wanted.iter().enumerate() {
                        match old.get(at) {
                            Some(block) => self.replace(block.span.clone(), trimmed(text)),
                            None => self.insert(place(*given_at), trimmed(text)),
                        }
                    }
                    for block in old.iter().skip(wanted.len()) {
                        self.replace(block.span.clone(), "");
                    }
                }
            }
        }
    }
}
