//! Write an entry from its parts.
//!
//! The reverse of parsing: what is written here reads back as the same fields and the same content. Knows the order of
//! the fields and the form of the sections, not how an existing entry is changed.

use super::content::{EntryBody, Unwritable};
use super::scalar::{self, Context, Style};
use super::{Concept, Document, Narrative, Statement, Status, single_spaced};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryDraft {
    /// `title`
    pub title: String,
    /// `summary`
    pub summary: String,
    /// `tags`
    pub tags: Vec<String>,
    /// `keywords`
    pub keywords: Vec<String>,
    /// `related`
    pub related: Vec<String>,
    /// `createdAt`
    pub created_at: String,
    /// `updatedAt`
    pub updated_at: String,
    /// `status`, written only if it is there.
    pub status: Option<Status>,
    /// `pinned`, written only if it is true.
    pub pinned: bool,
}

/// The sections of an entry, in the order in which they are written.
pub(super) const SECTIONS: [&str; 4] = ["Raw Concept", "Narrative", "Snippets", "Facts"];

/// The labels of `## Raw Concept`, in the order in which they are written.
pub(super) const LABELS: [&str; 7] = ["Task", "Changes", "Files", "Flow", "Timestamp", "Author", "Patterns"];

/// A synthesis, without the parts of its body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Synthesis<'a> {
    /// `confidence`: how certain it is, 0 to 1
    pub confidence: f64,
    /// `sources`: the summaries it was made from
    pub sources: &'a [String],
    /// `title`
    pub title: &'a str,
    /// `summary`
    pub summary: &'a str,
    /// `tags`
    pub tags: &'a [String],
    /// `keywords`
    pub keywords: &'a [String],
    /// `synthesized_at`, `createdAt` and `updatedAt`.
    pub now: &'a str,
}

/// The whole file: frontmatter with the seven fields of every entry, then the body.
pub fn entry(entry: &EntryDraft, body: &str) -> String {
    let text = |text: &str| text_in(Style::Plain, text);
    let mut fields = vec![
        ("title", text(&entry.title)),
        ("summary", text(&entry.summary)),
        ("tags", list(&entry.tags)),
        ("keywords", list(&entry.keywords)),
        ("related", list(&entry.related)),
        ("createdAt", text(&entry.created_at)),
        ("updatedAt", text(&entry.updated_at)),
    ];
    fields.extend(entry.status.map(|status| ("status", status.as_str().to_owned())));
    fields.extend(entry.pinned.then(|| ("pinned", "true".to_owned())));
    file(&fields, body)
}

/// The whole file of a synthesis: its four fields, the seven of every entry, then the body. Order and quotes are those of
/// the files that other tools wrote, so that writing such a file again changes no other line.
pub fn synthesis(synthesis: &Synthesis<'_>, body: &str) -> String {
    let text = |text: &str| text_in(Style::Double, text);
    let fields = [
        ("confidence", format!("{:?}", synthesis.confidence)),
        ("sources", list(synthesis.sources)),
        ("synthesized_at", text(synthesis.now)),
        ("type", "synthesis".to_owned()),
        ("title", text(synthesis.title)),
        ("summary", text(synthesis.summary)),
        ("tags", list(synthesis.tags)),
        ("related", list(&[])),
        ("keywords", list(synthesis.keywords)),
        ("createdAt", text(synthesis.now)),
        ("updatedAt", text(synthesis.now)),
    ];
    file(&fields, body)
}

fn text_in(style: Style, text: &str) -> String {
    scalar::write(&single_spaced(text), style, Style::Double, Context::Block)
}

fn list(items: &[String]) -> String {
    let written = items.iter().map(|item| scalar::write(item, Style::Plain, Style::Double, Context::Flow));
    format!("[{}]", written.collect::<Vec<_>>().join(", "))
}

fn file(fields: &[(&str, String)], body: &str) -> String {
    let fields: String = fields.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    let body = super::content::trimmed(body);
    let body = if body.is_empty() { String::new() } else { format!("\n{body}\n") };
    format!("---\n{fields}---\n{body}")
}

/// The body with these parts, which reads back as [`EntryBody::normal`] of them.
///
/// # Errors
/// [`Unwritable`]: the first part that would read back otherwise.
pub fn body(content: &EntryBody) -> Result<String, Unwritable> {
    let content = content.normal()?;
    let sections = SECTIONS.into_iter().filter_map(|title| section(title, &content));
    let sections: Vec<String> = sections.collect();
    let body = if sections.is_empty() { String::new() } else { sections.join("\n\n") + "\n" };
    match differing(&content, &EntryBody::of(&Document::parse(body.as_str()))) {
        None => Ok(body),
        Some(part) => Err(Unwritable { part }),
    }
}

/// The first part of `wanted` that reads otherwise.
fn differing(wanted: &EntryBody, read: &EntryBody) -> Option<&'static str> {
    if wanted.concept != read.concept {
        return Some("raw_concept");
    }
    if wanted.narrative != read.narrative {
        return Some("narrative");
    }
    if wanted.snippets != read.snippets {
        return Some("snippets");
    }
    (wanted.facts != read.facts).then_some("facts")
}

