//! `_search`: a body read strictly, its query, order, page, and the part of each source that is returned.

use super::aggregations::{self, with_values};
use super::mapping::{Field, Kind, Term, is_like};
use super::query::Query;
use super::refusal::Refusal;
use super::store::{Index, Stored};
use serde_json::{Map, Value, json};
use std::cmp::Ordering;

/// The last hit that a page may reach.
const WINDOW: u64 = 10_000;

/// The keys of a body that are understood here, and those that engines have besides.
const KEYS: [&str; 11] = [
    "query",
    "size",
    "from",
    "sort",
    "search_after",
    "_source",
    "docvalue_fields",
    "aggs",
    "aggregations",
    "track_total_hits",
    "timeout",
];
const BEYOND: [&str; 17] = [
    "highlight",
    "suggest",
    "rescore",
    "collapse",
    "post_filter",
    "min_score",
    "explain",
    "fields",
    "stored_fields",
    "script_fields",
    "track_scores",
    "pit",
    "knn",
    "profile",
    "version",
    "seq_no_primary_term",
    "slice",
];

/// A key to sort by.
#[derive(Debug)]
struct Key {
    by: By,
    is_descending: bool,
}

#[derive(Debug)]
enum By {
    Score,
    /// The order of writing.
    Written,
    Field(String, Option<Field>),
}

struct Hit<'a> {
    document: &'a Stored,
    score: f64,
    keys: Vec<Option<Term>>,
}

/// Answer a search over `name`. Documents on shards that are down, which `is_up` tells by their ids, are not found.
///
/// # Errors
/// What an engine refuses.
pub fn search(
    name: &str,
    index: &Index,
    body: &Value,
    is_up: impl Fn(&str) -> bool,
) -> Result<Value, Refusal> {
    let empty = Map::new();
    let body = if body.is_null() {
        &empty
    } else {
        body.as_object().ok_or_else(|| Refusal::parsing("Expected [START_OBJECT]"))?
    };
    known(body)?;
    let count = |key: &str, default| number(body, key, default);
    let (size, from) = (count("size", 10)?, count("from", 0)?);
    if size + from > WINDOW {
        let reason = format!(
            "Result window is too large, from + size must be less than or equal to: [{WINDOW}] but was [{}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting.",
            size + from
        );
        return Err(Refusal::argument(reason).of_shards(name));
    }
    let all = json!({"match_all": {}});
    let query =
        Query::parse(body.get("query").unwrap_or(&all), index).map_err(|refusal| by_shards(refusal, name))?;
    let keys = sort_keys(body.get("sort"), index).map_err(|refusal| refusal.of_shards(name))?;
    let seen = index.visible().iter().filter(|document| is_up(&document.id));
    let mut hits: Vec<Hit<'_>> = seen
        .filter_map(|document| Some(Hit { document, score: query.score(document)?, keys: Vec::new() }))
        .collect();
    let found: Vec<&Stored> = hits.iter().map(|hit| hit.document).collect();
    let aggregations = body.get("aggs").or_else(|| body.get("aggregations"));
    let aggregations = aggregations.map(|text| aggregations::all(text, index, &found));
    let aggregations = aggregations.transpose().map_err(|refusal| by_shards(refusal, name))?;
    let total = hits.len();
    let best = hits.iter().map(|hit| hit.score).reduce(f64::max).filter(|_| keys.is_empty() && size > 0);
    order(&mut hits, &keys);
    if let Some(after) = body.get("search_after") {
        let after = after_values(after, &keys, from).map_err(|refusal| by_shards(refusal, name))?;
        hits.retain(|hit| compared(&keys, &hit.keys, &after) == Ordering::Greater);
    }
    let page = hits.iter().skip(usize::try_from(from).unwrap()).take(usize::try_from(size).unwrap());
    let columns = columns(body.get("docvalue_fields"), index).map_err(|refusal| refusal.of_shards(name))?;
    let page = page.map(|hit| {
        let mut shown = shown(name, hit, &keys, body.get("_source"))?;
        if let Some(fields) = fields_of(hit, &columns) {
            shown["fields"] = fields;
        }
        let names = query.matched(hit.document);
        if !names.is_empty() {
            shown["matched_queries"] = json!(names);
        }
        Ok(shown)
    });
    let page = page.collect::<Result<Vec<_>, Refusal>>()?;
    let mut answer =
        json!({"took": 1, "timed_out": false, "hits": {"max_score": best.map(single), "hits": page}});
    if let Some(total) = counted(body, total)? {
        answer["hits"]["total"] = total;
    }
    if let Some(aggregations) = aggregations {
        answer["aggregations"] = aggregations;
    }
    Ok(answer)
}

