//! The mapping of an index: which fields it has, and how a document becomes terms.

use super::Family;
use super::refusal::Refusal;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Keyword,
    Text,
    Integer,
    Long,
    /// Seconds since 1970.
    Date,
    Boolean,
}

#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub kind: Kind,
    pub is_indexed: bool,
    pub has_doc_values: bool,
}

/// A value of a field, as it is looked up and sorted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    Number(i64),
    Word(String),
}

/// The terms of a field in one document, each with how often it is there.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    pub counts: BTreeMap<Term, u32>,
    pub length: u32,
}

pub type Fields = BTreeMap<String, Terms>;

/// The longest term in bytes.
const MAX_TERM: usize = 32_766;

/// What else each type may be told; all may have a type and `meta`.
const OPTIONS: [(&str, Kind, &[&str]); 6] = [
    (
        "keyword",
        Kind::Keyword,
        &["index", "doc_values", "norms", "ignore_above", "null_value", "store", "index_options"],
    ),
    ("text", Kind::Text, &["index", "analyzer", "search_analyzer", "index_options", "norms", "store"]),
    ("integer", Kind::Integer, &["index", "doc_values", "store", "coerce", "null_value"]),
    ("long", Kind::Long, &["index", "doc_values", "store", "coerce", "null_value"]),
    ("date", Kind::Date, &["index", "doc_values", "store", "format", "null_value"]),
    ("boolean", Kind::Boolean, &["index", "doc_values", "store", "null_value"]),
];

/// The keys of a mapping beside its fields.
const KEYS: [&str; 13] = [
    "_meta",
    "_source",
    "dynamic",
    "properties",
    "date_detection",
    "numeric_detection",
    "_routing",
    "dynamic_templates",
    "dynamic_date_formats",
    "_field_names",
    "_size",
    "runtime",
    "_data_stream_timestamp",
];

#[derive(Debug, Clone)]
pub struct Mapping {
    /// As it was sent.
    pub text: Value,
    fields: BTreeMap<String, Field>,
    is_strict: bool,
    excludes: Vec<String>,
}

impl Mapping {
    /// # Errors
    /// What an engine refuses.
    pub fn parse(text: &Value) -> Result<Self, Refusal> {
        let bad = |reason: String| Refusal::new(400, "mapper_parsing_exception", reason);
        let empty = Map::new();
        let Some(root) = text.as_object() else {
            return Err(bad("Expected map for property [mappings]".into()));
        };
        if let Some(key) = root.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let value = &root[key];
            return Err(bad(format!(
                "Root mapping definition has unsupported parameters:  [{key} : {value}]"
            )));
        }
        let properties = root.get("properties").map_or(Some(&empty), Value::as_object);
        let properties = properties.ok_or_else(|| bad("Expected map for property [properties]".into()))?;
        let fields = properties.iter().map(|(name, field)| Ok((name.clone(), Field::parse(name, field)?)));
        let dynamic =
            root.get("dynamic").map_or_else(|| "true".into(), |value| value.to_string().replace('"', ""));
        if !["true", "false", "strict", "runtime"].contains(&dynamic.as_str()) {
            return Err(bad(format!("No enum constant for dynamic [{dynamic}]")));
        }
        let excludes = text["_source"]["excludes"].as_array().into_iter().flatten();
        let excludes = excludes.filter_map(Value::as_str).map(Into::into).collect();
        Ok(Self {
            text: text.clone(),
            fields: fields.collect::<Result<_, Refusal>>()?,
            is_strict: dynamic == "strict",
            excludes,
        })
    }

    /// The field, if the mapping names it.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.get(name).copied()
    }

    /// The source without what is not to be stored.
    pub fn stored(&self, source: &Value) -> Value {
        let mut stored = source.clone();
        if let Some(stored) = stored.as_object_mut() {
            stored.retain(|key, _| !self.excludes.iter().any(|pattern| is_like(pattern, key)));
        }
        stored
    }

    /// The terms of each field of a document.
    ///
    /// # Errors
    /// A field that the mapping lacks, or a value that is not of its type.
    pub fn index(&self, family: Family, source: &Value) -> Result<Fields, Refusal> {
        let failed = |reason: String| Refusal::new(400, family.parse_error(), reason);
        let source = source.as_object().ok_or_else(|| failed("failed to parse".into()))?;
        let mut fields = Fields::new();
        for (name, value) in source {
            let Some(field) = self.field(name) else {
                if self.is_strict {
                    let reason = format!(
                        "mapping set to strict, dynamic introduction of [{name}] within [_doc] is not allowed"
                    );
                    return Err(Refusal::new(400, "strict_dynamic_mapping_exception", reason));
                }
                continue;
            };
            let one = std::slice::from_ref(value);
            for value in value.as_array().map_or(one, Vec::as_slice).iter().filter(|value| !value.is_null()) {
                let terms = fields.entry(name.clone()).or_default();
                field.add(name, value, terms).map_err(&failed)?;
            }
        }
        for (name, terms) in &fields {
            let is_long = |term: &Term| matches!(term, Term::Word(word) if word.len() > MAX_TERM);
            let field = self.fields[name];
            if (field.is_indexed || field.has_doc_values) && terms.counts.keys().any(is_long) {
                let reason = format!(
                    "Document contains at least one immense term in field=\"{name}\" (whose UTF8 encoding is longer than the max length {MAX_TERM})"
                );
                return Err(Refusal::argument(reason));
            }
        }
        Ok(fields)
    }
}

