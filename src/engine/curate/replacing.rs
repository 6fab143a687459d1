//! Take words of a lower rank away together with the operations that say it better: what the rules filed of a commit, when
//! an agent, a person or a model files what the same commit says.
//!
//! Knows which items go. Who may replace whom is decided by the caller.

use super::in_memory::Sketch;
use super::view::View;
use super::{Applied, Error};
use brv_base::path::TreePath;
use brv_text::curate::{Act, Filing, KindWord, Operation, OperationInput, Refused, Why};
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

/// Remove the items, unless nothing was filed, or what was filed waits for a person. Their titles are noted with the first
/// operation that changed something.
pub(super) fn apply(
    sketch: &mut Sketch<'_>,
    outranked: &[Outranked],
    applied: &mut [Applied],
) -> Result<(), Error> {
    if outranked.is_empty() || !is_filed(applied) || waits(&sketch.view, applied)? {
        return Ok(());
    }
    let mut titles = Vec::new();
    for one in outranked {
        titles.extend(remove(sketch, one)?);
    }
    let mut done = applied.iter_mut().filter_map(|one| one.result.as_mut().ok());
    if let Some(done) = done.find(|done| done.act != Act::Unchanged) {
        done.replaced = titles;
    }
    Ok(())
}

/// Whether an operation changed something. Where there is none, it did so before: what was filed was approved.
fn is_filed(applied: &[Applied]) -> bool {
    let is_change = |one: &Applied| one.result.as_ref().is_ok_and(|done| done.act != Act::Unchanged);
    applied.is_empty() || applied.iter().any(is_change)
}

/// Whether a person has to look at what the operations state: it is not in its source, or it instructs.
fn waits(view: &View<'_>, applied: &[Applied]) -> Result<bool, Error> {
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

/// Remove items of one entry; the entry, too, if it says nothing else. Returns the titles of those that were there.
fn remove(sketch: &mut Sketch<'_>, outranked: &Outranked) -> Result<Vec<String>, Error> {
    let Some(bytes) = sketch.view.read(&outranked.path)? else { return Ok(Vec::new()) };
    let mut document = Document::parse(bytes);
    let standing = document.items();
    let is_there = |item: &&Item| standing.iter().any(|one| one.says_as(item));
    let items: Vec<Item> = outranked.items.iter().filter(is_there).cloned().collect();
    let change = ItemChange { remove: items.clone(), ..ItemChange::default() };
    if items.is_empty() || document.change_items(&change).is_err() {
        return Ok(Vec::new());
    }
    let is_kept = document.meta().pinned || says_more(&document);
    let kind = if is_kept { KindWord::Update } else { KindWord::Delete };
    let written = document.meta().updated_at.and_then(|text| doc::instant(&text)).map(|(seconds, _)| seconds);
    let Ok(operation) = operation(kind, &outranked.path, (change, written)) else { return Ok(Vec::new()) };
    Ok(match sketch.one(&operation)? {
        Ok(_) => items.into_iter().map(|item| item.title).collect(),
        Err(_) => Vec::new(),
    })
}

/// `written` is when the entry was last written, which it still says afterwards.
fn operation(
    kind: KindWord,
    path: &TreePath,
    (items, written): (ItemChange, Option<i64>),
) -> Result<Operation, Refused> {
    let mut operation = Operation::of(OperationInput::new(kind, path.to_string(), REASON.to_owned()))?;
    // a DELETE takes all along
    let items = if matches!(kind, KindWord::Update) { items } else { ItemChange::default() };
    operation.filing = Some(Box::new(Filing { items, written, ..Filing::default() }));
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
