//! Verify a merge result: it is parsed again, every line of both sides must be in it or in a record, and no line may
//! occur more often than the sides account for.

use super::body::{Merged, VersionBody, bare, lines};
use super::{Conflict, MergePlace, Record, Settled, Side, Texts};
use crate::doc::{BlockKind, Document};
use std::collections::{HashMap, HashSet};

/// A line with fewer bytes than this that both sides added may well be meant twice.
const TELLING: usize = 24;

/// Check that the merged body parses as intended, and holds everything both sides added, nothing twice. On success,
/// returns the records still to be added: lines that each side added on its own.
pub(super) fn holds(
    parts: [&VersionBody<'_>; 3],
    merged: &Merged,
    result: &VersionBody<'_>,
    settled: [&[Record]; 2],
) -> Option<Option<Record>> {
    if !reads_as_meant(merged, result) {
        return None;
    }
    let texts = parts.map(|part| part.text);
    let mut ledger = LineLedger::of(texts, &merged.text);
    settled.into_iter().flatten().for_each(|record| ledger.settle(record));
    merged.conflicts.iter().for_each(|conflict| ledger.open(conflict));
    merged.revived.iter().for_each(|heading| ledger.keep(heading));
    let twice = ledger.balance(TELLING)?;
    Some((!twice.is_empty()).then(|| brought_by_both(result, &twice)))
}

/// The verdict on git's line merge, if that is clean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineVerdict {
    /// The lines hold what a merge by meaning would hold.
    Fit,
    /// They do, but text added by one side is below a heading of the other side.
    Misplaced,
    /// Something is lost or duplicated.
    Odd,
}

