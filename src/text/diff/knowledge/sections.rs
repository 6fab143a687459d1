//! Pair the sections of both sides: by heading under the same parent, then by content.
//!
//! Knows headings and bags of words; blocks are matched later, inside the pairs found here.

use super::like;
use super::order;
use super::side::DiffSide;
use crate::diff::bag::Bag;
use crate::doc::Section;
use brv_base::content::fnv;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// Sections under the same parent that are at least this similar are one that was renamed.
const RENAMED: f64 = 0.5;

/// Sections anywhere that are at least this similar are one that was renamed and moved.
const MOVED: f64 = 0.7;

/// How often matching restarts with the parents found so far: headings have six levels, and each may have been renamed.
const ROUNDS: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// For each section of the side before, its partner after.
    pub before: Vec<Option<usize>>,
    /// For each section of the side after, its partner before.
    pub after: Vec<Option<usize>>,
}

/// The sections of a text, with the data needed for matching.
#[derive(Clone, Copy)]
pub(crate) struct Headed<'a> {
    pub sections: &'a [Section],
    /// Calls back with the section and normal form of each block. Most sections are paired by their heading alone, and
    /// then this is never called.
    pub blocks: &'a dyn Fn(&mut Visit<'_>),
}

/// Called with the section of a block and its normal form.
pub(crate) type Visit<'v> = dyn FnMut(usize, &str) + 'v;

impl Pairing {
    fn new(before: usize, after: usize) -> Pairing {
        Pairing { before: vec![None; before], after: vec![None; after] }
    }

    fn join(&mut self, before: usize, after: usize) {
        self.before[before] = Some(after);
        self.after[after] = Some(before);
    }

    /// The same with the sides swapped.
    pub(super) fn mirrored(self) -> Pairing {
        Pairing { before: self.after, after: self.before }
    }
}

/// Pair the sections of two sides. The texts before the first heading are one pair.
pub(super) fn pair(before: &DiffSide<'_>, after: &DiffSide<'_>) -> Pairing {
    let [before_blocks, after_blocks] = [before, after].map(|side| {
        move |visit: &mut Visit<'_>| {
            (0..side.units.len()).for_each(|unit| visit(side.units[unit].section, side.form(unit)));
        }
    });
    pair_headed(
        Headed { sections: before.sections(), blocks: &before_blocks },
        Headed { sections: after.sections(), blocks: &after_blocks },
    )
}

/// Pair the sections of two texts. The texts before the first heading are one pair.
pub(crate) fn pair_headed(before: Headed<'_>, after: Headed<'_>) -> Pairing {
    let mut matcher = Matcher {
        pairing: Pairing::new(before.sections.len(), after.sections.len()),
        before: Outline::of(before),
        after: Outline::of(after),
    };
    matcher.pairing.join(0, 0);
    if matcher.has_one_list_of_names() {
        (1..matcher.pairing.before.len()).for_each(|place| matcher.pairing.join(place, place));
        return matcher.pairing;
    }
    let rounds: [fn(&mut _) -> bool; 4] = [
        Matcher::same_heading_same_parent,
        Matcher::alike_same_parent,
        Matcher::anywhere,
        Matcher::only_empty_one,
    ];
    // each round finds parents that the rounds before it can use
    for _ in 0..ROUNDS {
        if !rounds.iter().any(|round| round(&mut matcher)) {
            break;
        }
    }
    matcher.pairing
}

/// Whether each section of the side after moved relative to its surroundings: to another parent, or among its siblings.
pub(super) fn moved(before: &DiffSide<'_>, after: &DiffSide<'_>, pairing: &Pairing) -> Vec<bool> {
    let (parents_before, parents_after) = (parents(before.sections()), parents(after.sections()));
    let mut moved = vec![false; pairing.after.len()];
    let mut sisters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, partner) in pairing.after.iter().enumerate().skip(1) {
        let Some(partner) = partner else { continue };
        let was_under = known_parent(*partner, &parents_before, &pairing.before);
        let is_under = known_parent(place, &parents_after, &pairing.after);
        match (was_under.and_then(|parent| pairing.before[parent]), is_under) {
            (was, is) if was == is => sisters.entry(is.unwrap_or_default()).or_default().push(place),
            _ => moved[place] = true,
        }
    }
    for places in sisters.values() {
        let numbers: Vec<usize> = places.iter().filter_map(|place| pairing.after[*place]).collect();
        for (place, kept) in places.iter().zip(order::in_order(&numbers)) {
            moved[*place] = !kept;
        }
    }
    moved
}

