//! Replace and add labels of `## Raw Concept`.

use std::ops::Range;

use super::{Plan, Unwritable};
use crate::doc::Concept;
use crate::doc::render::{LABELS, label};

impl Plan<'_> {
    /// Replace the labels that `wanted` has and that read otherwise; add those that are missing, in order.
    pub(super) fn labels(&mut self, section: usize, wanted: &Concept, before: &Concept) {
        let regions = self.regions(section);
        let own_end = self.outline.sections()[section].content.end;
        for (rank, name) in LABELS.into_iter().enumerate() {
            let Some(text) = label(name, wanted).filter(|text| label(name, before).as_ref() != Some(text))
            else {
                continue;
            };
            // the last one counts if a label occurs twice
            match regions.iter().rev().find(|(own, _)| *own == rank) {
                Some((_, range)) => self.replace(range.clone(), &text),
                None => {
                    let before =
                        regions.iter().rev().find(|(own, _)| *own < rank).map(|(_, range)| range.end);
                    let after = || regions.iter().find(|(own, _)| *own > rank).map(|(_, range)| range.start);
                    self.insert(before.or_else(after).unwrap_or(own_end), text);
                }
            }
        }
    }

    /// The known labels, by rank, each with its lines up to the next label or heading.
    fn regions(&self, section: usize) -> Vec<(usize, Range<usize>)> {
        let mut regions = Vec::new();
        for at in self.outline.with_nested(section) {
            let content = self.outline.sections()[at].content.clone();
            let mut starts: Vec<(Option<usize>, usize)> = Vec::new();
            let mut start = content.start;
            for line in self.body[content.clone()].split_inclusive('\n') {
                if let Some((name, _)) = crate::doc::concept::label(line) {
                    starts.push((LABELS.iter().position(|known| known.eq_ignore_ascii_case(name)), start));
                }
                start += line.len();
            }
            let ends =
                starts.iter().skip(1).map(|(_, start)| *start).chain([content.end]).collect::<Vec<_>>();
            let known = starts.into_iter().zip(ends);
            regions.extend(known.filter_map(|((rank, start), end)| Some((rank?, start..end))));
        }
        regions
    }
}

/// Check that every label that was given reads back, and the others as before.
pub(super) fn check(wanted: &Concept, before: &Concept, after: &Concept) -> Result<(), Unwritable> {
    let is_read = |name: &str| label(name, after) == label(name, wanted).or_else(|| label(name, before));
    if LABELS.into_iter().all(is_read) { Ok(()) } else { Err(Unwritable { part: "raw_concept" }) }
}
