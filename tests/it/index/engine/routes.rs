//! Requests by method, path and parameters, and what each does.

use super::bulk::{self, Action};
use super::faults::Fault;
use super::mapping::Mapping;
use super::query::Query;
use super::refusal::Refusal;
use super::search;
use super::store::{Condition, Index, Stored};
use super::{Call, Family, Request};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

type Indexes = BTreeMap<String, Index>;
type Outcome = Result<(u16, Value), Refusal>;

/// A request with all that its answer depends on beside the documents.
pub struct Asked<'a> {
    pub family: Family,
    pub request: &'a Request,
    pub call: &'a Call,
    pub body: &'a [u8],
    pub fault: Option<&'a Fault>,
}

/// What a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Root,
    Index,
    Mapping,
    Document,
    Create,
    Several,
    Bulk,
    Refresh,
    Search,
    DeleteByQuery,
    Stats,
}

/// The methods and parameters of each route.
const ROUTES: [(Route, &[&str], &[&str]); 11] = [
    (Route::Root, &["GET", "HEAD"], &[]),
    (Route::Index, &["PUT", "DELETE", "GET", "HEAD"], &["timeout", "wait_for_active_shards"]),
    (Route::Mapping, &["GET", "PUT", "POST"], &[]),
    (
        Route::Document,
        &["GET", "PUT", "POST", "DELETE", "HEAD"],
        &["if_seq_no", "if_primary_term", "refresh", "timeout"],
    ),
    (Route::Create, &["PUT", "POST"], &["refresh", "timeout"]),
    (Route::Several, &["POST", "GET"], &[]),
    (Route::Bulk, &["POST", "PUT"], &["refresh", "timeout"]),
    (Route::Refresh, &["POST", "GET"], &[]),
    (Route::Search, &["POST", "GET"], &["allow_partial_search_results", "request_cache"]),
    (Route::DeleteByQuery, &["POST"], &["conflicts", "refresh", "timeout", "wait_for_completion"]),
    (Route::Stats, &["GET"], &[]),
];

/// Parameters of any request, and those that engines have for some and this one for none.
const COMMON: [&str; 5] = ["pretty", "human", "error_trace", "filter_path", "format"];
const BEYOND: [&str; 22] = [
    "routing",
    "pipeline",
    "preference",
    "require_alias",
    "version",
    "version_type",
    "op_type",
    "realtime",
    "_source",
    "_source_includes",
    "_source_excludes",
    "stored_fields",
    "size",
    "from",
    "q",
    "scroll",
    "track_total_hits",
    "ignore_unavailable",
    "allow_no_indices",
    "expand_wildcards",
    "master_timeout",
    "cluster_manager_timeout",
];

/// The settings of an index that are known, without `index.`.
const SETTINGS: [&str; 10] = [
    "number_of_shards",
    "number_of_replicas",
    "refresh_interval",
    "codec",
    "auto_expand_replicas",
    "max_result_window",
    "max_terms_count",
    "gc_deletes",
    "mapping",
    "analysis",
];

