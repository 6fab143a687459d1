//! The figures of the whole index, by which is ranked: asked once a minute, and kept in the user's cache.
//!
//! An engine counts files; that one file may have several items is set right where it is ranked ([`brv_search::Collection`]).

use super::engine::{EngineBody, EngineReply, SearchEngine};
use super::{mark, schema};
use crate::{FailureKind, Stop};
use brv_base::config;
use brv_base::content::ContentId;
use brv_base::environment::Environment;
use brv_base::fs;
use brv_search::{Collection, Probe};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// For how many seconds figures are used again.
const KEPT: i64 = 60;

/// How many terms are kept at most: with more the file is begun anew.
const MOST_TERMS: usize = 20_000;

/// For how many terms one request asks (`indices.query.bool.max_clause_count` is 1,024 or more, and each has 3 fields).
const PAGE: usize = 300;

/// All languages, as bits by number.
const ALL_LANGUAGES: u8 = u8::MAX;

/// The fields that have terms.
pub const TERM_FIELDS: [&str; 3] = ["terms_title", "terms_path", "terms_body"];

/// The figures of all entries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IndexStatistics {
    /// When they were asked for, in seconds since 1970.
    at: i64,
    /// Entries of all trees.
    pub documents: u64,
    pub trees: u64,
    folders: u64,
    items: u64,
    pieces: u64,
    /// Of titles, bodies and meta fields.
    words: [u64; 3],
    languages: u8,
    /// How many files have a term.
    frequency: HashMap<String, u64>,
}

impl IndexStatistics {
    /// As the ranking takes them.
    pub fn collection(&self) -> Collection {
        Collection {
            items: self.items,
            pieces: self.pieces,
            folders: self.folders,
            words: self.words,
            languages: self.languages,
            frequency: self.frequency.clone(),
        }
    }

    pub fn probe(&self, text: &str) -> Probe {
        Probe::of(text, self.languages)
    }

    fn is_fresh(&self, now: i64) -> bool {
        (self.at..self.at.saturating_add(KEPT)).contains(&now)
    }
}

/// What the requests of one question took.
#[derive(Debug, Clone, Copy, Default)]
pub struct EngineEffort {
    /// How long the engine took, in milliseconds.
    pub took: u64,
    /// How many shards there are.
    pub shards: u64,
    /// How many of them left a request unanswered.
    pub failed_shards: u64,
}

impl EngineEffort {
    /// Count an answer.
    ///
    /// # Errors
    /// No shard gave one.
    pub(super) fn add(&mut self, engine: &SearchEngine, reply: &EngineReply) -> Result<(), Stop> {
        let shards = &reply.body["_shards"];
        let [total, failed] = ["total", "failed"].map(|name| shards[name].as_u64().unwrap_or_default());
        if total > 0 && failed >= total {
            let why = shards["failures"][0]["reason"]["reason"].as_str().unwrap_or("no reason");
            let why = engine.shown(why.as_bytes());
            let message = format!("no shard of the index `{}` answers: {why}", engine.index());
            return Err(Stop::new(FailureKind::Remote, message));
        }
        self.took += reply.body["took"].as_u64().unwrap_or_default();
        self.shards = self.shards.max(total);
        self.failed_shards = self.failed_shards.max(failed);
        Ok(())
    }
}

/// The figures for a question. Those of a part of the shards are not kept.
///
/// # Errors
/// The engine; it has no such index, or one with terms of a newer brv.
pub fn for_question(
    engine: &SearchEngine,
    text: &str,
    environment: &Environment,
    now: i64,
    effort: &mut EngineEffort,
) -> Result<IndexStatistics, Stop> {
    let file = file(engine, environment);
    let kept = file.as_ref().and_then(|file| read(file)).filter(|kept| kept.is_fresh(now));
    let is_new = kept.is_none();
    if is_new {
        if !schema::is_there(engine, schema::MappingRights::Optional)? {
            return Err(engine.no_index());
        }
        schema::check_tokens(newest_tokens(engine, effort)?)?;
    }
    let mut statistics = kept.unwrap_or_else(|| IndexStatistics { at: now, ..IndexStatistics::default() });
    // which languages the index has is known with the first answer only
    let asked = Probe::of(text, if is_new { ALL_LANGUAGES } else { statistics.languages });
    let unknown: Vec<&str> =
        asked.terms().into_iter().filter(|term| !statistics.frequency.contains_key(*term)).collect();
    let pages = unknown.chunks(PAGE).chain((is_new && unknown.is_empty()).then_some(&[] as &[&str]));
    let mut is_first = is_new;
    for page in pages {
        let reply = engine.ask("POST", "/_search", EngineBody::Json(&request(page, is_first)), &[])?;
        effort.add(engine, &reply)?;
        statistics.add(engine, &reply, page, is_first)?;
        is_first = false;
    }
    if let Some(file) = file.filter(|_| effort.failed_shards == 0 && (is_new || !unknown.is_empty())) {
        keep(&file, &statistics);
    }
    Ok(statistics)
}

