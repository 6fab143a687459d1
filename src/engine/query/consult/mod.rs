//! Consults a model about a question: the request, the tools it may call, and what its answer is worth. Pure.
//!
//! Everything of the tree that the model sees is a numbered [`Piece`] between two markers, or a list of names. An answer
//! counts if it cites a number that was shown.

mod request;
mod shown;
mod tools;
mod verdict;

pub use request::{listing, once, searching};
pub use shown::{Piece, Shown};
pub use tools::{Action, MOST_AT_ONCE, MOST_CALLS, MOST_OF_RESULT, MOST_SHOWN};
pub use verdict::{Verdict, Worth};