fn parents(sections: &[Section]) -> Vec<Option<usize>> {
    sections.iter().map(|section| section.parent).collect()
}

/// The nearest enclosing section that has a partner.
fn known_parent(section: usize, parents: &[Option<usize>], partners: &[Option<usize>]) -> Option<usize> {
    let mut at = parents[section];
    while let Some(parent) = at.filter(|parent| partners[*parent].is_none()) {
        at = parents[parent];
    }
    at
}

/// The sections of one side, with the data needed for matching.
struct Outline<'a> {
    headed: Headed<'a>,
    parents: Vec<Option<usize>>,
    /// Headings in lower case and with single spaces.
    titles: Vec<String>,
    /// The content of the sections, computed on demand: most are paired by their heading alone.
    said: OnceCell<SectionContents>,
}

/// The content of the sections of one side, each with everything nested in it.
struct SectionContents {
    bags: Vec<Bag>,
    /// Hashes of all their blocks in normal form.
    prints: Vec<u64>,
    /// The number of their blocks, including the heading.
    counts: Vec<usize>,
}

impl SectionContents {
    fn of(headed: Headed<'_>) -> SectionContents {
        let sections = headed.sections;
        let mut forms: Vec<String> = vec![String::new(); sections.len()];
        let mut counts = vec![0; sections.len()];
        (headed.blocks)(&mut |section, form| {
            // a section is in at most six others, as headings have six levels
            let mut at = Some(section);
            while let Some(section) = at {
                forms[section].push_str(form);
                forms[section].push('\n');
                counts[section] += 1;
                at = sections[section].parent;
            }
        });
        SectionContents {
            bags: forms.iter().map(|form| Bag::of(super::normal::words(form))).collect(),
            prints: forms.iter().map(|form| fnv(form.bytes())).collect(),
            counts,
        }
    }
}

impl<'a> Outline<'a> {
    fn of(headed: Headed<'a>) -> Outline<'a> {
        let title = |title: &str| title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let titles = headed.sections.iter().map(|section| title(&section.title)).collect();
        Outline { headed, parents: parents(headed.sections), titles, said: OnceCell::new() }
    }

    fn said(&self) -> &SectionContents {
        self.said.get_or_init(|| SectionContents::of(self.headed))
    }

    /// The sections without partner, grouped by the nearest enclosing section that has one.
    fn loose(&self, partners: &[Option<usize>]) -> BTreeMap<Option<usize>, Vec<usize>> {
        let mut loose: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for place in (1..partners.len()).filter(|place| partners[*place].is_none()) {
            loose.entry(known_parent(place, &self.parents, partners)).or_default().push(place);
        }
        loose
    }
}

struct Matcher<'a> {
    pairing: Pairing,
    before: Outline<'a>,
    after: Outline<'a>,
}

