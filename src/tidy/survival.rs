//! What of an entry does not stand in the one that takes it over.

use crate::doc::Document;

/// What is left of entries in the one that took them over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survival {
    /// The different facts of the sources.
    pub facts_before: usize,
    /// Those of them that stand in the entry.
    pub facts_after: usize,
    /// What does not stand there, as text, in the order of the sources.
    pub dropped: Vec<String>,
}

/// What of `sources` stands in `after`.
pub fn survival(sources: &[&Document], after: &Document) -> Survival {
    let _ = (sources, after);
    Survival::default()
}
