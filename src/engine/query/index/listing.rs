//! Which entries of a tree the engine has: asked where the commit that it has is not to be had any more.

use super::engine::{EngineBody, SearchEngine};
use super::mark::hits;
use crate::{FailureKind, Stop};
use serde_json::json;
use std::collections::BTreeMap;

/// How many entries are asked for at once: the most that engines give (`index.max_result_window`).
const PAGE: usize = 10_000;

/// The paths of a tree in the index, and their blobs in hex.
///
/// # Errors
/// The engine.
pub fn of_tree(engine: &SearchEngine, tree: &str) -> Result<BTreeMap<String, String>, Stop> {
    let mut listed = BTreeMap::new();
    let mut last: Option<String> = None;
    loop {
        let mut body = json!({
            "size": PAGE,
            "_source": ["path", "blob"],
            "query": { "bool": { "filter": [{ "term": { "tree": tree } }, { "term": { "gone": false } }] } },
            "sort": [{ "path": "asc" }],
        });
        if let Some(last) = &last {
            body["search_after"] = json!([last]);
        }
        let reply = engine.ask("POST", "/_search", EngineBody::Json(&body), &[])?;
        let page = hits(engine, &reply)?;
        for hit in page {
            let field = |name: &str| hit["_source"][name].as_str().unwrap_or_default().to_owned();
            last = Some(field("path"));
            listed.insert(field("path"), field("blob"));
        }
        if page.len() < PAGE {
            return Ok(listed);
        }
    }
}

/// When the oldest document of a tree was marked as gone, in seconds since 1970. `None` if none is.
///
/// # Errors
/// The engine.
pub fn oldest_gone(engine: &SearchEngine, tree: &str) -> Result<Option<i64>, Stop> {
    let body = json!({
        "size": 1,
        "_source": ["sent_at"],
        "query": { "bool": { "filter": [{ "term": { "tree": tree } }, { "term": { "gone": true } }] } },
        "sort": [{ "sent_at": "asc" }],
    });
    let reply = engine.ask("POST", "/_search", EngineBody::Json(&body), &[])?;
    Ok(hits(engine, &reply)?.first().and_then(|hit| hit["_source"]["sent_at"].as_i64()))
}

/// Remove documents of a tree: those that are gone since before `before` (seconds since 1970), or all. Its mark stays. Returns
/// how many.
///
/// # Errors
/// The engine.
pub fn remove(engine: &SearchEngine, tree: &str, before: Option<i64>) -> Result<u64, Stop> {
    let mut filter = vec![json!({ "term": { "tree": tree } }), json!({ "exists": { "field": "gone" } })];
    if let Some(before) = before {
        filter.push(json!({ "term": { "gone": true } }));
        filter.push(json!({ "range": { "sent_at": { "lt": before } } }));
    }
    let body = json!({ "query": { "bool": { "filter": filter } } });
    // what is not visible yet would stay
    engine.ask("POST", "/_refresh", EngineBody::None, &[])?;
    let path = "/_delete_by_query?conflicts=proceed&refresh=true";
    let reply = engine.ask("POST", path, EngineBody::Json(&body), &[])?;
    let (deleted, conflicts) = (reply.body["deleted"].as_u64(), reply.body["version_conflicts"].as_u64());
    let failures = reply.body["failures"].as_array().map_or(0, Vec::len);
    if failures > 0 {
        let why = reply.body["failures"][0]["cause"]["reason"].as_str().unwrap_or("no reason");
        let why = engine.shown(why.as_bytes());
        return Err(Stop::new(
            FailureKind::Remote,
            format!("{failures} documents could not be removed: {why}"),
        ));
    }
    if conflicts.is_some_and(|conflicts| conflicts > 0) {
        let message = "a push of the tree is under way: some of its documents could not be removed";
        return Err(Stop::failed(message).hint("the same command again removes them"));
    }
    deleted.ok_or_else(|| engine.unusable("a count"))
}
