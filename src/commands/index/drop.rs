//! `brv index drop TREE`: remove a tree from the index.

use super::Place;
use brv_base::nearest;
use brv_engine::query::index::{listing, mark, schema};
use brv_engine::{Context, Stop};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.index.drop/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexDrop")]
pub struct Outcome {
    /// The tree.
    pub tree: String,
    /// The commit that the index had of it; `null` if no push of it had ended.
    pub commit: Option<String>,
    /// How many documents were removed.
    pub removed: u64,
}

/// Remove the documents of a tree. A push puts it back.
///
/// # Errors
/// The engine; the index has no such tree.
pub fn run(cx: &Context<'_>, place: &Place, tree: &str) -> Result<Outcome, Stop> {
    let engine = super::open(cx, place)?;
    if !schema::is_there(&engine, schema::MappingRights::Needed)? {
        return Err(engine.no_index());
    }
    let known = mark::of_trees(&engine, &[tree])?.remove(tree);
    // a drop that broke off, a push that it overtook, or who removed the mark by hand, may have left documents
    let is_left = match &known {
        Some(read) => read.mark.is_dropped(),
        None => !listing::of_tree(&engine, tree)?.is_empty(),
    };
    let left = if is_left { listing::remove(&engine, tree, None)? } else { 0 };
    if left > 0 {
        return Ok(Outcome { tree: tree.to_owned(), commit: None, removed: left });
    }
    let Some(read) = known.filter(|_| !is_left) else {
        let marks = mark::all(&engine)?.into_iter().filter(|mark| !mark.is_dropped());
        let known: Vec<String> = marks.map(|mark| mark.tree).collect();
        let near = nearest::nearest(tree, known.iter().map(String::as_str)).map(str::to_owned);
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        let stop = Stop::usage(format!("the index `{}` has no tree of this name", engine.index()));
        return Err(stop.hint("`brv index status` lists its trees").hinting(hint));
    };
    let commit = read.mark.commit.clone();
    mark::drop(&engine, read)?;
    let removed = listing::remove(&engine, tree, None)?;
    Ok(Outcome { tree: tree.to_owned(), commit, removed })
}