impl Asked<'_> {
    /// Do it.
    ///
    /// # Errors
    /// What an engine refuses.
    pub fn perform(&self, indexes: &mut Indexes) -> Outcome {
        let segments: Vec<&str> = self.call.path.split('/').filter(|part| !part.is_empty()).collect();
        let route = route(&segments).ok_or_else(|| {
            Refusal::plain(
                400,
                format!(
                    "no handler found for uri [{}] and method [{}]",
                    self.request.target, self.call.method
                ),
            )
        })?;
        let parameters = self.checked(route)?;
        let body = if route == Route::Bulk || self.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(self.body)
                .map_err(|error| Refusal::new(400, self.family.syntax_error(), error.to_string()))?
        };
        let name = segments.first().copied().unwrap_or_default();
        if route != Route::Root && name.contains(['*', ',']) {
            return Err(Refusal::beyond("patterns of indexes"));
        }
        let id = segments.get(2).copied().unwrap_or_default();
        match (route, self.call.method.as_str()) {
            (Route::Root, "GET") => Ok((200, self.root())),
            (Route::Index, "PUT") => create_index(indexes, name, &body),
            (Route::Index, "DELETE") => {
                existing(indexes, name)?;
                indexes.remove(name);
                Ok((200, json!({"acknowledged": true})))
            }
            (Route::Mapping, "GET") => {
                Ok((200, json!({name: {"mappings": existing(indexes, name)?.mapping.text}})))
            }
            (Route::Document, "GET") => Ok(document(name, id, existing(indexes, name)?)),
            (Route::Document, "PUT" | "POST") => {
                let condition = sequence(&parameters)?.unwrap_or(Condition::Nothing);
                self.put(indexes, name, id, &body, condition, &parameters)
            }
            (Route::Create, _) => self.put(indexes, name, id, &body, Condition::Absent, &parameters),
            (Route::Several, _) => several(name, existing(indexes, name)?, &body),
            (Route::Bulk, _) => self.bulk(indexes, name, &parameters),
            (Route::Refresh, _) => {
                existing(indexes, name)?.refresh();
                Ok((200, json!({"_shards": {"total": 1, "successful": 1, "failed": 0}})))
            }
            (Route::Search, _) => self.search(name, existing(indexes, name)?, &body, &parameters),
            (Route::DeleteByQuery, _) => delete_by_query(name, existing(indexes, name)?, &body, &parameters),
            (Route::Stats, _) => stats(name, existing(indexes, name)?, id),
            (route, method) => Err(Refusal::beyond(&format!("{method} of {route:?}"))),
        }
    }

    /// The parameters, if method, parameters and types of content are right.
    fn checked(&self, route: Route) -> Result<BTreeMap<String, String>, Refusal> {
        let (_, methods, known) =
            ROUTES.iter().find(|(own, ..)| *own == route).expect("every route has a row");
        let (target, method) = (&self.request.target, self.call.method.as_str());
        if !methods.contains(&method) {
            let allowed = methods.join(", ");
            return Err(Refusal::plain(
                405,
                format!(
                    "Incorrect HTTP method for uri [{target}] and method [{method}], allowed: [{allowed}]"
                ),
            ));
        }
        self.content(route)?;
        let pairs = self.call.query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let mut parameters = BTreeMap::new();
        for (key, value) in pairs {
            if !known.contains(&key) && !COMMON.contains(&key) {
                let reason = format!("request [{}] contains unrecognized parameter: [{key}]", self.call.path);
                let is_beyond = BEYOND.contains(&key);
                return Err(if is_beyond {
                    Refusal::beyond(&format!("parameter [{key}]"))
                } else {
                    Refusal::argument(reason)
                });
            }
            let values: &[&str] = match key {
                // a boolean there
                "refresh" if route == Route::DeleteByQuery => &["true", "false", ""],
                "refresh" => &["true", "false", "wait_for", ""],
                "conflicts" => &["proceed", "abort"],
                "allow_partial_search_results" | "request_cache" | "wait_for_completion" => {
                    &["true", "false"]
                }
                _ => &[],
            };
            if !values.is_empty() && !values.contains(&value) {
                return Err(Refusal::argument(format!("Unknown value for {key}: [{value}].")));
            }
            parameters.insert(key.into(), value.into());
        }
        Ok(parameters)
    }

    fn content(&self, route: Route) -> Result<(), Refusal> {
        let unsupported = if self.family == Family::Elasticsearch { 415 } else { 406 };
        let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_lowercase();
        if !self.body.is_empty() {
            let Some(kind) = self.request.header("content-type") else {
                return Err(Refusal::plain(unsupported, "Content-Type header is missing"));
            };
            let lines = ["application/x-ndjson", "application/json"];
            let allowed = if route == Route::Bulk { &lines[..] } else { &lines[1..] };
            if !allowed.contains(&essence(&kind).as_str()) {
                return Err(Refusal::plain(
                    unsupported,
                    format!("Content-Type header [{kind}] is not supported"),
                ));
            }
        }
        match self.request.header("accept") {
            Some(kind)
                if !kind
                    .split(',')
                    .any(|kind| ["application/json", "*/*"].contains(&essence(kind).as_str())) =>
            {
                Err(Refusal::plain(406, format!("Invalid media-type value on headers [Accept]: {kind}")))
            }
            _ => Ok(()),
        }
    }

    fn root(&self) -> Value {
        let version = match self.family {
            Family::OpenSearch => json!({"number": "2.19.1", "distribution": "opensearch"}),
            Family::Elasticsearch => json!({"number": "8.15.3", "build_flavor": "default"}),
        };
        json!({"name": "fake", "cluster_name": "fake", "cluster_uuid": "fake", "version": version, "tagline": "of the tests"})
    }

    fn put(
        &self,
        indexes: &mut Indexes,
        name: &str,
        id: &str,
        body: &Value,
        condition: Condition,
        parameters: &BTreeMap<String, String>,
    ) -> Outcome {
        if body.is_null() {
            return Err(Refusal::new(400, "parse_exception", "request body is required"));
        }
        let index = or_new(indexes, name)?;
        let (stored, is_new) = index.write(self.family, id, body, condition)?;
        refresh_if_asked(index, parameters);
        Ok(written(name, &stored, is_new))
    }

    fn bulk(&self, indexes: &mut Indexes, name: &str, parameters: &BTreeMap<String, String>) -> Outcome {
        let actions = bulk::actions(name, self.body)?;
        let index = or_new(indexes, name)?;
        let mut errors = false;
        let items: Vec<Value> = actions
            .iter()
            .enumerate()
            .map(|(number, action)| {
                let refused = self.fault.and_then(|fault| fault.of_item(self.family, number));
                let outcome = refused.map_or_else(|| act(self.family, name, index, action), Err);
                let item = outcome.unwrap_or_else(|refusal| {
                    errors = true;
                    json!({"_index": name, "_id": action.id, "status": refusal.status, "error": refusal.error()})
                });
                json!({action.name.as_str(): item})
            })
            .collect();
        refresh_if_asked(index, parameters);
        Ok((200, json!({"took": 1, "errors": errors, "items": items})))
    }

    fn search(
        &self,
        name: &str,
        index: &Index,
        body: &Value,
        parameters: &BTreeMap<String, String>,
    ) -> Outcome {
        let is_partial = self.fault == Some(&Fault::Partial);
        // a shard by the last letter of the id
        let is_up = |id: &str| !is_partial || id.bytes().last().is_none_or(|last| last % 2 == 0);
        let mut answer = search::search(name, index, body, is_up)?;
        answer["_shards"] = json!({"total": 1, "successful": 1, "skipped": 0, "failed": 0});
        if is_partial {
            let down = Refusal::new(503, "no_shard_available_action_exception", "no shard available");
            if parameters.get("allow_partial_search_results").is_some_and(|value| value == "false") {
                return Err(down.of_shards(name));
            }
            let failure = json!({"shard": 1, "index": name, "node": null, "reason": down.error()});
            answer["_shards"] =
                json!({"total": 2, "successful": 1, "skipped": 0, "failed": 1, "failures": [failure]});
        }
        Ok((200, answer))
    }
}

