//! Merge the order of everything that survives: three sequences of numbers, or of names, in; one out.
//!
//! What neither side moved keeps its order; what one side moved goes where that side has it; what is new goes after its
//! predecessor on its side. Knows no text except names.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

#[derive(Debug, PartialEq, Eq)]
pub(in crate::merge) enum Stretch {
    /// A number that is in the base or on both sides.
    Common(usize),
    /// The new numbers of each side in this place.
    New([Vec<usize>; 2]),
}

/// The set `base` merged: with what either side added, without what either removed.
pub(in crate::merge) fn united<T: Copy + Ord + Hash>(three: [&[T]; 3]) -> Vec<T> {
    let [base, ours, theirs] = three.map(|names| names.iter().copied().collect::<HashSet<_>>());
    let kept = |name: T| match (ours.contains(&name), theirs.contains(&name)) {
        (true, true) => true,
        (false, false) => false,
        _ => !base.contains(&name),
    };
    names(three, &Runs::Together, kept)
}

/// How to order new names of both sides that come after the same name.
#[derive(Debug, Clone, Copy)]
pub(in crate::merge) enum Runs<'a, T> {
    /// Keep each side's names together, the lesser first.
    Together,
    /// Use this order and then that of the names, if both sides already do.
    Sorted(&'a [T]),
}

/// The kept names of both sides in one order, each once. The result is the same whichever side is ours.
pub(in crate::merge) fn names<T: Copy + Ord + Hash>(
    three: [&[T]; 3],
    runs: &Runs<'_, T>,
    kept: impl Fn(T) -> bool,
) -> Vec<T> {
    let ranks = match runs {
        Runs::Together => &[][..],
        Runs::Sorted(ranks) => ranks,
    };
    let rank = |name: T| ranks.iter().position(|known| *known == name).unwrap_or(ranks.len());
    let mut known: Vec<T> = three.concat();
    known.retain(|name| kept(*name));
    known.sort_unstable_by(|a, b| rank(*a).cmp(&rank(*b)).then_with(|| a.cmp(b)));
    known.dedup();
    let number: HashMap<T, usize> = known.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let [base, ours, theirs] = three.map(|names| {
        let mut seen = vec![false; known.len()];
        let found = names.iter().filter_map(|name| number.get(name).copied());
        found.filter(|at| !std::mem::replace(&mut seen[*at], true)).collect::<Vec<usize>>()
    });
    let sides = if ours >= theirs { [&ours[..], &theirs] } else { [&theirs[..], &ours] };
    let mut numbers = Vec::with_capacity(known.len());
    for stretch in order(&base, sides) {
        match stretch {
            Stretch::Common(number) => numbers.push(number),
            Stretch::New(mut new) => {
                new.sort();
                let sorted = matches!(runs, Runs::Sorted(_)) && new.iter().all(|run| run.is_sorted());
                let at = numbers.len();
                numbers.extend(new.concat());
                if sorted {
                    numbers[at..].sort_unstable();
                }
            }
        }
    }
    numbers.into_iter().map(|number| known[number]).collect()
}

/// Order all numbers of both sides. Numbers that only the base has are dropped.
pub(in crate::merge) fn order(base: &[usize], sides: [&[usize]; 2]) -> Vec<Stretch> {
    let positions = |sequence: &[usize]| -> HashMap<usize, usize> {
        sequence.iter().enumerate().map(|(position, number)| (*number, position)).collect()
    };
    let in_base = positions(base);
    let known = [positions(sides[0]), positions(sides[1])];
    let is_common = |number: &usize| {
        in_base.contains_key(number) || (known[0].contains_key(number) && known[1].contains_key(number))
    };
    let moved = sides.map(|side| moved(&in_base, side));
    let lead = usize::from(moved[0].is_empty() && !moved[1].is_empty());
    let led = 1 - lead;
    let by_other: HashSet<usize> = moved[led].difference(&moved[lead]).copied().collect();
    let mut spine: Vec<usize> = sides[lead]
        .iter()
        .filter(|number| is_common(number) && !by_other.contains(number))
        .copied()
        .collect();
    let is_anchor = |number: &usize| is_common(number) && !moved[lead].contains(number);
    let is_late = |number: &&usize| {
        is_common(number) && (!known[lead].contains_key(number) || by_other.contains(number))
    };
    let late: Vec<usize> = sides[led].iter().filter(is_late).copied().collect();
    insert_late(&mut spine, &late, [sides[led], base], &is_anchor);
    stretches(&spine, sides, &is_common)
}

