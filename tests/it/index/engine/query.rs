//! Queries: read strictly, and scored as BM25 does it (k1 1.2, b .75; Robertson and Zaragoza 2009, in the form of Lucene,
//! which engines multiply by k1 + 1).

use super::mapping::{Field, Kind, Term};
use super::refusal::Refusal;
use super::store::{Index, Stored};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::ops::Bound;

/// The most values of a `terms` query, and the most clauses of a query.
const MAX_TERMS: usize = 65_536;
const MAX_CLAUSES: usize = 1024;

/// Queries that engines have and this one does not.
const BEYOND: [&str; 22] = [
    "match",
    "match_phrase",
    "match_phrase_prefix",
    "match_bool_prefix",
    "multi_match",
    "query_string",
    "simple_query_string",
    "fuzzy",
    "regexp",
    "nested",
    "boosting",
    "function_score",
    "script",
    "script_score",
    "more_like_this",
    "intervals",
    "has_child",
    "has_parent",
    "terms_set",
    "knn",
    "wrapper",
    "pinned",
];

/// A query that was read.
#[derive(Debug)]
pub struct Query {
    boost: f64,
    /// By which it is told that it matched.
    name: Option<String>,
    clause: Clause,
}

#[derive(Debug)]
enum Clause {
    All,
    Nothing,
    /// A term that is scored.
    Scored {
        field: String,
        term: Term,
        weight: Weight,
    },
    Any {
        field: String,
        terms: BTreeSet<Term>,
    },
    Prefix {
        field: String,
        start: String,
    },
    Wildcard {
        field: String,
        pattern: Vec<Piece>,
        ignores_case: bool,
    },
    Range {
        field: String,
        bounds: (Bound<Term>, Bound<Term>),
    },
    Exists {
        field: String,
    },
    Ids(BTreeSet<String>),
    /// Any match counts one.
    Constant(Box<Query>),
    Best {
        queries: Vec<Query>,
        tie: f64,
    },
    Bool {
        must: Vec<Query>,
        filter: Vec<Query>,
        should: Vec<Query>,
        must_not: Vec<Query>,
        least: usize,
    },
}

/// What is the same in the score of a term for all documents.
#[derive(Debug)]
struct Weight {
    rarity: f64,
    average: f64,
    has_counts: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Piece {
    Any,
    One,
    Letter(char),
}

impl Query {
    /// Read a query for an index.
    ///
    /// # Errors
    /// What an engine refuses.
    pub fn parse(text: &Value, index: &Index) -> Result<Self, Refusal> {
        let mut clauses = 0;
        Self::read(text, index, &mut clauses)
    }

    fn read(text: &Value, index: &Index, clauses: &mut usize) -> Result<Self, Refusal> {
        let empty = || Refusal::parsing("query malformed, empty clause found");
        let root = text
            .as_object()
            .ok_or_else(|| Refusal::parsing("[_na] query malformed, must start with start_object"))?;
        let (name, body) = root.iter().next().ok_or_else(empty)?;
        if let Some(second) = root.keys().nth(1) {
            let reason =
                format!("[{name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME] ({second})");
            return Err(Refusal::parsing(reason));
        }
        if !["bool", "dis_max", "constant_score"].contains(&name.as_str()) {
            *clauses += 1;
            if *clauses > MAX_CLAUSES {
                let reason = format!("maxClauseCount is set to {MAX_CLAUSES}");
                return Err(Refusal::new(400, "too_many_nested_clauses", reason));
            }
        }
        let body = body.as_object().ok_or_else(|| {
            Refusal::parsing(format!("[{name}] query malformed, no start_object after query name"))
        })?;
        let clause = match name.as_str() {
            "match_all" => known(name, body, &[]).map(|()| Clause::All),
            "match_none" => known(name, body, &[]).map(|()| Clause::Nothing),
            "term" => term(name, body, index),
            "terms" => return terms(name, body, index),
            "prefix" => prefix(name, body, index),
            "wildcard" => wildcard(name, body, index),
            "range" => range(name, body, index),
            "exists" => exists(name, body, index),
            "ids" => ids(name, body),
            "constant_score" => {
                known(name, body, &["filter"])?;
                let filter = body
                    .get("filter")
                    .ok_or_else(|| Refusal::parsing("[constant_score] requires a 'filter' element"))?;
                Ok(Clause::Constant(Box::new(Self::read(filter, index, clauses)?)))
            }
            "dis_max" => {
                known(name, body, &["queries", "tie_breaker"])?;
                let queries = list(body.get("queries"), index, clauses)?;
                if queries.is_empty() {
                    return Err(Refusal::parsing(
                        "[dis_max] requires 'queries' field with at least one clause",
                    ));
                }
                Ok(Clause::Best { queries, tie: number(name, body, "tie_breaker")?.unwrap_or(0.0) })
            }
            "bool" => all_of(name, body, index, clauses),
            name if BEYOND.contains(&name) => Err(Refusal::beyond(&format!("query [{name}]"))),
            name => Err(Refusal::parsing(format!("unknown query [{name}]"))),
        }?;
        let inner =
            body.values().next().and_then(Value::as_object).filter(|_| takes_field(name)).unwrap_or(body);
        let own_name = inner.get("_name").and_then(Value::as_str).map(Into::into);
        Ok(Self { boost: number(name, inner, "boost")?.unwrap_or(1.0), name: own_name, clause })
    }

