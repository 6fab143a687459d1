//! Find out which sections of an entry an operation changed, and how many lines of each are gone.
//!
//! Compares the two versions, so that the report is true in whatever form the change came. Facts are left out: they are
//! replaced by subject, not with the section they stand in.

use crate::doc::{Document, Outline, bare_title, normal};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

/// A section of an entry that changed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Section")]
pub struct SectionOutcome {
    /// Its headings, without the title of the entry above them; none for the text before the first heading.
    pub headings: Vec<String>,
    /// `added`, `extended`, `replaced` or `removed`
    #[serde(rename = "change")]
    pub fate: Fate,
    /// How many lines of its text are gone.
    #[serde(rename = "lines_lost")]
    pub lost: usize,
    /// Where several sections have its headings: which of them it is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<usize>,
    /// How many have its headings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Added,
    /// Text was added, and all lines are still there.
    Extended,
    Replaced,
    Removed,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Added => "added",
            Self::Extended => "extended",
            Self::Replaced => "replaced",
            Self::Removed => "removed",
        })
    }
}

brv_base::json_text!(Fate);

/// A section with its own text, without those nested in it.
struct SectionText {
    headings: Vec<String>,
    lines: Vec<String>,
}

/// Every section that differs, in the order of the entry after; removed ones come last.
pub(super) fn changed(before: &Document, after: &Document) -> Vec<SectionOutcome> {
    let (old, new) = (parts(before), parts(after));
    let old_by_path = by_path(&old);
    let pairs = pairs(&old, &old_by_path, &new);
    let choice = |at: usize| {
        let all = &old_by_path[&path_of(&old[at])];
        let nth = all.iter().position(|&one| one == at).unwrap_or(0) + 1;
        (all.len() > 1).then_some((nth, all.len()))
    };
    let change = |part: &SectionText, fate, lost, choice: Option<(usize, usize)>| {
        let (nth, of) = choice.unzip();
        SectionOutcome { headings: part.headings.clone(), fate, lost, nth, of }
    };
    let differing = new.iter().enumerate().filter_map(|(at, part)| {
        let Some(&own) = pairs.get(&at) else { return Some(change(part, Fate::Added, 0, None)) };
        let lost = lost(&old[own].lines, &part.lines);
        let is_longer = part.lines.len() > old[own].lines.len();
        let fate = if lost == 0 && is_longer { Fate::Extended } else { Fate::Replaced };
        (old[own].lines != part.lines).then(|| change(part, fate, lost, choice(own)))
    });
    let kept: HashSet<usize> = pairs.values().copied().collect();
    let removed = (0..old.len()).filter(|at| !kept.contains(at));
    let removed = removed.map(|at| change(&old[at], Fate::Removed, old[at].lines.len(), choice(at)));
    differing.chain(removed).collect()
}

/// The sections of `new` that are in `old`, by their place in each. Of several with one path those that stay as they are
/// go together, then the others in order.
fn pairs(
    old: &[SectionText],
    old_by_path: &BTreeMap<String, Vec<usize>>,
    new: &[SectionText],
) -> HashMap<usize, usize> {
    let mut pairs = HashMap::new();
    for (path, mut open) in by_path(new) {
        let mut left = old_by_path.get(&path).cloned().unwrap_or_default();
        open.retain(|&at| {
            let same = left.iter().position(|&one| old[one].lines == new[at].lines);
            pairs.extend(same.map(|found| (at, left.remove(found))));
            same.is_none()
        });
        pairs.extend(open.into_iter().zip(left));
    }
    pairs
}

/// The sections of a document; the text before the first heading only if there is any.
fn parts(document: &Document) -> Vec<SectionText> {
    let (body, outline) = (document.body(), document.outline());
    let facts: Vec<_> = document.facts().into_iter().map(|fact| fact.span).collect();
    let is_fact = |at: usize| {
        let next = facts.partition_point(|span| span.end <= at);
        facts.get(next).is_some_and(|span| span.contains(&at))
    };
    let sections = outline.sections().iter().enumerate();
    let parts = sections.map(|(at, section)| {
        let mut start = section.content.start;
        let mut lines = Vec::new();
        for line in body[section.content.clone()].split_inclusive('\n') {
            if !line.trim().is_empty() && !is_fact(start) {
                lines.push(line.trim().to_owned());
            }
            start += line.len();
        }
        let path = outline.path(at);
        let titled = usize::from(path.len() > 1 && is_titled(outline, at));
        SectionText { headings: path[titled..].iter().map(|&title| title.to_owned()).collect(), lines }
    });
    parts.filter(|part| !(part.headings.is_empty() && part.lines.is_empty())).collect()
}

/// Whether the outermost heading above is of level 1.
fn is_titled(outline: &Outline, at: usize) -> bool {
    let mut top = at;
    while let Some(above) = outline.sections()[top].parent {
        top = above;
    }
    outline.sections()[top].level == 1
}

fn path_of(part: &SectionText) -> String {
    part.headings.iter().map(|title| normal(bare_title(title))).collect::<Vec<_>>().join("\n")
}

fn by_path(parts: &[SectionText]) -> BTreeMap<String, Vec<usize>> {
    let mut index: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        index.entry(path_of(part)).or_default().push(at);
    }
    index
}

/// How many lines of `before` are not in `after`.
fn lost(before: &[String], after: &[String]) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in after {
        *left.entry(line).or_default() += 1;
    }
    let mut lost = 0;
    for line in before {
        match left.get_mut(line.as_str()).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => lost += 1,
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(before: &str, after: &str) -> Vec<String> {
        let changes = changed(&Document::parse(before), &Document::parse(after));
        let word = |one: SectionOutcome| {
            format!("{:?} {} {} {:?}", one.fate, one.headings.join("/"), one.lost, one.nth.zip(one.of))
        };
        changes.into_iter().map(word).collect()
    }

    #[test]
    fn each_section_that_differs_is_named_with_the_lines_that_are_gone() {
        let before = "Lead.\n\n# T\n\n## Rules {#r}\n\n- a\n- b\n\n### Deep\nx\n\n## Old\none\n\ntwo\n";
        let after = "Lead.\n\nMore.\n\n# T\n\n## Rules\n\n- a\n- c\n\n### Deep\nx\n\n## New\ny\n";
        let expected =
            ["Extended  0 None", "Replaced Rules 1 None", "Added New 0 None", "Removed Old 2 None"];
        assert_eq!(said(before, after), expected);
        assert_eq!(said(before, &before.replace('\n', "\r\n")), Vec::<String>::new());
    }

    #[test]
    fn of_equal_headings_the_one_that_changed_is_named() {
        let before = "## A\none\n\n## A #x\ntwo\n\n## A\nthree\n";
        assert_eq!(said(before, &before.replace("two", "new")), ["Replaced A #x 1 Some((2, 3))"]);
        assert_eq!(said(before, "## A\none\n\n## A\nthree\n"), ["Removed A #x 1 Some((2, 3))"]);
    }

    #[test]
    fn facts_are_no_part_of_their_section() {
        let before = "## Facts\nProse.\n- **a**: 1\n- **b**: 2\n";
        assert_eq!(said(before, &before.replace(": 1", ": 9")), Vec::<String>::new());
        assert_eq!(said(before, &before.replace("Prose", "Other")), ["Replaced Facts 1 None"]);
    }
}
