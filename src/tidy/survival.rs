//! What of an entry does not stand in the one that takes it over.
//!
//! Every fact, rule and code block must stand there, and of the prose every date, number with its unit, version, name,
//! code, path and negation. Wording may change; a sentence in a script without capitals must stand as it is. Judges
//! presence only: whether a number still belongs to the same claim it cannot tell.

use super::said::{Place, Said, sentences};
use super::tokens::{Sort, Token, content_words, has_negation, is_other_script, negated, tokens};
use crate::doc::{Document, normal};
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
                let stands = after.has_fact(fact.subject.as_deref(), &fact.statement);
                survival.facts_before += 1;
                survival.facts_after += usize::from(stands);
                survival.dropped.extend((!stands).then(|| fact.text.clone()));
            }
        }
        let rules = said.rules.iter().filter(|rule| !after.has_text(rule));
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
    /// The texts in normal form, one for each piece.
    pieces: Vec<String>,
    /// All texts as written.
    whole: String,
    /// All texts in lower case.
    lower: String,
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
        Self {
            negated: negated.map(|text| content_words(&text)).collect(),
            keys: lines().flat_map(tokens).map(|token| key(&token)).collect(),
            pieces: blocks(document).into_iter().chain(texts.iter().map(|text| bare(text))).collect(),
            lower: whole.to_lowercase(),
            whole,
            codes: said.codes.iter().cloned().collect(),
            facts: said.facts.into_iter().map(|fact| (fact.subject, fact.statement)).collect(),
        }
    }

    /// Whether the fact stands there, as one or in a piece of text that has subject and statement.
    fn has_fact(&self, subject: Option<&str>, statement: &str) -> bool {
        let key = (subject.map(str::to_owned), statement.to_owned());
        let has = |piece: &String| {
            has_word(piece, &bare(statement)) && subject.is_none_or(|subject| has_word(piece, &bare(subject)))
        };
        self.facts.contains(&key) || !bare(statement).is_empty() && self.pieces.iter().any(has)
    }

    fn has_text(&self, text: &str) -> bool {
        let text = bare(text);
        self.pieces.iter().any(|piece| has_word(piece, &text))
    }

    fn has_code(&self, code: &str) -> bool {
        self.codes.contains(code) || self.codes.iter().any(|own| has_lines(own, code))
    }

    /// Add the tokens of a sentence that are missing, each with the sentence.
    fn missing(&self, sentence: &str, place: Place, dropped: &mut Vec<String>) {
        if place != Place::Title && is_other_script(sentence) && !self.has_text(sentence) {
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
                Sort::Code => has_word(&self.whole, &token.key),
                Sort::Name => has_word(&self.lower, &token.key),
            }
    }

    /// Whether most of the words of a negated clause stand in one sentence that negates.
    fn has_negated(&self, clause: &BTreeSet<u64>) -> bool {
        let most = (clause.len() * 4).div_ceil(5);
        self.negated.iter().any(|words| clause.intersection(words).count() >= most)
    }
}

fn key(token: &Token) -> String {
    format!("{:?} {}", token.sort, token.key)
}

/// The text in normal form without marks of form and the full stop at its end.
pub(super) fn bare(text: &str) -> String {
    normal(&text.replace(['*', '_', '`'], "")).trim_end_matches(['.', ' ']).to_owned()
}

/// The blocks of the body in normal form: a fact may have become a paragraph of several sentences.
fn blocks(document: &Document) -> Vec<String> {
    document.blocks().iter().map(|block| bare(&document.body()[block.content.clone()])).collect()
}

/// Whether `text` has `part` with no letter or digit directly beside it.
fn has_word(text: &str, part: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let has_edge = |c: Option<char>| c.is_some_and(is_inside);
    let (first, last) = (has_edge(part.chars().next()), has_edge(part.chars().next_back()));
    let unspaced = |c: Option<char>| c.is_some_and(crate::words::is_unspaced);
    !part.is_empty()
        && text.match_indices(part).any(|(at, _)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + part.len()..].chars().next());
            let is_free = |edge: bool, beside: Option<char>| !edge || !has_edge(beside) || unspaced(beside);
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
