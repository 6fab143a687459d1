//! `brv review show`: what a change did, by meaning.

use super::{ReviewRow, chosen, foreign};
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::read::history::changes::{Contents, Detail};
use brv_engine::read::history::knowledge::{self, ChangeReport};
use brv_engine::review::{self, Flag, ReviewExtent};
use brv_git::trees::{self, Renames};
use brv_text::diff::knowledge::{DiffPlace, Entry};
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::review::ReviewStanding;

/// `brv.review.show/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewShow")]
pub struct Outcome {
    /// The id, as typed.
    pub id: String,
    /// The changes that it names.
    pub items: Vec<Item>,
}

/// A change with its effect.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewItem")]
pub struct Item {
    #[serde(flatten)]
    pub row: ReviewRow,
    /// The change by meaning, as in `brv vc diff`.
    pub entry: Option<Entry>,
    #[serde(skip)]
    pub standing: ReviewStanding,
    /// The path and what belongs to it, such as the sources of a merge.
    #[serde(skip)]
    pub told: ChangeReport,
}

/// Show what an id names.
///
/// # Errors
/// Nothing is called so, or several things are.
pub fn run(cx: &Context<'_>, id: &str) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let reviewed = foreign::read(&opened, ReviewExtent::Everything)?;
    let mut items = Vec::new();
    for (flag, standing) in chosen(cx, scope, &reviewed, (id, &[]))? {
        let others: Vec<&Flag> = super::siblings(&reviewed, flag);
        let paths = review::paths(scope, flag, &others)?;
        let mut changes = trees::diff(scope, flag.sides[0], flag.sides[1], Renames::Ignore)?;
        changes.retain(|change| paths.contains(&change.path));
        let detail = Detail::Meaning { context: brv_text::diff::CONTEXT };
        let told = knowledge::tell(scope, &changes, detail, &Contents::default().masked())?;
        let row = review::row(scope, flag)?;
        let is_at = |place: &Option<DiffPlace>| {
            place.as_ref().is_some_and(|place| place.path == *row.path.as_bytes())
        };
        let own = |entry: &&Entry| is_at(&entry.after) || is_at(&entry.before);
        let entry = told.entries.iter().find(own).cloned();
        items.push(Item { row, entry, standing: *standing, told });
    }
    Ok(Outcome { id: id.to_owned(), items })
}
