//! What is said of entries that came from elsewhere and may steer an agent: a mark for people, a count for agents.

use super::ui::Screen;
use crate::say::words::many;

/// The mark of an entry, if it has one.
pub(super) fn mark(flagged: &[String]) -> Option<String> {
    (!flagged.is_empty()).then(|| format!("flagged: {}", flagged.join(", ")))
}

/// How many entries an agent does not get.
pub(super) fn count(screen: &mut Screen, withheld: usize) {
    if withheld > 0 {
        let entries = many(withheld, "entry is", "entries are");
        screen.line(format!("{entries} withheld: from elsewhere, and not accepted here yet."));
    }
}
