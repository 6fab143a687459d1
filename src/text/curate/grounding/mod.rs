//! Ground facts in the text that they were made of: what a model says must stand in what it read.
//!
//! A fact is supported if each number, name and quoted word of it stands in the source, if its numbers stand near another
//! word of it, and if at least half of its words are the source's. How a thing is written does not matter: separators of
//! thousands, units, case, plural, hyphens, marks of code. Pure; does not know who made the fact, nor what becomes of it.
//! Whether the words mean the same is not asked: a negation that is dropped is not noticed.

mod ordinary;
#[cfg(test)]
mod planted;
mod tokens;

use crate::doc::{Document, Fact, is_same_subject, normal};
use crate::words::stems::stem;
use crate::words::terms_of;
use brv_base::content::fnv;
use brv_base::english::{Unit, meant_number, spelled_number, unit};
use std::collections::{BTreeSet, HashMap, HashSet};
use tokens::{Number, Token, Tokens, humps, lower, unit_behind};

/// How many words away from a number another word of the fact may stand.
const NEAR: u32 = 40;

/// The length from which a word may differ from one of the source in its ending.
const LONG: usize = 5;

/// The text that facts are made of, ready to look them up in.
#[derive(Debug, Default)]
pub struct Grounds {
    /// Each word or number in order, by the hash of its form.
    sequence: Vec<u64>,
    /// Where each of them stands, by the same hash.
    places: HashMap<u64, Vec<u32>>,
    /// The same for the stems of words.
    stems: HashMap<u64, Vec<u32>>,
    /// Where numbers stand, and with which unit.
    numbers: HashMap<String, Vec<(u32, Option<Unit>)>>,
    /// Two words that follow each other, as one.
    joined: HashSet<u64>,
    /// The first letters of words with a capital letter that follow each other.
    initials: HashSet<String>,
    words: BTreeSet<String>,
}

