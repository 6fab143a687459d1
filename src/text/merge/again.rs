//! Repeat by meaning a merge that another tool made by line: fix what that merge broke, keep what a person wrote since.
//!
//! Knows the bytes of the merge and of its sides; the caller finds out which merge it was.

use super::{Choice, Format, Names, Rules, Settled, Versions, decide, merge};
use crate::doc::{Document, Frontmatter, Opaque};
use bstr::ByteSlice as _;
use std::collections::HashSet;

/// Whether a file is in the state a line merge leaves: with markers, or with unreadable frontmatter.
pub fn is_broken(bytes: &[u8]) -> bool {
    let document = Document::parse(bytes);
    let is_torn = matches!(
        document.frontmatter(),
        Frontmatter::Opaque { why: Opaque::DuplicateKey | Opaque::Invalid | Opaque::Unclosed, .. }
    );
    is_torn || !document.conflicts().is_empty()
}

/// Apply to `merged`, the merge of `sides` by meaning, the changes that a person made between `by_line`, the result of
/// the earlier merge, and `today`.
///
/// # Errors
/// The lines of `today` that come from neither side and would be missing from the result, or that collide with it; then
/// there is no result.
pub fn again(
    sides: &Versions<'_>,
    by_line: &[u8],
    today: &[u8],
    merged: &[u8],
) -> Result<Vec<u8>, Vec<String>> {
    let own = own_lines(sides, today);
    let is_whole = |result: &Vec<u8>| missing(&own, result).is_empty();
    let first = carried_over(by_line, today, merged);
    // an edit made within the merge commit itself is a change of what the merge alone would have produced
    let alone = || as_by_line(sides, by_line);
    let others: [&dyn Fn() -> Option<Vec<u8>>; 3] = [
        &|| carried_over(&alone(), today, merged),
        &|| carried_over_by_meaning(by_line, today, merged),
        &|| carried_over_by_meaning(&alone(), today, merged),
    ];
    let whole = first.iter().find(|result| is_whole(result)).cloned();
    whole
        .or_else(|| others.iter().find_map(|other| other().filter(is_whole)))
        .ok_or_else(|| first.map_or_else(|| words(&own), |result| missing(&own, &result)))
}

/// Apply the changes from `from` to `today` to `merged`; `None` if they collide.
fn carried_over(from: &[u8], today: &[u8], merged: &[u8]) -> Option<Vec<u8>> {
    let versions = Versions { base: Some(from), ours: today, theirs: merged };
    let outcome = merge(&versions, &Rules { format: Format::Lines, ..Rules::default() });
    outcome.is_clean().then_some(outcome.bytes)
}

/// As [`carried_over`], but by meaning, for edits beside untouched markers: a fact on the next line collides only by
/// line. `None` if the markers have changed, or if a value of one side would be replaced by the other's.
fn carried_over_by_meaning(from: &[u8], today: &[u8], merged: &[u8]) -> Option<Vec<u8>> {
    let (from, today) = (Document::parse(from), Document::parse(today));
    let marks = |document: &Document| -> Vec<Vec<u8>> {
        document.conflicts().iter().map(|open| document.as_bytes()[open.span.clone()].to_vec()).collect()
    };
    if marks(&from) != marks(&today) {
        return None;
    }
    let ours =
        |document: &Document| decide(document.as_bytes(), Format::Document, &|_| Some(Choice::Ours)).bytes;
    let (from, today) = (ours(&from), ours(&today));
    let versions = Versions { base: Some(&from), ours: &today, theirs: merged };
    let outcome = merge(&versions, &Rules::default());
    let is_lost = outcome.records.iter().any(|record| matches!(record.settled, Settled::Chosen(_)));
    // conflicts left by the merge by meaning are part of it
    let open = |bytes: &[u8]| marks(&Document::parse(bytes));
    (outcome.is_clean() && !is_lost && open(&outcome.bytes) == open(merged)).then_some(outcome.bytes)
}

/// Merge the sides by line, with the labels of the markers in `like`.
fn as_by_line(sides: &Versions<'_>, like: &[u8]) -> Vec<u8> {
    let document = Document::parse(like);
    let conflicts = document.conflicts();
    let first = conflicts.first();
    let names = Names {
        base: "",
        ours: first.map_or("", |conflict| conflict.ours_label.as_str()),
        theirs: first.map_or("", |conflict| conflict.theirs_label.as_str()),
    };
    let rules = Rules { names, format: Format::Lines, ..Rules::default() };
    let merged = merge(sides, &rules).bytes;
    if first.is_none_or(|conflict| conflict.base.is_some()) {
        return merged;
    }
    let document = Document::parse(merged);
    let (mut text, mut at) = (Vec::new(), 0);
    for conflict in document.conflicts() {
        if conflict.base.is_some() {
            text.extend_from_slice(&document.as_bytes()[at..conflict.ours.end]);
            // continue at the separator
            at = conflict.marker_lines()[2];
        }
    }
    text.extend_from_slice(&document.as_bytes()[at..]);
    text
}

