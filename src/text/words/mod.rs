//! Words of a text: terms and runs of words by which texts are compared, and the function words that carry no meaning.
//!
//! Pure, the same on every machine, and without weights: those belong to who compares.

mod runs;
pub mod stems;
mod stop_words;
mod terms;

pub use runs::{Runs, common, share};
pub use terms::{Term, is_unspaced, terms_of};

/// Whether a word in lower case carries no meaning of its own: `the`, `with`.
pub fn is_function_word(word: &str) -> bool {
    stop_words::contains(brv_base::content::fnv(word.bytes()))
}
