//! `brv index status`: which trees the index has, and how much they hold.

use super::{EngineName, Place};
use brv_engine::query::index::engine::{EngineBody, SearchEngine};
use brv_engine::query::index::mark::{self, TreeMark};
use brv_engine::query::index::{schema, statistics};
use brv_engine::{Context, Stop};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.index.status/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexStatus")]
pub struct Outcome {
    /// The engine.
    pub engine: EngineName,
    /// The name of the index.
    pub index: String,
    /// The trees, in the order of their names.
    pub trees: Vec<IndexedTreeState>,
    /// Entries of all trees.
    pub documents: u64,
    /// Bytes of the primary shards on the engine's disks; `null` if it does not say.
    pub bytes: Option<u64>,
    /// Bytes of an entry on the engine's disks; `null` without entries.
    pub bytes_per_entry: Option<u64>,
    /// An estimate of the bytes for 100 million such entries.
    pub bytes_of_100_million: Option<u64>,
}

/// What the index has of a tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexTreeState")]
pub struct IndexedTreeState {
    /// By which it is known in the index.
    pub tree: String,
    /// Its remote, without secrets.
    pub remote: String,
    /// Its branch.
    pub branch: String,
    /// The commit whose entries the index has; `null` before the first push has ended.
    pub commit: Option<String>,
    /// Pushes that began and did not end: under way, or interrupted.
    pub pending: usize,
    /// The number of the last push: one more than that of the push before, and not below its time in seconds since 1970.
    pub number: u64,
    /// The version of the terms of its documents.
    pub tokens_version: u32,
    /// How many entries the index has of it.
    pub documents: u64,
}

/// Ask.
///
/// # Errors
/// The engine; there is no such index, or it is not ours.
pub fn run(cx: &Context<'_>, place: &Place) -> Result<Outcome, Stop> {
    let engine = super::open(cx, place)?;
    let name = EngineName::of(&engine)?;
    if !schema::is_there(&engine, schema::MappingRights::Optional)? {
        return Err(engine.no_index());
    }
    let counts = statistics::by_tree(&engine)?;
    let trees: Vec<IndexedTreeState> = mark::all(&engine)?
        .into_iter()
        .filter(|mark| !mark.is_dropped())
        .map(|mark| state(mark, &counts))
        .collect();
    let documents = trees.iter().map(|tree| tree.documents).sum();
    let bytes = stored(&engine)?;
    let per_entry = bytes.filter(|_| documents > 0).map(|bytes| bytes / documents);
    Ok(Outcome {
        engine: name,
        index: engine.index().to_owned(),
        trees,
        documents,
        bytes,
        bytes_per_entry: per_entry,
        bytes_of_100_million: per_entry.map(|bytes| bytes * 100_000_000),
    })
}

fn state(mark: TreeMark, counts: &std::collections::BTreeMap<String, u64>) -> IndexedTreeState {
    IndexedTreeState {
        documents: counts.get(&mark.tree).copied().unwrap_or_default(),
        tree: mark.tree,
        remote: mark.remote,
        branch: mark.branch,
        commit: mark.commit,
        pending: mark.pending.len(),
        number: mark.number,
        tokens_version: mark.tokens_version,
    }
}

/// The bytes of the primary shards. Managed services may not say.
fn stored(engine: &SearchEngine) -> Result<Option<u64>, Stop> {
    let reply = engine.ask("GET", "/_stats/store,docs", EngineBody::None, &[400, 403, 404, 410])?;
    Ok(reply.body["_all"]["primaries"]["store"]["size_in_bytes"].as_u64())
}
