//! Decide whether two entries that both sides added under one name are versions of one entry at all.

use crate::diff::Bag;
use crate::doc::{Document, normal};

/// The share of words that two entries must have in common, unless they have the same title. Different entries of one
/// folder have a third in common, seldom more.
const RELATED: f64 = 0.5;

/// Whether two entries share neither a title nor half of their words: then they are not versions of one entry, and a
/// merge would mix two things. An entry without words is related to every other.
pub(super) fn are_unrelated(ours: &Document, theirs: &Document) -> bool {
    let bodies = [ours, theirs].map(Document::body);
    if bodies.iter().any(|body| body.trim().is_empty()) {
        return false;
    }
    let (own, other) = (titles(ours), titles(theirs));
    let has_title = own.iter().any(|title| other.contains(title));
    let [own, other] = bodies.map(Bag::of_text);
    !has_title && own.likeness(&other) < RELATED
}

/// The title of the frontmatter, and the first level-1 heading.
fn titles(document: &Document) -> Vec<String> {
    let heading = document.sections().iter().find(|section| section.level == 1);
    let all = [document.meta().title, heading.map(|section| section.title.clone())];
    all.into_iter().flatten().map(|title| normal(&title)).filter(|title| !title.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_or_half_of_the_words_make_two_entries_one() {
        let unrelated =
            |ours: &str, theirs: &str| are_unrelated(&Document::parse(ours), &Document::parse(theirs));
        assert!(unrelated("# Tokens\n\nThey live a day.\n", "# Plants\n\nWater on Mondays.\n"));
        assert!(!unrelated("---\ntitle: Tokens\n---\nx\n", "# TOKENS\n\nThey live a day.\n"));
        assert!(!unrelated("# A\n\nTokens live a day.\n", "# B\n\nTokens live a week.\n"));
        assert!(!unrelated("# A\n", "---\ntags: [b]\n---\n"));
    }
}
