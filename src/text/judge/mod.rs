//! Which sentences of a commit message are knowledge: their weight, the text of a note, its lead and its kind.
//!
//! By lists of English words, which are files in `lists/`, one pattern a line. A sentence is weighed by itself; nothing but
//! its words and its length decides. The weights were measured on commits of other projects by a study and are constants.
//!
//! | file | knows |
//! |---|---|
//! | `pattern`, `scanner` | the patterns of the lists, and one automaton that finds them |
//! | [`sentences`], [`weigh`] | a text → sentences → their weights |
//! | [`write`](fn@write), [`note`] | weighed sentences → the text of a note; a text → its weight, lead and kind |
//! | [`summary`](fn@summary) | items → the summary of their entry |
//! | [`after_emoji`] | a subject → what it says behind emoji |
//! | [`lists`] | the lists that decide otherwise: bots, forms, names of housekeeping |

mod about_tests;
#[cfg(test)]
mod agreement;
mod characters;
mod emoji;
mod first_person;
mod kind;
#[cfg(test)]
mod laws;
pub mod lists;
mod marks;
mod measures;
mod names;
mod pattern;
mod references;
mod scanner;
mod sentences;
mod steps;
mod summary;
mod weigh;
mod write;

pub use emoji::after_emoji;
pub use kind::{NoteKind, kind};
pub use marks::{Mark, SentenceMarks};
pub use sentences::sentences;
pub use summary::summary;
pub use weigh::{LONGEST_SENTENCE, Weighed, weigh};
pub use write::{NoteText, Noted, Sentence, TAKEN, kind_of, note, sum, write};