/// The numbers in another order than in the base: all except a longest sequence that kept it.
fn moved(in_base: &HashMap<usize, usize>, side: &[usize]) -> HashSet<usize> {
    let ranks: Vec<(usize, usize)> =
        side.iter().filter_map(|number| Some((*in_base.get(number)?, *number))).collect();
    if ranks.is_sorted() {
        return HashSet::new();
    }
    // the longest increasing subsequence, by the smallest last rank for each length
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; ranks.len()];
    for (at, (rank, _)) in ranks.iter().enumerate() {
        let length = ends.partition_point(|end| ranks[*end].0 < *rank);
        before[at] = length.checked_sub(1).map(|last| ends[last]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut kept = HashSet::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        kept.insert(at);
        next = before[at];
    }
    ranks.iter().enumerate().filter(|(at, _)| !kept.contains(at)).map(|(_, (_, number))| *number).collect()
}

/// Insert each of `late` after its predecessor on its side that the other side did not move; without one, after its
/// predecessor in the base.
fn insert_late(
    spine: &mut Vec<usize>,
    late: &[usize],
    [side, base]: [&[usize]; 2],
    is_anchor: &impl Fn(&usize) -> bool,
) {
    if late.is_empty() {
        return;
    }
    let wanted: HashSet<usize> = late.iter().copied().collect();
    let placed: HashSet<usize> = spine.iter().copied().collect();
    let anchors = |sequence: &[usize]| -> HashMap<usize, usize> {
        let mut anchor = None;
        let mut found = HashMap::new();
        for number in sequence {
            if wanted.contains(number) {
                found.extend(anchor.map(|anchor| (*number, anchor)));
            } else if placed.contains(number) && is_anchor(number) {
                anchor = Some(*number);
            }
        }
        found
    };
    let (own, old) = (anchors(side), anchors(base));
    let mut behind: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for number in late {
        let anchor = own.get(number).or_else(|| old.get(number)).copied();
        behind.entry(anchor).or_default().push(*number);
    }
    let mut joined = behind.remove(&None).unwrap_or_default();
    for number in spine.iter() {
        joined.push(*number);
        joined.extend(behind.remove(&Some(*number)).unwrap_or_default());
    }
    *spine = joined;
}

