//! Answer a question: which tier answers, from which hits, and whether an earlier answer may be given again.
//!
//! | tier | what answers |
//! |---|---|
//! | 0 | an earlier answer to the same question |
//! | 1 | an earlier answer to nearly the same question |
//! | 2 | the best fact or entry, or "not covered" |
//! | 3 | passages for the caller's own model, or a model of the user's from them |
//! | 4 | that model, which looks for more |
//!
//! [`search`] finds hits in the tree and makes the reply; [`index`] keeps and asks an index of many trees, on a search
//! engine of the user's. Everything else here is pure: it knows what was found, not how,
//! and reads no files. The commands ask a model, with what [`consult`] prepares.

mod asking;
pub mod consult;
mod cutting;
mod fact;
pub mod index;
mod item;
mod likeness;
mod lines;
mod passages;
mod reply;
mod row;
pub mod search;

pub use asking::asks;
pub use cutting::cut_to;
pub use fact::{Claim, said};
pub use item::{item, item_lines, shown_item};
pub use likeness::{LONGEST, Likeness, asks_for, asks_for_more, has_signed_names, has_words_of, key, normal};
pub use lines::{Lines, MOST_OF_ENTRY, lines, lines_beside};
pub use passages::{MOST_CHARS, MOST_OF_OTHERS, adding};
pub use reply::{
    By, Contrary, Explained, NOT_COVERED, Nearest, Ordered, Origin, Outcome, Passage, QuerySource, QueryStep,
    Reply, UNCERTAIN, Unanswered,
};
pub use reply::{has_all, is_direct};
pub use row::{MOST_RESULTS, SearchExplanation, SearchResult};
