//! From text to terms: words, their language, stems, function words, words that ask, dates.
//!
//! Pure. A text and a question pass through the same functions, so that equal words become equal terms.

pub mod asking;
pub mod common;
pub mod dates;
pub mod folding;
pub mod language;
pub mod stop_words;
pub mod synonyms;
pub mod tokens;
pub mod typing;
