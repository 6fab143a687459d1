//! Requests that an engine refuses, with the status and the type of its error.

use super::client::{JSON, LINES};
use super::questions::{Row, bulk, document, id, mark, row, settings};
use serde_json::{Map, Value, json};

/// The status, the type of the error (empty if it is a sentence), and the request.
pub type Refused = (u16, &'static str, Row);

const ARGUMENT: &str = "illegal_argument_exception";
const DOCUMENT: &str = "document_parsing_exception";
const MAPPER: &str = "mapper_parsing_exception";
const MISSING: &str = "index_not_found_exception";
const PARSING: &str = "parsing_exception";
const SEARCH: &str = "search_phase_execution_exception";
const VALIDATION: &str = "action_request_validation_exception";

/// What noida-db 0.2.3 refuses, too.
pub fn by_both() -> Vec<Refused> {
    let many: Vec<Value> = (0..65_537).map(|number| number.to_string().into()).collect();
    vec![
        (400, "", row("GET", "/brv/_colour", &[])),
        (405, "", row("PUT", "/brv/_search", &[]).json(&json!({}))),
        (405, "", row("GET", "/brv/_bulk", &[])),
        (405, "", row("GET", "/brv/_delete_by_query", &[])),
        (400, "x_content_parse_exception", search_as(JSON, "{\"size\":")),
        (400, ARGUMENT, lines("{\"push\":{\"_id\":\"1\"}}\n{}\n")),
        (400, ARGUMENT, lines("{\"index\":{\"_id\":\"1\",\"colour\":\"red\"}}\n{}\n")),
        (400, "strict_dynamic_mapping_exception", write(json!({"colour": "red"}))),
        (400, DOCUMENT, write(json!({"day": "today"}))),
        (400, DOCUMENT, write(json!({"gone": "perhaps"}))),
        (400, DOCUMENT, write(json!({"day": 3_000_000_000_u64}))),
        (400, DOCUMENT, write(json!({"tree": {"name": "t"}}))),
        (400, PARSING, search(json!({"colour": "red"}))),
        (400, PARSING, query(json!({"colour": {"a": "b"}}))),
        (400, PARSING, query(json!({}))),
        (400, SEARCH, query(json!({"terms": {"path": many}}))),
        (400, PARSING, aggregation(json!({"colour": {"field": "tree"}}))),
        (400, PARSING, aggregation(json!({}))),
        (400, SEARCH, search(json!({"size": 10_000, "from": 1}))),
        (400, SEARCH, search(json!({"sort": [{"terms_body": "asc"}]}))),
        (400, SEARCH, search(json!({"sort": [{"nobody": "asc"}]}))),
        (400, SEARCH, search(json!({"search_after": ["x"]}))),
        (400, SEARCH, search(json!({"search_after": ["x", 1], "sort": ["path"]}))),
        (404, MISSING, row("POST", "/nobody/_search", &[]).json(&json!({}))),
        (404, MISSING, row("GET", "/nobody/_doc/1", &[])),
        (
            404,
            MISSING,
            row("POST", "/nobody/_delete_by_query", &[]).json(&json!({"query": {"match_all": {}}})),
        ),
        (400, VALIDATION, row("POST", "/brv/_mget", &[]).json(&json!({"ids": []}))),
        (400, ARGUMENT, row("GET", "/brv/_stats/colour", &[])),
        (400, "invalid_index_name_exception", row("PUT", "/Brv", &[]).json(&settings())),
        (400, MAPPER, create(json!({"mappings": {"properties": {"a": {"type": "colour"}}}}))),
    ]
}

/// What noida-db 0.2.3 does without a word, and the published descriptions do not allow.
pub fn not_by_noida() -> Vec<Refused> {
    let one = bulk([(id(1), 9, document(1))]);
    let one_with = |target: &str| row("POST", target, &[]).lines(&one);
    let clauses: Vec<Value> =
        (0..1025).map(|number| json!({"term": {"terms_body": number.to_string()}})).collect();
    let filters: Map<String, Value> =
        (0..10_001).map(|number| (number.to_string(), json!({"match_all": {}}))).collect();
    let text = json!({"type": "text", "analyzer": "whitespace", "doc_values": false});
    let of_mark = format!("/brv/_doc/mark-{}?if_seq_no=1", id(1));
    vec![
        (400, ARGUMENT, row("POST", "/brv/_search?colour=red", &[]).json(&json!({}))),
        (400, ARGUMENT, one_with("/brv/_bulk?colour=red")),
        (400, ARGUMENT, one_with("/brv/_bulk?refresh=maybe")),
        (415, "", search_as("text/plain", "{}")),
        (415, "", search_as(LINES, "{}\n")),
        (400, ARGUMENT, lines(one.trim_end())),
        (400, "parse_exception", lines("")),
        (400, VALIDATION, lines("{\"index\":{\"version\":1,\"version_type\":\"external_gte\"}}\n{}\n")),
        (400, VALIDATION, lines("{\"index\":{\"_id\":\"1\",\"version\":1}}\n{}\n")),
        (400, VALIDATION, lines("{\"index\":{\"_id\":\"1\",\"if_seq_no\":1}}\n{}\n")),
        (400, ARGUMENT, lines("{\"index\":{\"_id\":\"1\",\"version\":1,\"version_type\":\"newest\"}}\n{}\n")),
        (400, VALIDATION, row("PUT", &of_mark, &[]).json(&mark("tree-0"))),
        (400, ARGUMENT, write(json!({"path": "p".repeat(32_767)}))),
        (400, PARSING, query(json!({"term": {"tree": "t", "path": "p"}}))),
        (400, PARSING, query(json!({"term": {"tree": {"value": "t", "colour": "red"}}}))),
        (400, PARSING, query(json!({"term": {"tree": ["t"]}}))),
        (400, PARSING, query(json!({"terms": {"tree": "t"}}))),
        (400, PARSING, query(json!({"bool": {"colour": []}}))),
        (400, PARSING, query(json!({"dis_max": {"tie_breaker": 0.1}}))),
        (400, SEARCH, query(json!({"bool": {"should": clauses}}))),
        (400, SEARCH, query(json!({"term": {"blob": "b"}}))),
        // Elasticsearch 8.1 and later search the values of documents instead
        (400, SEARCH, query(json!({"range": {"len": {"gt": 1}}}))),
        (400, SEARCH, query(json!({"term": {"day": "today"}}))),
        (400, SEARCH, query(json!({"wildcard": {"day": "2*"}}))),
        (400, SEARCH, aggregation(json!({"terms": {"field": "terms_body"}}))),
        (400, SEARCH, aggregation(json!({"cardinality": {"field": "blob"}}))),
        (400, SEARCH, aggregation(json!({"sum": {"field": "tree"}}))),
        (400, SEARCH, aggregation(json!({"filters": {"filters": filters}}))),
        (400, PARSING, aggregation(json!({"sum": {"field": "len", "colour": "red"}}))),
        (400, SEARCH, search(json!({"sort": [{"blob": "asc"}]}))),
        (400, VALIDATION, row("POST", "/brv/_delete_by_query?conflicts=proceed", &[]).json(&json!({}))),
        (400, "parse_exception", create(json!({"colour": "red"}))),
        (400, ARGUMENT, create(json!({"settings": {"colour": "red"}}))),
        (400, MAPPER, create(json!({"mappings": {"colour": "red"}}))),
        (
            400,
            MAPPER,
            create(json!({"mappings": {"properties": {"a": {"type": "keyword", "colour": "red"}}}})),
        ),
        (400, MAPPER, create(json!({"mappings": {"properties": {"a": text}}}))),
    ]
}

fn search(body: Value) -> Row {
    search_as(JSON, &body.to_string())
}

fn search_as(kind: &'static str, body: &str) -> Row {
    Row { body: Some((kind, body.into())), ..row("POST", "/brv/_search", &[]) }
}

fn query(query: Value) -> Row {
    search(json!({"query": query}))
}

fn aggregation(text: Value) -> Row {
    search(json!({"size": 0, "aggs": {"a": text}}))
}

fn lines(body: &str) -> Row {
    row("POST", "/brv/_bulk", &[]).lines(body)
}

fn write(document: Value) -> Row {
    row("PUT", "/brv/_doc/x", &[]).json(&document)
}

/// Of an index of its own, since noida-db may create it.
fn create(body: Value) -> Row {
    let name: String = body.to_string().chars().filter(char::is_ascii_lowercase).collect();
    row("PUT", &format!("/brv-check-{name}"), &[]).json(&body)
}
