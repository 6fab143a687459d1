//! The document: the brief, active and reference knowledge, each within its budget, what a task needs, what changed, and
//! where the rest is.
//!
//! Text is cut at the ends of lines, and entries whole, with the lines below them. The best come first; an entry that
//! does not fit does not keep shorter ones out. Task and changes come last, so that what is before them stays the same.

use super::Budgets;
use super::brief::brief;
use super::detail::Detail;
use super::kind::Kind;
use super::lines::{self, Form};
use super::place::Placed;
use super::tail;
use crate::fresh::Freshness;
use std::collections::BTreeMap;

/// How many entries in a row may not fit before a layer counts as full.
const MISSES: usize = 8;

/// The budget of the summary, in tokens.
const SUMMARY: u64 = 1_000;

/// The share of the budget, in tokens, that is kept free for changes to come where a session is served again.
pub const TAIL: u64 = 200;

const CHARS_PER_TOKEN: usize = 4;

/// The tokens of a text.
pub fn tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(CHARS_PER_TOKEN) as u64
}

pub(super) fn chars(tokens: u64) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(CHARS_PER_TOKEN)
}

/// What the document has.
#[derive(Debug, Clone, Default)]
pub struct Plan<'a> {
    pub budgets: Budgets,
    pub has_brief: bool,
    /// Whether only the summary is drawn.
    pub is_summary: bool,
    /// Whether room is kept for changes to come.
    pub keeps_room: bool,
    pub task: Option<tail::Task<'a>>,
    pub since: Option<&'a super::Since>,
    /// How many entries are in layer 3 or archived.
    pub archived: usize,
}

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

/// The document and its layers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawn {
    pub document: String,
    pub layers: Vec<Part>,
}

/// Draw entries in their order. `stands[i]` is the position of the entry that stands for entry `i`.
pub fn draw(placed: &[Placed<'_>], stands: &[usize], plan: &Plan<'_>, sources: &Sources<'_>) -> Drawn {
    let mut budgets = plan.budgets.capped();
    if plan.is_summary {
        budgets =
            Budgets { total: budgets.total.min(SUMMARY), layers: [budgets.layers[0], SUMMARY, 0] }.capped();
    }
    let shelf = Shelf::new(placed, stands, sources);
    let mut page = Page { left: chars(budgets.total) };
    if plan.keeps_room {
        page.left -= chars(TAIL).min(page.left / 4);
    }
    let title = page.take(TITLE.to_owned());
    let most_hidden = placed.len();
    let foot = page.take(footer(plan.archived, most_hidden));
    let is_briefed = plan.has_brief || plan.is_summary;
    let layer = |page: &mut Page, at: usize, fill: &dyn Fn(usize) -> Part| {
        let room = chars(budgets.layers[at]).min(page.left.saturating_sub(1));
        let mut part = fill(room);
        part.text = page.take(part.text);
        Part { budget: budgets.layers[at], ..part }
    };
    let first = layer(&mut page, 0, &|room| if is_briefed { brief(&shelf, room) } else { Part::default() });
    let since =
        plan.since.map(|since| page.take(tail::since(since, chars(TAIL).min(page.left.saturating_sub(1)))));
    let task = plan.task.as_ref().map(|task| page.take(tail::task(task, page.left.saturating_sub(1))));
    let (active, reference) = match plan.is_summary {
        true => (layer(&mut page, 1, &|room| shelf.summary(room)), Part { budget: 0, ..Part::default() }),
        false => (
            layer(&mut page, 1, &|room| shelf.active(room)),
            layer(&mut page, 2, &|room| shelf.reference(room)),
        ),
    };
    let hidden = active.cut + reference.cut;
    let foot = if foot.is_empty() { foot } else { footer(plan.archived, hidden) };
    let pieces = [&title, &first.text, &active.text, &reference.text, &foot]
        .into_iter()
        .chain(&task)
        .chain(&since)
        .filter(|piece| !piece.is_empty());
    let document = pieces.map(String::as_str).collect::<Vec<_>>().join("\n");
    Drawn { document, layers: vec![first, active, reference] }
}

const TITLE: &str = "# Project brain\n";

/// Where the rest is: how much did not fit, and how much is in layer 3 or archived.
fn footer(archived: usize, hidden: usize) -> String {
    let many = |count: usize| if count == 1 { "entry" } else { "entries" };
    let rest = match (hidden, archived) {
        (0, 0) => String::new(),
        (0, archived) => format!("{archived} archived or outdated {} left out. ", many(archived)),
        (hidden, 0) => format!("{hidden} more {} did not fit. ", many(hidden)),
        (hidden, archived) => format!(
            "{hidden} more {} did not fit, {archived} archived or outdated {} left out. ",
            many(hidden),
            many(archived)
        ),
    };
    format!(
        "---\n\n{rest}`brv search TEXT` and `brv query QUESTION` find what is not here, `brv read PATH` prints an entry.\n"
    )
}

/// The characters that are left for the document.
struct Page {
    left: usize,
}

impl Page {
    /// The piece if it fits, with the line end that parts it from others; else nothing.
    fn take(&mut self, piece: String) -> String {
        let cost = if piece.is_empty() { 0 } else { piece.chars().count() + 1 };
        match cost <= self.left {
            true => {
                self.left -= cost;
                piece
            }
            false => String::new(),
        }
    }
}

/// The entries, with what is known of those that were looked at.
pub(super) struct Shelf<'a> {
    pub placed: &'a [Placed<'a>],
    stands: &'a [usize],
    similar: BTreeMap<usize, usize>,
    sources: &'a Sources<'a>,
}

impl<'a> Shelf<'a> {
    fn new(placed: &'a [Placed<'a>], stands: &'a [usize], sources: &'a Sources<'a>) -> Self {
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

    fn active(&self, room: usize) -> Part {
        let group = |at: usize| {
            let (order, title) = lines::group(self.placed[at].entry.kind, self.placed[at].entry.is_done());
            (order, title.to_owned())
        };
        let own = self.own().filter(|at| self.placed[*at].layer == 1);
        self.fill("## Active knowledge\n", own, room, &group, Form::Active)
    }

    fn reference(&self, room: usize) -> Part {
        let domain = |at: usize| {
            let key = self.placed[at].key();
            (0, key.split_once('/').map_or(key, |(domain, _)| domain).to_owned())
        };
        let own = self.own().filter(|at| self.placed[*at].layer == 2);
        self.fill("## Reference knowledge\n", own, room, &domain, Form::Reference)
    }

    /// Recent decisions and known issues.
    fn summary(&self, room: usize) -> Part {
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
