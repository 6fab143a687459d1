//! The entries of a document in groups, as far as they fit.

use super::detail::Detail;
use super::kind::Kind;
use super::lines::{self, Form};
use super::place::Placed;
use crate::stale::Freshness;
use std::collections::BTreeMap;

/// How many entries in a row may not fit before a layer counts as full.
const MISSES: usize = 8;

/// Where the document gets from what it shows.
pub struct Sources<'a> {
    /// Reads an entry; `None` if it is gone.
    pub detail: &'a dyn Fn(&Placed<'_>) -> Option<Detail>,
    pub freshness: &'a dyn Fn(&str) -> Option<Freshness>,
}

/// What a layer shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    pub text: String,
    pub budget: u64,
    /// The entries that are shown, as positions.
    pub shown: Vec<usize>,
    pub cut: usize,
}

/// The entries, with what is known of those that were looked at.
pub(super) struct Shelf<'a> {
    pub placed: &'a [Placed<'a>],
    stands: &'a [usize],
    similar: BTreeMap<usize, usize>,
    sources: &'a Sources<'a>,
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

    /// The entries of layers 1 and 2 that stand for themselves, as positions.
    pub fn own(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.placed.len()).filter(|at| self.placed[*at].layer < 3 && self.stands[*at] == *at)
    }

    pub fn detail(&self, at: usize) -> Option<Detail> {
        (self.sources.detail)(&self.placed[at])
    }

    /// An entry as a piece of a line; `None` if it is gone.
    pub fn piece(&self, at: usize) -> Option<String> {
        let freshness = (self.sources.freshness)(self.placed[at].path());
        Some(lines::piece(&self.placed[at], &self.detail(at)?, freshness.as_ref()))
    }

    fn block(&self, at: usize, form: Form) -> Option<String> {
        let mut detail = self.detail(at)?;
        if let Some(count) = self.similar.get(&at) {
            detail.title = format!("{} (+{count} similar)", detail.title);
        }
        let freshness = (self.sources.freshness)(self.placed[at].path());
        Some(lines::block(&self.placed[at], &detail, freshness.as_ref(), form))
    }

    /// Layer 1, in its six groups.
    pub fn active(&self, room: usize) -> Part {
        let group = |at: usize| {
            let (order, title) = lines::group(self.placed[at].entry.kind, self.placed[at].entry.is_done());
            (order, title.to_owned())
        };
        let own = self.own().filter(|at| self.placed[*at].layer == 1);
        self.fill("## Active knowledge\n", own, room, &group, Form::Active)
    }

    /// Layer 2, by domain.
    pub fn reference(&self, room: usize) -> Part {
        let domain = |at: usize| {
            let key = self.placed[at].key();
            (0, key.split_once('/').map_or(key, |(domain, _)| domain).to_owned())
        };
        let own = self.own().filter(|at| self.placed[*at].layer == 2);
        self.fill("## Reference knowledge\n", own, room, &domain, Form::Reference)
    }

    /// Recent decisions and known issues.
    pub fn summary(&self, room: usize) -> Part {
        let group = |at: usize| match self.placed[at].entry.kind {
            Kind::Decision => (0, "Recent decisions".to_owned()),
            _ => (1, "Known issues".to_owned()),
        };
        let own = self.own().filter(|at| {
            let placed = &self.placed[*at];
            match placed.entry.kind {
                Kind::Decision => placed.layer == 1,
                Kind::Bug => !placed.entry.is_done(),
                _ => false,
            }
        });
        self.fill("## Decisions and issues\n", own, room, &group, Form::Reference)
    }

    /// The entries that fit, in groups.
    fn fill(
        &self,
        title: &str,
        own: impl Iterator<Item = usize>,
        room: usize,
        group: &dyn Fn(usize) -> (usize, String),
        form: Form,
    ) -> Part {
        let mut left = room.saturating_sub(title.chars().count());
        let mut groups: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        let (mut part, mut misses) = (Part::default(), 0);
        for at in own {
            if misses >= MISSES {
                part.cut += 1;
                continue;
            }
            let Some(block) = self.block(at, form) else { continue };
            let group = group(at);
            let opening = if groups.contains_key(&group) { 0 } else { heading(&group.1).chars().count() };
            let cost = block.chars().count() + opening;
            if cost > left {
                (part.cut, misses) = (part.cut + 1, misses + 1);
                continue;
            }
            (left, misses) = (left - cost, 0);
            groups.entry(group).or_default().push(block);
            part.shown.push(at);
        }
        if groups.is_empty() {
            return part;
        }
        part.text.push_str(title);
        for ((_, name), blocks) in groups {
            part.text.push_str(&heading(&name));
            part.text.extend(blocks);
        }
        part
    }
}

fn heading(name: &str) -> String {
    format!("\n### {name}\n\n")
}