/// What the shards find, once the body was read: the rest is refused before.
fn by_shards(refusal: Refusal, name: &str) -> Refusal {
    if refusal.kind == "parsing_exception" { refusal } else { refusal.of_shards(name) }
}

fn known(body: &Map<String, Value>) -> Result<(), Refusal> {
    match body.keys().find(|key| !KEYS.contains(&key.as_str())) {
        Some(key) if BEYOND.contains(&key.as_str()) => Err(Refusal::beyond(&format!("[{key}] of a search"))),
        Some(key) => Err(Refusal::parsing(format!("Unknown key for a value in [{key}]."))),
        None => Ok(()),
    }
}

fn number(body: &Map<String, Value>, key: &str, default: u64) -> Result<u64, Refusal> {
    match body.get(key) {
        None => Ok(default),
        Some(value) => value.as_u64().ok_or_else(|| {
            Refusal::argument(format!("[{key}] parameter cannot be negative, found [{value}]"))
        }),
    }
}

fn counted(body: &Map<String, Value>, total: usize) -> Result<Option<Value>, Refusal> {
    let limit = match body.get("track_total_hits") {
        None => Some(10_000),
        Some(Value::Bool(true)) => Some(usize::MAX),
        Some(Value::Bool(false)) => None,
        Some(limit) => {
            let limit = limit.as_u64().and_then(|limit| usize::try_from(limit).ok());
            Some(limit.ok_or_else(|| {
                Refusal::argument("[track_total_hits] parameter must be positive or equals to -1")
            })?)
        }
    };
    Ok(limit.map(
        |limit| json!({"value": total.min(limit), "relation": if total > limit { "gte" } else { "eq" }}),
    ))
}

fn sort_keys(sort: Option<&Value>, index: &Index) -> Result<Vec<Key>, Refusal> {
    let one = sort.map(std::slice::from_ref);
    let keys = sort.and_then(Value::as_array).map(Vec::as_slice).or(one).unwrap_or_default();
    keys.iter().map(|key| sort_key(key, index)).collect()
}

fn sort_key(key: &Value, index: &Index) -> Result<Key, Refusal> {
    let (name, order) = match key {
        Value::String(name) => (name.as_str(), &Value::Null),
        Value::Object(key) if key.len() == 1 => {
            key.iter().next().map(|(name, order)| (name.as_str(), order)).unwrap()
        }
        _ => {
            return Err(Refusal::argument(
                "malformed sort format, within the sort array, an object, or an actual string are allowed",
            ));
        }
    };
    let order = match order {
        Value::Object(options) => match options.keys().find(|key| *key != "order") {
            Some(key)
                if ["missing", "mode", "unmapped_type", "format", "numeric_type", "nested"]
                    .contains(&key.as_str()) =>
            {
                return Err(Refusal::beyond(&format!("[{key}] of a sort")));
            }
            Some(key) => return Err(Refusal::parsing(format!("[field_sort] unknown field [{key}]"))),
            None => options.get("order").unwrap_or(&Value::Null),
        },
        order => order,
    };
    let is_descending = match order.as_str() {
        None if order.is_null() => name == "_score",
        Some("asc") => false,
        Some("desc") => true,
        _ => return Err(Refusal::argument(format!("No enum constant for sort order [{order}]"))),
    };
    let by = match name {
        "_score" => By::Score,
        "_doc" => By::Written,
        "_id" => {
            return Err(Refusal::argument(
                "Fielddata access on the _id field is disallowed, you can re-enable it by updating the dynamic cluster setting: indices.id_field_data.enabled",
            ));
        }
        name => match with_values(name, index)? {
            None => {
                return Err(Refusal::new(
                    400,
                    "query_shard_exception",
                    format!("No mapping found for [{name}] in order to sort on"),
                ));
            }
            field => By::Field(name.into(), field),
        },
    };
    Ok(Key { by, is_descending })
}

