//! `brv review show`: what a change did, by meaning.

use super::{Row, chosen, foreign};
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::read::history::changes::{Contents, Detail};
use brv_engine::read::history::knowledge::{self, Told};
use brv_engine::review::{self, Extent, Flag, Standing};
use brv_git::trees::{self, Renames};

/// The changes that an id names.
#[derive(Debug)]
pub struct Outcome {
    /// The id, as typed.
    pub id: String,
    pub items: Vec<Item>,
}

/// A change with its effect.
#[derive(Debug)]
pub struct Item {
    pub row: Row,
    pub standing: Standing,
    /// The path and what belongs to it, such as the sources of a merge.
    pub told: Told,
}

/// Show what an id names.
///
/// # Errors
/// Nothing is called so, or several things are.
pub fn run(cx: &Context<'_>, id: &str) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let reviewed = foreign::read(&opened, Extent::Everything)?;
    let mut items = Vec::new();
    for (flag, standing) in chosen(cx, scope, &reviewed, (id, &[]))? {
        let others: Vec<&Flag> = super::siblings(&reviewed, flag);
        let paths = review::paths(scope, flag, &others)?;
        let mut changes = trees::diff(scope, flag.sides[0], flag.sides[1], Renames::Ignore)?;
        changes.retain(|change| paths.contains(&change.path));
        let detail = Detail::Meaning { context: brv_text::diff::CONTEXT };
        let told = knowledge::tell(scope, &changes, detail, &Contents::default().masked())?;
        items.push(Item { row: review::row(scope, flag)?, standing: *standing, told });
    }
    Ok(Outcome { id: id.to_owned(), items })
}