/// Check git's merge of all lines.
pub(super) fn lines_fit(parts: [&VersionBody<'_>; 3], text: &str) -> LineVerdict {
    let ledger = LineLedger::of(parts.map(|part| part.text), text);
    if ledger.balance(1).is_none_or(|twice| !twice.is_empty()) {
        return LineVerdict::Odd;
    }
    let document = Document::parse(text);
    let result = VersionBody::of(&document);
    let loses_count = parts.into_iter().all(counts_up) && !counts_up(&result);
    if loses_count || has_open_fence(&result) || !same_facts(parts, &result) {
        return LineVerdict::Odd;
    }
    let is_placed = (1..3).all(|side| stands_below_its_heading([parts[0], parts[side]], &result));
    if is_placed { LineVerdict::Fit } else { LineVerdict::Misplaced }
}

/// Whether each line that a side added is below the heading that the side has above it, as long as that heading exists:
/// a line added to `Unreleased` while the other side turned it into a release was not released.
fn stands_below_its_heading([base, side]: [&VersionBody<'_>; 2], result: &VersionBody<'_>) -> bool {
    let known: HashSet<&str> = lines(base.text).collect();
    let titles: HashSet<&str> =
        result.outline.sections().iter().map(|section| section.title.as_str()).collect();
    let place = below_headings(result);
    below_headings(side).into_iter().all(|(line, heading)| {
        let is_elsewhere = place.get(line).is_some_and(|found| *found != heading);
        known.contains(line) || heading.is_none_or(|heading| !titles.contains(heading)) || !is_elsewhere
    })
}

/// The heading above each line that is unique; `None` if the line occurs more than once.
fn below_headings<'a>(part: &'a VersionBody<'_>) -> HashMap<&'a str, Option<&'a str>> {
    let mut found = HashMap::new();
    for section in part.outline.sections() {
        for line in lines(&part.text[section.content.clone()]) {
            let heading = Some(section.title.as_str());
            found.entry(line).and_modify(|heading| *heading = None).or_insert(heading);
        }
    }
    found
}

/// Whether a fence is never closed: it would swallow whatever comes after it.
pub(super) fn has_open_fence(part: &VersionBody<'_>) -> bool {
    part.outline.blocks().iter().any(|block| matches!(block.kind, BlockKind::Fence { closed: false, .. }))
}

/// Whether the items of every numbered list count up by one.
fn counts_up(part: &VersionBody<'_>) -> bool {
    let number = |at: usize| -> Option<u64> {
        let text = part.block(at).trim_start();
        text[..text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()].parse().ok()
    };
    let list = |at: usize| match part.kind(at) {
        BlockKind::Item { list, ordered: Some(_) } => Some(*list),
        _ => None,
    };
    let follows = |at: usize| match (number(at - 1), number(at)) {
        (Some(before), Some(own)) => own == before + 1,
        _ => true,
    };
    (1..part.outline.blocks().len()).all(|at| list(at).is_none() || list(at - 1) != list(at) || follows(at))
}

/// Whether the facts are those that either side added, without those that either side removed, each once.
fn same_facts(parts: [&VersionBody<'_>; 3], result: &VersionBody<'_>) -> bool {
    let mut counts: HashMap<_, [usize; 4]> = HashMap::new();
    for (version, part) in parts.into_iter().chain([result]).enumerate() {
        part.facts.iter().flatten().for_each(|key| counts.entry(key).or_default()[version] += 1);
    }
    counts.values().all(|[base, first, second, result]| {
        let stands = if *base > 0 { *first > 0 && *second > 0 } else { *first + *second > 0 };
        (*result > 0) == stands && result <= first.max(second)
    })
}

/// The record of lines that both sides added in two places, each on its own.
fn brought_by_both(result: &VersionBody<'_>, lines: &[&str]) -> Record {
    let is_twice = |line: &&str| lines.contains(&bare(line));
    let at =
        (0..result.outline.blocks().len()).find(|at| result.block(*at).lines().any(|line| is_twice(&line)));
    let headings = at.map_or_else(Vec::new, |at| result.outline.path(result.section_of[at]));
    let headings = headings.into_iter().map(str::to_owned).collect();
    let mut written: Vec<&str> = result.text.lines().filter(is_twice).map(str::trim).collect();
    written.sort_unstable();
    written.dedup();
    let starts = written.first().map_or_else(String::new, |line| line.chars().take(60).collect());
    let text = Some(written.join("\n"));
    Record {
        place: MergePlace::Block { headings, starts },
        settled: Settled::BothKept,
        texts: Texts { base: None, ours: text.clone(), theirs: text },
    }
}

/// Whether the parsed result has the blocks it was made of. Not checked if there are markers.
fn reads_as_meant(merged: &Merged, result: &VersionBody<'_>) -> bool {
    if merged.blocks.iter().any(Option::is_none) {
        return true;
    }
    let found = result.outline.blocks().iter().enumerate();
    let found = found.filter(|(_, block)| block.kind != BlockKind::Blank).map(|(at, _)| result.block(at));
    found.eq(merged.blocks.iter().flatten().map(String::as_str))
}

/// How often each line that contains words occurs in base, first, second and the result, and what the records say about
/// it.
struct LineLedger<'a> {
    counts: HashMap<&'a str, LineCount>,
}

#[derive(Default)]
struct LineCount {
    of: [usize; 4],
    /// The line is in the text of a record or conflict.
    is_told: bool,
    /// How often it may return although removed, by the records: a kept change of something the other side removed.
    kept: usize,
    /// How many more times it may occur, by the records: once for each side.
    both: usize,
}

impl<'a> LineLedger<'a> {
    fn of(versions: [&'a str; 3], result: &'a str) -> LineLedger<'a> {
        let mut counts: HashMap<&str, LineCount> = HashMap::with_capacity(256);
        for (version, text) in versions.into_iter().chain([result]).enumerate() {
            lines(text).for_each(|line| counts.entry(line).or_default().of[version] += 1);
        }
        LineLedger { counts }
    }

    fn each(&mut self, text: &str, change: impl Fn(&mut LineCount)) {
        for line in lines(text) {
            if let Some(count) = self.counts.get_mut(line) {
                change(count);
            }
        }
    }

    /// Text that one side removed is kept.
    fn keep(&mut self, text: &str) {
        self.each(text, |count| count.kept += 1);
    }

    /// Account for a record: its text may be kept although a side removed it, or may occur twice.
    fn settle(&mut self, record: &Record) {
        let Texts { base, ours, theirs } = &record.texts;
        let texts = [base, ours, theirs].map(|text| text.as_deref().unwrap_or_default());
        texts.into_iter().for_each(|text| self.each(text, |count| count.is_told = true));
        match record.settled {
            Settled::BothKept | Settled::Disputed => {
                texts[1..].iter().for_each(|text| self.each(text, |count| count.both += 1));
            }
            Settled::ChangeKept(Side::Ours) | Settled::Chosen(Side::Ours) => self.keep(texts[1]),
            Settled::ChangeKept(Side::Theirs) | Settled::Chosen(Side::Theirs) => self.keep(texts[2]),
            Settled::BaseTaken => self.keep(texts[0]),
            Settled::Combined => {}
        }
    }

    /// Account for the text between markers.
    fn open(&mut self, conflict: &Conflict) {
        let Texts { base, ours, theirs } = &conflict.texts;
        for text in [base, ours, theirs].into_iter().flatten() {
            self.each(text, |count| {
                count.is_told = true;
                count.both += 1;
            });
        }
    }

    /// `None` if a line is lost, or occurs more often than the sides and the records account for. Otherwise the lines
    /// that occur once for each side: those with less than `telling` bytes, which both sides may have added.
    fn balance(&self, telling: usize) -> Option<Vec<&'a str>> {
        let mut twice = Vec::new();
        for (line, count) in &self.counts {
            let [base, first, second, result] = count.of;
            if result < least([base, first, second]) && !count.is_told {
                return None;
            }
            let greatest = base.max(first).max(second);
            let most = most([base, first, second]);
            let most = most.max(greatest.min(most + count.kept)) + count.both;
            let is_known = base + first + second > 0;
            if result > most && is_known && is_text(line) {
                let is_of_each = first > base && second > base && result <= first + second - base;
                if !is_of_each || line.len() >= telling {
                    return None;
                }
                twice.push(*line);
            }
        }
        twice.sort_unstable();
        Some(twice)
    }
}

