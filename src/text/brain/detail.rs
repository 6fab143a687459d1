//! What is shown of an entry: read from its bytes once it has its place.

use super::one_line::{cut, flat, name};
use super::statement::{Statement, gist, statements};
use crate::doc::{Document, disputes, may_dispute};
use crate::lint::Claims;

/// The longest one-liner, in characters.
const LINE: usize = 240;

/// What is shown of an entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryDetail {
    pub title: String,
    /// Its summary, else its first sentence; empty if these say no more than its title.
    pub line: String,
    /// What it states, in the order of its [`Rows`](super::rows::Rows).
    pub statements: Vec<Statement>,
    /// Disputed subjects with all claims.
    pub disputes: Vec<(String, Vec<String>)>,
    /// What it states about its subjects, as far as others may contradict it.
    pub claims: Claims,
    /// Why a change of it waits for review.
    pub pending: Vec<String>,
}

impl EntryDetail {
    /// The detail of an entry with these bytes. The caller adds what waits for review.
    pub fn of(path: &str, bytes: &[u8]) -> Self {
        let document = Document::parse(bytes);
        let title = document.title().map(|title| flat(&title)).filter(|title| !title.is_empty());
        let line = gist(path, &document, None).map(|gist| gist.text).unwrap_or_default();
        let disputed = if may_dispute(bytes) { disputes(&document) } else { Vec::new() };
        let claims = |claim: &crate::doc::Claim| flat(&claim.statement);
        Self {
            title: cut(&title.unwrap_or_else(|| name(path)), LINE),
            line: cut(&line, LINE),
            statements: statements(path, &document),
            disputes: disputed
                .iter()
                .map(|one| (flat(&one.subject), one.claims.iter().map(claims).collect()))
                .collect(),
            claims: Claims::of(&document),
            pending: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_the_summary_then_the_first_sentence() {
        let line = |text: &str| EntryDetail::of("a/b.md", text.as_bytes()).line;
        assert_eq!(line("---\nsummary: The  sum\n---\n## Facts\n- **a**: b\n"), "The sum");
        assert_eq!(line("---\nsummary: T.\n---\n# T\n\nprose\n"), "prose");
        assert_eq!(line("# T\n\n## Raw Concept\n\n**Task:** x\n\n## Facts\n- **a**: b [team]\n"), "b");
        assert_eq!(line("# T\n\nOne line\nis long. Two.\n"), "One line is long.");
        assert_eq!(line("# T\n"), "");
    }

    #[test]
    fn an_entry_without_a_title_has_its_name_and_a_dispute_all_its_claims() {
        let text = "---\ndisputed: [ttl]\n---\n## Facts\n- **ttl**: 1 hour\n- **ttl**: 2 hours\n";
        let detail = EntryDetail::of("a/token_life.md", text.as_bytes());
        assert_eq!(detail.title, "Facts");
        assert_eq!(EntryDetail::of("a/token_life.md", b"").title, "token life");
        assert_eq!(detail.disputes, [("ttl".into(), vec!["1 hour".into(), "2 hours".into()])]);
    }

    #[test]
    fn a_long_text_is_cut_at_a_blank() {
        assert_eq!(cut("one two three", 13), "one two three");
        assert_eq!(cut("one two three", 10), "one two…");
        assert_eq!(cut("ééééééé", 4), "ééé…");
        assert_eq!(cut("ab", 1), "…");
    }
}
