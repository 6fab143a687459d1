//! The document: the brief, active and reference knowledge, each within its budget, what a task needs, what changed, and
//! where the rest is.
//!
//! Text is cut at the ends of lines, and entries whole, with the lines below them. The best come first; an entry that
//! does not fit does not keep shorter ones out. Task and changes come last, so that what is before them stays the same.

use super::Budgets;
use super::brief::brief;
use super::place::Placed;
use super::room::chars;
use super::shelf::{Part, Shelf, Sources};
use super::tail;

/// The budget of the summary, in tokens.
const SUMMARY: u64 = 1_000;

/// The share of the budget, in tokens, that is kept free for changes to come where a session is served again.
pub const TAIL: u64 = 200;

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
