//! The document: the head and the brief, the statements that matter, the list of entries, each within its budget, what a task
//! needs, what changed, and how much is left out.
//!
//! Text is cut at the ends of lines, and lines whole. The best come first; what does not fit does not keep shorter lines
//! out. Task and changes come last, so that what is before them stays the same.

use super::Budgets;
use super::choice::StatementChoice;
use super::head::{head, many};
use super::month::Month;
use super::place::Placed;
use super::room::chars;
use super::sections::SectionWriter;
use super::seen::ShownTexts;
use super::shelf::{LayerText, Shelf, Sources};
use super::tail;
use std::collections::BTreeSet;

/// The budget of the summary, in tokens.
const SUMMARY: u64 = 1_000;

/// The share of the budget, in tokens, that is kept free for changes to come where a session is served again.
pub const TAIL: u64 = 200;

/// What the document has.
#[derive(Debug, Clone)]
pub struct BrainPlan<'a> {
    pub budgets: Budgets,
    pub has_brief: bool,
    /// Whether only the summary is drawn.
    pub is_summary: bool,
    /// Whether room is kept for changes to come.
    pub keeps_room: bool,
    pub task: Option<tail::BrainTask<'a>>,
    pub since: Option<&'a super::Since>,
    /// How many entries are in layer 3 or archived.
    pub archived: usize,
    /// How many entries have a change that waits for review.
    pub pending: usize,
    /// The newest month of the tree.
    pub newest: Month,
}

/// The document and its layers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawn {
    pub document: String,
    pub layers: Vec<LayerText>,
    /// The positions of the entries that what is shown depends on.
    pub considered: BTreeSet<usize>,
    /// The passages of the task that are shown, by their places.
    pub passages: Vec<usize>,
}

/// Draw entries in their order. `stands[i]` is the position of the entry that stands for entry `i`.
pub fn draw(placed: &[Placed<'_>], stands: &[usize], plan: &BrainPlan<'_>, sources: &Sources<'_>) -> Drawn {
    let budgets = plan.budgets();
    let shelf = Shelf::new(placed, stands, sources);
    let choice =
        StatementChoice::of(placed, plan.newest, &|at| shelf.is_own(at), sources.freshness, &|at, number| {
            shelf.left(at, number)
        });
    let mut writer = SectionWriter::new(&shelf, &choice);
    let mut page = CharacterBudget { left: chars(budgets.total) };
    if plan.keeps_room {
        page.left -= chars(TAIL).min(page.left / 4);
    }
    let title = page.take(TITLE.to_owned());
    let has_foot = !plan.is_summary && !plan.is_tight();
    let foot = if has_foot { page.take(footer(plan.archived, placed.len())) } else { String::new() };
    let head = head(placed, plan.pending);
    let first = page.layer(budgets.layers[0], |room| match plan.has_brief || plan.is_summary {
        true if choice.is_worth && !plan.is_tight() => writer.brief(&head, room),
        true if head.chars().count() <= room => LayerText { text: head, ..LayerText::default() },
        _ => LayerText::default(),
    });
    let since =
        plan.since.map(|since| page.take(tail::since(since, chars(TAIL).min(page.left.saturating_sub(1)))));
    let (task, passages) = page.task(plan);
    let active = page.layer(budgets.layers[1], |room| match (choice.is_worth, plan.is_summary) {
        (true, true) => writer.settled(room),
        (true, false) => writer.active(room),
        (false, _) => shelf.by_use(room),
    });
    let (seen, mut considered) = (std::mem::take(&mut writer.seen), std::mem::take(&mut writer.considered));
    let reference = page.reference(&shelf, plan, (&choice, &active), &seen);
    considered.extend(active.shown.iter().chain(&reference.shown).map(|shown| shown.at));
    let foot = if foot.is_empty() { foot } else { footer(plan.archived, reference.cut) };
    let pieces = [&title, &first.text, &active.text, &reference.text, &foot]
        .into_iter()
        .chain([&task])
        .chain(&since)
        .filter(|piece| !piece.is_empty());
    let document = pieces.map(String::as_str).collect::<Vec<_>>().join("\n");
    Drawn { document, layers: vec![first, active, reference], considered, passages }
}

impl BrainPlan<'_> {
    /// Whether the budget is small and mostly for a task: then the brief is its first lines, which say how to ask.
    fn is_tight(&self) -> bool {
        self.task.is_some() && self.budgets.total <= SMALL
    }

    fn budgets(&self) -> Budgets {
        let mut budgets = self.budgets.capped();
        if self.is_tight() {
            budgets.layers[0] = budgets.layers[0].min(budgets.total / 4);
        }
        if !self.is_summary {
            return budgets;
        }
        Budgets { total: budgets.total.min(SUMMARY), layers: [budgets.layers[0], SUMMARY, 0] }.capped()
    }
}

/// Up to this budget, in tokens, nearly all of it is for the task.
const SMALL: u64 = 1_000;

const TITLE: &str = "# Project brain\n";

/// How much did not fit, and how much is in layer 3 or archived; nothing if that is nothing.
fn footer(archived: usize, hidden: usize) -> String {
    let entries = |count| many(count, "entry", "entries");
    let rest = match (hidden, archived) {
        (0, 0) => return String::new(),
        (0, archived) => format!("{archived} archived or outdated {} left out", word(archived)),
        (hidden, 0) => format!("{} did not fit", entries(hidden).replacen(' ', " more ", 1)),
        (hidden, archived) => format!(
            "{} did not fit, {archived} archived or outdated {} left out",
            entries(hidden).replacen(' ', " more ", 1),
            word(archived)
        ),
    };
    format!("---\n\n{rest}.\n")
}

const fn word(count: usize) -> &'static str {
    if count == 1 { "entry" } else { "entries" }
}

/// The characters that are left for the document.
struct CharacterBudget {
    left: usize,
}

impl CharacterBudget {
    /// A layer within its budget and what is left.
    fn layer(&mut self, budget: u64, fill: impl FnOnce(usize) -> LayerText) -> LayerText {
        let part = fill(chars(budget).min(self.left.saturating_sub(1)));
        LayerText { text: self.take(part.text), budget, ..part }
    }

    /// The passages of the task, and their places. What they leave of a small budget is too little for anything else.
    fn task(&mut self, plan: &BrainPlan<'_>) -> (String, Vec<usize>) {
        let Some(task) = &plan.task else { return Default::default() };
        let (text, shown) = tail::task(task, self.left.saturating_sub(1));
        let text = self.take(text);
        if plan.is_tight() && !shown.is_empty() && self.left < chars(plan.budgets.total) / 4 {
            self.left = 0;
        }
        (text, shown)
    }

    /// Layer 2; none in a summary. What layer 1 lists is not listed again.
    fn reference(
        &mut self,
        shelf: &Shelf<'_>,
        plan: &BrainPlan<'_>,
        above: (&StatementChoice<'_>, &LayerText),
        seen: &ShownTexts,
    ) -> LayerText {
        let budget = plan.budgets().layers[2];
        if plan.is_summary {
            return LayerText::default();
        }
        let (choice, active) = above;
        let done =
            if choice.is_worth { BTreeSet::new() } else { active.shown.iter().map(|one| one.at).collect() };
        self.layer(budget, |room| shelf.reference(room, &done, seen))
    }

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
