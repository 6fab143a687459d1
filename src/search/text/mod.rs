//! From text to terms: words, their language, stems, function words, dates.
//!
//! Pure. A text and a question pass through the same functions, so that equal words become equal terms.

pub mod dates;
pub mod language;
pub mod stems;
pub mod stop_words;
pub mod tokens;
