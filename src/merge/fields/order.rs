//! The order of what two sides made of one list: of keys, or of the items of a set.
//!
//! Knows names only. Does not decide what is kept.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The kept ones of `ours` and `theirs` in one order. What both have keeps the order of the side that changed it
/// against `base`; what only one side has stands behind what precedes it there, and where both sides put something in
/// one place the smaller bytes come first. The same whichever side is ours. No name may stand in a side twice.
pub(super) fn merge<'a>([base, ours, theirs]: [&[&'a str]; 3], kept: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let in_ours: HashSet<&str> = ours.iter().copied().collect();
    let in_theirs: HashSet<&str> = theirs.iter().copied().collect();
    let common = |names: &[&'a str]| -> Vec<&'a str> {
        let both = |name: &&&str| in_ours.contains(**name) && in_theirs.contains(**name) && kept(name);
        names.iter().filter(both).copied().collect()
    };
    let spine = spine(&common(base), common(ours), common(theirs));
    let mut behind: HashMap<Option<&str>, Vec<&'a str>> = HashMap::new();
    for (names, other) in [(ours, &in_theirs), (theirs, &in_ours)] {
        let mut previous = None;
        for name in names.iter().copied().filter(|name| kept(name)) {
            if !other.contains(name) {
                behind.entry(previous).or_default().push(name);
            }
            previous = Some(name);
        }
    }
    behind.values_mut().for_each(|names| names.sort_unstable_by(|a, b| b.cmp(a)));
    let mut out = Vec::with_capacity(spine.len() + 4);
    let mut open = behind.remove(&None).unwrap_or_default();
    let mut spine = spine.into_iter();
    while let Some(name) = open.pop().or_else(|| spine.next()) {
        out.push(name);
        open.extend(behind.remove(&Some(name)).unwrap_or_default());
    }
    out
}

/// The order of what both sides have.
fn spine<'a>(base: &[&'a str], ours: Vec<&'a str>, theirs: Vec<&'a str>) -> Vec<&'a str> {
    if ours == theirs {
        return ours;
    }
    let known: HashSet<&str> = base.iter().copied().collect();
    let moved = |side: &[&str]| !side.iter().filter(|name| known.contains(*name)).eq(base.iter());
    match (moved(&ours), moved(&theirs), ours.cmp(&theirs)) {
        (true, false, _) => ours,
        (false, true, _) => theirs,
        (_, _, Ordering::Less) => theirs,
        _ => ours,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> String {
        let names = |text: &'static str| text.split_terminator("").skip(1).collect::<Vec<_>>();
        let leak = |text: &str| names(Box::leak(text.to_owned().into_boxed_str()));
        let (base, ours, theirs) = (leak(base), leak(ours), leak(theirs));
        let kept = |name: &str| {
            let (b, o, t) = (base.contains(&name), ours.contains(&name), theirs.contains(&name));
            if b { o && t } else { o || t }
        };
        merge([&base, &ours, &theirs], kept).concat()
    }

    #[test]
    fn new_ones_stand_behind_what_precedes_them_and_then_by_bytes() {
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]
        #[test]
        fn every_kept_name_stands_once_and_the_sides_may_be_swapped(
            base in proptest::sample::subsequence((0..9).collect::<Vec<usize>>(), 0..9).prop_shuffle(),
            ours in proptest::sample::subsequence((0..9).collect::<Vec<usize>>(), 0..9).prop_shuffle(),
            theirs in proptest::sample::subsequence((0..9).collect::<Vec<usize>>(), 0..9).prop_shuffle(),
        ) {
            let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
            let of = |at: &[usize]| at.iter().map(|at| names[*at]).collect::<Vec<_>>();
            let (base, ours, theirs) = (of(&base), of(&ours), of(&theirs));
            let kept = |name: &str| {
                let (b, o, t) = (base.contains(&name), ours.contains(&name), theirs.contains(&name));
                if b { o && t } else { o || t }
            };
            let merged = merge([&base, &ours, &theirs], kept);
            let mut sorted = merged.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, names.iter().copied().filter(|name| kept(name)).collect::<Vec<_>>());
            prop_assert_eq!(&merged, &merge([&base, &theirs, &ours], kept));
            let alone = merge([&base, &ours, &base], |name| ours.contains(&name));
            prop_assert_eq!(alone, ours);
        }
    }
}
