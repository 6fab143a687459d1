//! The requests of the life of an index, in order, as `brv index` sends them: each with what it reads of the answer.

use super::client::{JSON, LINES};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A request, and the parts of its answer (as JSON pointers) that brv reads.
pub struct Row {
    pub method: &'static str,
    pub target: String,
    pub body: Option<(&'static str, String)>,
    /// With `scores`, the pairs of id and score.
    pub reads: Vec<&'static str>,
}

/// Read as pairs of id and score.
pub const SCORES: &str = "scores";

/// A part of an error.
const ERROR: &str = "/error/type";

pub fn row(method: &'static str, target: &str, reads: &[&'static str]) -> Row {
    Row { method, target: target.into(), body: None, reads: reads.to_vec() }
}

impl Row {
    pub fn json(self, body: &Value) -> Self {
        Self { body: Some((JSON, body.to_string())), ..self }
    }

    pub fn lines(self, body: &str) -> Self {
        Self { body: Some((LINES, body.into())), ..self }
    }
}

/// What `brv index` creates.
pub fn settings() -> Value {
    let named = |names: &[&str], field: &Value| {
        names.iter().map(|name| ((*name).into(), field.clone())).collect::<Vec<_>>()
    };
    let stored = json!({"type": "keyword", "index": false, "doc_values": false});
    let words = json!({"type": "text", "analyzer": "whitespace", "index_options": "freqs"});
    let properties: serde_json::Map<String, Value> = [
        named(&["tree", "remote", "path", "folder", "kind", "branch", "prefix"], &json!({"type": "keyword"})),
        named(&["blob", "commit", "pending", "actor", "text", "rest"], &stored),
        named(&["terms_title", "terms_path", "terms_body"], &words),
        named(
            &["len", "items", "pieces", "title_words", "meta_words"],
            &json!({"type": "integer", "index": false}),
        ),
        named(&["languages", "day", "tokens_version"], &json!({"type": "integer"})),
        named(&["number"], &json!({"type": "long"})),
        named(&["updated_at", "sent_at", "swept_from"], &json!({"type": "date", "format": "epoch_second"})),
        named(&["gone", "disputed"], &json!({"type": "boolean"})),
    ]
    .concat()
    .into_iter()
    .collect();
    json!({
        "settings": {"number_of_shards": 1, "number_of_replicas": 0},
        "mappings": {"dynamic": "strict", "_meta": {"brv": {"format": 1}}, "_source": {"excludes": ["terms_*"]},
            "properties": properties},
    })
}

/// How many documents there are.
pub const DOCUMENTS: usize = 90;

/// The words of the document `number`: some rare, some frequent, some often in one document.
fn words(number: usize) -> String {
    const WORDS: [&str; 12] = [
        "lock", "token", "cache", "index", "merge", "lease", "queue", "retry", "shard", "mark", "tree",
        "blob",
    ];
    let length = 5 + (number * 13) % 60;
    let word =
        |at: usize| WORDS[(number * number + at * (1 + number % 5)) % WORDS.len().min(2 + number % 11)];
    (0..length).map(word).collect::<Vec<_>>().join(" ")
}

pub fn id(number: usize) -> String {
    format!("{number:032x}")
}

pub fn document(number: usize) -> Value {
    let (tree, folder) = (format!("tree-{}", number % 4), number % 7);
    json!({
        "tree": tree, "remote": format!("https://host.example/{tree}.git"), "path": format!("f{folder}/e{number}.md"),
        "folder": format!("{tree}\nf{folder}"), "blob": format!("{number:040x}"), "commit": format!("{:040x}", number % 9),
        "kind": if number.is_multiple_of(10) { "overview" } else { "entry" },
        "terms_title": words(number + 1).split(' ').take(3).collect::<Vec<_>>().join(" "),
        "terms_path": format!("f{folder} e{number}"), "terms_body": words(number),
        "len": 5 + number, "items": number % 6, "pieces": 1 + number % 3, "title_words": 3, "meta_words": number % 4,
        "languages": [number % 3, 5], "day": 20_000 + number, "text": "some text", "updated_at": 1_700_000_000 + number,
        "disputed": number.is_multiple_of(8), "actor": "someone", "gone": false, "sent_at": 1_800_000_000 + number,
    })
}

pub fn tombstone(number: usize) -> Value {
    let mut whole = document(number);
    whole["gone"] = true.into();
    let kept = ["tree", "path", "folder", "commit", "kind", "gone", "sent_at"];
    whole.as_object_mut().unwrap().retain(|key, _| kept.contains(&key.as_str()));
    whole
}

pub fn mark(tree: &str) -> Value {
    json!({"kind": "mark", "tree": tree, "remote": "https://host.example/tree.git", "branch": "main",
        "pending": ["0".repeat(40)], "number": 1, "tokens_version": 3, "swept_from": 1_700_000_000})
}

