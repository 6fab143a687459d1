//! What a decision writes: operations of curation, and the fields that a dream must not make younger.

use brv_base::clock::format_utc;
use brv_base::path::TreePath;
use brv_text::curate::{CurateKind, Operation, Parts, Refused};
use brv_text::doc::render::Synthesis;
use brv_text::doc::{self, Document};
use brv_text::dream::{Decision, rendered};

/// How sure a synthesis is that does not say so.
const UNSURE: f64 = 0.5;

/// The text of a decision, taken apart: a whole file gives the fields that the decision does not name itself.
pub struct Text {
    pub title: Option<String>,
    pub summary: Option<String>,
    pub tags: Option<Vec<String>>,
    pub keywords: Option<Vec<String>>,
    pub related: Option<Vec<String>>,
    /// The body; `None` if the decision has no text.
    pub body: Option<String>,
}

impl Text {
    pub fn of(decision: &Decision) -> Self {
        let written = decision.markdown.as_deref();
        let whole = written.filter(|text| text.starts_with("---")).map(Document::parse);
        let meta = whole.as_ref().map(Document::meta).unwrap_or_default();
        let filled = |items: Vec<String>| Some(items).filter(|items| !items.is_empty());
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let body = match &whole {
            Some(document) => Some(document.body().trim_start_matches(['\n', '\r']).to_owned()),
            None => written.map(str::to_owned),
        };
        Self {
            title: said(&decision.title).or(said(&meta.title)),
            summary: said(&decision.summary).or(said(&meta.summary)),
            tags: decision.tags.clone().or_else(|| filled(meta.tags)),
            keywords: decision.keywords.clone().or_else(|| filled(meta.keywords)),
            related: decision.related.clone().or_else(|| filled(meta.related)),
            body,
        }
    }

    /// An operation that writes this text into `path`. Relations are added, never lost.
    pub fn operation(
        &self,
        kind: CurateKind,
        path: &TreePath,
        before: Option<&Document>,
        reason: &str,
    ) -> Operation {
        let known = before.map(|before| before.meta().related).unwrap_or_default();
        let related = self.related.as_ref().map(|new| [&known[..], &new[..]].concat());
        Operation {
            title: self.title.clone(),
            summary: self.summary.clone(),
            tags: self.tags.clone(),
            keywords: self.keywords.clone(),
            related,
            parts: self.body.iter().cloned().map(Parts::Markdown).collect(),
            replace: self.body.is_some() && kind != CurateKind::Add,
            ..plain(kind, path, reason)
        }
    }

    /// The file of a new synthesis.
    pub fn synthesis(
        &self,
        path: &TreePath,
        sources: &[String],
        confidence: Option<f64>,
        now: i64,
    ) -> String {
        let body = self.body.as_deref().unwrap_or_default();
        let title = self.title.clone().or_else(|| Document::parse(body).title()).unwrap_or_else(|| {
            let name = path.file_name();
            name.strip_suffix(".md").unwrap_or(name).replace(['_', '-'], " ")
        });
        let none: &[String] = &[];
        let synthesis = Synthesis {
            confidence: confidence.unwrap_or(UNSURE),
            sources,
            title: &title,
            summary: self.summary.as_deref().unwrap_or_default(),
            tags: self.tags.as_deref().unwrap_or(none),
            keywords: self.keywords.as_deref().unwrap_or(none),
            now: &format_utc(now),
        };
        rendered(&synthesis, body)
    }
}

/// An operation that names an entry and a reason only.
pub fn plain(kind: CurateKind, path: &TreePath, reason: &str) -> Operation {
    Operation { kind, path: path.to_string(), reason: reason.to_owned(), ..Operation::default() }
}

/// The bytes of a merged entry with the newest `updatedAt` that its inputs tell: a merge makes nothing younger. If none
/// tells one, it has none.
pub fn dated(bytes: Vec<u8>, inputs: &[&Document]) -> Result<Vec<u8>, Refused> {
    let told = inputs.iter().filter_map(|input| input.meta().updated_at);
    let newest = told.max_by_key(|text| doc::instant(text));
    let mut document = Document::parse(bytes);
    match newest {
        Some(text) => document.set_scalar("updatedAt", text.as_str())?,
        None => document.remove_field("updatedAt")?,
    };
    Ok(document.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(markdown: &str) -> Decision {
        serde_json::from_value(serde_json::json!({
            "candidate": "c1", "action": "MERGE", "reason": "same", "title": "Named", "markdown": markdown,
        }))
        .unwrap()
    }

    #[test]
    fn a_whole_file_gives_the_fields_that_the_decision_does_not_name() {
        let text =
            Text::of(&decision("---\ntitle: Other\ntags: [a]\nupdatedAt: 2030-01-01\n---\n\n# H\n\ntext\n"));
        assert_eq!(text.title.as_deref(), Some("Named"));
        assert_eq!((text.tags, text.body.as_deref()), (Some(vec!["a".into()]), Some("# H\n\ntext\n")));
        let text = Text::of(&decision("# H\n"));
        assert_eq!((text.tags, text.body.as_deref()), (None, Some("# H\n")));
    }

    #[test]
    fn a_merged_entry_is_as_old_as_its_newest_input() {
        let dated = |bytes: &str, inputs: &[&str]| {
            let inputs: Vec<Document> = inputs.iter().map(|text| Document::parse(*text)).collect();
            String::from_utf8(dated(bytes.into(), &inputs.iter().collect::<Vec<_>>()).unwrap()).unwrap()
        };
        let told = |date: &str| format!("---\ntitle: a\nupdatedAt: {date}\n---\nx\n");
        let (old, new) = (told("\"2025-01-01T00:00:00Z\""), told("\"2025-03-01\""));
        assert_eq!(dated(&told("\"2026-11-20T00:00:00Z\""), &[&old, &new]), told("\"2025-03-01\""));
        assert_eq!(dated(&told("2026-11-20"), &["x\n"]), "---\ntitle: a\n---\nx\n");
    }
}
