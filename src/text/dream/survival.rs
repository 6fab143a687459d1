//! What of an entry does not stand in the one that takes it over.
//!
//! Every fact, rule and code block must stand there, and of the prose every date, number with its unit, version, name,
//! code, path and negation. Wording may change; a sentence in a script without capitals must stand as it is. Judges
//! presence only: whether a number still belongs to the same claim it cannot tell.

use super::negations::{content_words, has_negation, negated};
use super::said::{Fact, Place, Said, sentences};
use super::tokens::{Sort, Token, is_other_script, tokens};
use crate::doc::{Document, Value, normal};
use std::collections::{BTreeSet, HashSet};

/// What is left of entries in the one that took them over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survival {
    /// The different facts of the sources.
    pub facts_before: usize,
    /// Those of them that stand in the entry.
    pub facts_after: usize,
    /// What does not stand there, as text, in the order of the sources.
    pub dropped: Vec<String>,
}

/// What of `sources` stands in `after`.
pub fn survival(sources: &[&Document], after: &Document) -> Survival {
    let after = After::of(after);
    let mut survival = Survival::default();
    let mut seen = HashSet::new();
    for source in sources {
        let said = Said::of(source);
        for fact in &said.facts {
            if seen.insert((fact.subject.clone(), fact.statement.clone())) {
                let stands = after.has_fact(fact);
                survival.facts_before += 1;
                survival.facts_after += usize::from(stands);
                survival.dropped.extend((!stands).then(|| fact.text.clone()));
            }
        }
        let rules = said.rules.iter().filter(|rule| !after.has_sentences(rule));
        survival.dropped.extend(rules.map(|rule| cut(rule)));
        let codes = said.codes.iter().filter(|code| !after.has_code(code));
        survival.dropped.extend(codes.map(|code| cut(code)));
        for (text, place) in prose(source, &said) {
            after.missing(&text, place, &mut survival.dropped);
        }
    }
    let mut told = HashSet::new();
    survival.dropped.retain(|text| told.insert(text.clone()));
    survival
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

/// The sentences of a document, those of its title and summary too, since they go with the file: but these only describe
/// it, so that their names need not stand in the text.
fn prose(document: &Document, said: &Said) -> Vec<(String, Place)> {
    let meta = document.meta();
    let title = meta.title.into_iter().map(|title| (title, Place::Title));
    let summary = meta.summary.into_iter().flat_map(|summary| sentences(&summary));
    let summary = summary.map(|text| (text, Place::Title));
    let body = said.sentences.iter().map(|sentence| (sentence.text.clone(), sentence.place));
    title.chain(summary).chain(body).collect()
}

/// What the entry says afterwards, in the forms in which it is looked up.
struct After {
    facts: HashSet<(Option<String>, String)>,
    codes: HashSet<String>,
    /// The sentences in normal form.
    sentences: HashSet<String>,
    /// Texts in normal form that may hold a fact, each with whether it negates.
    pieces: Vec<(String, bool)>,
    /// All texts as written.
    whole: String,
    /// All texts in lower case.
    lower: String,
    /// Its words, in which something longer is looked up before its text is searched.
    words: HashSet<String>,
    /// The keys of its tokens.
    keys: HashSet<String>,
    /// The content words of each piece with a negation.
    negated: Vec<BTreeSet<u64>>,
}

impl After {
    fn of(document: &Document) -> Self {
        let said = Said::of(document);
        let head = prose(document, &Said::default());
        let texts: Vec<&str> = head.iter().map(|(text, _)| text.as_str()).chain(said.texts()).collect();
        let lines = || texts.iter().flat_map(|text| text.lines());
        let negated = lines().flat_map(sentences).filter(|text| has_negation(text));
        let whole = texts.join("\n");
        let lower = whole.to_lowercase();
        Self {
            words: parts(&lower).map(str::to_owned).collect(),
            negated: negated.map(|text| content_words(&text)).collect(),
            keys: lines().flat_map(tokens).map(|token| key(&token)).collect(),
            sentences: lines().flat_map(sentences).map(|text| bare(&text)).collect(),
            pieces: blocks(document)
                .chain(texts.iter().copied())
                .map(|text| (bare(text), has_negation(text)))
                .collect(),
            lower,
            whole,
            codes: said.codes.iter().cloned().collect(),
            facts: said.facts.into_iter().map(|fact| (fact.subject, fact.statement)).collect(),
        }
    }

    /// Whether the fact stands there, as one or in a piece of text that has subject and statement, and negates if it does.
    fn has_fact(&self, fact: &Fact) -> bool {
        let statement = bare(&fact.statement);
        let subject = fact.subject.as_deref().map(bare);
        let negates = has_negation(&fact.text);
        let has = |(piece, other): &(String, bool)| {
            *other == negates
                && has_word(piece, &statement)
                && subject.as_ref().is_none_or(|subject| has_word(piece, subject))
        };
        self.facts.contains(&(fact.subject.clone(), fact.statement.clone()))
            || self.may_have(&statement) && self.pieces.iter().any(has)
    }

    /// Whether each sentence of a text stands there. One with a word more may say the opposite.
    fn has_sentences(&self, text: &str) -> bool {
        sentences(text).iter().all(|sentence| self.sentences.contains(&bare(sentence)))
    }

    fn has_code(&self, code: &str) -> bool {
        self.codes.contains(code) || self.codes.iter().any(|own| has_lines(own, code))
    }

    /// Add the tokens of a sentence that are missing, each with the sentence.
    fn missing(&self, sentence: &str, place: Place, dropped: &mut Vec<String>) {
        if place != Place::Title && is_other_script(sentence) && !self.has_sentences(sentence) {
            return dropped.push(cut(sentence));
        }
        let counts = |token: &Token| place == Place::Prose || token.sort != Sort::Name;
        for token in tokens(sentence).into_iter().filter(counts) {
            if !self.has_token(&token) {
                dropped.push(match token.text == sentence {
                    true => token.text,
                    false => format!("{} ({})", token.text, cut(sentence)),
                });
            }
        }
        if !negated(sentence).iter().all(|clause| self.has_negated(clause)) {
            dropped.push(cut(sentence));
        }
    }

    fn has_token(&self, token: &Token) -> bool {
        self.keys.contains(&key(token))
            || match token.sort {
                Sort::Date | Sort::Number => false,
                Sort::Code => self.may_have(&token.key) && has_word(&self.whole, &token.key),
                Sort::Name => self.may_have(&token.key) && has_word(&self.lower, &token.key),
            }
    }

    /// Whether every word of a text stands there: `false` is certain.
    fn may_have(&self, text: &str) -> bool {
        parts(&text.to_lowercase()).all(|part| self.words.contains(part))
    }

    /// Whether most of the words of a negated clause stand in one sentence that negates.
    fn has_negated(&self, clause: &BTreeSet<u64>) -> bool {
        let most = (clause.len() * 4).div_ceil(5);
        self.negated.iter().any(|words| clause.intersection(words).count() >= most)
    }
}

/// The words of a text in which nothing but letters and digits counts. A script without spaces has none to tell apart.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| !c.is_alphanumeric() || crate::words::is_unspaced(c);
    text.split(is_between).filter(|part| !part.is_empty())
}

