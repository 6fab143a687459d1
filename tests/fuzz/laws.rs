//! What must hold for all bytes: of a document, of a merge, of a difference. One function each, which says what is broken.
//!
//! Used by the fuzz targets beside it (`cargo +nightly fuzz run --fuzz-dir tests/fuzz merge`) and by the mutating test in
//! `tests/it/fuzzed.rs`, which needs no other compiler.

use brv_text::diff::{self, knowledge};
use brv_text::doc::Document;
use brv_text::merge::{self, Outcome, Rules, Versions};
use std::collections::{HashMap, HashSet};

/// A document gives back its bytes, and can be asked for everything.
pub fn document(bytes: &[u8]) -> Result<(), String> {
    let document = Document::parse(bytes);
    hold(document.as_bytes() == bytes, "it gives back its bytes")?;
    hold(document.text().len() == bytes.len(), "its text is as long as its bytes")?;
    let mut end = 0;
    for block in document.blocks() {
        hold(block.span.start == end && block.span.end >= end, "its blocks stand side by side")?;
        end = block.span.end;
    }
    hold(end == document.body().len(), "its blocks are the whole body")?;
    let _ = (document.meta(), document.facts(), document.links(), document.concept(), document.problems());
    for conflict in document.conflicts() {
        hold(conflict.span.end <= bytes.len(), "its markers are inside")?;
    }
    Ok(())
}

/// What is reported of two versions differs.
pub fn difference(before: &[u8], after: &[u8]) -> Result<(), String> {
    let told = diff::compare(before, after, diff::CONTEXT);
    hold(told.is_empty() == (before == after), "equal is what has no difference")?;
    let content = knowledge::compare(before, after);
    let _ = format!("{content:?}");
    let _ = knowledge::compare(before, before);
    Ok(())
}

/// The laws of a merge.
pub fn three(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    for (versions, wanted) in
        [([base, ours, ours], ours), ([base, base, theirs], theirs), ([base, ours, base], ours)]
    {
        let outcome = merged(versions);
        hold(outcome.is_clean() && outcome.bytes == wanted, "what one side changed is taken")?;
    }
    let outcome = merged([base, ours, theirs]);
    let swapped = merged([base, theirs, ours]);
    hold(outcome.is_clean() == swapped.is_clean(), "it is clean both ways or not at all")?;
    if outcome.is_clean() {
        hold(outcome.bytes == swapped.bytes, "a clean merge is the same both ways")?;
    }
    hold(outcome.conflicts.len() == swapped.conflicts.len(), "there is as much to decide both ways")?;
    let mut end = 0;
    for span in outcome.conflicts.iter().filter_map(|conflict| conflict.span.clone()) {
        hold(span.start >= end && span.end <= outcome.bytes.len(), "places of conflicts are in order")?;
        hold(
            outcome.bytes[span.start..].starts_with(b"<<<<<<<"),
            "a place of a conflict starts with a marker",
        )?;
        end = span.end;
    }
    if [base, ours, theirs].iter().all(|bytes| std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0)) {
        nothing_is_lost([base, ours, theirs], &outcome)?;
        if outcome.is_clean() {
            let again = merged([base, &outcome.bytes, theirs]);
            hold(
                again.is_clean() && again.bytes == outcome.bytes,
                "a second merge of theirs changes nothing",
            )?;
            let again = merged([base, ours, &outcome.bytes]);
            hold(again.is_clean() && again.bytes == outcome.bytes, "a second merge of ours changes nothing")?;
        }
    }
    Ok(())
}

fn merged([base, ours, theirs]: [&[u8]; 3]) -> Outcome {
    merge::merge(&Versions { base: Some(base), ours, theirs }, &Rules::default())
}

/// Every line of a body that a side added, or that nobody touched, is in the result or on record.
fn nothing_is_lost(versions: [&[u8]; 3], outcome: &Outcome) -> Result<(), String> {
    let told = outcome.records.iter().map(|record| &record.texts);
    let told: HashSet<String> = told
        .chain(outcome.conflicts.iter().map(|conflict| &conflict.texts))
        .flat_map(|texts| [&texts.base, &texts.ours, &texts.theirs])
        .flatten()
        .flat_map(|text| text.lines().map(bare).collect::<Vec<_>>())
        .collect();
    let documents = versions.map(Document::parse);
    let [base, ours, theirs] = documents.each_ref().map(|document| count(document.body()));
    let result = Document::parse(outcome.bytes.clone());
    let result = count(std::str::from_utf8(result.as_bytes()).map_err(|_| "the result is text".to_owned())?);
    let of = |counts: &HashMap<String, usize>, line: &String| counts.get(line).copied().unwrap_or_default();
    for line in ours.keys().chain(theirs.keys()) {
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|counts| of(counts, line));
        let added = ours.saturating_sub(base).max(theirs.saturating_sub(base));
        // of several equal lines each side may have removed another
        let kept = (ours + theirs).saturating_sub(base);
        // equal lines of both may become one
        // of two times the later one is taken, as in the frontmatter, which needs no record
        let is_time = |line: &String| line.starts_with("**Timestamp:**");
        let is_older = is_time(line) && result.keys().any(is_time);
        if kept + added > 0 && of(&result, line) == 0 && !told.contains(line) && !is_older {
            return Err(format!("no line is lost without a record: {line:?}"));
        }
    }
    Ok(())
}

fn count(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in text.lines().map(bare).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// A line without what a merge may set anew: white space around it, the number of an item, a byte order mark, the quote
/// or item that a definition was in.
fn bare(line: &str) -> String {
    let line = line.trim_start_matches('\u{feff}').trim();
    let text = line.trim_start_matches(['>', '-', ' ']);
    let line = if text.starts_with('[') && text.contains("]:") { text } else { line };
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < line.len() && digits.starts_with(['.', ')']) {
        digits.to_owned()
    } else {
        line.to_owned()
    }
}

fn hold(is_so: bool, law: &str) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(law.to_owned()) }
}

/// One string of bytes as several: they are parted by a byte that no text has.
#[allow(dead_code, reason = "the fuzz targets get one string")]
pub fn parted<const N: usize>(bytes: &[u8]) -> [&[u8]; N] {
    let mut parts = bytes.split(|byte| *byte == 0x1e);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}
