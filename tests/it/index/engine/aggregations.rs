//! Aggregations over the documents that a search found.

use super::mapping::{Field, Kind, Term};
use super::query::Query;
use super::refusal::Refusal;
use super::store::{Index, Stored};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The most buckets of an aggregation.
const MAX_BUCKETS: usize = 10_000;

/// Aggregations that engines have and this one does not.
const BEYOND: [&str; 14] = [
    "avg",
    "min",
    "max",
    "value_count",
    "stats",
    "filter",
    "composite",
    "date_histogram",
    "histogram",
    "range",
    "significant_terms",
    "top_hits",
    "global",
    "missing",
];

type Documents<'a> = [&'a Stored];

/// The value of each aggregation of `text`.
///
/// # Errors
/// What an engine refuses.
pub fn all(text: &Value, index: &Index, documents: &Documents<'_>) -> Result<Value, Refusal> {
    let named =
        text.as_object().ok_or_else(|| Refusal::parsing("Found a value, expected START_OBJECT in [aggs]"))?;
    let mut values = Map::new();
    for (name, text) in named {
        if name.contains(['[', ']', '>']) {
            let reason = format!(
                "Invalid aggregation name [{name}]. Aggregation names can contain any character except '[', ']', and '>'"
            );
            return Err(Refusal::parsing(reason));
        }
        values.insert(name.clone(), one(name, text, index, documents)?);
    }
    Ok(values.into())
}

fn one(name: &str, text: &Value, index: &Index, documents: &Documents<'_>) -> Result<Value, Refusal> {
    let text = text
        .as_object()
        .ok_or_else(|| Refusal::parsing(format!("Expected [START_OBJECT] under [{name}]")))?;
    let is_below = |key: &str| ["aggs", "aggregations", "meta"].contains(&key);
    let mut kinds = text.iter().filter(|(key, _)| !is_below(key));
    let (kind, body) = kinds
        .next()
        .ok_or_else(|| Refusal::parsing(format!("Missing definition for aggregation [{name}]")))?;
    if let Some((second, _)) = kinds.next() {
        let reason = format!("Found two aggregation type definitions in [{name}]: [{kind}] and [{second}]");
        return Err(Refusal::parsing(reason));
    }
    let below = text.get("aggs").or_else(|| text.get("aggregations"));
    let body =
        body.as_object().ok_or_else(|| Refusal::parsing(format!("Expected [START_OBJECT] in [{kind}]")))?;
    match kind.as_str() {
        "sum" => sum(body, index, documents),
        "cardinality" => cardinality(body, index, documents),
        "terms" => terms(body, below, index, documents),
        "filters" => filters(body, below, index, documents),
        kind if BEYOND.contains(&kind) => Err(Refusal::beyond(&format!("aggregation [{kind}]"))),
        kind => Err(Refusal::parsing(format!("Unknown aggregation type [{kind}]"))),
    }
}

fn known(kind: &str, body: &Map<String, Value>, keys: &[&str]) -> Result<(), Refusal> {
    match body.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(Refusal::parsing(format!("[{kind}] unknown field [{key}]"))),
        None => Ok(()),
    }
}

/// The field of an aggregation; `None` if the mapping lacks it.
fn field_of<'a>(
    kind: &str,
    body: &'a Map<String, Value>,
    index: &Index,
) -> Result<(&'a str, Option<Field>), Refusal> {
    let name = body.get("field").and_then(Value::as_str);
    let name = name.ok_or_else(|| {
        Refusal::argument(format!(
            "Required one of fields [field, script] in [{kind}], but none were specified."
        ))
    })?;
    Ok((name, with_values(name, index)?))
}

/// The field, if its values can be read document by document.
pub fn with_values(name: &str, index: &Index) -> Result<Option<Field>, Refusal> {
    match index.mapping.field(name) {
        Some(Field { kind: Kind::Text, .. }) => Err(Refusal::argument(format!(
            "Fielddata is disabled on [{name}] in [index]. Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead."
        ))),
        Some(field) if !field.has_doc_values => Err(Refusal::argument(format!(
            "Can't load fielddata on [{name}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
            field.name()
        ))),
        field => Ok(field),
    }
}

fn sum(body: &Map<String, Value>, index: &Index, documents: &Documents<'_>) -> Result<Value, Refusal> {
    known("sum", body, &["field"])?;
    let (name, field) = field_of("sum", body, index)?;
    if field.is_some_and(|field| field.kind == Kind::Keyword) {
        return Err(Refusal::argument(format!(
            "Field [{name}] of type [keyword] is not supported for aggregation [sum]"
        )));
    }
    let terms =
        documents.iter().filter_map(|document| document.fields.get(name)).flat_map(|terms| &terms.counts);
    let values = terms.map(|(term, count)| match (term, field) {
        (Term::Number(_), Some(field)) => field.value(term).as_f64().unwrap_or(0.0) * f64::from(*count),
        _ => 0.0,
    });
    Ok(json!({"value": values.sum::<f64>()}))
}

