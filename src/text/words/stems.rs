//! The stems of words, by Snowball's algorithms (<https://snowballstem.org>).
//!
//! Words with digits or signs are names or numbers and stay as they are. The script decides before the language does: Cyrillic
//! words are Russian, and in English texts words with letters beyond ASCII stay.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use frostem::{Algorithm, Stemmer};

use brv_base::content::fnv;

/// How many stems are remembered before all are forgotten: texts have few distinct words.
const MOST: usize = 1 << 16;

/// The stemmers, with the stems found so far.
pub struct Stems {
    stemmers: [Stemmer; Language::ALL.len()],
    known: [StemTable; Language::ALL.len()],
}

/// Words with the numbers of their stems, and the stems.
type StemTable = (HashMap<Box<str>, usize, BuildHasherDefault<Fnv>>, Vec<Box<str>>);

impl Default for Stems {
    fn default() -> Self {
        let of = |language| match language {
            Language::English => Algorithm::English,
            Language::German => Algorithm::German,
            Language::French => Algorithm::French,
            Language::Spanish => Algorithm::Spanish,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Russian => Algorithm::Russian,
        };
        Self { stemmers: Language::ALL.map(|language| Stemmer::new(of(language))), known: Default::default() }
    }
}

impl Stems {
    /// The stem of a word in lower case, in a text of this language.
    pub fn of<'a>(&'a mut self, word: &'a str, language: Language) -> &'a str {
        let Some(language) = stemming(word, language) else { return word };
        let (known, found) = &mut self.known[language as usize];
        let number = match known.get(word) {
            Some(&number) => number,
            None => {
                if found.len() >= MOST {
                    known.clear();
                    found.clear();
                }
                found.push(self.stemmers[language as usize].stem(word).into());
                known.insert(word.into(), found.len() - 1);
                found.len() - 1
            }
        };
        &found[number]
    }
}

/// The language whose rules apply to a word; `None` if it stays as it is.
fn stemming(word: &str, language: Language) -> Option<Language> {
    if word.is_ascii() {
        let language = if language == Language::Russian { Language::English } else { language };
        return word.bytes().all(|byte| byte.is_ascii_alphabetic()).then_some(language);
    }
    if word.chars().any(|c| c.is_numeric()) {
        None
    } else if word.chars().all(|c| matches!(c, '\u{400}'..='\u{4ff}')) {
        Some(Language::Russian)
    } else {
        (!matches!(language, Language::English | Language::Russian)).then_some(language)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Russian,
}

impl Language {
    /// All of them, by number.
    pub const ALL: [Self; 6] =
        [Self::English, Self::German, Self::French, Self::Spanish, Self::Portuguese, Self::Russian];

    /// The language of this number; English for a number without one.
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::English)
    }
}

/// FNV-1a: words are short, and nobody gains by making them collide here.
#[derive(Default)]
pub struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.rotate_left(5) ^ fnv(bytes.iter().copied());
    }
}

/// The stem of a word in lower case, by the rules of English: the form in which questions are compared.
pub fn stem(word: &str) -> String {
    Stems::default().of(word, Language::English).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let mut stems = Stems::default();
        for (language, a, b) in [
            (Language::English, "rotations", "rotation"),
            (Language::German, "laufzeiten", "laufzeit"),
            (Language::French, "jetons", "jeton"),
            (Language::Spanish, "sesiones", "sesión"),
            (Language::Portuguese, "configurações", "configuração"),
            (Language::Russian, "настройки", "настройках"),
            (Language::English, "настройки", "настройках"),
        ] {
            let a = stems.of(a, language).to_owned();
            assert_eq!(a, stems.of(b, language), "{language:?}");
        }
        for word in ["sha256", "v2.1.3", "観測"] {
            assert_eq!(stems.of(word, Language::English), word);
        }
    }
}