    /// The names of the queries in this one that a document matches.
    pub fn matched(&self, document: &Stored) -> Vec<&str> {
        if self.name.is_none() && matches!(self.clause, Clause::Scored { .. }) {
            return Vec::new();
        }
        let own = self.name.as_deref().filter(|_| self.score(document).is_some());
        let inner: Vec<&Self> = match &self.clause {
            Clause::Constant(query) => vec![query],
            Clause::Best { queries, .. } => queries.iter().collect(),
            Clause::Bool { must, filter, should, .. } => must.iter().chain(filter).chain(should).collect(),
            _ => Vec::new(),
        };
        own.into_iter().chain(inner.into_iter().flat_map(|query| query.matched(document))).collect()
    }

    /// The score of a document; `None` if it does not match.
    pub fn score(&self, document: &Stored) -> Option<f64> {
        let terms =
            |field: &str| document.fields.get(field).into_iter().flat_map(|terms| terms.counts.keys());
        let one = |holds: bool| holds.then_some(1.0);
        let word = |term: &Term| if let Term::Word(word) = term { word.clone() } else { String::new() };
        let score = match &self.clause {
            Clause::All => Some(1.0),
            Clause::Nothing => None,
            Clause::Scored { field, term, weight } => weight.score(document, field, term),
            Clause::Any { field, terms: wanted } => one(terms(field).any(|term| wanted.contains(term))),
            Clause::Prefix { field, start } => one(terms(field).any(|term| word(term).starts_with(start))),
            Clause::Wildcard { field, pattern, ignores_case } => one(terms(field).any(|term| {
                let word = word(term);
                let word = if *ignores_case { word.to_lowercase() } else { word };
                is_match(pattern, &word.chars().collect::<Vec<_>>())
            })),
            Clause::Range { field, bounds } => {
                one(terms(field).any(|term| std::ops::RangeBounds::contains(bounds, term)))
            }
            Clause::Exists { field } => one(terms(field).next().is_some()),
            Clause::Ids(ids) => one(ids.contains(&document.id)),
            Clause::Constant(query) => query.score(document).map(|_| 1.0),
            Clause::Best { queries, tie } => {
                let scores: Vec<f64> = queries.iter().filter_map(|query| query.score(document)).collect();
                let best = scores.iter().copied().reduce(f64::max);
                best.map(|best| best + tie * (scores.iter().sum::<f64>() - best))
            }
            Clause::Bool { must, filter, should, must_not, least } => {
                let scored = must.iter().map(|query| query.score(document)).sum::<Option<f64>>();
                let holds = filter.iter().all(|query| query.score(document).is_some())
                    && !must_not.iter().any(|query| query.score(document).is_some());
                let optional: Vec<f64> = should.iter().filter_map(|query| query.score(document)).collect();
                let holds = holds && optional.len() >= *least;
                scored.filter(|_| holds).map(|score| score + optional.iter().sum::<f64>())
            }
        };
        score.map(|score| score * self.boost)
    }
}

impl Weight {
    fn of(index: &Index, name: &str, field: Field, term: &Term) -> Self {
        let with_field = index.visible().iter().filter_map(|document| document.fields.get(name));
        let (mut documents, mut length, mut with_term) = (0.0, 0.0, 0.0);
        for terms in with_field.filter(|terms| terms.length > 0) {
            documents += 1.0;
            length += f64::from(terms.length);
            with_term += f64::from(u8::from(terms.counts.contains_key(term)));
        }
        let rarity = (1.0 + (documents - with_term + 0.5) / (with_term + 0.5)).ln();
        let average = if documents > 0.0 { length / documents } else { 1.0 };
        Self { rarity, average, has_counts: field.kind == Kind::Text }
    }