/// One of [`SECTIONS`] with its heading, without a line ending at its end; `None` if it would be empty.
pub(super) fn section(title: &str, content: &EntryBody) -> Option<String> {
    let (gap, text) = match title {
        "Raw Concept" => ("\n\n", concept(&content.concept)),
        "Narrative" => ("\n\n", narrative(&content.narrative)),
        "Snippets" => ("\n\n", content.snippets.join("\n\n")),
        _ => ("\n", facts(&content.facts)),
    };
    (!text.is_empty()).then(|| format!("## {title}{gap}{text}"))
}

fn concept(concept: &Concept) -> String {
    LABELS.into_iter().filter_map(|name| label(name, concept)).collect::<Vec<_>>().join("\n\n")
}

/// One of [`LABELS`] with its value: on the line of the label, or as a list below it.
pub(super) fn label(name: &str, concept: &Concept) -> Option<String> {
    let line = |text: &Option<String>| text.as_ref().map(|text| format!("**{name}:** {text}"));
    let list = |items: &[String]| {
        let items: String = items.iter().map(|item| format!("\n- {item}")).collect();
        (!items.is_empty()).then(|| format!("**{name}:**{items}"))
    };
    match name {
        "Task" => line(&concept.task),
        "Changes" => list(&concept.changes),
        "Files" => list(&concept.files),
        "Flow" => line(&concept.flow),
        "Timestamp" => line(&concept.timestamp),
        "Author" => line(&concept.author),
        _ => list(&concept.patterns),
    }
}

fn narrative(narrative: &Narrative) -> String {
    let parts = Narrative::TITLES.into_iter().zip(narrative.parts());
    let parts = parts.filter_map(|(title, part)| Some(format!("### {title}\n{}", part?)));
    parts.collect::<Vec<_>>().join("\n\n")
}

fn facts(facts: &[Statement]) -> String {
    facts.iter().map(|fact| format!("- {}", fact.text())).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Category, Frontmatter};

    fn sample() -> EntryDraft {
        EntryDraft {
            title: "Token lifetime".into(),
            summary: "How long: a day".into(),
            tags: vec!["auth".into(), "a, b".into()],
            created_at: "2026-11-01T08:00:00Z".into(),
            updated_at: "2026-11-02T08:00:00Z".into(),
            ..EntryDraft::default()
        }
    }

    #[test]
    fn all_seven_fields_are_written_in_order() {
        assert_eq!(
            entry(&sample(), "\nText.\n\n"),
            "---\ntitle: Token lifetime\nsummary: \"How long: a day\"\ntags: [auth, \"a, b\"]\nkeywords: []\nrelated: []\ncreatedAt: \"2026-11-01T08:00:00Z\"\nupdatedAt: \"2026-11-02T08:00:00Z\"\n---\n\nText.\n"
        );
        let more = EntryDraft { status: Some(Status::Done), pinned: true, ..sample() };
        assert!(entry(&more, "").ends_with("\nstatus: done\npinned: true\n---\n"));
    }

    #[test]
    fn an_entry_reads_back() {
        let written = Document::parse(entry(&sample(), "x"));
        assert!(matches!(written.frontmatter(), Frontmatter::Fields(fields) if fields.len() == 7));
        let meta = written.meta();
        assert_eq!(meta.title.as_deref(), Some("Token lifetime"));
        assert_eq!(meta.tags, ["auth", "a, b"]);
    }

    #[test]
    fn every_part_of_the_content_has_its_place() {
        let content = EntryBody {
            concept: Concept {
                task: Some("Rotate\nkeys".into()),
                files: vec!["`src/a.rs`".into(), "src/b.rs".into()],
                flow: Some("a -> b".into()),
                ..Concept::default()
            },
            narrative: Narrative { rules: Some("- one\n- two".into()), ..Narrative::default() },
            snippets: vec!["make all".into()],
            facts: vec![
                Statement {
                    subject: Some("ttl".into()),
                    statement: "12 h".into(),
                    category: Some(Category::Project),
                },
                Statement { subject: None, statement: "Keys rotate".into(), category: None },
            ],
        };
        let expected = "## Raw Concept\n\n**Task:** Rotate keys\n\n**Files:**\n- src/a.rs\n- src/b.rs\n\n**Flow:** a -> b\n\n## Narrative\n\n### Rules\n- one\n- two\n\n## Snippets\n\n```\nmake all\n```\n\n## Facts\n- **ttl**: 12 h [project]\n- Keys rotate\n";
        assert_eq!(body(&content).as_deref(), Ok(expected));
        assert_eq!(body(&EntryBody::default()).as_deref(), Ok(""));
    }

    #[test]
    fn a_part_that_would_swallow_the_next_is_rejected() {
        let narrative = Narrative {
            rules: Some("<!-- never closed".into()),
            examples: Some("x".into()),
            ..Narrative::default()
        };
        let content = EntryBody { narrative, ..EntryBody::default() };
        assert_eq!(body(&content), Err(Unwritable { part: "narrative" }));
        let rule = Statement { subject: None, statement: "--".into(), category: None };
        let content = EntryBody { facts: vec![rule], ..EntryBody::default() };
        assert_eq!(body(&content), Err(Unwritable { part: "facts" }));
    }
}