impl Grounds {
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let (mut grounds, mut known) = (Self::default(), HashMap::new());
        for text in texts {
            grounds.add(text, &mut known);
        }
        grounds
    }

    fn add(&mut self, text: &str, known: &mut HashMap<String, u64>) {
        let mut before = String::new();
        let (mut number_before, mut capitals): (Option<(String, usize)>, Vec<char>) = (None, Vec::new());
        for token in Tokens::of(text) {
            let place = u32::try_from(self.sequence.len()).unwrap_or(u32::MAX);
            let form = form(&token);
            self.sequence.push(hash(&form));
            self.places.entry(hash(&form)).or_default().push(place);
            if let Some(number) = &token.number {
                let unit = unit_behind(text, &token);
                // 10 000
                let grouped = number_before.take().filter(|(_, end)| {
                    token.text.len() == 3 && text[*end..token.start].trim_matches(' ').is_empty()
                });
                let grouped = grouped.map(|(first, _)| format!("{first}{}", token.text));
                for value in [&number.value].into_iter().chain(&number.parts).chain(&grouped) {
                    self.numbers.entry(value.clone()).or_default().push((place, unit));
                }
                number_before =
                    Some((number.value.clone(), token.end())).filter(|(first, _)| first.len() <= 3);
            } else {
                number_before = None;
                if let Some(value) = meant_number(&form) {
                    let unit = unit_behind(text, &token);
                    self.numbers.entry(value.to_string()).or_default().push((place, unit));
                }
                for part in humps(token.text).into_iter().chain([form.clone()]) {
                    let stem = *known.entry(part.clone()).or_insert_with(|| hash(&stem(&part)));
                    self.stems.entry(stem).or_default().push(place);
                    self.words.insert(part);
                }
            }
            self.joined.insert(hash(&format!("{before}{form}")));
            self.note_initials(&token, &mut capitals);
            before = form;
        }
    }

    fn note_initials(&mut self, token: &Token<'_>, capitals: &mut Vec<char>) {
        match token.text.chars().next().filter(|c| c.is_uppercase()) {
            Some(first) => capitals.extend(first.to_lowercase()),
            None => capitals.clear(),
        }
        for length in 2..=capitals.len().min(5) {
            self.initials.insert(capitals[capitals.len() - length..].iter().collect());
        }
    }

    /// Whether a fact stands on this text.
    pub fn support(&self, subject: Option<&str>, statement: &str) -> bool {
        let mut rest = String::new();
        for (text, case) in subject
            .map(|text| (text, CapitalUse::Title))
            .into_iter()
            .chain([(statement, CapitalUse::Sentence)])
        {
            let (quotes, plain) = quotes(text);
            if !quotes.iter().all(|quote| self.has_quote(quote)) || !self.has_names(&plain, case) {
                return false;
            }
            rest.push_str(text);
            rest.push_str(". ");
        }
        self.has_numbers(&rest) && self.has_words(statement)
    }

    /// Whether the numbers of a text stand here, each with its unit or without one.
    pub fn has_amounts(&self, text: &str) -> bool {
        self.has_numbers(text)
    }

    /// Whether a word stands here in another form, or names nothing.
    pub fn has_word_of(&self, word: &str) -> bool {
        let lower = lower(word);
        self.has_name(&lower, word) || is_common(&lower)
    }

    /// Whether quoted words stand here, one behind the other.
    fn has_quote(&self, quote: &str) -> bool {
        let hashes: Vec<u64> = Tokens::of(quote).map(|token| hash(&form(&token))).collect();
        let Some(first) = hashes.first() else { return true };
        let stands = self.places.get(first).is_some_and(|places| {
            places.iter().any(|place| self.sequence[*place as usize..].starts_with(&hashes))
        });
        let joined: String = Tokens::of(quote).map(|token| form(&token)).collect();
        stands || (hashes.len() < 3 && self.has_name(&joined, quote))
    }

    fn has_names(&self, text: &str, case: CapitalUse) -> bool {
        let words =
            || Tokens::of(text).filter(|token| token.number.is_none() && !is_function(&token.lower()));
        let is_title = matches!(case, CapitalUse::Title)
            && words().all(|token| token.text.starts_with(char::is_uppercase));
        words().all(|token| {
            let lower = token.lower();
            let is_name = match WordShape::of(text, &token) {
                WordShape::Name => true,
                WordShape::Capital { is_first: false } => !is_title,
                WordShape::Capital { is_first: true } => !self.has_word(&lower),
                WordShape::Plain => false,
            };
            !is_name || self.has_name(&lower, token.text) || is_common(&lower)
        })
    }

    /// Whether a name stands here, in any case and with or without hyphens.
    fn has_name(&self, lower: &str, written: &str) -> bool {
        let has_stem = |word: &str| self.stems.contains_key(&hash(&stem(word)));
        let parts = humps(written);
        has_stem(lower)
            || self.joined.contains(&hash(lower))
            || (!parts.is_empty() && parts.iter().all(|part| has_stem(part)))
            || self.initials.contains(lower)
            || lower.strip_suffix('s').is_some_and(|one| has_stem(one) || self.initials.contains(one))
    }

    /// Whether a word stands here, perhaps with another ending.
    fn has_word(&self, lower: &str) -> bool {
        if self.stems.contains_key(&hash(&stem(lower))) || self.joined.contains(&hash(lower)) {
            return true;
        }
        let length = lower.chars().count();
        let start: String = lower.chars().take((length * 7 / 10).max(LONG - 1)).collect();
        length >= LONG
            && self.words.range(start.clone()..).next().is_some_and(|word| word.starts_with(&start))
    }

    /// Whether the numbers of a text stand here, with their units, and near another word of it.
    fn has_numbers(&self, text: &str) -> bool {
        let stems: Vec<&Vec<u32>> =
            content_words(text).filter_map(|word| self.stems.get(&hash(&stem(&word)))).collect();
        let is_near = |place: u32| {
            let around = place.saturating_sub(NEAR)..=place.saturating_add(NEAR);
            let is_in = |places: &&Vec<u32>| {
                let first = places.partition_point(|one| one < around.start());
                places.get(first).is_some_and(|one| around.contains(one))
            };
            stems.is_empty() || stems.iter().any(is_in)
        };
        let stands = |value: &str, unit: Option<Unit>| {
            let fits = |(place, own): &(u32, Option<Unit>)| {
                is_near(*place) && (unit.is_none() || own.is_none() || *own == unit)
            };
            self.numbers.get(value).is_some_and(|places| places.iter().any(fits))
        };
        let mut before: Option<(String, usize)> = None;
        Tokens::of(text).all(|token| {
            let unit = unit_behind(text, &token);
            let Some(Number { value, parts }) = &token.number else {
                before = None;
                // `one` and `first` are seldom meant as numbers
                return meant_number(&token.lower()).is_none_or(|value| {
                    value < 2 || self.has_word(&token.lower()) || stands(&value.to_string(), unit)
                });
            };
            let grouped = before
                .replace((value.clone(), token.end()))
                .map(|(first, _)| format!("{first}{}", token.text));
            stands(value, unit)
                || (!parts.is_empty() && parts.iter().all(|part| stands(part, unit)))
                || grouped.is_some_and(|value| stands(&value, unit))
                || self.is_group_ahead(text, &token)
        })
    }

    /// Whether a number is the start of one whose groups are separated by blanks, and that stands here.
    fn is_group_ahead(&self, text: &str, token: &Token<'_>) -> bool {
        let behind = text[token.end()..].strip_prefix(' ').and_then(|rest| Tokens::of(rest).next());
        behind
            .filter(|next| next.start == 0 && next.text.len() == 3)
            .is_some_and(|next| self.numbers.contains_key(&format!("{}{}", token.text, next.text)))
    }

    /// Whether at least half of the words of a statement stand here. Its numbers do.
    fn has_words(&self, statement: &str) -> bool {
        let is_number =
            |token: &Token<'_>| token.number.is_some() || spelled_number(&token.lower()).is_some();
        let numbers = Tokens::of(statement).filter(is_number).count();
        let words: Vec<String> = content_words(statement).collect();
        let known = words.iter().filter(|word| self.has_word(word)).count();
        (known + numbers) * 2 >= words.len() + numbers
    }
}