impl Field {
    fn parse(name: &str, text: &Value) -> Result<Self, Refusal> {
        let bad = |reason: String| Refusal::new(400, "mapper_parsing_exception", reason);
        let kind =
            text["type"].as_str().ok_or_else(|| bad(format!("No type specified for field [{name}]")))?;
        let Some((_, parsed, options)) = OPTIONS.iter().find(|(known, ..)| *known == kind) else {
            return Err(bad(format!("No handler for type [{kind}] declared on field [{name}]")));
        };
        let keys = text.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        for key in keys {
            if key != "type" && key != "meta" && !options.contains(&key) {
                return Err(bad(format!("unknown parameter [{key}] on mapper [{name}] of type [{kind}]")));
            }
        }
        if text["analyzer"].as_str().is_some_and(|analyzer| analyzer != "whitespace") {
            return Err(Refusal::beyond("analyzer but whitespace"));
        }
        if *parsed == Kind::Text && text["analyzer"].is_null() {
            return Err(Refusal::beyond("analyzer but whitespace"));
        }
        if *parsed == Kind::Date && text["format"] != "epoch_second" {
            return Err(Refusal::beyond("format of dates but epoch_second"));
        }
        let flag = |key: &str| match &text[key] {
            Value::Null => Ok(true),
            Value::Bool(value) => Ok(*value),
            other => Err(bad(format!("Failed to parse mapping: [{key}] of [{name}] is {other}"))),
        };
        let has_doc_values = *parsed != Kind::Text && flag("doc_values")?;
        Ok(Self { kind: *parsed, is_indexed: flag("index")?, has_doc_values })
    }

    /// Add a value of a document.
    fn add(self, name: &str, value: &Value, terms: &mut Terms) -> Result<(), String> {
        let failed = || format!("failed to parse field [{name}] of type [{}]", self.name());
        let mut add = |term: Term| {
            *terms.counts.entry(term).or_insert(0) += 1;
            terms.length += 1;
        };
        match (self.kind, value) {
            (_, Value::Object(_) | Value::Array(_)) => return Err(failed()),
            (Kind::Text, value) => words(&text_of(value)).for_each(|word| add(Term::Word(word.into()))),
            (_, value) => add(self.term(value).map_err(|_| failed())?),
        }
        Ok(())
    }

    /// The term that a value of a document or a query stands for.
    ///
    /// # Errors
    /// It is not of the type.
    pub fn term(self, value: &Value) -> Result<Term, String> {
        let text = text_of(value);
        let number = |least: i64, most: i64| {
            let cut = text.split_once('.').map_or(text.as_str(), |(whole, _)| whole);
            let parsed = cut.parse::<i64>().ok().filter(|_| !value.is_boolean());
            let parsed = parsed.ok_or_else(|| format!("For input string: \"{text}\""))?;
            let fits = (least..=most).contains(&parsed);
            fits.then_some(Term::Number(parsed))
                .ok_or_else(|| format!("Value [{text}] is out of range for {}", self.name()))
        };
        match self.kind {
            Kind::Keyword | Kind::Text => Ok(Term::Word(text)),
            Kind::Integer => number(i32::MIN.into(), i32::MAX.into()),
            Kind::Long | Kind::Date => number(i64::MIN, i64::MAX),
            Kind::Boolean => match text.as_str() {
                "true" => Ok(Term::Number(1)),
                "false" | "" => Ok(Term::Number(0)),
                _ => Err(format!("Can't parse boolean value [{text}], expected [true] or [false]")),
            },
        }
    }

    /// The value of a term in answers: dates are milliseconds there.
    pub fn value(self, term: &Term) -> Value {
        match (self.kind, term) {
            (Kind::Date, Term::Number(seconds)) => json!(seconds * 1000),
            (_, Term::Number(number)) => json!(number),
            (_, Term::Word(word)) => json!(word),
        }
    }

    pub fn name(self) -> &'static str {
        OPTIONS.iter().find(|(_, kind, _)| *kind == self.kind).expect("every kind has a row").0
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), Into::into)
}

/// What the analyzer `whitespace` makes of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// Whether a pattern with `*` stands for the whole text.
pub fn is_like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len()).any(|at| text.is_char_boundary(at) && is_like(rest, &text[at..]))
        }),
    }
}
