//! One operation as typed on the command line.

use brv_text::curate::{
    self, CategoryWord, ContentWritten, FactWritten, KindWord, Operation, OperationInput, Read,
};

#[derive(Debug, Clone, Default)]
pub struct One {
    pub verb: CurateVerb,
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

/// The types of operations that have no other entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CurateVerb {
    Add,
    Update,
    #[default]
    Upsert,
}

impl One {
    pub fn read(self) -> Read {
        let (kind, word) = match self.verb {
            CurateVerb::Add => (KindWord::Add, curate::CurateKind::Add),
            CurateVerb::Update => (KindWord::Update, curate::CurateKind::Update),
            CurateVerb::Upsert => (KindWord::Upsert, curate::CurateKind::Upsert),
        };
        let facts: Vec<FactWritten> = self.facts.iter().map(|text| fact(text)).collect();
        let written = OperationInput {
            title: Some(self.title),
            markdown: self.body,
            content: (!facts.is_empty()).then(|| ContentWritten { facts, ..ContentWritten::default() }),
            replace: self.replace,
            ..OperationInput::new(kind, self.path.clone(), self.reason)
        };
        Read {
            kind: Some(word.as_str().to_owned()),
            path: Some(self.path),
            operation: Operation::of(written),
        }
    }
}

/// `SUBJECT: STATEMENT [CATEGORY]`; without a colon it has no subject.
fn fact(text: &str) -> FactWritten {
    let text = text.trim();
    let (text, category) = match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((start, word)) if word_of(word).is_some() => (start.trim_end(), word_of(word)),
        _ => (text, None),
    };
    match text.split_once(": ") {
        Some((subject, statement)) if !subject.trim().is_empty() => FactWritten {
            subject: Some(subject.trim().to_owned()),
            statement: statement.trim().to_owned(),
            category,
        },
        _ => FactWritten { subject: None, statement: text.to_owned(), category },
    }
}

fn word_of(word: &str) -> Option<CategoryWord> {
    serde_json::from_value(word.trim().to_lowercase().into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_has_a_subject_before_its_first_colon_and_a_category_in_brackets() {
        let said = |text: &str| {
            let FactWritten { subject, statement, category } = fact(text);
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
