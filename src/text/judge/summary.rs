//! The summary that the rules give an entry: the item that says most.

use super::note;
use crate::doc::Item;
use std::cmp::Reverse;

/// `TITLE: LEAD` of the item of greatest weight; of equal ones the newer, then the one with the lesser title. What was reverted
/// or superseded says nothing. The same in any order of the items; `None` without one.
pub fn summary(items: &[Item]) -> Option<String> {
    let key = |item: &&Item| {
        let weight = note(&item.text).weight;
        (weight, item.month.clone(), Reverse((item.title.clone(), item.text.clone())))
    };
    let best = items.iter().filter(|item| item.mark.is_none()).max_by_key(key)?;
    let lead = note(&best.text).lead;
    Some(if lead.is_empty() { best.title.clone() } else { format!("{}: {lead}", best.title) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(lines: &[&str]) -> Vec<Item> {
        lines.iter().filter_map(|line| Item::read(line)).collect()
    }

    #[test]
    fn the_heaviest_live_item_is_the_summary_in_any_order() {
        let mut all = items(&[
            "- **Small**: It is a little faster. (2026-03)",
            "- **Retry twice**: rule: It must never block, because the lock is held. More is said. (2026-01)",
            "- **Old**: reverted 2026-02-01: It must never wait, because the lock must not be held. (2025-01)",
        ]);
        let expected = Some("Retry twice: It must never block, because the lock is held.".to_owned());
        assert_eq!(summary(&all), expected);
        all.reverse();
        assert_eq!(summary(&all), expected);
        assert_eq!(summary(&items(&["- **Old**: reverted 2026-02-01: It must wait. (2025-01)"])), None);
    }

    #[test]
    fn of_equal_items_the_newer_and_then_the_lesser_title_counts() {
        let all =
            items(&["- **b**: Same. (2026-01)", "- **a**: Same. (2026-01)", "- **z**: Same. (2025-12)"]);
        assert_eq!(summary(&all).as_deref(), Some("a: Same."));
        assert_eq!(summary(&[]), None);
    }
}
