//! Pair the sections of each side with those of the base: as the diff matches them, else by a title that is unique
//! among the rest.
//!
//! Also finds headings that open no section here, because a side removed only the heading line.

use super::part::{PartPairing, VersionBody};
use crate::diff::knowledge::{Headed, Visit, forms, pair_headed};
use crate::doc::normal;
use std::collections::{HashMap, HashSet};

/// Pairs the sections of the three versions.
pub(super) fn pair(parts: [&VersionBody<'_>; 3]) -> PartPairing {
    let keys = parts.map(keys);
    let mut to_base = [1, 2].map(|side| {
        let mut found = as_the_diff(parts[0], parts[side]);
        by_title(parts[0], parts[side], &mut found);
        found
    });
    agree([&keys[1], &keys[2]], &mut to_base);
    let is_new = |side: usize, at: usize| to_base[side - 1][at].is_none();
    let first: HashMap<&SectionKey, usize> =
        keys[1].iter().enumerate().filter(|(at, _)| is_new(1, *at)).map(|(at, key)| (key, at)).collect();
    let new: Vec<Option<usize>> = keys[2]
        .iter()
        .enumerate()
        .map(|(at, key)| first.get(key).copied().filter(|_| is_new(2, at)))
        .collect();
    PartPairing::new(keys[0].len(), [&to_base[0], &to_base[1]], &new)
}

/// The headings of each version that count as ordinary blocks: those that a side removed while keeping what is below
/// them. That text now belongs to the section above, with whatever the other side adds to it.
pub(super) fn loose(parts: [&VersionBody<'_>; 3], sections: &PartPairing) -> Option<[Vec<bool>; 3]> {
    let mut loose = parts.map(|part| vec![false; part.outline.sections().len()]);
    let mut is_any = false;
    for (number, at) in sections.at.iter().enumerate().skip(1) {
        let is_lost = |side: usize| at[side].is_none() && is_kept(parts, sections, side, number);
        let is_loose = at[0].is_some() && (is_lost(1) || is_lost(2));
        if is_loose {
            is_any = true;
            (0..3).for_each(|version| at[version].into_iter().for_each(|at| loose[version][at] = true));
        }
    }
    is_any.then_some(loose)
}

/// Whether the text below a heading is kept on a side that does not have the heading.
fn is_kept(parts: [&VersionBody<'_>; 3], sections: &PartPairing, side: usize, number: usize) -> bool {
    let Some(at) = sections.at[number][0] else { return false };
    match own_lines(parts[0], at) {
        lines if lines.is_empty() => {
            let nested = parts[0].outline.sections().iter().enumerate();
            let mut nested = nested.filter(|(_, section)| section.parent == Some(at));
            nested.any(|(nested, _)| sections.at[sections.of[0][nested]][side].is_some())
        }
        lines => is_mostly_in(&lines, parts[side]),
    }
}

/// The lines of a section that contain words, without nested sections.
fn own_lines<'a>(part: &VersionBody<'a>, section: usize) -> Vec<&'a str> {
    let text: &'a str = part.text;
    let lines = text[part.outline.sections()[section].content.clone()].lines();
    lines.map(str::trim).filter(|line| line.contains(char::is_alphanumeric)).collect()
}

fn is_mostly_in(lines: &[&str], part: &VersionBody<'_>) -> bool {
    let known: HashSet<&str> = part.text.lines().map(str::trim).collect();
    lines.iter().filter(|line| known.contains(*line)).count() * 2 >= lines.len()
}

fn as_the_diff(base: &VersionBody<'_>, side: &VersionBody<'_>) -> Vec<Option<usize>> {
    let [before, after] = [base, side].map(|part| {
        move |visit: &mut Visit<'_>| {
            let forms = forms(part.text, part.outline.blocks());
            forms.iter().zip(&part.section_of).for_each(|(form, section)| visit(*section, form));
        }
    });
    let pairing = pair_headed(
        Headed { sections: base.outline.sections(), blocks: &before },
        Headed { sections: side.outline.sections(), blocks: &after },
    );
    pairing.after
}

/// The path of headings, and a count to tell equal paths apart.
type SectionKey = (String, usize);

fn keys(part: &VersionBody<'_>) -> Vec<SectionKey> {
    let mut paths: Vec<String> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for section in part.outline.sections() {
        let above = section.parent.map_or("", |parent| paths[parent].as_str());
        paths.push(format!("{above}\n{}", normal(&section.title)));
    }
    paths
        .into_iter()
        .enumerate()
        .map(|(at, path)| {
            // text before the first heading is not a section with an empty title
            let path = if at == 0 { String::new() } else { path };
            let count = seen.entry(path.clone()).or_default();
            *count += 1;
            (path, *count)
        })
        .collect()
}

/// A section that one side moved under a new heading is the same as the section with that heading on the other side,
/// whatever is left below it there.
fn agree(keys: [&[SectionKey]; 2], to_base: &mut [Vec<Option<usize>>; 2]) {
    for (own, other) in [(0, 1), (1, 0)] {
        let known: HashMap<&SectionKey, usize> =
            keys[other].iter().enumerate().map(|(at, key)| (key, at)).collect();
        for at in 0..keys[own].len() {
            let partner = known.get(&keys[own][at]).and_then(|other_at| to_base[other][*other_at]);
            if to_base[own][at].is_none()
                && let Some(before) = partner
                && !to_base[own].contains(&Some(before))
            {
                to_base[own][at] = Some(before);
            }
        }
    }
}

/// The sections of the base without a partner.
fn free(base: &VersionBody<'_>, found: &[Option<usize>]) -> Vec<usize> {
    let mut taken = vec![false; base.outline.sections().len()];
    found.iter().flatten().for_each(|at| taken[*at] = true);
    (0..taken.len()).filter(|at| !taken[*at]).collect()
}

/// Pair titles that are unique among the rest on both sides: the section was moved below another heading.
fn by_title(base: &VersionBody<'_>, side: &VersionBody<'_>, found: &mut [Option<usize>]) {
    let left = free(base, found);
    if left.is_empty() || found.iter().all(Option::is_some) {
        return;
    }
    let title = |part: &VersionBody<'_>, at: usize| normal(&part.outline.sections()[at].title);
    let mut titles: HashMap<String, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for at in left {
        titles.entry(title(base, at)).or_default().0.push(at);
    }
    for at in (0..found.len()).filter(|at| found[*at].is_none()) {
        titles.entry(title(side, at)).or_default().1.push(at);
    }
    for (title, (before, after)) in titles {
        if let ([before], [after]) = (&before[..], &after[..])
            && !title.is_empty()
        {
            found[*after] = Some(*before);
        }
    }
}
