//! What an engine must be asked, so that it finds everything that a local search would score.

use std::collections::HashMap;

use super::super::question::{self, Asking, Question};
use super::super::rank::find::MOST_GUESSED;
use super::super::text::dates::{self, Day, PartialDate};
use super::indexed;
use crate::constants as c;
use brv_text::words::stems::Stems;

/// A question, as an engine is asked it.
pub struct Probe {
    question: Question,
    languages: u8,
}

/// What a file must have to be found: the terms of one of `words`, the term `title`, or one of `days`. Where tags are asked
/// as well, only files with all of them are hits; those without them are to come after, and still count for the folders and
/// as the neighbours of the hits.
#[derive(Debug, Clone, PartialEq)]
pub struct SoughtTerms {
    pub words: Vec<SoughtWord>,
    /// The term of a file that has the question as its title, in the meta field.
    pub title: Option<String>,
    /// Terms in the meta field, all of which a hit has.
    pub tags: Vec<String>,
    /// Ranges of [`super::IndexedFile::days`], both ends included.
    pub days: Vec<(i32, i32)>,
    /// Whether the tags are all that is asked: then a file must have them, and needs nothing else.
    pub is_tags_only: bool,
}

/// Terms that stand for one word, in any field, each with what it counts: 1 if it is the word itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SoughtWord {
    pub terms: Vec<(String, f64)>,
    /// Terms that begin so stand for the word, too, and count this.
    pub begins: Option<(String, f64)>,
}

impl Probe {
    /// Read a question for a collection with items in these languages (bits by number).
    pub fn of(text: &str, languages: u8) -> Self {
        Self { question: question::read(text, languages, &mut Stems::default()), languages }
    }

    /// The distinct terms whose frequencies are needed, in order.
    pub fn terms(&self) -> Vec<&str> {
        let words = self.question.words.iter().flat_map(|word| std::iter::once(word).chain(&word.parts));
        let terms = words.flat_map(|word| word.stems.iter().chain(word.others.iter().map(|(term, _)| term)));
        let mut terms: Vec<&str> = terms.map(String::as_str).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// What is asked of a collection in which terms are so frequent. For a word that is nowhere, terms one error of typing
    /// away, those that begin with it, and its parts are asked for, too.
    pub fn sought(&self, frequency: &HashMap<String, u64>) -> SoughtTerms {
        let Question { words: asked, title, tags, dates, .. } = &self.question;
        let mut seeker =
            Seeker { frequency, languages: self.languages, stems: Stems::default(), words: Vec::new() };
        let (mut guesses, mut guesses_of_parts) = (MOST_GUESSED, MOST_GUESSED);
        for word in asked {
            if seeker.add(word, &mut guesses) || word.parts.len() < 2 {
                continue;
            }
            for part in &word.parts {
                seeker.add(part, &mut guesses_of_parts);
            }
        }
        let needs_none = asked.iter().all(|word| word.is_optional && !seeker.is_there(word));
        SoughtTerms {
            words: seeker.words,
            title: title.clone(),
            tags: tags.clone(),
            days: days(dates),
            is_tags_only: needs_none && !tags.is_empty(),
        }
    }
}

struct Seeker<'a> {
    frequency: &'a HashMap<String, u64>,
    languages: u8,
    stems: Stems,
    words: Vec<SoughtWord>,
}

impl Seeker<'_> {
    /// Whether a file has the word, or what always stands for it.
    fn is_there(&self, word: &Asking) -> bool {
        let mut terms = word.stems.iter().chain(word.others.iter().map(|(term, _)| term));
        terms.any(|term| self.frequency.get(term).is_some_and(|files| *files > 0))
    }

    /// Add a word; returns whether it is there.
    fn add(&mut self, word: &Asking, guesses: &mut usize) -> bool {
        let own = word.stems.iter().map(|stem| (stem.clone(), 1.0));
        let mut terms: Vec<(String, f64)> = own.chain(word.others.iter().cloned()).collect();
        let mut begins = word.is_character().then(|| (word.stems[0].clone(), 1.0));
        let is_there = self.is_there(word);
        if !is_there && *guesses > 0 && word.may_stand_for_another() {
            *guesses -= 1;
            let meant = word.meant(self.languages, &mut self.stems).into_iter().flatten();
            terms.extend(meant.map(|term| (term, c::NEAR_CREDIT)));
            begins = word.beginning().map(|stem| (stem.to_owned(), c::NEAR_CREDIT));
        }
        self.words.push(SoughtWord { terms, begins });
        is_there
    }
}

/// The ranges of days that are like one of these dates.
fn days(dates: &[PartialDate]) -> Vec<(i32, i32)> {
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for date in dates {
        let years = match date.year {
            Some(year) => (year - 1).max(0)..=year + 1,
            // such days have this year
            None => 0..=0,
        };
        let months = years.flat_map(|year| (1..=12).map(move |month| (year, month)));
        let all = months.flat_map(|(year, month)| (1..=31).map(move |day| Day { year, month, day }));
        let mut is_open = false;
        for day in all {
            let number = indexed::number(day);
            match dates::likeness(date, day, c::DATE_NEAR) > 0.0 {
                true if is_open => ranges.last_mut().expect("one is open").1 = number,
                true => ranges.push((number, number)),
                false => {}
            }
            is_open = ranges.last().is_some_and(|(_, end)| *end == number);
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    ranges
}
