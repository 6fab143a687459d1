//! One operation as typed on the command line.

use brv_text::curate::{CurateKind, Operation, OperationInput, Read};
use brv_text::doc::{Category, EntryBody, Statement};

#[derive(Debug, Clone, Default)]
pub struct One {
    /// ADD, UPDATE or UPSERT: the others have no entry of their own to write.
    pub kind: CurateKind,
    pub path: String,
    pub title: String,
    pub reason: String,
    /// The body, as markdown.
    pub body: Option<String>,
    /// Facts: `SUBJECT: STATEMENT [CATEGORY]`.
    pub facts: Vec<String>,
    /// Whether the whole body is replaced.
    pub replace: bool,
}

impl One {
    pub fn read(self) -> Read {
        let facts: Vec<Statement> = self.facts.iter().map(|text| fact(text)).collect();
        let written = OperationInput {
            title: Some(self.title),
            markdown: self.body,
            content: (!facts.is_empty()).then(|| EntryBody { facts, ..EntryBody::default() }),
            replace: self.replace,
            ..OperationInput::new(self.kind, self.path.clone(), self.reason)
        };
        Read {
            kind: Some(self.kind.as_str().to_owned()),
            path: Some(self.path),
            operation: Operation::of(written),
        }
    }
}

/// `SUBJECT: STATEMENT [CATEGORY]`; without a colon it has no subject.
fn fact(text: &str) -> Statement {
    let text = text.trim();
    let category = |word: &str| Category::from_word(word.trim());
    let (text, category) = match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((start, word)) if category(word).is_some() => (start.trim_end(), category(word)),
        _ => (text, None),
    };
    match text.split_once(": ") {
        Some((subject, statement)) if !subject.trim().is_empty() => Statement {
            subject: Some(subject.trim().to_owned()),
            statement: statement.trim().to_owned(),
            category,
        },
        _ => Statement { subject: None, statement: text.to_owned(), category },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_has_a_subject_before_its_first_colon_and_a_category_in_brackets() {
        let said = |text: &str| {
            let Statement { subject, statement, category } = fact(text);
            (subject, statement, category.is_some())
        };
        let with = |subject: &str, statement: &str, is| (Some(subject.to_owned()), statement.to_owned(), is);
        assert_eq!(said("token lifetime: 12 hours [project]"), with("token lifetime", "12 hours", true));
        assert_eq!(
            said("docs: see http://x: it says [so]"),
            with("docs", "see http://x: it says [so]", false)
        );
        assert_eq!(said("no subject here [team]"), (None, "no subject here".into(), true));
        assert_eq!(said(": odd"), (None, ": odd".into(), false));
    }
}
