//! Words of a text: terms and runs of words by which texts are compared, the function words that carry no meaning, amounts
//! with their units, and the reader of the lists of words that other rooms have.
//!
//! Pure, the same on every machine, and without weights: those belong to who compares.

pub mod list;
mod numbers;
mod quantities;
mod runs;
pub mod stems;
mod stop_words;
mod terms;

pub use numbers::{meant_number, month, month_name, spelled_number};
pub use quantities::{Dimension, Unit, is_same_amount, plain_number, unit};
pub use runs::{Runs, common, share};
pub use terms::{Term, is_unspaced, terms_of};

/// Whether a word in lower case carries no meaning of its own: `the`, `with`.
pub fn is_function_word(word: &str) -> bool {
    stop_words::contains(brv_base::content::fnv(word.bytes()))
}