fn stretches(spine: &[usize], sides: [&[usize]; 2], is_common: &impl Fn(&usize) -> bool) -> Vec<Stretch> {
    let mut new: HashMap<Option<usize>, [Vec<usize>; 2]> = HashMap::new();
    for (which, side) in sides.iter().enumerate() {
        let mut anchor = None;
        for number in *side {
            if is_common(number) {
                anchor = Some(*number);
            } else {
                new.entry(anchor).or_default()[which].push(*number);
            }
        }
    }
    let mut found: Vec<Stretch> = new.remove(&None).map(Stretch::New).into_iter().collect();
    for number in spine {
        found.push(Stretch::Common(*number));
        found.extend(new.remove(&Some(*number)).map(Stretch::New));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(base: &[usize], first: &[usize], second: &[usize]) -> Vec<usize> {
        order(base, [first, second])
            .into_iter()
            .flat_map(|stretch| match stretch {
                Stretch::Common(number) => vec![number],
                Stretch::New([first, second]) => [first, second].concat(),
            })
            .collect()
    }

    #[test]
    fn what_is_new_stands_behind_what_precedes_it() {
        assert_eq!(flat(&[1, 2, 3], &[1, 9, 2, 3], &[1, 2, 3, 8]), [1, 9, 2, 3, 8]);
        assert_eq!(order(&[1], [&[1, 7], &[1, 8]]), [Stretch::Common(1), Stretch::New([vec![7], vec![8]])]);
    }

    #[test]
    fn what_one_side_moved_goes_where_that_side_has_it() {
        assert_eq!(flat(&[1, 2, 3], &[2, 3, 1], &[1, 2, 3]), [2, 3, 1]);
        assert_eq!(flat(&[1, 2, 3], &[1, 2, 3], &[2, 3, 1]), [2, 3, 1]);
        assert_eq!(flat(&[1, 2, 3, 4], &[2, 1, 3, 4], &[1, 2, 4, 3]), [2, 1, 4, 3]);
        assert_eq!(flat(&[1, 2, 3], &[2, 3, 1], &[1, 9, 2, 3]), [2, 3, 1, 9]);
    }

    #[test]
    fn what_one_side_removed_and_the_other_kept_has_its_place() {
        assert_eq!(flat(&[1, 2, 3], &[1, 3], &[1, 2, 3]), [1, 2, 3]);
        assert_eq!(flat(&[1, 2, 3], &[1, 2, 3], &[3]), [1, 2, 3]);
    }

    fn merged(base: &str, ours: &str, theirs: &str) -> String {
        let letters = |text: &'static str| text.split_terminator("").skip(1).collect::<Vec<_>>();
        let leak = |text: &str| letters(Box::leak(text.to_owned().into_boxed_str()));
        let (base, ours, theirs) = (leak(base), leak(ours), leak(theirs));
        let kept = |name: &str| {
            let (b, o, t) = (base.contains(&name), ours.contains(&name), theirs.contains(&name));
            if b { o && t } else { o || t }
        };
        names([&base, &ours, &theirs], &Runs::Together, kept).concat()
    }

    #[test]
    fn new_names_stand_behind_what_precedes_them_and_then_by_bytes() {
        assert_eq!(merged("abc", "axybc", "anbc"), "anxybc");
        assert_eq!(merged("", "pq", "pr"), "pqr");
        assert_eq!(merged("abc", "zabc", "abcz"), "zabc");
        assert_eq!(merged("abc", "axc", "abyc"), "axyc");
    }

    #[test]
    fn an_order_that_one_side_changed_is_kept() {
        assert_eq!(merged("abc", "cba", "abcd"), "cdba");
        assert_eq!(merged("abc", "abc", "bca"), "bca");
    }

    #[test]
    fn new_names_of_both_sides_are_sorted_where_each_side_has_them_so() {
        let sorted = |ours: &[&str], theirs: &[&str]| {
            names([&["k"], ours, theirs], &Runs::Sorted(&["s", "d", "a"]), |_| true).concat()
        };
        assert_eq!(sorted(&["k", "d"], &["k", "s", "a"]), "ksda");
        assert_eq!(sorted(&["k", "s", "x"], &["k", "d", "b"]), "ksdbx");
        assert_eq!(sorted(&["k", "a", "s"], &["k", "d"]), "kdas", "else those of each side stay together");
        assert_eq!(sorted(&["k", "a", "s"], &["k"]), "kas");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(2_000))]
        #[test]
        fn every_kept_name_stands_once_and_the_sides_may_be_swapped(
            base in proptest::sample::subsequence((0..9).collect::<Vec<usize>>(), 0..9).prop_shuffle(),
            ours in proptest::sample::subsequence((0..9).collect::<Vec<usize>>(), 0..9).prop_shuffle(),
            theirs in proptest::sample::subsequence((0..9).collect::<Vec<usize>>(), 0..9).prop_shuffle(),
        ) {
            let all = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
            let of = |at: &[usize]| at.iter().map(|at| all[*at]).collect::<Vec<_>>();
            let (base, ours, theirs) = (of(&base), of(&ours), of(&theirs));
            let kept = |name: &str| {
                let (b, o, t) = (base.contains(&name), ours.contains(&name), theirs.contains(&name));
                if b { o && t } else { o || t }
            };
            let merged = names([&base, &ours, &theirs], &Runs::Together, kept);
            let mut sorted = merged.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, all.iter().copied().filter(|name| kept(name)).collect::<Vec<_>>());
            prop_assert_eq!(&merged, &names([&base, &theirs, &ours], &Runs::Together, kept));
            let alone = names([&base, &ours, &base], &Runs::Together, |name| ours.contains(&name));
            prop_assert_eq!(alone, ours);
        }

        #[test]
        fn every_number_of_a_side_stands_once(
            base in Just((0..8_usize).collect::<Vec<_>>()),
            first in prop::sample::subsequence((0..12_usize).collect::<Vec<_>>(), 0..12).prop_shuffle(),
            second in prop::sample::subsequence((0..12_usize).collect::<Vec<_>>(), 0..12).prop_shuffle(),
        ) {
            let mut merged = flat(&base, &first, &second);
            let mut all: Vec<usize> = first.iter().chain(&second).copied().collect();
            merged.sort_unstable();
            all.sort_unstable();
            all.dedup();
            prop_assert_eq!(merged, all);
            let kept = |side: &[usize]| base.iter().filter(|n| side.contains(n)).copied().collect::<Vec<_>>();
            prop_assert_eq!(flat(&kept(&second), &kept(&second), &second), second.clone());
            prop_assert_eq!(flat(&kept(&first), &first, &kept(&first)), first.clone());
            prop_assert_eq!(flat(&base, &first, &first), first);
        }
    }
}
