//! Distrust of a result: it is read again, and every line of both sides must be in it, once, or on record.

use super::body::{Merged, Part};
use super::{Conflict, Record, Texts};
use crate::doc::BlockKind;
use std::collections::HashMap;

/// A line of fewer bytes may well stand twice.
const TELLING: usize = 24;

/// Whether the merged body is read as it was meant, and holds what both sides brought.
pub(super) fn holds(
    parts: [&Part<'_>; 3],
    merged: &Merged,
    result: &Part<'_>,
    settled: [&[Record]; 2],
) -> bool {
    reads_as_meant(merged, result)
        && accounted(
            parts.map(|part| part.text),
            &merged.text,
            settled.into_iter().flatten().map(|record| &record.texts),
            &merged.conflicts,
        )
}

/// The blocks of the result are those it was made of. Where there are markers this cannot be told.
fn reads_as_meant(merged: &Merged, result: &Part<'_>) -> bool {
    if merged.blocks.iter().any(Option::is_none) {
        return true;
    }
    let found = result.outline.blocks().iter().enumerate();
    let found = found.filter(|(_, block)| block.kind != BlockKind::Blank).map(|(at, _)| result.block(at));
    found.eq(merged.blocks.iter().flatten().map(String::as_str))
}

/// No line is lost, and none that says something stands more often than both sides made it.
pub(super) fn accounted<'a>(
    [base, first, second]: [&'a str; 3],
    result: &'a str,
    records: impl Iterator<Item = &'a Texts>,
    conflicts: &'a [Conflict],
) -> bool {
    let mut counts: HashMap<&str, [usize; 4]> = HashMap::with_capacity(256);
    for (version, text) in [base, first, second, result].into_iter().enumerate() {
        for line in lines(text) {
            counts.entry(line).or_default()[version] += 1;
        }
    }
    let is_odd = |[base, first, second, result]: &[usize; 4], line: &str| {
        *result < least(*base, *first, *second)
            || (*result > most(*base, *first, *second) && *first + *second > 0 && line.len() >= TELLING)
    };
    let odd: Vec<&str> =
        counts.iter().filter(|(line, counts)| is_odd(counts, line)).map(|(line, _)| *line).collect();
    if odd.is_empty() {
        return true;
    }
    let texts = records.chain(conflicts.iter().map(|conflict| &conflict.texts));
    let told: std::collections::HashSet<&str> = texts
        .flat_map(|texts| [&texts.base, &texts.ours, &texts.theirs])
        .flatten()
        .flat_map(|text| lines(text))
        .collect();
    odd.iter().all(|line| told.contains(line))
}

/// How often a line must stand at least: what each side added, without what each side removed; what both added, once.
const fn least(base: usize, first: usize, second: usize) -> usize {
    if first > base && second > base {
        return if first < second { first } else { second };
    }
    (first + second).saturating_sub(base)
}

const fn most(base: usize, first: usize, second: usize) -> usize {
    let greater = if first > second { first } else { second };
    let three = (first + second).saturating_sub(base);
    if base == 0 || greater > three { greater } else { three }
}

/// The lines that say something, without the number of a list.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| {
            let line = line.trim();
            let bare = line.trim_start_matches(|c: char| c.is_ascii_digit());
            if bare.len() < line.len() && bare.starts_with(['.', ')']) { bare } else { line }
        })
        .filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(versions: [&str; 3], result: &str) -> bool {
        accounted(versions, result, std::iter::empty(), &[])
    }

    #[test]
    fn a_line_that_is_lost_or_doubled_is_seen() {
        let long = "a line that says quite a lot of things\n";
        assert!(accounts(["a\n", "a\nb\n", "a\nc\n"], "a\nb\nc\n"));
        assert!(!accounts(["a\n", "a\nb\n", "a\nc\n"], "a\nb\n"));
        assert!(accounts(["a\nb\n", "a\n", "a\nb\n"], "a\n"));
        assert!(!accounts(["", long, long], &long.repeat(2)));
        assert!(accounts(["", "1. x\n", "2. x\n"], "3. x\n"), "numbers of a list are set right");
    }
}
