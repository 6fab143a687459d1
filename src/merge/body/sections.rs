//! Which sections of a side are which of the base: by heading path, else by title, else by what they say.

use super::likeness::Bag;
use super::part::{Pairing, Part};
use crate::doc::normal;
use std::collections::HashMap;

/// How much of two sections must be the same words if nothing but their words says that they are one.
const RENAMED: f64 = 0.5;

/// Above this many sections without a partner on a side, words are not compared.
const MAX_COMPARED: usize = 64;

/// Pairs the sections of the three versions.
pub(super) fn pair(parts: [&Part<'_>; 3]) -> Pairing {
    let keys = parts.map(keys);
    let mut to_base = [1, 2].map(|side| {
        let mut found = by_key(&keys[0], &keys[side]);
        by_title(parts[0], parts[side], &mut found);
        by_words(parts[0], parts[side], &mut found);
        found
    });
    agree([&keys[1], &keys[2]], &mut to_base);
    let is_new = |side: usize, at: usize| to_base[side - 1][at].is_none();
    let first: HashMap<&Key, usize> =
        keys[1].iter().enumerate().filter(|(at, _)| is_new(1, *at)).map(|(at, key)| (key, at)).collect();
    let new: Vec<Option<usize>> = keys[2]
        .iter()
        .enumerate()
        .map(|(at, key)| first.get(key).copied().filter(|_| is_new(2, at)))
        .collect();
    Pairing::new(keys[0].len(), [&to_base[0], &to_base[1]], &new)
}

/// The headings from the top down, and which of several with the same.
type Key = (String, usize);

fn keys(part: &Part<'_>) -> Vec<Key> {
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
            // what stands before the first heading is no section without a title
            let path = if at == 0 { String::new() } else { path };
            let count = seen.entry(path.clone()).or_default();
            *count += 1;
            (path, *count)
        })
        .collect()
}

fn by_key(base: &[Key], side: &[Key]) -> Vec<Option<usize>> {
    let known: HashMap<&Key, usize> = base.iter().enumerate().map(|(at, key)| (key, at)).collect();
    side.iter().map(|key| known.get(key).copied()).collect()
}

/// A section that one side has under a new heading is the same on the other side under that heading, whatever is left
/// below it there.
fn agree(keys: [&[Key]; 2], to_base: &mut [Vec<Option<usize>>; 2]) {
    for (own, other) in [(0, 1), (1, 0)] {
        let known: HashMap<&Key, usize> = keys[other].iter().enumerate().map(|(at, key)| (key, at)).collect();
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

/// The sections of the base that have no partner.
fn free(base: &Part<'_>, found: &[Option<usize>]) -> Vec<usize> {
    let mut taken = vec![false; base.outline.sections().len()];
    found.iter().flatten().for_each(|at| taken[*at] = true);
    (0..taken.len()).filter(|at| !taken[*at]).collect()
}

/// A title that stands once among what is left on either side: the section went below another heading.
fn by_title(base: &Part<'_>, side: &Part<'_>, found: &mut [Option<usize>]) {
    let left = free(base, found);
    if left.is_empty() || found.iter().all(Option::is_some) {
        return;
    }
    let title = |part: &Part<'_>, at: usize| normal(&part.outline.sections()[at].title);
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

/// A section that says the same below another title.
fn by_words(base: &Part<'_>, side: &Part<'_>, found: &mut [Option<usize>]) {
    let before = free(base, found);
    let after: Vec<usize> = (0..found.len()).filter(|at| found[*at].is_none()).collect();
    if before.is_empty() || after.is_empty() || before.len().max(after.len()) > MAX_COMPARED {
        return;
    }
    let bag = |part: &Part<'_>, at: usize| Bag::of(&part.text[part.outline.sections()[at].content.clone()]);
    let known: Vec<(usize, Bag)> = before.into_iter().map(|at| (at, bag(base, at))).collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for at in after {
        let own = bag(side, at);
        pairs.extend(known.iter().map(|(before, bag)| (bag.likeness(&own), *before, at)));
    }
    pairs.retain(|(likeness, ..)| *likeness >= RENAMED);
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, before, after) in pairs {
        if found[after].is_none() && !found.contains(&Some(before)) {
            found[after] = Some(before);
        }
    }
}
