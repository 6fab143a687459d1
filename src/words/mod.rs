//! Words of a text: terms and runs of words by which texts are compared, and the function words that carry no meaning.
//!
//! Pure, the same on every machine, and without weights: those belong to who compares.

mod runs;
mod stop_words;
mod terms;

pub use runs::{Runs, common, share};
pub use terms::{Term, is_unspaced, terms_of};
