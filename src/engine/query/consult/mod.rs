//! Consults a model about a question: the request, the tools it may call, and what its answer is worth. Pure.
//!
//! Everything of the tree that the model sees is a numbered [`ShownPiece`] between two markers, or a list of names. An answer
//! counts if it cites a number that was shown.

mod request;
mod shown;
mod tools;
mod verdict;

pub use request::{listing, once, searching};
pub use shown::{Shown, ShownPiece};
pub use tools::{MOST_AT_ONCE, MOST_CALLS, MOST_OF_RESULT, MOST_SHOWN, ToolAction};
pub use verdict::{ModelVerdict, Worth};