/// How often a line must occur at least: each side's additions without each side's removals; what both added counts
/// once.
const fn least([base, first, second]: [usize; 3]) -> usize {
    if first > base && second > base {
        return if first < second { first } else { second };
    }
    (first + second).saturating_sub(base)
}

/// How often a line may occur at most: as in [`least`], but what both sides added may occur as often as in one of them,
/// and what both removed may have been the same.
fn most([base, first, second]: [usize; 3]) -> usize {
    if first > base && second > base {
        first.max(second)
    } else if first < base && second < base {
        first.min(second)
    } else {
        (first + second).saturating_sub(base)
    }
}

/// Whether a line has text that must not be repeated: not a rule, a fence or a row of dashes.
fn is_text(line: &str) -> bool {
    line.contains(char::is_alphanumeric) && !line.starts_with("```") && !line.starts_with("~~~")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(versions: [&str; 3], result: &str) -> bool {
        LineLedger::of(versions, result).balance(TELLING).is_some_and(|twice| twice.is_empty())
    }

    #[test]
    fn a_line_that_is_lost_or_doubled_is_seen() {
        let long = "a line that says quite a lot of things\n";
        assert!(accounts(["a\n", "a\nb\n", "a\nc\n"], "a\nb\nc\n"));
        assert!(!accounts(["a\n", "a\nb\n", "a\nc\n"], "a\nb\n"));
        assert!(accounts(["a\nb\n", "a\n", "a\nb\n"], "a\n"));
        assert!(!accounts(["", long, long], &long.repeat(2)));
        assert!(accounts(["", "1. x\n", "2. x\n"], "3. x\n"), "numbers of a list are corrected");
    }

    #[test]
    fn what_a_side_removed_does_not_come_back_without_a_record() {
        assert!(!accounts(["# A\n", "# B\n", "# A\nx\n"], "# A\n# B\nx\n"));
        assert!(!accounts(["- a\n- b\n", "- a\nb\n", "- a\n- c\n"], "- a\nb\n- c\n"), "less a marker");
        assert!(accounts(["a\na\n", "a\n", "a\n"], "a\n"), "both may have removed the same one");
        let mut ledger = LineLedger::of(["a\n", "", "a\nb\n"], "a\nb\n");
        assert_eq!(ledger.balance(TELLING), None);
        let texts = Texts { base: Some("a".into()), ours: None, theirs: Some("a\nb".into()) };
        let settled = Settled::ChangeKept(Side::Theirs);
        ledger.settle(&Record { place: MergePlace::Whole, settled, texts });
        assert_eq!(ledger.balance(TELLING), Some(Vec::new()));
    }

    #[test]
    fn a_short_line_that_each_side_brought_stands_for_both_and_is_recorded() {
        let ledger = LineLedger::of(["x\n", "**Why:**\nx\n", "x\n**Why:**\n"], "**Why:**\nx\n**Why:**\n");
        assert_eq!(ledger.balance(TELLING), Some(vec!["**Why:**"]));
        assert!(accounts(["", "```sh\n", "```sh\n"], "```sh\n```sh\n"), "a fence is not text");
    }
}