fn cardinality(
    body: &Map<String, Value>,
    index: &Index,
    documents: &Documents<'_>,
) -> Result<Value, Refusal> {
    known("cardinality", body, &["field", "precision_threshold"])?;
    if body.get("precision_threshold").is_some_and(|value| value.as_u64().is_none()) {
        return Err(Refusal::argument("[precisionThreshold] must be greater than or equal to 0"));
    }
    let (name, _) = field_of("cardinality", body, index)?;
    let terms = documents.iter().filter_map(|document| document.fields.get(name));
    let different: BTreeSet<&Term> = terms.flat_map(|terms| terms.counts.keys()).collect();
    Ok(json!({"value": different.len()}))
}

fn bucket(below: Option<&Value>, index: &Index, documents: &Documents<'_>) -> Result<Value, Refusal> {
    let mut bucket = below.map_or(Ok(json!({})), |below| all(below, index, documents))?;
    bucket["doc_count"] = documents.len().into();
    Ok(bucket)
}

fn terms(
    body: &Map<String, Value>,
    below: Option<&Value>,
    index: &Index,
    documents: &Documents<'_>,
) -> Result<Value, Refusal> {
    known("terms", body, &["field", "size", "order", "shard_size", "show_term_doc_count_error"])?;
    let size = body.get("size").map_or(Some(10), Value::as_u64).filter(|size| *size > 0);
    let size = size.ok_or_else(|| Refusal::argument("[size] must be greater than 0."))?;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let (name, field) = field_of("terms", body, index)?;
    let mut of_term: BTreeMap<&Term, Vec<&Stored>> = BTreeMap::new();
    for document in documents {
        for term in document.fields.get(name).into_iter().flat_map(|terms| terms.counts.keys()) {
            of_term.entry(term).or_default().push(document);
        }
    }
    let mut rows: Vec<_> = of_term.into_iter().collect();
    match body.get("order") {
        None => rows.sort_by_key(|(_, documents)| std::cmp::Reverse(documents.len())),
        Some(order) if *order == json!({"_key": "asc"}) => {}
        Some(order) => return Err(Refusal::beyond(&format!("order [{order}] of [terms]"))),
    }
    let rest: usize = rows.iter().skip(size).map(|(_, documents)| documents.len()).sum();
    rows.truncate(size);
    too_many(rows.len())?;
    let buckets = rows.iter().map(|(term, documents)| {
        let mut bucket = bucket(below, index, documents)?;
        bucket["key"] = field.map_or(Value::Null, |field| field.value(term));
        if let (Some(Field { kind: Kind::Boolean, .. }), Term::Number(number)) = (field, term) {
            bucket["key_as_string"] = (*number == 1).to_string().into();
        }
        Ok(bucket)
    });
    let buckets = buckets.collect::<Result<Vec<_>, Refusal>>()?;
    Ok(json!({"doc_count_error_upper_bound": 0, "sum_other_doc_count": rest, "buckets": buckets}))
}

fn too_many(buckets: usize) -> Result<(), Refusal> {
    if buckets <= MAX_BUCKETS {
        return Ok(());
    }
    let reason = format!(
        "Trying to create too many buckets. Must be less than or equal to: [{MAX_BUCKETS}] but was [{buckets}]."
    );
    Err(Refusal::new(400, "too_many_buckets_exception", reason))
}

fn filters(
    body: &Map<String, Value>,
    below: Option<&Value>,
    index: &Index,
    documents: &Documents<'_>,
) -> Result<Value, Refusal> {
    known("filters", body, &["filters"])?;
    let value = |text: &Value| {
        let query = Query::parse(text, index)?;
        let matched: Vec<&Stored> =
            documents.iter().copied().filter(|document| query.score(document).is_some()).collect();
        bucket(below, index, &matched)
    };
    match body.get("filters") {
        Some(Value::Object(named)) => {
            too_many(named.len())?;
            let buckets = named.iter().map(|(name, text)| Ok((name.clone(), value(text)?)));
            Ok(json!({"buckets": buckets.collect::<Result<Map<_, _>, Refusal>>()?}))
        }
        Some(Value::Array(_)) => Err(Refusal::beyond("[filters] without names")),
        _ => Err(Refusal::parsing("[filters] requires 'filters'")),
    }
}