/// A body of `_bulk`.
pub fn bulk(documents: impl IntoIterator<Item = (String, u64, Value)>) -> String {
    let mut lines = String::new();
    for (id, version, document) in documents {
        let action = json!({"index": {"_id": id, "version": version, "version_type": "external_gte"}});
        writeln!(lines, "{action}\n{document}").unwrap();
    }
    lines
}

fn search(body: &Value, reads: &[&'static str]) -> Row {
    row("POST", "/brv/_search", reads).json(body)
}

fn alive() -> Value {
    json!({"term": {"gone": false}})
}

const ITEMS: [&str; 4] =
    ["/errors", "/items/0/index/status", "/items/0/index/error/type", "/items/1/index/status"];
const HITS: [&str; 3] = ["/hits/total/value", "/hits/hits", "/_shards/failed"];

/// An index from its creation on, with its documents.
pub fn writes() -> Vec<Row> {
    let mark_target = format!("/brv/_create/mark-{}", id(1));
    let all = (0..DOCUMENTS).map(|number| (id(number), 2, document(number)));
    let again = [(id(1), 2, document(1)), (id(2), 1, document(2))];
    let gone = [(id(3), 3, tombstone(3)), (id(13), 3, tombstone(13))];
    let unknown = json!({"tree": "t", "colour": "red"});
    let bad = [(id(95), 1, unknown), (id(96), 1, json!({"tree": "t", "len": "many"}))];
    vec![
        row("GET", "/brv/_mapping", &[ERROR]),
        row("PUT", "/brv", &["/acknowledged"]).json(&settings()),
        row("PUT", "/brv", &[ERROR]).json(&settings()),
        row("GET", "/brv/_mapping", &["/brv/mappings/_meta", "/brv/mappings/dynamic"]),
        row("GET", &format!("/brv/_doc/mark-{}", id(1)), &["/found"]),
        row("PUT", &mark_target, &["/result"]).json(&mark("tree-0")),
        row("PUT", &mark_target, &[ERROR]).json(&mark("tree-0")),
        row(
            "GET",
            &format!("/brv/_doc/mark-{}", id(1)),
            &["/found", "/_source", "/_primary_term", "/_seq_no"],
        ),
        row("PUT", &format!("/brv/_doc/mark-{}?if_seq_no=0&if_primary_term=1", id(1)), &["/result"])
            .json(&mark("tree-0")),
        row("PUT", &format!("/brv/_doc/mark-{}?if_seq_no=0&if_primary_term=1", id(1)), &[ERROR])
            .json(&mark("tree-0")),
        row("PUT", &format!("/brv/_doc/mark-{}?if_seq_no=0&if_primary_term=1", id(2)), &[ERROR])
            .json(&mark("tree-2")),
        row("PUT", &format!("/brv/_create/mark-{}", id(2)), &["/result"]).json(&mark("tree-2")),
        row("POST", "/brv/_bulk", &ITEMS).lines(&bulk(all)),
        row(
            "POST",
            "/brv/_mget",
            &["/docs/0/found", "/docs/0/_source/path", "/docs/1/found", "/docs/2/found"],
        )
        .json(&json!({"ids": [id(5), id(4000), format!("mark-{}", id(1))]})),
        row("POST", "/brv/_bulk", &ITEMS).lines(&bulk(again)),
        row("POST", "/brv/_bulk?refresh=true", &ITEMS).lines(&bulk(gone)),
        row("POST", "/brv/_bulk", &ITEMS).lines(&bulk(bad)),
        row("POST", "/brv/_refresh", &["/_shards/failed"]),
        row("GET", "/brv/_stats/store,docs", &["/indices/brv/primaries/docs/count"]),
    ]
}

/// What is asked of it.
pub fn reads() -> Vec<Row> {
    let tree = |after: Option<&str>| {
        let filter = json!([{"term": {"tree": "tree-1"}}, alive()]);
        let mut body = json!({"size": 10, "_source": ["path", "blob"], "query": {"bool": {"filter": filter}}, "sort": [{"path": "asc"}]});
        if let Some(after) = after {
            body["search_after"] = json!([after]);
        }
        search(&body, &HITS)
    };
    let folders = json!({"terms": {"folder": ["tree-1\nf1", "tree-2\nf3", "no\nsuch"]}});
    let neighbours = json!({"size": 10_000, "_source": ["tree", "folder", "path", "len", "items", "pieces", "title_words", "meta_words"],
        "query": {"bool": {"filter": [alive(), folders]}}, "sort": [{"folder": "asc"}, {"path": "asc"}]});
    let marks =
        json!({"query": {"term": {"kind": "mark"}}, "sort": [{"tree": "asc"}], "search_after": ["tree-0"]});
    let numbers =
        json!({"size": 0, "query": alive(), "aggs": {"trees": {"terms": {"field": "tree", "size": 10}}}});
    let mut rows = vec![
        tree(None),
        tree(Some("f1/e29.md")),
        statistics(),
        search(&neighbours, &HITS),
        search(&marks, &["/hits/total/value", "/hits/hits/0/_source/tree", "/hits/hits/1"]),
        search(&numbers, &["/aggregations/trees/buckets", "/hits/hits"]),
        search(
            &json!({"size": 3, "_source": false, "query": {"ids": {"values": [id(7)]}}}),
            &["/hits/total/value", "/hits/hits/0/_id", "/hits/hits/0/_source"],
        ),
        search(&json!({"query": {"term": {"nobody": "x"}}}), &HITS),
        search(&json!({"query": {"exists": {"field": "updated_at"}}}), &["/hits/total/value"]),
    ];
    rows.extend(candidates());
    rows.push(row("POST", "/brv/_delete_by_query?conflicts=proceed&refresh=true", &["/deleted", "/total", "/version_conflicts", "/failures"])
        .json(&json!({"query": {"bool": {"filter": [{"term": {"tree": "tree-3"}}, {"term": {"gone": true}}, {"range": {"sent_at": {"lt": 1_900_000_000}}}]}}})));
    rows.push(search(
        &json!({"query": {"term": {"gone": true}}}),
        &["/hits/total/value", "/hits/hits/0/_id"],
    ));
    rows.push(row("PUT", "/brv-check-1", &["/acknowledged"]).json(&settings()));
    rows.push(row("DELETE", "/brv-check-1", &["/acknowledged"]));
    rows.push(row("DELETE", "/brv-check-1", &[ERROR]));
    rows
}

fn statistics() -> Row {
    let sum = |field: &str| json!({"sum": {"field": field}});
    let term = |term: &str| {
        let should: Vec<Value> = ["terms_title", "terms_path", "terms_body"]
            .iter()
            .map(|field| json!({"term": {*field: term}}))
            .collect();
        json!({"bool": {"should": should, "minimum_should_match": 1}})
    };
    let different = |field: &str| json!({"cardinality": {"field": field, "precision_threshold": 40_000}});
    let aggs = json!({
        "trees": different("tree"), "folders": different("folder"),
        "languages": {"terms": {"field": "languages", "size": 64}},
        "items": sum("items"), "pieces": sum("pieces"), "len": sum("len"), "title_words": sum("title_words"), "meta_words": sum("meta_words"),
        "words": {"filters": {"filters": {"lock": term("lock"), "f3": term("f3"), "never": term("never"), "mark": term("mark")}}},
    });
    let body =
        json!({"size": 0, "track_total_hits": true, "query": {"bool": {"filter": [alive()]}}, "aggs": aggs});
    search(&body, &["/hits/total", "/hits/hits", "/aggregations"])
}

/// Questions whose order is that of BM25.
fn candidates() -> Vec<Row> {
    let best = |word: &str| {
        json!({"dis_max": {"tie_breaker": 0.2, "queries": [
            {"term": {"terms_title": {"value": word, "boost": 2.5}}}, {"term": {"terms_path": word}}, {"term": {"terms_body": word}},
        ]}})
    };
    let ask = |filter: Value, must: Value, should: Value| {
        let query =
            json!({"bool": {"filter": filter, "must": must, "should": should, "minimum_should_match": 1}});
        search(
            &json!({"size": 200, "track_total_hits": true, "_source": ["path"], "query": query}),
            &["/hits/total/value", "/hits/max_score", SCORES],
        )
    };
    let glob = json!([alive(), {"wildcard": {"tree": {"value": "tree-[12]*"}}}, {"wildcard": {"tree": {"value": "tr*-?"}}}]);
    vec![
        ask(json!([alive()]), json!([]), json!([{"term": {"terms_body": "lock"}}])),
        ask(json!([alive()]), json!([]), json!([best("merge"), best("lease"), best("mark")])),
        ask(
            json!([alive(), {"wildcard": {"tree": {"value": "t*-?"}}}]),
            json!([]),
            json!([best("retry"), best("f3")]),
        ),
        ask(glob, json!([]), json!([best("retry")])),
        ask(
            json!([alive()]),
            json!([{"term": {"kind": "entry"}}]),
            json!([best("queue"), {"terms": {"terms_body": ["blob", "tree"]}}]),
        ),
        ask(
            json!([alive()]),
            json!([{"range": {"day": {"gte": 20_010, "lt": 20_050}}}]),
            json!([{"prefix": {"terms_body": {"value": "l", "boost": 0.5}}}, best("token")]),
        ),
        ask(
            json!([alive()]),
            json!([]),
            json!([{"constant_score": {"filter": {"term": {"terms_body": "index"}}, "boost": 3}}, {"term": {"languages": 2}}]),
        ),
        ask(json!([{"bool": {"must_not": [{"term": {"kind": "mark"}}]}}]), json!([]), json!([best("cache")])),
    ]
}