    fn score(&self, document: &Stored, field: &str, term: &Term) -> Option<f64> {
        let terms = document.fields.get(field)?;
        let count = f64::from(*terms.counts.get(term)?);
        let (count, length) =
            if self.has_counts { (count, f64::from(rounded(terms.length))) } else { (1.0, 1.0) };
        let norm = 1.2 * (0.25 + 0.75 * length / self.average);
        Some(2.2 * self.rarity * count / (count + norm))
    }
}

/// A length as Lucene keeps it in a byte: exact to 40, then with four significant bits above 24.
fn rounded(length: u32) -> u32 {
    const EXACT: u32 = 24;
    if length < EXACT {
        return length;
    }
    let above = length - EXACT;
    let shift = (32 - above.leading_zeros()).saturating_sub(4);
    EXACT + ((above >> shift) << shift)
}

/// Whether the query's body is a field with what is asked of it.
fn takes_field(name: &str) -> bool {
    ["term", "prefix", "wildcard", "range"].contains(&name)
}

/// Refuse keys that a query does not have.
fn known(name: &str, body: &Map<String, Value>, keys: &[&str]) -> Result<(), Refusal> {
    match body.keys().find(|key| !keys.contains(&key.as_str()) && !["boost", "_name"].contains(&key.as_str()))
    {
        Some(key) => Err(Refusal::parsing(format!("[{name}] query does not support [{key}]"))),
        None => Ok(()),
    }
}

fn number(name: &str, body: &Map<String, Value>, key: &str) -> Result<Option<f64>, Refusal> {
    match body.get(key) {
        None => Ok(None),
        Some(value) => match value.as_f64() {
            Some(number) if number >= 0.0 => Ok(Some(number)),
            _ => Err(Refusal::argument(format!("negative or invalid [{key}] in [{name}]: {value}"))),
        },
    }
}

/// The field of a query, its value, and the options beside the value.
type OfField<'a> = (&'a str, &'a Value, Option<&'a Map<String, Value>>);

/// The one field of a query, and what is asked of it: `value` under one of `names`, or the whole.
fn field_of<'a>(
    name: &str,
    body: &'a Map<String, Value>,
    names: &[&str],
    options: &[&str],
) -> Result<OfField<'a>, Refusal> {
    let (field, value) =
        body.iter().next().ok_or_else(|| Refusal::parsing(format!("[{name}] query malformed, no field")))?;
    if let Some(second) = body.keys().nth(1) {
        let reason =
            format!("[{name}] query doesn't support multiple fields, found [{field}] and [{second}]");
        return Err(Refusal::parsing(reason));
    }
    let Some(inner) = value.as_object() else {
        if value.is_array() || value.is_null() {
            return Err(Refusal::parsing(format!(
                "[{name}] query does not support arrays or null for [{field}]"
            )));
        }
        return Ok((field, value, None));
    };
    known(name, inner, &[names, options].concat())?;
    let value = names.iter().find_map(|name| inner.get(*name)).filter(|value| !value.is_null());
    match value {
        Some(value) => Ok((field, value, Some(inner))),
        None if names.is_empty() => Ok((field, &body[field], Some(inner))),
        None => Err(Refusal::argument("value cannot be null")),
    }
}

