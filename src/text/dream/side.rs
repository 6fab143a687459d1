//! An entry with everything that is compared when it is looked at beside another one.

use super::pieces::Pieces;
use super::said::{Fact, Said};
use crate::doc::{Document, Frontmatter, Meta};
use crate::words::Runs;
use brv_base::path::TreePath;
use std::collections::BTreeSet;

/// An entry with everything that is compared.
pub(super) struct Side<'a> {
    pub path: &'a TreePath,
    pub document: &'a Document,
    /// The runs of its prose, rules and code: facts are compared one by one, in any order.
    pub runs: Runs,
    pub said: Said,
    pub title: String,
    pub pieces: Pieces,
    pub meta: Meta,
}

impl<'a> Side<'a> {
    pub fn of(path: &'a TreePath, document: &'a Document) -> Self {
        let said = Said::of(document);
        let meta = document.meta();
        let title = meta.title.clone().or_else(|| said.title().map(str::to_owned));
        let (runs, pieces) = (Runs::of(&said.prose()), Pieces::of(document.body()));
        Self { path, document, runs, said, pieces, meta, title: title.unwrap_or_default() }
    }

    /// Subjects about which both have facts.
    pub fn shared_subjects(&self, other: &Self) -> BTreeSet<String> {
        let subjects = |side: &Self| -> BTreeSet<String> {
            side.said.facts.iter().filter_map(|fact| fact.subject.clone()).collect()
        };
        subjects(self).intersection(&subjects(other)).cloned().collect()
    }

    /// How many facts both have, with subject and statement.
    pub fn shared_facts(&self, other: &Self) -> usize {
        let has = |fact: &&Fact| {
            other.said.facts.iter().any(|own| own.subject == fact.subject && own.statement == fact.statement)
        };
        self.said.facts.iter().filter(has).count()
    }

    /// Whether a relation of this entry leads to the other one.
    pub fn relates_to(&self, other: &Self) -> bool {
        let path = other.path.as_str();
        let leads = |written: &String| {
            crate::doc::relation(written)
                .is_some_and(|found| found == path || Some(found.as_str()) == path.strip_suffix(".md"))
        };
        self.meta.related.iter().any(leads)
    }

    /// Whether it is text without conflicts whose frontmatter can be edited, and which is nobody's special case.
    pub fn is_plain(&self) -> bool {
        self.document.is_utf8()
            && !matches!(self.document.frontmatter(), Frontmatter::Opaque { .. })
            && self.document.conflicts().is_empty()
            && self.meta.disputed.is_empty()
    }

    /// Which of two entries stays if one does, first: the one that says more, else the older.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let size = |side: &Self| (side.runs.len(), side.said.facts.len(), side.said.codes.len());
        let age = |side: &Self| {
            side.meta.created_at.as_deref().and_then(crate::doc::instant).unwrap_or((i64::MAX, 0))
        };
        let key = |side: &Self| (std::cmp::Reverse(size(side)), age(side));
        (key(self), self.path).cmp(&(key(other), other.path))
    }
}