fn key(token: &Token) -> String {
    format!("{:?} {}", token.sort, token.key)
}

/// The text in normal form without marks of form and the full stop at its end.
fn bare(text: &str) -> String {
    normal(&text.replace(['*', '_', '`'], "")).trim_end_matches(['.', ' ', '。', '!', '！']).to_owned()
}

/// The blocks of the body: a fact may have become a paragraph of several sentences.
fn blocks(document: &Document) -> impl Iterator<Item = &str> {
    document.blocks().iter().map(|block| &document.body()[block.content.clone()])
}

/// Whether `text` has `part` with no letter or digit directly beside it.
fn has_word(text: &str, part: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let has_edge = |c: Option<char>| c.is_some_and(is_inside);
    let (first, last) = (has_edge(part.chars().next()), has_edge(part.chars().next_back()));
    let is_unspaced = |c: Option<char>| c.is_some_and(crate::words::is_unspaced);
    !part.is_empty()
        && text.match_indices(part).any(|(at, _)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + part.len()..].chars().next());
            let is_free =
                |edge: bool, beside: Option<char>| !edge || !has_edge(beside) || is_unspaced(beside);
            is_free(first, before) && is_free(last, after)
        })
}

/// Whether a code block has all lines of another one in a row.
fn has_lines(code: &str, part: &str) -> bool {
    code.match_indices(part).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + part.len()..]);
        (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
    })
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
        for (gone, told) in [
            ("15 minutes since", "15 minutes (Tokens live 15 minutes since March 2026 (v1.2.3).)"),
            ("March 2026", "March 2026 (Tokens live"),
            ("v1.2.3", "v1.2.3 (Tokens live"),
            ("never ", "They never touch the log of Redis"),
            ("Redis", "Redis (They never"),
            ("`auth/signing`", "`auth/signing` (They"),
            ("src/a/b.rs", "src/a/b.rs (They"),
            ("Rotate keys", "Rotate keys each quarter."),
            ("make all", "make all"),
            ("- Keys are in the vault", "Keys are in the vault"),
        ] {
            let after =
                FULL.replace(gone, "").replace("- **ttl**: 15 minutes [project]\n", "- **ttl**: 15 s\n");
            let dropped = dropped(FULL, &after);
            assert!(dropped.iter().any(|one| one.starts_with(told)), "{gone}: {dropped:?}");
            assert!(dropped.contains(&"ttl: 15 minutes".to_owned()), "{dropped:?}");
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
