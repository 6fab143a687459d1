//! From text to terms: words, their language, stems, function words, dates.
//!
//! Pure. A text and a question pass through the same functions, so that equal words become equal terms.

pub mod dates;
pub mod language;
pub mod stems;
pub mod stop_words;
pub mod tokens;

/// The stem of a word in lower case, by the rules of English: the form in which questions are compared.
#[must_use]
pub fn stem(word: &str) -> String {
    stems::Stems::new().of(word, language::Language::English).to_owned()
}