/// The field, if it can be asked; `None` if the mapping does not have it, which matches nothing.
fn asked(index: &Index, name: &str) -> Result<Option<Field>, Refusal> {
    match index.mapping.field(name) {
        Some(field) if !field.is_indexed => {
            let reason =
                format!("failed to create query: Cannot search on field [{name}] since it is not indexed.");
            Err(Refusal::new(400, "query_shard_exception", reason))
        }
        field => Ok(field),
    }
}

fn term_of(field: Field, value: &Value) -> Result<Term, Refusal> {
    let failed =
        |reason| Refusal::new(400, "query_shard_exception", format!("failed to create query: {reason}"));
    field.term(value).map_err(failed)
}

fn text_field(index: &Index, query: &str, name: &str) -> Result<Option<Field>, Refusal> {
    match asked(index, name)? {
        Some(field) if !matches!(field.kind, Kind::Keyword | Kind::Text) => {
            let reason = format!(
                "failed to create query: Can only use {query} queries on keyword, text and wildcard fields - not on [{name}] which is of type [{}]",
                field.name()
            );
            Err(Refusal::new(400, "query_shard_exception", reason))
        }
        field => Ok(field),
    }
}

fn term(name: &str, body: &Map<String, Value>, index: &Index) -> Result<Clause, Refusal> {
    let (field_name, value, inner) = field_of(name, body, &["value"], &["case_insensitive"])?;
    if inner.is_some_and(|inner| inner.contains_key("case_insensitive")) {
        return Err(Refusal::beyond("case_insensitive of [term]"));
    }
    let Some(field) = asked(index, field_name)? else { return Ok(Clause::Nothing) };
    let (term, field_name) = (term_of(field, value)?, field_name.to_owned());
    Ok(match field.kind {
        Kind::Keyword | Kind::Text => {
            let weight = Weight::of(index, &field_name, field, &term);
            Clause::Scored { field: field_name, term, weight }
        }
        _ => Clause::Any { field: field_name, terms: BTreeSet::from([term]) },
    })
}

fn terms(name: &str, body: &Map<String, Value>, index: &Index) -> Result<Query, Refusal> {
    let mut fields = body.iter().filter(|(key, _)| !["boost", "_name"].contains(&key.as_str()));
    let (field_name, values) =
        fields.next().ok_or_else(|| Refusal::parsing("[terms] query requires a field name"))?;
    if fields.next().is_some() {
        return Err(Refusal::parsing("[terms] query does not support multiple fields"));
    }
    let values = values
        .as_array()
        .ok_or_else(|| Refusal::parsing(format!("[terms] query does not support [{field_name}]")))?;
    if values.len() > MAX_TERMS {
        let reason = format!(
            "failed to create query: The number of terms [{}] used in the Terms Query request has exceeded the allowed maximum of [{MAX_TERMS}]. This maximum can be set by changing the [index.max_terms_count] index level setting.",
            values.len()
        );
        return Err(Refusal::new(400, "query_shard_exception", reason));
    }
    let clause = match asked(index, field_name)? {
        None => Clause::Nothing,
        Some(field) => {
            let terms = values.iter().map(|value| term_of(field, value)).collect::<Result<_, _>>()?;
            Clause::Any { field: field_name.clone(), terms }
        }
    };
    let own_name = body.get("_name").and_then(Value::as_str).map(Into::into);
    Ok(Query { boost: number(name, body, "boost")?.unwrap_or(1.0), name: own_name, clause })
}

fn prefix(name: &str, body: &Map<String, Value>, index: &Index) -> Result<Clause, Refusal> {
    let (field, value, _) = field_of(name, body, &["value"], &["rewrite"])?;
    let start = value.as_str().map_or_else(|| value.to_string(), Into::into);
    let known = text_field(index, name, field)?;
    Ok(known.map_or(Clause::Nothing, |_| Clause::Prefix { field: field.into(), start }))
}

