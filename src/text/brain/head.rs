//! The head: how much is known where, how to ask for it, and what is undecided.

use super::lines::code;
use super::place::Placed;
use super::room::chars;
use brv_base::sorting;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The budget, in tokens.
const MOST: u64 = 60;

const ASK: &str = " Ask: `brv query QUESTION`; before an edit: `brv brain --for FILE`.";

/// The head, with its line end. `pending` changes wait for review.
pub(super) fn head(placed: &[Placed<'_>], pending: usize) -> String {
    let alive: Vec<&Placed<'_>> = placed.iter().filter(|one| !one.entry.is_retired()).collect();
    let mut domains: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &alive {
        *domains.entry(one.domain()).or_default() += one.entry.stated.count();
    }
    let count: usize = domains.values().sum();
    let disputed = alive.iter().filter(|one| one.entry.is_disputed).count();
    let start =
        format!("{} in {}", many(count, "statement", "statements"), many(alive.len(), "entry", "entries"));
    let end = format!(".{ASK}{}\n", undecided(pending, disputed));
    let left = chars(MOST).saturating_sub(start.chars().count() + end.chars().count());
    format!("{start}{}{end}", folders(&domains, left))
}

/// The folders that state most, as many as fit.
fn folders(domains: &BTreeMap<&str, usize>, left: usize) -> String {
    let mut sorted: Vec<(&str, usize)> = domains.iter().map(|(name, count)| (*name, *count)).collect();
    sorting::sort_by_key(&mut sorted, |(name, count)| (Reverse(*count), *name));
    let rest = |count: usize| if count > 0 { format!(", {count} more") } else { String::new() };
    let shown = |count: usize| {
        let each = sorted[..count].iter().map(|(name, count)| format!("{} {count}", code(name)));
        format!(": {}{}", each.collect::<Vec<_>>().join(", "), rest(sorted.len() - count))
    };
    let fitting = (1..=sorted.len()).rev().map(shown).find(|text| text.chars().count() <= left);
    fitting.unwrap_or_default()
}

fn undecided(pending: usize, disputed: usize) -> String {
    let parts = [(pending, "pending review"), (disputed, "disputed")];
    let told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", many(*count, "entry", "entries")))
        .collect();
    if told.is_empty() { String::new() } else { format!(" {}.", told.join(", ")) }
}

pub(super) fn many(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