fn route(segments: &[&str]) -> Option<Route> {
    Some(match segments {
        [] => Route::Root,
        [name, ..] if name.starts_with('_') => return None,
        [_] => Route::Index,
        [_, "_mapping"] => Route::Mapping,
        [_, "_doc", _] => Route::Document,
        [_, "_create", _] => Route::Create,
        [_, "_mget"] => Route::Several,
        [_, "_bulk"] => Route::Bulk,
        [_, "_refresh"] => Route::Refresh,
        [_, "_search"] => Route::Search,
        [_, "_delete_by_query"] => Route::DeleteByQuery,
        [_, "_stats"] | [_, "_stats", _] => Route::Stats,
        _ => return None,
    })
}

fn existing<'a>(indexes: &'a mut Indexes, name: &str) -> Result<&'a mut Index, Refusal> {
    indexes.get_mut(name).ok_or_else(|| Refusal::no_index(name))
}

/// The index, which a first document makes: with a mapping that is nobody's.
fn or_new<'a>(indexes: &'a mut Indexes, name: &str) -> Result<&'a mut Index, Refusal> {
    named(name)?;
    let mapping = Mapping::parse(&json!({}))?;
    Ok(indexes.entry(name.into()).or_insert_with(|| Index::new(mapping)))
}

fn named(name: &str) -> Result<(), Refusal> {
    let is_bad = name.starts_with(['-', '_', '+'])
        || name.contains(['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ',', '#', ':'])
        || name.chars().any(char::is_uppercase)
        || name.len() > 255;
    let reason = format!("Invalid index name [{name}], must be lowercase and have no special characters");
    if is_bad { Err(Refusal::new(400, "invalid_index_name_exception", reason)) } else { Ok(()) }
}

fn create_index(indexes: &mut Indexes, name: &str, body: &Value) -> Outcome {
    named(name)?;
    let empty = Map::new();
    let body = body.as_object().unwrap_or(&empty);
    if let Some(key) = body.keys().find(|key| !["settings", "mappings", "aliases"].contains(&key.as_str())) {
        return Err(Refusal::new(400, "parse_exception", format!("unknown key [{key}] for create index")));
    }
    let settings = body.get("settings").and_then(Value::as_object).unwrap_or(&empty);
    let nested = settings.get("index").and_then(Value::as_object).unwrap_or(&empty);
    for key in settings.keys().filter(|key| *key != "index").chain(nested.keys()) {
        let known = key.strip_prefix("index.").unwrap_or(key).split('.').next().unwrap_or_default();
        if !SETTINGS.contains(&known) {
            return Err(Refusal::argument(format!(
                "unknown setting [index.{key}] please check that any required plugins are installed, or check the breaking changes documentation for removed settings"
            )));
        }
    }
    let mapping = Mapping::parse(body.get("mappings").unwrap_or(&json!({})))?;
    if indexes.contains_key(name) {
        return Err(Refusal::new(
            400,
            "resource_already_exists_exception",
            format!("index [{name}/fake] already exists"),
        ));
    }
    indexes.insert(name.into(), Index::new(mapping));
    Ok((200, json!({"acknowledged": true, "shards_acknowledged": true, "index": name})))
}

fn sequence(parameters: &BTreeMap<String, String>) -> Result<Option<Condition>, Refusal> {
    let number = |key: &str| {
        let Some(value) = parameters.get(key) else { return Ok(None) };
        value.parse::<u64>().map(Some).map_err(|_| {
            Refusal::argument(format!("Failed to parse long parameter [{key}] with value [{value}]"))
        })
    };
    match (number("if_seq_no")?, number("if_primary_term")?) {
        (Some(number), Some(term)) if term > 0 => Ok(Some(Condition::Sequence { number, term })),
        (Some(_), _) => Err(Refusal::validation("ifSeqNo is set, but primary term is [0]")),
        (None, Some(term)) => {
            Err(Refusal::validation(format!("ifSeqNo is unassigned, but primary term is [{term}]")))
        }
        (None, None) => Ok(None),
    }
}

fn refresh_if_asked(index: &mut Index, parameters: &BTreeMap<String, String>) {
    if parameters.get("refresh").is_some_and(|value| value != "false") {
        index.refresh();
    }
}

/// What a write answers, alone or as an item.
fn written(name: &str, stored: &Stored, is_new: bool) -> (u16, Value) {
    let (status, result) = if is_new { (201, "created") } else { (200, "updated") };
    let shards = json!({"total": 1, "successful": 1, "failed": 0});
    let answer = json!({"_index": name, "_id": stored.id, "_version": stored.version, "result": result, "_shards": shards,
        "_seq_no": stored.number, "_primary_term": 1});
    (status, answer)
}

fn act(family: Family, name: &str, index: &mut Index, action: &Action) -> Result<Value, Refusal> {
    if action.name == "delete" {
        let (version, was_there) = index.delete(&action.id, action.condition)?;
        let (status, result) = if was_there { (200, "deleted") } else { (404, "not_found") };
        return Ok(
            json!({"_index": name, "_id": action.id, "_version": version, "result": result, "status": status}),
        );
    }
    let source = action.source.clone()?;
    let (stored, is_new) = index.write(family, &action.id, &source, action.condition)?;
    let (status, mut item) = written(name, &stored, is_new);
    item["status"] = status.into();
    Ok(item)
}

fn document(name: &str, id: &str, index: &Index) -> (u16, Value) {
    match index.get(id) {
        None => (404, json!({"_index": name, "_id": id, "found": false})),
        Some(stored) => {
            let (version, number) = (stored.version, stored.number);
            (
                200,
                json!({"_index": name, "_id": id, "_version": version, "_seq_no": number, "_primary_term": 1,
                "found": true, "_source": stored.source}),
            )
        }
    }
}

fn several(name: &str, index: &Index, body: &Value) -> Outcome {
    let body = body.as_object().ok_or_else(|| {
        Refusal::new(400, "parse_exception", "request body or source parameter is required")
    })?;
    if let Some(key) = body.keys().find(|key| *key != "ids") {
        let refusal =
            Refusal::parsing(format!("unknown key [{key}] for a START_ARRAY, expected [docs] or [ids]"));
        return Err(if key == "docs" { Refusal::beyond("[docs] of _mget") } else { refusal });
    }
    let ids = body.get("ids").and_then(Value::as_array).filter(|ids| !ids.is_empty());
    let ids = ids.ok_or_else(|| Refusal::validation("no documents to get"))?;
    let text = |id: &Value| {
        id.as_str()
            .map(Into::into)
            .ok_or_else(|| Refusal::argument("ids array element should only contain ids"))
    };
    let ids: Vec<String> = ids.iter().map(text).collect::<Result<_, _>>()?;
    let documents: Vec<Value> = ids.iter().map(|id| document(name, id, index).1).collect();
    Ok((200, json!({"docs": documents})))
}

fn delete_by_query(
    name: &str,
    index: &mut Index,
    body: &Value,
    parameters: &BTreeMap<String, String>,
) -> Outcome {
    let empty = Map::new();
    let body = body.as_object().unwrap_or(&empty);
    if let Some(key) = body.keys().find(|key| !["query", "max_docs", "slice"].contains(&key.as_str())) {
        return Err(Refusal::parsing(format!("Unknown key for a value in [{key}].")));
    }
    if body.len() > 1 {
        return Err(Refusal::beyond("[max_docs] or [slice] of _delete_by_query"));
    }
    let query = body.get("query").ok_or_else(|| Refusal::validation("query is missing"))?;
    let query = Query::parse(query, index)?;
    let found = index.visible().iter().filter(|document| query.score(document).is_some());
    let found: Vec<(String, u64)> = found.map(|document| (document.id.clone(), document.number)).collect();
    let (mut deleted, mut conflicts) = (0, Vec::new());
    for (id, number) in &found {
        match index.delete(id, Condition::Sequence { number: *number, term: 1 }) {
            Ok(_) => deleted += 1,
            Err(refusal) => {
                conflicts.push(json!({"index": name, "id": id, "cause": refusal.error(), "status": 409}))
            }
        }
    }
    refresh_if_asked(index, parameters);
    let proceeds = parameters.get("conflicts").is_some_and(|value| value == "proceed");
    let count = conflicts.len();
    let failures = if proceeds { Vec::new() } else { conflicts };
    let status = if failures.is_empty() { 200 } else { 409 };
    Ok((
        status,
        json!({"took": 1, "timed_out": false, "total": found.len(), "deleted": deleted, "batches": 1,
        "version_conflicts": count, "noops": 0, "failures": failures}),
    ))
}

fn stats(name: &str, index: &Index, metrics: &str) -> Outcome {
    if let Some(metric) = metrics.split(',').find(|metric| !["store", "docs"].contains(metric)) {
        let refusal = Refusal::argument(format!(
            "request [/{name}/_stats/{metrics}] contains unrecognized metric: [{metric}]"
        ));
        return Err(if metric.is_empty() { Refusal::beyond("all statistics at once") } else { refusal });
    }
    let bytes: usize = index.live().map(|document| document.source.to_string().len()).sum();
    let mut own =
        json!({"docs": {"count": index.visible().len(), "deleted": 0}, "store": {"size_in_bytes": bytes}});
    if let Some(own) = own.as_object_mut() {
        own.retain(|key, _| metrics.split(',').any(|metric| metric == key));
    }
    let both = json!({"primaries": own, "total": own});
    Ok((
        200,
        json!({"_shards": {"total": 1, "successful": 1, "failed": 0}, "_all": both, "indices": {name: both}}),
    ))
}