fn wildcard(name: &str, body: &Map<String, Value>, index: &Index) -> Result<Clause, Refusal> {
    let (field, value, inner) =
        field_of(name, body, &["value", "wildcard"], &["rewrite", "case_insensitive"])?;
    let ignores_case = inner.is_some_and(|inner| inner.get("case_insensitive") == Some(&true.into()));
    let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
    let text = if ignores_case { text.to_lowercase() } else { text };
    let known = text_field(index, name, field)?;
    let pattern = pieces(&text);
    Ok(known.map_or(Clause::Nothing, |_| Clause::Wildcard { field: field.into(), pattern, ignores_case }))
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut letters = text.chars();
    let mut pieces = Vec::new();
    while let Some(letter) = letters.next() {
        pieces.push(match letter {
            '*' => Piece::Any,
            '?' => Piece::One,
            '\\' => Piece::Letter(letters.next().unwrap_or('\\')),
            letter => Piece::Letter(letter),
        });
    }
    pieces
}

fn is_match(pattern: &[Piece], word: &[char]) -> bool {
    match pattern {
        [] => word.is_empty(),
        [Piece::Any, rest @ ..] => (0..=word.len()).any(|at| is_match(rest, &word[at..])),
        [Piece::One, rest @ ..] => word.split_first().is_some_and(|(_, word)| is_match(rest, word)),
        [Piece::Letter(letter), rest @ ..] => {
            word.split_first().is_some_and(|(first, word)| first == letter && is_match(rest, word))
        }
    }
}

fn range(name: &str, body: &Map<String, Value>, index: &Index) -> Result<Clause, Refusal> {
    let options = ["gt", "gte", "lt", "lte", "format", "relation", "time_zone"];
    let (field_name, _, inner) = field_of(name, body, &[], &options)?;
    let inner = inner.ok_or_else(|| Refusal::parsing("[range] query does not support a value"))?;
    let Some(field) = asked(index, field_name)? else { return Ok(Clause::Nothing) };
    let term = |key: &str| {
        inner.get(key).filter(|value| !value.is_null()).map(|value| term_of(field, value)).transpose()
    };
    let bound = |open: &str, closed: &str| {
        let bounds = (term(open)?, term(closed)?);
        Ok::<_, Refusal>(match bounds {
            (Some(term), _) => Bound::Excluded(term),
            (None, Some(term)) => Bound::Included(term),
            (None, None) => Bound::Unbounded,
        })
    };
    Ok(Clause::Range { field: field_name.into(), bounds: (bound("gt", "gte")?, bound("lt", "lte")?) })
}

fn exists(name: &str, body: &Map<String, Value>, index: &Index) -> Result<Clause, Refusal> {
    known(name, body, &["field"])?;
    let field = body.get("field").and_then(Value::as_str);
    let field = field.ok_or_else(|| Refusal::parsing("[exists] must be provided with a [field]"))?;
    match index.mapping.field(field) {
        Some(field) if !field.is_indexed && !field.has_doc_values => {
            Err(Refusal::beyond("[exists] of such a field"))
        }
        _ => Ok(Clause::Exists { field: field.into() }),
    }
}

fn ids(name: &str, body: &Map<String, Value>) -> Result<Clause, Refusal> {
    known(name, body, &["values"])?;
    let values = body.get("values").and_then(Value::as_array);
    let values = values.ok_or_else(|| Refusal::parsing("[ids] requires providing a values array"))?;
    Ok(Clause::Ids(values.iter().filter_map(Value::as_str).map(Into::into).collect()))
}

fn list(value: Option<&Value>, index: &Index, clauses: &mut usize) -> Result<Vec<Query>, Refusal> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => values.iter().map(|value| Query::read(value, index, clauses)).collect(),
        Some(value) => Ok(vec![Query::read(value, index, clauses)?]),
    }
}

fn all_of(
    name: &str,
    body: &Map<String, Value>,
    index: &Index,
    clauses: &mut usize,
) -> Result<Clause, Refusal> {
    known(name, body, &["must", "filter", "should", "must_not", "minimum_should_match"])?;
    let mut part = |key: &str| list(body.get(key), index, clauses);
    let (must, filter, should, must_not) =
        (part("must")?, part("filter")?, part("should")?, part("must_not")?);
    let least = match body.get("minimum_should_match") {
        None => usize::from(must.is_empty() && filter.is_empty() && !should.is_empty()),
        Some(value) => {
            let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
            text.parse().map_err(|_| Refusal::beyond(&format!("minimum_should_match [{text}]")))?
        }
    };
    Ok(Clause::Bool { must, filter, should, must_not, least })
}