/// The highest version of terms that a tree of the index has, as far as its shards answer.
fn newest_tokens(engine: &SearchEngine, effort: &mut EngineEffort) -> Result<u32, Stop> {
    let body = json!({
        "size": 1,
        "_source": ["tokens_version"],
        "query": { "term": { "kind": "mark" } },
        "sort": [{ "tokens_version": "desc" }],
    });
    let reply = engine.ask("POST", "/_search", EngineBody::Json(&body), &[])?;
    effort.add(engine, &reply)?;
    let found = reply.body["hits"]["hits"][0]["_source"]["tokens_version"].as_u64();
    Ok(found.and_then(|found| u32::try_from(found).ok()).unwrap_or_default())
}

/// How many entries each tree has.
///
/// # Errors
/// The engine.
pub fn by_tree(engine: &SearchEngine) -> Result<BTreeMap<String, u64>, Stop> {
    let body = json!({
        "size": 0,
        "query": living(),
        "aggs": { "trees": { "terms": { "field": "tree", "size": 65_535 } } },
    });
    let reply = engine.ask("POST", "/_search", EngineBody::Json(&body), &[])?;
    // numbers of a part are none
    mark::hits(engine, &reply)?;
    let buckets = reply.body["aggregations"]["trees"]["buckets"].as_array();
    let buckets = buckets.ok_or_else(|| engine.unusable("numbers of documents"))?;
    let count = |bucket: &Value| Some((bucket["key"].as_str()?.to_owned(), bucket["doc_count"].as_u64()?));
    Ok(buckets.iter().filter_map(count).collect())
}

/// The query for all entries that are there.
fn living() -> Value {
    json!({ "bool": { "filter": [{ "term": { "gone": false } }] } })
}

fn request(terms: &[&str], with_figures: bool) -> Value {
    let mut aggregations = serde_json::Map::new();
    if !terms.is_empty() {
        let has = |term: &&str| {
            let should: Vec<Value> = TERM_FIELDS.map(|field| json!({ "term": { field: term } })).to_vec();
            ((*term).to_owned(), json!({ "bool": { "should": should, "minimum_should_match": 1 } }))
        };
        let filters: serde_json::Map<String, Value> = terms.iter().map(has).collect();
        aggregations.insert("words".into(), json!({ "filters": { "filters": filters } }));
    }
    if with_figures {
        for field in ["items", "pieces", "title_words", "len", "meta_words"] {
            aggregations.insert(field.into(), json!({ "sum": { "field": field } }));
        }
        for (name, field) in [("trees", "tree"), ("folders", "folder")] {
            // exact up to this number, and near it above
            let count = json!({ "cardinality": { "field": field, "precision_threshold": 40_000 } });
            aggregations.insert(name.into(), count);
        }
        // each combination of six languages
        aggregations.insert("languages".into(), json!({ "terms": { "field": "languages", "size": 64 } }));
    }
    json!({ "size": 0, "track_total_hits": true, "query": living(), "aggs": aggregations })
}

impl IndexStatistics {
    fn add(
        &mut self,
        engine: &SearchEngine,
        reply: &EngineReply,
        terms: &[&str],
        with_figures: bool,
    ) -> Result<(), Stop> {
        let found = &reply.body["aggregations"];
        let count = |value: &Value| value["value"].as_f64().map(|value| value as u64);
        if with_figures {
            let figures = || {
                self.documents = reply.body["hits"]["total"]["value"].as_u64()?;
                self.trees = count(&found["trees"])?;
                self.folders = count(&found["folders"])?;
                self.items = count(&found["items"])?;
                self.pieces = count(&found["pieces"])?;
                self.words =
                    [count(&found["title_words"])?, count(&found["len"])?, count(&found["meta_words"])?];
                let languages = found["languages"]["buckets"].as_array()?;
                let bits = languages.iter().filter_map(|bucket| bucket["key"].as_u64());
                self.languages = bits.fold(0, |all, bits| all | u8::try_from(bits).unwrap_or_default());
                Some(())
            };
            let mut figures = figures;
            figures().ok_or_else(|| engine.unusable("figures"))?;
        }
        for term in terms {
            let counted = found["words"]["buckets"][*term]["doc_count"].as_u64();
            self.frequency.insert((*term).to_owned(), counted.ok_or_else(|| engine.unusable("frequencies"))?);
        }
        Ok(())
    }
}

/// The file for an index, whose name tells nothing.
fn file(engine: &SearchEngine, environment: &Environment) -> Option<PathBuf> {
    let identity = ContentId::of(format!("{}/{}", engine.address(), engine.index()).as_bytes());
    Some(config::user_cache(environment)?.join("index-figures-1").join(format!("{identity}.json")))
}

fn read(file: &std::path::Path) -> Option<IndexStatistics> {
    serde_json::from_slice(&fs::read_if_there(file).ok()??).ok()
}

/// Keep figures for the next question. What cannot be kept is asked for again.
fn keep(file: &std::path::Path, statistics: &IndexStatistics) {
    let mut kept = statistics.clone();
    if kept.frequency.len() > MOST_TERMS {
        kept.frequency.clear();
    }
    let Ok(bytes) = serde_json::to_vec(&kept) else { return };
    let _ = file.parent().map_or(Ok(()), fs::create_folder).and_then(|()| fs::replace_private(file, &bytes));
}
