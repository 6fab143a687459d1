//! `brv index search`: one question over all trees of the index.
//!
//! The engine finds files by their terms; which of them come first is decided here, as `brv search` does, with the figures of
//! all trees. Importance is neutral, since nobody's use of an entry is known here.

use super::Place;
use brv_engine::open::context::{Audience, Context};
use brv_engine::outcome::json;
use brv_engine::query::index::asking::{self, EngineHits, FoundEntry};
use brv_engine::query::index::engine::SearchEngine;
use brv_engine::query::index::statistics::{self, EngineEffort};
use brv_engine::query::index::{mark, readable, schema};
use brv_engine::query::search::{self, HitKind};
use brv_engine::query::{SearchExplanation, SearchResult};
use brv_engine::{FailureKind, Stop};
use brv_search::{
    COVERS, CollectionQuery, CollectionResults, CollectionSnapshot, Each, EntryStanding, FileBeside,
    FoundFile, Hit,
};
use brv_text::doc::Document;
use brv_text::lifecycle::{self, Maturity};
use brv_text::lint::Steering;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub place: Place,
    pub text: String,
    /// From 1 to [`brv_engine::query::MOST_RESULTS`].
    pub limit: usize,
    /// Only trees whose names match, with `*` and `?`.
    pub tree: Option<String>,
    /// Whether trees are left out that the caller's git credentials cannot read.
    pub mine: bool,
    /// Whether to show what the relevance is made of.
    pub explain: bool,
}

/// `brv.index.search/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexSearch")]
pub struct Outcome {
    /// The text, as asked.
    pub query: String,
    /// The name of the index.
    pub index: String,
    /// The results, by score.
    pub results: Vec<IndexedResult>,
    /// How many files match; from 10,000 on at least so many.
    pub total: u64,
    /// Whether the text is inside what is stored.
    pub covered: bool,
    /// For an agent: how many results are left out because they may steer it.
    #[serde(skip_serializing_if = "json::is_none")]
    #[schemars(with = "Option<usize>")]
    pub withheld: usize,
    /// With `--mine`: how many results are left out because you cannot read their remotes.
    #[serde(skip_serializing_if = "json::is_none")]
    #[schemars(with = "Option<usize>")]
    pub unreadable: usize,
    /// What was searched.
    pub stats: SearchStats,
    /// With `--explain`: what the relevance of the best match is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<SearchExplanation>,
}

/// A row of `brv.search/1`, and where it comes from.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexedResult")]
pub struct IndexedResult {
    #[serde(flatten)]
    pub row: SearchResult,
    /// The tree.
    pub tree: String,
    /// Its remote.
    pub remote: String,
    /// The commit with which this text was last sent: the entry may be older.
    pub commit: String,
    /// The author of that commit.
    pub actor: String,
    /// The commit that the index has of the tree; `null` before its first push has ended.
    pub as_of: Option<String>,
}

/// What was searched, and by whom.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexSearchStats")]
pub struct SearchStats {
    /// Entries of all trees.
    pub documents: u64,
    /// Trees.
    pub trees: u64,
    /// The parts of the index.
    pub shards: ShardStats,
    /// How long the engine took, in milliseconds.
    pub engine_ms: u64,
    /// Requests to the engine.
    pub requests: usize,
}

/// The parts of the index.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexShards")]
pub struct ShardStats {
    /// How many there are.
    pub total: u64,
    /// How many did not answer: what they have is missing.
    pub failed: u64,
}

/// Search.
///
/// # Errors
/// A text without a word; the engine; an index with terms of a newer brv.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    search::checked(&options.text)?;
    let engine = super::open(cx, &options.place)?;
    let now = cx.clock.seconds();
    let mut effort = EngineEffort::default();
    let figures = statistics::for_question(&engine, &options.text, &cx.environment, now, &mut effort)?;
    let collection = figures.collection();
    let sought = figures.probe(&options.text).sought(&collection.frequency);
    let hits = asking::find(&engine, &sought, options.tree.as_deref(), &mut effort)?;
    let beside = asking::beside(&engine, &hits.found, &sought, &mut effort)?;
    let files: Vec<FoundFile<'_>> = hits.found.iter().map(FoundEntry::file).collect();
    let beside: Vec<FileBeside<'_>> = beside.iter().map(asking::EntryBeside::file).collect();
    let snapshot = CollectionSnapshot::new(&files, &beside, &collection);
    let standing = |_: usize, changed: Option<i64>| Some(standing(changed, now));
    let ranked = snapshot.search(&CollectionQuery {
        text: &options.text,
        // all, where some are left out afterwards
        limit: match options.mine || cx.audience == Audience::Agent {
            true => asking::MOST_FOUND,
            false => options.limit,
        },
        each: Each::Highlight,
        standing: &standing,
    });
    // it reads no disk
    let ranked = ranked.map_err(|error| Stop::because(FailureKind::Failed, &error))?;
    let stats = SearchStats {
        documents: figures.documents,
        trees: figures.trees,
        shards: ShardStats { total: effort.shards, failed: effort.failed_shards },
        engine_ms: effort.took,
        requests: 0,
    };
    finish(cx, &engine, options, (&hits, &ranked), stats)
}

