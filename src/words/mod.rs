//! Words of a text: terms by which texts are compared, and the function words that carry no meaning.
//!
//! Pure, the same on every machine, and without weights: those belong to who compares.

mod stop_words;
mod terms;

pub use terms::{Term, is_unspaced, terms_of};
