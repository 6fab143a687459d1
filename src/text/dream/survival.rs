//! What of an entry does not stand in the one that takes it over.
//!
//! Every fact, rule, code block, item and sentence must stand there under its headings, or be said there by a sentence with
//! each number, name, code, path and negation of it. Wording may change; a sentence in a script without capitals must
//! stand as it is.

use super::rewrite::pieces::{RewritePieceKind, pieces};
use super::rewrite::saying::Saying;
use super::rewrite::statements::DocumentStatements;
use super::said::sentences;
use super::tokens::{Sort, tokens};
use crate::doc::{Document, Value, normal};
use crate::words::stems::Stems;
use std::collections::HashSet;

/// What is left of entries in the one that took them over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactSurvival {
    /// The different facts of the sources.
    pub facts_before: usize,
    /// How many of them stand in the entry.
    pub facts_after: usize,
    /// What does not stand there, as text, in the order of the sources.
    pub dropped: Vec<String>,
}

/// What of `sources` stands in `after`.
pub fn survival(sources: &[&Document], after: &Document) -> FactSurvival {
    let mut stems = Stems::default();
    let there = DocumentStatements::of(after, pieces(after), &mut stems);
    let told: Vec<DocumentStatements> =
        sources.iter().map(|one| DocumentStatements::of(one, pieces(one), &mut stems)).collect();
    let mut survival = FactSurvival::default();
    let mut seen = HashSet::new();
    for (at, source) in told.iter().enumerate() {
        let others = told.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, told)| told);
        let foreign = source.foreign(others);
        for text in head(sources[at]).filter(|text| lacks_claim(text, &there)) {
            survival.dropped.push(cut(&text));
        }
        for one in &source.sayings {
            let stands = match one.is_statement() {
                true => there.says(one, (source, &foreign)),
                false => !lacks_claim(&one.piece.text, &there),
            };
            if let Some(key) = fact(one)
                && seen.insert(key)
            {
                survival.facts_before += 1;
                survival.facts_after += usize::from(stands);
            }
            survival.dropped.extend((!stands).then(|| cut(&one.piece.text)));
        }
    }
    let mut told = HashSet::new();
    survival.dropped.retain(|text| told.insert(text.clone()));
    survival
}

/// Subject and statement of a fact, in the form in which they are compared.
fn fact(one: &Saying) -> Option<(Option<String>, String)> {
    let RewritePieceKind::Fact(fact) = &one.piece.kind else { return None };
    Some((fact.subject.as_deref().map(normal), normal(fact.statement.trim_end_matches('.'))))
}

/// The title and the sentences of the summary, which go with the file.
fn head(document: &Document) -> impl Iterator<Item = String> {
    let meta = document.meta();
    let summary = meta.summary.into_iter().flat_map(|summary| sentences(&summary));
    meta.title.into_iter().chain(summary)
}

/// Whether a text that only describes what follows has a date, number or code that the entry lacks.
fn lacks_claim(text: &str, there: &DocumentStatements) -> bool {
    let claims = tokens(text).into_iter().filter(|token| token.sort != Sort::Name);
    claims.into_iter().any(|token| !there.has_token(&token))
}

/// The fields of entries that only describe the file, or whose values are joined.
const DESCRIPTIVE: [&str; 6] =
    ["createdAt", "updatedAt", "consolidated_at", "synthesized_at", "summary", "confidence"];

/// The single values in the frontmatter of entries that went into another one, and that it does not have.
pub fn lost_fields(sources: &[&Document], after: &Document) -> Vec<String> {
    let mut lost = Vec::new();
    for source in sources {
        for (key, value) in source.fields() {
            let (Some(key), Some(text)) = (key.as_str(), value.as_str()) else { continue };
            let is_left =
                after.field(key).and_then(Value::as_str).is_some_and(|other| normal(other) == normal(text));
            let told = format!("{key}: {text}");
            if !is_left && !DESCRIPTIVE.contains(&key) && !lost.contains(&told) {
                lost.push(told);
            }
        }
    }
    lost
}

