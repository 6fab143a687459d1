//! Take words of a lower rank away together with the operations that say it better: what the rules filed of a commit, when
//! an agent, a person or a model files what the same commit says.
//!
//! Knows which items go. Who may replace whom is decided by the caller.

use super::Applied;
use super::view::CurateView;
use crate::Stop;
use brv_base::path::TreePath;
use brv_text::curate::{Act, CurateKind, IntakeFiling, Operation, OperationInput, Refused, Why};
use brv_text::doc::{self, Document, Item, ItemChange, bare_title};
use brv_text::lint::Steering;

/// Items of an entry that are replaced as a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outranked {
    pub path: TreePath,
    /// As they were filed; one that says anything else by now stays.
    pub items: Vec<Item>,
}

/// Why they go, for the history.
const REASON: &str = "replaced by what was filed of the same commit";

/// What is done to one entry, and the titles of the items that go.
pub(super) struct Removal {
    pub operation: Operation,
    pub titles: Vec<String>,
}

/// What goes with the operations that were applied: nothing if they filed nothing, or if what they filed waits for a person.
pub(super) fn removals(
    view: &CurateView<'_>,
    outranked: &[Outranked],
    applied: &[Applied],
) -> Result<Vec<Removal>, Stop> {
    if outranked.is_empty() || !is_filed(applied) || waits(view, applied)? {
        return Ok(Vec::new());
    }
    let removals = outranked.iter().map(|one| removal(view, one));
    Ok(removals.collect::<Result<Vec<_>, Stop>>()?.into_iter().flatten().collect())
}

/// Note what went with the first operation that changed something.
pub(super) fn note(applied: &mut [Applied], titles: Vec<String>) {
    let mut done = applied.iter_mut().filter_map(|one| one.result.as_mut().ok());
    if let Some(done) = done.find(|done| done.act != Act::Unchanged) {
        done.replaced = titles;
    }
}

/// Whether an operation changed something. Where there is none, it did so before: what was filed was approved.
fn is_filed(applied: &[Applied]) -> bool {
    let is_change = |one: &Applied| one.result.as_ref().is_ok_and(|done| done.act != Act::Unchanged);
    applied.is_empty() || applied.iter().any(is_change)
}

/// Whether a person has to look at what the operations state: it is not in its source, or it instructs.
fn waits(view: &CurateView<'_>, applied: &[Applied]) -> Result<bool, Stop> {
    for done in applied.iter().filter_map(|one| one.result.as_ref().ok()) {
        if done.review.contains(&Why::Unsupported) {
            return Ok(true);
        }
        for file in done.files() {
            let Some(after) = view.read(file)? else { continue };
            let before = view.before(file).map(Document::parse);
            if Steering::instructs_anew(&Document::parse(after), before.iter()) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Items of one entry go; the entry, too, if it says nothing else. `None`: none of them is there.
fn removal(view: &CurateView<'_>, outranked: &Outranked) -> Result<Option<Removal>, Stop> {
    let Some(bytes) = view.read(&outranked.path)? else { return Ok(None) };
    let mut document = Document::parse(bytes);
    let standing = document.items();
    let is_there = |item: &&Item| standing.iter().any(|one| one.says_as(item));
    let items: Vec<Item> = outranked.items.iter().filter(is_there).cloned().collect();
    let titles: Vec<String> = items.iter().map(|item| item.title.clone()).collect();
    let change = ItemChange { remove: items, ..ItemChange::default() };
    if titles.is_empty() || document.change_items(&change).is_err() {
        return Ok(None);
    }
    let is_kept = document.meta().pinned || says_more(&document);
    let kind = if is_kept { CurateKind::Update } else { CurateKind::Delete };
    let written = document.meta().updated_at.and_then(|text| doc::instant(&text)).map(|(seconds, _)| seconds);
    let operation = operation(kind, &outranked.path, (change, written)).ok();
    Ok(operation.map(|operation| Removal { operation, titles }))
}

/// `written` is when the entry was last written, which it still says afterwards.
fn operation(
    kind: CurateKind,
    path: &TreePath,
    (items, written): (ItemChange, Option<i64>),
) -> Result<Operation, Refused> {
    let mut operation = Operation::of(OperationInput::new(kind, path.to_string(), REASON.to_owned()))?;
    // a DELETE takes all along
    let items = if matches!(kind, CurateKind::Update) { items } else { ItemChange::default() };
    operation.filing = Some(Box::new(IntakeFiling { items, written, ..IntakeFiling::default() }));
    Ok(operation)
}

/// Whether an entry has text outside of Raw Concept.
fn says_more(document: &Document) -> bool {
    let (body, outline) = (document.body(), document.outline());
    outline.sections().iter().enumerate().any(|(at, section)| {
        let is_concept = outline.path(at).iter().any(|title| bare_title(title) == "Raw Concept");
        !is_concept && !body[section.content.clone()].trim().is_empty()
    })
}
