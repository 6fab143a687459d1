//! The text of a hit that is handed on: a short entry as a whole, else its best passage.

use super::{Hits, passage_text};
use crate::answer;
use crate::doc::Document;
use crate::search::Hit;

/// The least relevance of a passage that is handed on.
const LEAST: f64 = 0.3;

/// The longest entry that is handed on as a whole, in characters.
pub const LONGEST: usize = 2_000;

/// The hits that are near enough to be handed on, best first.
pub fn near(hits: &Hits) -> impl Iterator<Item = &Hit> {
    hits.found.hits.iter().filter(|hit| hit.relevance >= LEAST)
}

/// The text of an entry that has at most `whole` characters, else the passage that matches best, up to `most` characters.
pub fn text_of(document: &Document, hit: &Hit, whole: usize, most: usize) -> String {
    let body = document.body().trim();
    if body.chars().count() <= whole {
        return body.to_owned();
    }
    let passage = hit.passage.map(|passage| passage_text(document, passage.line, passage.lines));
    answer::cut_to(&passage.unwrap_or_default(), most)
}