/// The rows of what was ranked, without those that the caller does not get.
fn finish(
    cx: &Context<'_>,
    engine: &SearchEngine,
    options: &Options,
    (hits, ranked): (&EngineHits, &CollectionResults),
    stats: SearchStats,
) -> Result<Outcome, Stop> {
    let pairs: Vec<(&Hit, &FoundEntry)> =
        ranked.results.hits.iter().zip(ranked.files.iter().map(|file| &hits.found[*file])).collect();
    let names: BTreeSet<&str> = pairs.iter().map(|(_, entry)| &*entry.tree).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let marks = mark::of_trees(engine, &names)?;
    for read in marks.values() {
        schema::check_tokens(read.mark.tokens_version)?;
    }
    let remote = |entry: &FoundEntry| {
        marks.get(&entry.tree).map_or_else(|| entry.remote.clone(), |read| read.mark.remote.clone())
    };
    let readable = match options.mine {
        true => {
            let remotes: Vec<String> = pairs.iter().map(|(_, entry)| remote(entry)).collect();
            let remotes = remotes.iter().map(String::as_str).collect();
            Some(readable::of(&remotes, &cx.network(), &cx.environment, cx.clock)?)
        }
        false => None,
    };
    let (mut withheld, mut unreadable, mut results) = (0, 0, Vec::new());
    for (hit, entry) in pairs {
        // what a drop that broke off has left
        if marks.get(&entry.tree).is_some_and(|read| read.mark.is_dropped()) {
            continue;
        }
        let remote = remote(entry);
        if readable.as_ref().is_some_and(|readable| !readable.contains(&remote)) {
            unreadable += 1;
            continue;
        }
        let flagged = steering(entry, &remote);
        if cx.audience == Audience::Agent && !flagged.is_empty() {
            withheld += 1;
            continue;
        }
        let as_of = marks.get(&entry.tree).and_then(|read| read.mark.commit.clone());
        results.push(row(hit, entry, (remote, flagged, as_of)));
    }
    results.truncate(options.limit);
    let is_whole = withheld + unreadable == 0;
    // of what is left out nothing is told
    let covered = match is_whole {
        true => ranked.results.is_covered(),
        false => results.iter().any(|result| result.row.relevance >= COVERS),
    };
    Ok(Outcome {
        query: options.text.clone(),
        index: engine.index().to_owned(),
        results,
        total: hits.total,
        covered,
        withheld,
        unreadable,
        stats: SearchStats { requests: engine.requests(), ..stats },
        explain: (options.explain && is_whole).then(|| SearchExplanation::of(&ranked.results)),
    })
}

/// What in an entry, or in what the index says of it, may steer an agent.
fn steering(entry: &FoundEntry, remote: &str) -> Vec<String> {
    let FoundEntry { tree, path, actor, text, .. } = entry;
    let texts = [text.as_str(), tree, path.as_str(), actor, remote];
    let found = texts.map(|text| Steering::of(&Document::parse(text.as_bytes())));
    found.into_iter().fold(Steering::NONE, |all, one| all | one).words()
}

fn row(
    hit: &Hit,
    entry: &FoundEntry,
    (remote, flagged, as_of): (String, Vec<String>, Option<String>),
) -> IndexedResult {
    let kind = HitKind::of(hit);
    let standing = hit.standing.filter(|_| kind == HitKind::Entry);
    let shown = search::shown(hit, entry.text.as_bytes());
    IndexedResult {
        row: SearchResult {
            kind,
            score: json::to(hit.score, 4),
            relevance: json::to(hit.relevance, 4),
            flagged,
            ..SearchResult::of(hit.path.clone(), shown, standing, 0)
        },
        tree: entry.tree.clone(),
        remote,
        commit: entry.commit.clone(),
        actor: entry.actor.clone(),
        as_of,
    }
}

/// What an entry counts beside its text: as one that nobody used yet.
fn standing(changed: Option<i64>, now: i64) -> EntryStanding {
    EntryStanding {
        importance: lifecycle::START,
        recency: changed.map_or(0.0, |time| lifecycle::recency(time, now)),
        boost: Maturity::Draft.boost(),
    }
}
