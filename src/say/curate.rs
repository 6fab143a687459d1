//! What an operation of `curate` did inside an entry, in words.

use super::words::{self, many};
use crate::wire::{CurateApplied, CurateSection};

/// The most sections that are named for one kind of change.
const SHOWN: usize = 10;

/// A line for each kind of change, and one with the reasons for a review.
pub fn lines(one: &CurateApplied) -> Vec<String> {
    let changes = ["extended", "replaced", "added", "removed"];
    let mut lines: Vec<String> =
        changes.iter().filter_map(|change| sections(&one.sections, change)).collect();
    lines.extend(words::archive_records(&one.unrecorded));
    if !one.unsupported.is_empty() {
        lines.push(format!("not in the text: {}", one.unsupported.join(", ")));
    }
    if !one.replaced.is_empty() {
        lines.push(format!("replaced: {}", one.replaced.join(", ")));
    }
    let reasons: Vec<&str> = one.review.iter().map(|why| reason(why)).collect();
    if !reasons.is_empty() {
        lines.push(format!("review: {}", reasons.join(", ")));
    }
    lines
}

fn sections(all: &[CurateSection], change: &str) -> Option<String> {
    let found: Vec<&CurateSection> = all.iter().filter(|section| section.change == change).collect();
    let mut names: Vec<String> = found.iter().take(SHOWN).map(|section| named(section)).collect();
    if found.len() > SHOWN {
        names.push(format!("{} more", found.len() - SHOWN));
    }
    (!names.is_empty()).then(|| format!("{change} {}", names.join(", ")))
}

/// `Rules (2 lines lost)`
fn named(section: &CurateSection) -> String {
    let name = match &section.headings[..] {
        [] => "the lead".to_owned(),
        headings => format!("`{}`", headings.join(" / ")),
    };
    let choice =
        section.nth.zip(section.of).map(|(nth, of)| format!("number {nth} of {of} with this heading"));
    let lost =
        (section.lines_lost > 0).then(|| format!("{} lost", many(section.lines_lost, "line", "lines")));
    let details: Vec<String> = choice.into_iter().chain(lost).collect();
    if details.is_empty() { name } else { format!("{name} ({})", details.join(", ")) }
}

/// Why a person should look at a change.
fn reason(why: &str) -> &str {
    match why {
        "merged" => "two entries became one",
        "fact_removed" => "a fact was removed",
        "body_removed" => "more than 30 % of the body was removed",
        "pinned" => "the entry is pinned",
        "model" => "a model wrote it",
        "again" => "earlier rules wrote it, and its commits were filed again",
        "unsupported" => "a fact is not in its source text",
        // of an entry or folder that is gone the line above says so
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_named_by_what_became_of_them() {
        let section = |headings: &[&str], change, lines_lost, of: Option<usize>| CurateSection {
            headings: headings.iter().map(|&one| one.to_owned()).collect(),
            change,
            lines_lost,
            nth: of.map(|_| 1),
            of,
        };
        let one = CurateApplied {
            review: vec!["body_removed", "pinned"],
            sections: vec![
                section(&["Rules"], "replaced", 1, None),
                section(&[], "extended", 0, None),
                section(&["Notes", "Old"], "replaced", 3, Some(2)),
                section(&["New"], "added", 0, None),
            ],
            ..CurateApplied::default()
        };
        let expected = [
            "extended the lead",
            "replaced `Rules` (1 line lost), `Notes / Old` (number 1 of 2 with this heading, 3 lines lost)",
            "added `New`",
            "review: more than 30 % of the body was removed, the entry is pinned",
        ];
        assert_eq!(lines(&one), expected);
    }
}
