//! How entries that came from elsewhere and may steer an agent are marked: a mark for people, a count for agents.

use super::ui::Screen;
use crate::say::last_changes;

/// The mark of an entry, if it has one.
pub(super) fn mark(flagged: &[String]) -> Option<String> {
    (!flagged.is_empty()).then(|| format!("flagged: {}", flagged.join(", ")))
}

/// How many entries an agent does not get.
pub(super) fn count(screen: &mut Screen, withheld: usize) {
    if let Some(line) = last_changes::withheld(withheld) {
        screen.line(line);
    }
}