/// The subjects of the facts that an entry has, its earlier version had not, and nothing here supports. A fact without a
/// subject is named by its statement.
pub fn unsupported(grounds: &Grounds, before: &[Document], after: &Document) -> Vec<String> {
    let known: Vec<Fact> = before.iter().flat_map(Document::facts).collect();
    let is_known = |fact: &Fact| {
        known.iter().any(|one| {
            normal(&one.statement) == normal(&fact.statement)
                && match (&one.subject, &fact.subject) {
                    (Some(one), Some(other)) => is_same_subject(one, other),
                    (one, other) => one == other,
                }
        })
    };
    let new = after.facts().into_iter().filter(|fact| !is_known(fact));
    let unsupported = new.filter(|fact| !grounds.support(fact.subject.as_deref(), &fact.statement));
    unsupported.map(|fact| fact.subject.unwrap_or(fact.statement)).collect()
}

/// What capital letters mean in a text.
#[derive(Debug, Clone, Copy)]
enum CapitalUse {
    /// Each of its words may have one.
    Title,
    Sentence,
}

/// How a word looks.
enum WordShape {
    /// As only names do: an identifier, an abbreviation, mixed case.
    Name,
    /// It begins with a capital letter.
    Capital {
        is_first: bool,
    },
    Plain,
}

impl WordShape {
    fn of(text: &str, token: &Token<'_>) -> Self {
        let (before, behind) = (&text[..token.start], &text[token.end()..]);
        let is_inside = |mark: char| {
            let leads = before.strip_suffix(mark).is_some_and(|rest| rest.ends_with(char::is_alphanumeric));
            let goes_on =
                behind.strip_prefix(mark).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
            leads || goes_on
        };
        let capitals = token.text.chars().filter(|c| c.is_uppercase()).count();
        let has_digit = token.text.contains(|c: char| c.is_ascii_digit());
        let starts_large = token.text.starts_with(char::is_uppercase);
        let is_marked = is_inside('_') || is_inside('.') || before.ends_with("--") || before.ends_with("::");
        if is_marked || has_digit || capitals > usize::from(starts_large) {
            return Self::Name;
        }
        if !starts_large || token.text.chars().count() < 2 {
            return Self::Plain;
        }
        let before = before.trim_end_matches([' ', '*', '_', '(', '"', '“', '\'']);
        let is_first = before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '-', '–', '—', '\n']);
        Self::Capital { is_first }
    }
}

/// The quoted parts of a text, and the text without them.
fn quotes(text: &str) -> (Vec<String>, String) {
    const PAIRS: [(char, char); 6] =
        [('`', '`'), ('"', '"'), ('“', '”'), ('‘', '’'), ('«', '»'), ('\'', '\'')];
    let (mut quotes, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        let close = PAIRS.iter().find(|(open, _)| *open == c).map(|(_, close)| *close);
        // the apostrophe of a word opens nothing
        let close = close.filter(|_| c != '\'' || !plain.ends_with(char::is_alphanumeric));
        match close.and_then(|close| behind.split_once(close)) {
            Some((quote, after)) if c != '\'' || !after.starts_with(char::is_alphanumeric) => {
                quotes.push(quote.to_owned());
                plain.push_str(" … ");
                rest = after;
            }
            _ => {
                plain.push(c);
                rest = behind;
            }
        }
    }
    (quotes, plain)
}

/// The words that carry meaning, in lower case; no numbers and units.
fn content_words(text: &str) -> impl Iterator<Item = String> {
    let words = Tokens::of(text).filter(|token| token.number.is_none() && token.text.chars().count() > 2);
    let is_content =
        |word: &String| !is_function(word) && unit(word).is_none() && spelled_number(word).is_none();
    words.map(|token| token.lower()).filter(is_content)
}

/// Whether a word names nothing, though it may look as if it did.
fn is_common(word: &str) -> bool {
    unit(word).is_some() || spelled_number(word).is_some() || ordinary::is_ordinary(word)
}

fn is_function(word: &str) -> bool {
    terms_of(word).is_empty()
}

/// The form in which a word or number is compared.
fn form(token: &Token<'_>) -> String {
    token.number.as_ref().map_or_else(|| token.lower(), |number| number.value.clone())
}

fn hash(text: &str) -> u64 {
    fnv(text.bytes())
}
