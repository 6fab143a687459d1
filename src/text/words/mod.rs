//! Words of a text: terms and runs of words by which texts are compared, the function words that carry no meaning, and where the words
//! of a list stand.
//!
//! Pure, the same on every machine, and without weights: those belong to who compares.

mod literals;
mod runs;
pub mod stems;
mod stop_words;
mod terms;

pub use literals::Literals;
pub use runs::{Runs, common, share};
pub use terms::{Term, is_unspaced, terms_of};

/// Whether a word in lower case carries no meaning of its own: `the`, `with`.
pub fn is_function_word(word: &str) -> bool {
    stop_words::contains(brv_base::content::fnv(word.bytes()))
}