impl Matcher<'_> {
    /// The unpaired sections of both sides under the same parent.
    fn families(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut after = self.after.loose(&self.pairing.after);
        let before = self.before.loose(&self.pairing.before);
        before
            .into_iter()
            .filter_map(|(parent, sections)| {
                let partner = parent.and_then(|parent| self.pairing.before[parent]);
                Some((sections, after.remove(&partner)?))
            })
            .collect()
    }

    /// Whether both sides have the same headings in the same order, all different: then the first round pairs each with
    /// itself, as nothing is paired yet that could keep two apart.
    fn has_one_list_of_names(&self) -> bool {
        let mut names: Vec<&str> = self.before.titles.iter().skip(1).map(String::as_str).collect();
        if names != self.after.titles[1..] {
            return false;
        }
        names.sort_unstable();
        names.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn same_heading_same_parent(&mut self) -> bool {
        let families = self.families();
        let mut found = false;
        for (before, after) in families {
            // among several with one heading, first those with equal content, then in order
            let whole = |outline: &Outline<'_>, place: usize| {
                (outline.titles[place].clone(), outline.said().prints[place])
            };
            if self.has_sisters_of_one_name(&before, &after) {
                found |= self.join_by(&before, &after, whole);
            }
            found |= self.join_by(&before, &after, |outline, place| (outline.titles[place].clone(), 0));
        }
        found
    }

    /// Whether a heading occurs twice on one side: only then its content must decide the pairing.
    fn has_sisters_of_one_name(&self, before: &[usize], after: &[usize]) -> bool {
        let is_doubled = |outline: &Outline<'_>, places: &[usize]| {
            let mut names: Vec<&str> = places.iter().map(|place| outline.titles[*place].as_str()).collect();
            names.sort_unstable();
            names.windows(2).any(|pair| pair[0] == pair[1])
        };
        is_doubled(&self.before, before) || is_doubled(&self.after, after)
    }

    /// Join unpaired sections with equal keys, in order.
    fn join_by(
        &mut self,
        before: &[usize],
        after: &[usize],
        key: impl Fn(&Outline<'_>, usize) -> (String, u64),
    ) -> bool {
        let mut waiting: HashMap<(String, u64), std::collections::VecDeque<usize>> = HashMap::new();
        for place in before.iter().filter(|place| self.pairing.before[**place].is_none()) {
            waiting.entry(key(&self.before, *place)).or_default().push_back(*place);
        }
        let mut found = false;
        for place in after {
            if self.pairing.after[*place].is_some() {
                continue;
            }
            if let Some(partner) =
                waiting.get_mut(&key(&self.after, *place)).and_then(|places| places.pop_front())
            {
                self.pairing.join(partner, *place);
                found = true;
            }
        }
        found
    }

    fn alike_same_parent(&mut self) -> bool {
        let mut found = false;
        for (before, after) in self.families() {
            found |= self.join_alike(&before, &after, RENAMED);
        }
        found
    }

    /// Pair equal headings with equal text, then any headings with nearly equal text, in any place.
    fn anywhere(&mut self) -> bool {
        let loose = |partners: &[Option<usize>]| -> Vec<usize> {
            (1..partners.len()).filter(|place| partners[*place].is_none()).collect()
        };
        let (before, after) = (loose(&self.pairing.before), loose(&self.pairing.after));
        let whole = |outline: &Outline<'_>, place: usize| {
            (outline.titles[place].clone(), outline.said().prints[place])
        };
        self.join_by(&before, &after, whole) || self.join_alike(&before, &after, MOVED)
    }

    /// Pair two headings without content, each the only unpaired one under its parent: one was renamed.
    fn only_empty_one(&mut self) -> bool {
        let mut found = false;
        for (before, after) in self.families() {
            let ([before], [after]) = (&before[..], &after[..]) else { continue };
            let is_empty = |outline: &Outline<'_>, place: usize| outline.said().counts[place] == 1;
            let level = |outline: &Outline<'_>, place: usize| outline.headed.sections[place].level;
            if level(&self.before, *before) == level(&self.after, *after)
                && is_empty(&self.before, *before)
                && is_empty(&self.after, *after)
            {
                self.pairing.join(*before, *after);
                found = true;
            }
        }
        found
    }

    fn join_alike(&mut self, before: &[usize], after: &[usize], least: f64) -> bool {
        let bags = |outline: &Outline<'_>, places: &[usize]| -> Vec<Bag> {
            places.iter().map(|place| outline.said().bags[*place].clone()).collect()
        };
        let found = like::pairs(&bags(&self.before, before), &bags(&self.after, after), least);
        for (b, a) in &found {
            self.pairing.join(before[*b], after[*a]);
        }
        !found.is_empty()
    }
}
