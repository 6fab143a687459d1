//! The question to a model about an entry, and the form of its answer: a summary of one line, or the parts of an
//! overview.
//!
//! An answer that cannot be used is refused in words that the model reads, and gives again.

use brv_engine::agents::model::fence::fenced;
use brv_engine::agents::model::{Purpose, Request, Shape};
use brv_engine::open::models::{plain_line, start_of};
use brv_text::derive::{self, CHARS_PER_TOKEN};
use brv_text::doc::{Document, Status, normal};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The most characters of an entry that are sent.
const MOST_SENT: usize = 20_000;

/// The most characters of a summary. The prompt asks for fewer.
const MOST_OF_SUMMARY: usize = 240;

/// The most tokens of an overview, as of an extracted one.
const MOST_OF_OVERVIEW: u64 = 1_500;

/// The most points, entities and patterns of an overview.
const MOST_POINTS: usize = 7;
const MOST_ENTITIES: usize = 30;

/// The entry of a question.
pub(super) struct Subject<'s> {
    pub path: &'s str,
    pub document: &'s Document,
}

/// The request for a summary.
pub(super) fn summary_request(subject: &Subject<'_>) -> Request {
    let schema = json!({
        "type": "object",
        "properties": {"summary": {"type": "string"}},
        "required": ["summary"],
        "additionalProperties": false,
    });
    request(subject, include_str!("summary.md"), Shape { name: "summary", schema })
}

/// The request for an overview.
pub(super) fn overview_request(subject: &Subject<'_>) -> Request {
    let list = || json!({"type": "array", "items": {"type": "string"}});
    let schema = json!({
        "type": "object",
        "properties": {"gist": {"type": "string"}, "points": list(), "entities": list(), "patterns": list()},
        "required": ["gist", "points", "entities", "patterns"],
        "additionalProperties": false,
    });
    request(subject, include_str!("overview.md"), Shape { name: "overview", schema })
}

fn request(subject: &Subject<'_>, task: &str, shape: Shape) -> Request {
    let heading = format!("The entry `{}`:", subject.path.replace(char::is_control, " "));
    let text = fenced(&heading, start_of(subject.document.text(), MOST_SENT));
    Request::new(Purpose::Summary, task, text, shape)
}

/// The summary that was answered.
///
/// # Errors
/// What is wrong with it, for the model.
pub(super) fn summary(subject: &Subject<'_>, answer: Value) -> Result<String, String> {
    #[derive(Deserialize)]
    struct OverviewAnswer {
        summary: String,
    }
    let OverviewAnswer { summary } = serde_json::from_value(answer).map_err(|error| error.to_string())?;
    let summary = line("summary", &summary, subject)?;
    let length = summary.chars().count();
    if length > MOST_OF_SUMMARY {
        return Err(format!("`summary` has {length} characters, and may have {MOST_OF_SUMMARY}"));
    }
    if subject.document.title().is_some_and(|title| normal(&title) == normal(&summary)) {
        return Err("`summary` only repeats the title".to_owned());
    }
    Ok(summary)
}

/// The overview that was answered, as markdown.
///
/// # Errors
/// What is wrong with it, for the model.
pub(super) fn overview(subject: &Subject<'_>, answer: Value) -> Result<String, String> {
    #[derive(Deserialize)]
    struct OverviewAnswer {
        gist: String,
        points: Vec<String>,
        #[serde(default)]
        entities: Vec<String>,
        #[serde(default)]
        patterns: Vec<String>,
    }
    let OverviewAnswer { gist, points, entities, patterns } =
        serde_json::from_value(answer).map_err(|error| error.to_string())?;
    if points.is_empty() {
        return Err("`points` is empty".to_owned());
    }
    let lists = [
        ("points", &points, MOST_POINTS),
        ("entities", &entities, MOST_ENTITIES),
        ("patterns", &patterns, MOST_POINTS),
    ];
    if let Some((name, list, most)) = lists.iter().find(|(_, list, most)| list.len() > *most) {
        return Err(format!("`{name}` has {} items, and may have {most}", list.len()));
    }
    let lines = |name: &str, list: &[String]| -> Result<Vec<String>, String> {
        list.iter().map(|text| line(name, text, subject)).collect()
    };
    let mut text = String::new();
    if let Some(title) = subject.document.title() {
        let status = subject.document.meta().status.filter(|status| *status != Status::Done);
        let status = status.map_or_else(String::new, |status| format!(" ({})", status.as_str()));
        let _ = write!(text, "# {title}{status}\n\n");
    }
    let _ = write!(text, "{}\n\n## Key points\n\n", line("gist", &gist, subject)?);
    lines("points", &points)?.iter().for_each(|point| text.push_str(&format!("- {point}\n")));
    let entities = lines("entities", &entities)?;
    if !entities.is_empty() {
        let _ = write!(text, "\n## Entities\n\n{}\n", entities.join(", "));
    }
    let patterns = lines("patterns", &patterns)?;
    if !patterns.is_empty() {
        text.push_str("\n## Patterns\n\n");
        patterns.iter().for_each(|pattern| text.push_str(&format!("- {pattern}\n")));
    }
    let most = derive::tokens_of_file(subject.document.as_bytes()).min(MOST_OF_OVERVIEW);
    match derive::tokens_of(&text) <= most {
        true => Ok(text),
        false => Err(format!(
            "it is too long: {} characters in all are the limit",
            most as usize * CHARS_PER_TOKEN
        )),
    }
}

/// A text on one line that may stand for the entry.
fn line(name: &str, text: &str, subject: &Subject<'_>) -> Result<String, String> {
    plain_line(name, text, subject.document.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "---\ntitle: Token lifetime\n---\n\nAccess tokens live 12 hours, since the gate caches them. The gate checks the signature of each one.\n";

    fn of(
        wanted: fn(&Subject<'_>, Value) -> Result<String, String>,
        answer: Value,
    ) -> Result<String, String> {
        wanted(&Subject { path: "auth/t.md", document: &Document::parse(ENTRY) }, answer)
    }

    #[test]
    fn a_summary_is_short_and_says_more_than_the_title() {
        let said = |text: &str| of(summary, json!({"summary": text}));
        assert_eq!(said(" Access tokens live 12 hours. ").unwrap(), "Access tokens live 12 hours.");
        for (text, why) in [
            ("token LIFETIME", "repeats the title"),
            ("Access tokens live 24 hours.", "the number 24"),
            (&"long ".repeat(60), "characters"),
        ] {
            let said = said(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
        assert!(of(summary, json!({"text": "x"})).unwrap_err().contains("missing field"));
    }

    #[test]
    fn an_overview_has_its_parts_and_is_shorter_than_its_entry() {
        let parts =
            |points: Value| json!({"gist": "Tokens live 12 hours.", "points": points, "entities": ["gate"]});
        let made = of(overview, parts(json!(["The gate caches."]))).unwrap();
        assert_eq!(
            made,
            "# Token lifetime\n\nTokens live 12 hours.\n\n## Key points\n\n- The gate caches.\n\n## Entities\n\ngate\n"
        );
        assert!(of(overview, parts(json!([]))).unwrap_err().contains("`points` is empty"));
        assert!(of(overview, parts(json!(["a", "b", "c", "d", "e", "f", "g", "h"]))).is_err());
        let long = parts(json!([
            "The gate checks the signature of each one and does so for all of them, without end."
        ]));
        assert!(of(overview, long).unwrap_err().contains("too long"));
    }
}