fn order(hits: &mut [Hit<'_>], keys: &[Key]) {
    for hit in hits.iter_mut() {
        hit.keys = keys.iter().map(|key| key_of(hit, key)).collect();
    }
    hits.sort_by(|left, right| {
        let by_score = right.score.total_cmp(&left.score);
        let by_keys = compared(keys, &left.keys, &right.keys);
        let first = if keys.is_empty() { by_score } else { by_keys };
        first.then(left.document.number.cmp(&right.document.number))
    });
}

fn key_of(hit: &Hit<'_>, key: &Key) -> Option<Term> {
    match &key.by {
        // the bits of a positive number are in its order
        By::Score => Some(Term::Number(hit.score.to_bits().cast_signed())),
        By::Written => Some(Term::Number(hit.document.number.cast_signed())),
        By::Field(name, _) => {
            let mut terms = hit.document.fields.get(name)?.counts.keys();
            let term = if key.is_descending { terms.next_back() } else { terms.next() };
            term.cloned()
        }
    }
}

/// Which of two documents comes first. What lacks the field is last in both directions.
fn compared(keys: &[Key], left: &[Option<Term>], right: &[Option<Term>]) -> Ordering {
    let mut rows = keys.iter().zip(left.iter().zip(right)).map(|(key, pair)| match pair {
        (Some(left), Some(right)) if key.is_descending => right.cmp(left),
        (Some(left), Some(right)) => left.cmp(right),
        (left, right) => left.is_none().cmp(&right.is_none()),
    });
    rows.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn after_values(after: &Value, keys: &[Key], from: u64) -> Result<Vec<Option<Term>>, Refusal> {
    let values =
        after.as_array().ok_or_else(|| Refusal::parsing("Expected [START_ARRAY] in [search_after]"))?;
    if keys.is_empty() {
        return Err(Refusal::argument("Sort must contain at least one field."));
    }
    if from > 0 {
        return Err(Refusal::argument("`from` parameter must be set to 0 when `search_after` is used."));
    }
    if values.len() != keys.len() {
        let reason = format!("search_after has {} value(s) but sort has {}.", values.len(), keys.len());
        return Err(Refusal::argument(reason));
    }
    let read = |(value, key): (&Value, &Key)| match (&key.by, value) {
        (_, Value::Null) => Ok(None),
        (By::Field(_, Some(Field { kind: Kind::Date, .. })) | By::Score, _) => {
            Err(Refusal::beyond("search_after by it"))
        }
        (By::Field(_, Some(field)), value) => {
            let failed =
                |_| Refusal::argument(format!("Failed to parse search_after value for field [{value}]"));
            field.term(value).map(Some).map_err(failed)
        }
        (_, value) => Ok(value.as_i64().map(Term::Number)),
    };
    values.iter().zip(keys).map(read).collect()
}

#[allow(clippy::cast_possible_truncation, reason = "engines answer so")]
fn single(score: f64) -> f32 {
    score as f32
}

fn shown(name: &str, hit: &Hit<'_>, keys: &[Key], part: Option<&Value>) -> Result<Value, Refusal> {
    let mut shown = json!({"_index": name, "_id": hit.document.id});
    shown["_score"] = if keys.is_empty() { json!(single(hit.score)) } else { Value::Null };
    if let Some(source) = part_of(&hit.document.source, part)? {
        shown["_source"] = source;
    }
    if !keys.is_empty() {
        let value = |(key, term): (&Key, &Option<Term>)| match (&key.by, term) {
            (By::Score, _) => json!(single(hit.score)),
            (By::Field(_, Some(field)), Some(term)) => field.value(term),
            (_, Some(Term::Number(number))) => json!(number),
            _ => Value::Null,
        };
        shown["sort"] = keys.iter().zip(&hit.keys).map(value).collect();
    }
    Ok(shown)
}

/// The fields that `docvalue_fields` asks for: such as have doc values.
fn columns(asked: Option<&Value>, index: &Index) -> Result<Vec<(String, Field)>, Refusal> {
    let asked = asked.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut columns = Vec::new();
    for column in asked {
        let name = column.as_str().ok_or_else(|| Refusal::beyond("[docvalue_fields] with formats"))?;
        // a field that is in no mapping has no values
        if let Some(field) = with_values(name, index)? {
            columns.push((name.to_owned(), field));
        }
    }
    Ok(columns)
}

/// The values of these fields that a document has.
fn fields_of(hit: &Hit<'_>, columns: &[(String, Field)]) -> Option<Value> {
    let mut fields = Map::new();
    for (name, field) in columns {
        let Some(terms) = hit.document.fields.get(name) else { continue };
        let values: Vec<Value> = terms.counts.keys().map(|term| field.value(term)).collect();
        fields.insert(name.clone(), Value::Array(values));
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
}

/// The fields of a source that `_source` asks for.
fn part_of(source: &Value, part: Option<&Value>) -> Result<Option<Value>, Refusal> {
    let names = match part {
        None | Some(Value::Bool(true)) => return Ok(Some(source.clone())),
        Some(Value::Bool(false)) => return Ok(None),
        Some(Value::Array(names)) => names.as_slice(),
        Some(name @ Value::String(_)) => std::slice::from_ref(name),
        Some(part) => return Err(Refusal::beyond(&format!("_source [{part}]"))),
    };
    let mut part = source.clone();
    if let Some(part) = part.as_object_mut() {
        part.retain(|key, _| names.iter().filter_map(Value::as_str).any(|name| is_like(name, key)));
    }
    Ok(Some(part))
}