/// The lines of `today` that neither side has, without markers.
fn own_lines<'t>(sides: &Versions<'_>, today: &'t [u8]) -> Vec<&'t [u8]> {
    let document = Document::parse(today);
    let markers: HashSet<usize> =
        document.conflicts().iter().flat_map(crate::doc::Conflict::marker_lines).collect();
    let known: HashSet<&[u8]> = [sides.base.unwrap_or_default(), sides.ours, sides.theirs]
        .into_iter()
        .flat_map(|side| side.lines().map(<[u8]>::trim_ascii_end))
        .collect();
    let mut at = 0;
    let mut own = Vec::new();
    for line in today.lines_with_terminator() {
        let words = line.trim_ascii_end();
        if !words.is_empty() && !markers.contains(&at) && !known.contains(words) {
            own.push(words);
        }
        at += line.len();
    }
    own
}

fn missing(own: &[&[u8]], result: &[u8]) -> Vec<String> {
    let there: HashSet<&[u8]> = result.lines().map(<[u8]>::trim_ascii_end).collect();
    let gone: Vec<&[u8]> = own.iter().copied().filter(|line| !there.contains(line)).collect();
    words(&gone)
}

fn words(lines: &[&[u8]]) -> Vec<String> {
    lines.iter().map(|line| line.to_str_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "---\ntitle: t\ntags: [a]\n---\n\n# H\n\nOne.\n\nTwo.\n\nThree.\n";

    fn sides() -> (String, String) {
        (BASE.replace("[a]", "[a, b]"), BASE.replace("[a]", "[a, c]"))
    }

    fn by_line() -> String {
        BASE.replace("tags: [a]\n", "<<<<<<< HEAD\ntags: [a, b]\n=======\ntags: [a, c]\n>>>>>>> topic\n")
    }

    fn repaired(by_line: &str, today: &str) -> Result<String, Vec<String>> {
        let (ours, theirs) = sides();
        let sides =
            Versions { base: Some(BASE.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let merged = merge(&sides, &Rules::default());
        assert!(merged.is_clean());
        again(&sides, by_line.as_bytes(), today.as_bytes(), &merged.bytes)
            .map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn markers_and_keys_that_stand_twice_are_broken() {
        assert!(is_broken(by_line().as_bytes()));
        assert!(is_broken(b"---\ntitle: a\ntitle: b\n---\n"));
        assert!(!is_broken(BASE.as_bytes()));
        assert!(!is_broken(b"no frontmatter\n"));
    }

    #[test]
    fn the_merge_by_meaning_takes_the_place_of_the_one_by_line() {
        let expected = BASE.replace("[a]", "[a, b, c]");
        assert_eq!(repaired(&by_line(), &by_line()), Ok(expected.clone()));
        let twice = BASE.replace("tags: [a]\n", "tags: [a, b]\ntags: [a, c]\n");
        assert_eq!(repaired(&twice, &twice), Ok(expected));
    }

    #[test]
    fn what_a_person_wrote_since_stays() {
        let today = by_line().replace("Three.", "Four.").replace("One.\n\n", "");
        let expected = BASE.replace("[a]", "[a, b, c]").replace("Three.", "Four.").replace("One.\n\n", "");
        assert_eq!(repaired(&by_line(), &today), Ok(expected));
    }

    #[test]
    fn what_a_person_wrote_in_the_merge_stays() {
        let merge = by_line().replace("Two.\n", "Two.\n\nOnly in the merge.\n");
        let expected = BASE.replace("[a]", "[a, b, c]").replace("Two.\n", "Two.\n\nOnly in the merge.\n");
        assert_eq!(repaired(&merge, &merge), Ok(expected));
    }

    #[test]
    fn what_a_person_wrote_right_below_the_markers_stays() {
        let base = "---\ntitle: t\n---\n\n## Facts\n\n- **a**: lives 1 minute\n";
        let ours = base.replace("1 minute\n", "1 minute\n- **b**: ours\n");
        let theirs = base.replace("1 minute\n", "1 minute\n- **c**: theirs\n");
        let by_line = base.replace(
            "1 minute\n",
            "1 minute\n<<<<<<< HEAD\n- **b**: ours\n=======\n- **c**: theirs\n>>>>>>> topic\n",
        );
        let later = "- **later**: after the merge\n";
        let sides =
            Versions { base: Some(base.as_bytes()), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let merged = merge(&sides, &Rules::default()).bytes;
        let expected = format!("{ours}- **c**: theirs\n{later}");
        for (by_line, today) in [
            (by_line.clone(), format!("{by_line}{later}")),
            (format!("{by_line}{later}"), format!("{by_line}{later}")),
        ] {
            let result = again(&sides, by_line.as_bytes(), today.as_bytes(), &merged);
            assert_eq!(result.map(|bytes| String::from_utf8(bytes).unwrap()), Ok(expected.clone()));
        }
        let above = by_line.replace("<<<<<<<", "- **above**: too\n<<<<<<<");
        let result = again(&sides, by_line.as_bytes(), above.as_bytes(), &merged).unwrap();
        for fact in ["- **above**: too\n", "- **b**: ours\n", "- **c**: theirs\n", "- **a**: lives 1"] {
            assert!(result.contains_str(fact), "{}", result.as_bstr());
        }
    }

    #[test]
    fn what_cannot_be_carried_over_is_named_and_nothing_comes_out() {
        let today = by_line().replace("tags: [a, c]", "tags: [a, mine]");
        assert_eq!(repaired(&by_line(), &today), Err(vec!["tags: [a, mine]".to_owned()]));
    }
}
