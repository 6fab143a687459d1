//! An entry taken apart: its fields, facts and sections.

use brv_text::derive;
use brv_text::doc::{self, Document, Frontmatter, Value as Yaml};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The parts of an entry.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Parts")]
pub struct EntryParts {
    /// All fields, with their values as written; `null` if there are none or they cannot be read.
    pub frontmatter: Option<Map<String, Value>>,
    pub facts: Vec<ReadFact>,
    pub sections: Vec<ReadSection>,
}

#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Fact")]
pub struct ReadFact {
    pub subject: Option<String>,
    pub statement: String,
    pub category: Option<&'static str>,
    /// Its line, from 1.
    pub line: usize,
}

#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Section")]
pub struct ReadSection {
    /// Level of the heading, 1 to 6.
    pub level: u8,
    pub title: String,
    /// Line of its heading, from 1.
    pub line: usize,
    /// Estimated tokens, nested sections included.
    pub tokens: u64,
}

impl EntryParts {
    pub fn of(document: &Document) -> Self {
        let fact = |fact: doc::Fact| ReadFact {
            line: document.line_of_body(fact.span.start),
            subject: fact.subject,
            statement: fact.statement,
            category: fact.category.map(doc::Category::as_str),
        };
        let outline = document.outline();
        let sections = outline.sections().iter().enumerate().skip(1).map(|(at, section)| ReadSection {
            level: section.level,
            title: section.title.clone(),
            line: document.line_of_body(heading_start(document.body(), section)),
            tokens: derive::tokens_of(&document.body()[outline.span(at)]),
        });
        Self {
            frontmatter: match document.frontmatter() {
                Frontmatter::Fields(_) => Some(fields(document.fields())),
                Frontmatter::Absent | Frontmatter::Opaque { .. } => None,
            },
            facts: document.facts().into_iter().map(fact).collect(),
            sections: sections.collect(),
        }
    }
}

/// Where the heading itself begins: blank lines before the first heading belong to its section.
fn heading_start(body: &str, section: &doc::Section) -> usize {
    let heading = &body[section.heading.clone()];
    section.heading.start + heading.len() - heading.trim_start().len()
}

fn fields(fields: &[(Yaml, Yaml)]) -> Map<String, Value> {
    let key = |key: &Yaml| key.as_str().map(str::to_owned);
    fields.iter().filter_map(|(name, found)| Some((key(name)?, value(found)))).collect()
}

/// Convert a value. Scalars stay text, as written: only the reader knows what `1.10` means.
fn value(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Null => Value::Null,
        Yaml::Scalar(text) => text.clone().into(),
        Yaml::List(items) => items.iter().map(value).collect(),
        Yaml::Map(inner) => fields(inner).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_taken_apart_with_its_lines() {
        let text = "---\ntitle: T\ntags: [a, 1.10]\nx: {y: null}\n---\n# T\n\n## Facts\n- **ttl**: one day [project]\n- more\n";
        let parts = serde_json::to_value(EntryParts::of(&Document::parse(text))).unwrap();
        assert_eq!(
            parts,
            serde_json::json!({
                "frontmatter": {"title": "T", "tags": ["a", "1.10"], "x": {"y": null}},
                "facts": [
                    {"subject": "ttl", "statement": "one day", "category": "project", "line": 9},
                    {"subject": null, "statement": "more", "category": null, "line": 10},
                ],
                "sections": [
                    {"level": 1, "title": "T", "line": 6, "tokens": 13},
                    {"level": 2, "title": "Facts", "line": 8, "tokens": 12},
                ],
            })
        );
    }
}
