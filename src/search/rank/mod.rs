//! Ranking: what a question's words say for each item, and how much to trust the first.
//!
//! The method and every constant come from a study on public question sets (a development part of LoCoMo and of XQuAD
//! English, each question with the entries that answer it). All constants are in [`super::constants`].

pub mod evidence;
pub mod find;
pub mod order;
mod postings;
pub mod relevance;