/// The text on one line, at most so many characters of it.
fn cut(text: &str) -> String {
    const MOST: usize = 120;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(source: &str, after: &str) -> Vec<String> {
        let [source, after] = [source, after].map(Document::parse);
        survival(&[&source], &after).dropped
    }

    const FULL: &str = "---\ntitle: Tokens\n---\n\nTokens live 15 minutes since March 2026 (v1.2.3). They never touch the log of Redis; see `auth/signing` and src/a/b.rs.\n\n## Rules\n\n- Rotate keys each quarter.\n\n## Snippets\n\n```sh\nmake all\n```\n\n## Facts\n\n- **ttl**: 15 minutes [project]\n- Keys are in the vault\n";

    #[test]
    fn a_value_that_only_the_source_had_is_lost_and_times_are_not() {
        let source =
            Document::parse("---\ntitle: Old\nowner: bob\ntags: [a]\nupdatedAt: 2024-01-01\n---\nx\n");
        let after = Document::parse("---\ntitle: New\nowner: bob\n---\nx\n");
        assert_eq!(lost_fields(&[&source], &after), ["title: Old"]);
    }

    #[test]
    fn nothing_is_dropped_from_a_text_that_says_it_otherwise() {
        assert_eq!(dropped(FULL, FULL), [""; 0]);
        let otherwise = "Since 2026-03 (1.2.3), a token lives for 15 min. Its code is `auth/signing` in src/a/b.rs. Redis: the tokens never touch its log. Rotate keys each quarter. *Keys are in the vault.*\n\n> - x\n>\n>   ```\n>   make all\n>   ```\n\n## Facts\n\n* **TTL**: 15 minutes\n";
        assert_eq!(dropped(FULL, otherwise), [""; 0]);
    }

    #[test]
    fn each_kind_of_claim_is_missed() {
        let first = "Tokens live 15 minutes since March 2026 (v1.2.3).";
        let second = "They never touch the log of Redis; see `auth/signing` and src/a/b.rs.";
        for (gone, told) in [
            ("15 minutes since", first),
            ("March 2026", first),
            ("v1.2.3", first),
            ("never ", second),
            ("Redis", second),
            ("`auth/signing`", second),
            ("src/a/b.rs", second),
            ("Rotate keys", "Rotate keys each quarter."),
            ("make all", "make all"),
            ("- Keys are in the vault", "Keys are in the vault"),
        ] {
            let after =
                FULL.replace(gone, "").replace("- **ttl**: 15 minutes [project]\n", "- **ttl**: 15 s\n");
            let dropped = dropped(FULL, &after);
            assert!(dropped.len() == 2 && dropped.iter().any(|one| one == told), "{gone}: {dropped:?}");
            assert!(dropped.contains(&"ttl: 15 minutes".to_owned()), "{gone}: {dropped:?}");
        }
    }

    /// A bag of tokens would have all of it.
    #[test]
    fn a_sentence_counts_where_it_stands() {
        for (source, after) in [
            ("Redis keeps sessions. Kafka keeps events.", "Redis keeps events. Kafka keeps sessions."),
            (
                "## Staging\n\nWait 30 seconds.",
                "## Staging\n\nIt is small.\n\n## Production\n\nWait 30 seconds.",
            ),
            ("The key rotates weekly.", "## Outdated\n\nThe key rotates weekly."),
            ("Wait for the lock of Redis.", "Redis is fast."),
            ("**Never do this:**\n\n- force a push", "- force a push"),
            ("- force a push", "**Never do this:**\n\n- force a push"),
            ("Do we wait?", "Do we wait."),
        ] {
            assert!(!dropped(source, after).is_empty(), "{source} → {after}");
            assert_eq!(dropped(source, source), [""; 0]);
        }
    }

    #[test]
    fn facts_of_all_sources_are_counted_once() {
        let [one, other, after] = [
            "## Facts\n\n- **a**: 1\n- **b**: 2\n",
            "## Facts\n\n- **a**: 1.\n- **c**: 3\n",
            "## Facts\n\n- **A**: 1\n- **c**: 4\n\nThe b is 2.\n",
        ]
        .map(Document::parse);
        let survival = survival(&[&one, &other], &after);
        assert_eq!((survival.facts_before, survival.facts_after), (3, 2), "{survival:?}");
        assert_eq!(survival.dropped, ["c: 3"]);
    }

    #[test]
    fn a_longer_number_or_name_is_another_one() {
        for (source, after) in [
            ("It takes 5 s.", "It takes 15 s."),
            ("It takes 5 s.", "It takes 5 ms."),
            ("Set `log`.", "Set the logger."),
            ("## Facts\n\n- **a**: 1\n", "a 11"),
            ("Never log it.", "Never print it. Log it."),
            ("## Rules\n\n- Log it.\n", "## Rules\n\n- Never log it.\n"),
            ("## Facts\n\n- **a**: safe\n", "The a is not safe.\n"),
            ("観測は毎晩行う", "観測は毎晩行うわけではない"),
            ("観測は毎晩行う。", "観測は毎朝行う。"),
            ("Der Dienst läuft nicht nachts.", "Der Dienst läuft nachts."),
        ] {
            assert_eq!(dropped(source, after).len(), 1, "{source}");
        }
        assert_eq!(dropped("観測は毎晩行う。", "記録。観測は毎晩行う。"), [""; 0]);
    }
}
