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

#[cfg(test)]
mod tests {
    use super::*;

    /// The terms and the beginning that are asked for each word if each of these terms is in a file.
    fn sought(text: &str, there: &[&str]) -> SoughtTerms {
        let frequency = there.iter().map(|term| ((*term).to_owned(), 3)).collect();
        Probe::of(text, 1).sought(&frequency)
    }

    fn credit(word: &SoughtWord, term: &str) -> Option<f64> {
        word.terms.iter().find(|(own, _)| own == term).map(|(_, credit)| *credit)
    }

    #[test]
    fn other_words_are_asked_for_one_that_is_nowhere() {
        let [word] = &sought("deploymets", &[]).words[..] else { panic!("one word") };
        assert_eq!((credit(word, "deploymet"), credit(word, "deploy")), (Some(1.0), Some(c::NEAR_CREDIT)));
        assert_eq!(word.begins, Some(("deploymet".to_owned(), c::NEAR_CREDIT)));
        let [known] = &sought("deploymets", &["deploymet"]).words[..] else { panic!("one word") };
        assert_eq!((credit(known, "deploy"), &known.begins), (None, &None));
        let [name] = &sought("Deploymets", &[]).words[..] else { panic!("one word") };
        assert_eq!((credit(name, "deploy"), &name.begins), (Some(c::NEAR_CREDIT), &None));
        let [short] = &sought("depl", &[]).words[..] else { panic!("one word") };
        assert_eq!((short.terms.len(), &short.begins), (2, &Some(("depl".to_owned(), c::NEAR_CREDIT))));
        let log: String = ('a'..='z').map(|letter| format!("word{letter}zz ")).collect();
        let long = sought(&log, &[]).words;
        assert_eq!(long.iter().filter(|word| word.begins.is_some()).count(), MOST_GUESSED);
    }

    #[test]
    fn parts_are_asked_for_a_whole_that_is_nowhere() {
        let first =
            |sought: SoughtTerms| sought.words.iter().map(|word| word.terms[0].0.clone()).collect::<Vec<_>>();
        assert_eq!(first(sought("refreshToken", &[])), ["refreshtoken", "refresh", "token"]);
        assert_eq!(first(sought("refreshToken", &["refreshtoken"])), ["refreshtoken"]);
        let probe = Probe::of("refreshToken db", 1);
        let terms = [
            "databas",
            "db",
            "refresh",
            "refreshtoken",
            "token",
            "~db",
            "~refresh",
            "~refreshtoken",
            "~token",
        ];
        assert_eq!(probe.terms(), terms);
    }

    #[test]
    fn titles_tags_and_single_characters_are_asked_for() {
        let all = sought("tag:jwt 観", &[]);
        assert_eq!((&all.tags[..], all.is_tags_only), (&["#jwt".to_owned()][..], false));
        assert_eq!(all.words[0].begins, Some(("観".to_owned(), 1.0)));
        assert_eq!(all.title, crate::item::title_term("観"));
        assert!(sought("tag:jwt", &[]).is_tags_only && sought("tag:jwt", &[]).title.is_none());
        assert!(sought("tag:jwt 🐙 Q", &[]).is_tags_only && !sought("tag:jwt 🐙 Q", &["🐙"]).is_tags_only);
        assert!(!sought("the", &[]).is_tags_only);
    }

    #[test]
    fn the_days_asked_are_those_that_are_like() {
        for text in [
            "in 2024",
            "in March",
            "in December",
            "in January",
            "March 2025",
            "December 2024",
            "on 1 March 2025",
            "on 2 January",
            "on 31 December",
            "30 May 2024",
            "2024-02-29",
            "2023 or March 2026 or on 9 October",
        ] {
            let (probe, sought) = (Probe::of(text, 1), sought(text, &[]));
            assert!(!probe.question.dates.is_empty(), "{text}");
            for at in 0..9 * 372 {
                let day = Day {
                    year: 2020 + at / 372,
                    month: (at / 31 % 12 + 1) as u32,
                    day: (at % 31 + 1) as u32,
                };
                let is_like = probe.question.dates.iter().any(|date| dates::likeness(date, day, 0.7) > 0.0);
                let numbers = [indexed::number(day), indexed::number(Day { year: 0, ..day })];
                let is_asked = numbers
                    .iter()
                    .any(|own| sought.days.iter().any(|(first, last)| (first..=last).contains(&own)));
                assert_eq!(is_like, is_asked, "{text} {day:?}");
            }
            assert!(sought.days.len() < 6, "{text}: {:?}", sought.days);
        }
        assert_eq!(sought("March 2025", &[]).days, [(20_250_301, 20_250_415)]);
        assert_eq!(sought("in December", &[]).days, [(101, 115), (1201, 1231)]);
    }
}
