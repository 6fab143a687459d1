//! Suggest the existing name closest to a mistyped one.
//!
//! The only similarity measure for names; does not know what they name.

/// Two names are similar from this value on: one slip in three letters, two in five.
const ALIKE: f64 = 0.6;

/// The name most similar to `typed`, if any is similar enough; the first of equals. A name equal to `typed` does not
/// count.
///
/// Similarity is `1 - distance / length`, with the Damerau-Levenshtein distance (insertions, deletions, substitutions
/// and transpositions; F. J. Damerau, CACM 7(3), 1964) and the length of the longer name.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = typed.chars().count();
    let mut best: Option<(f64, &str)> = None;
    for name in names {
        if name == typed || !could_be_alike(length, name.chars().count()) {
            continue;
        }
        let likeness = strsim::normalized_damerau_levenshtein(typed, name);
        if likeness >= ALIKE && best.is_none_or(|(before, _)| likeness > before) {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Whether two names differ by at most two slips: a stricter measure, for when not all names are known.
pub fn is_slip(typed: &str, name: &str) -> bool {
    strsim::damerau_levenshtein(typed, name) <= 2
}

/// Whether the lengths allow similarity: each extra letter counts as a slip.
fn could_be_alike(one: usize, other: usize) -> bool {
    let (shorter, longer) = (one.min(other) as f64, one.max(other) as f64);
    shorter >= longer * ALIKE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name() {
        let names = ["main", "push", "pull", "origin", "status", "commit"];
        for (typed, meant) in [
            ("mian", "main"),
            ("psuh", "push"),
            ("orgin", "origin"),
            ("stats", "status"),
            ("comit", "commit"),
        ] {
            assert_eq!(nearest(typed, names), Some(meant));
        }
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest("main", names), None, "an existing name is not a slip");
        assert_eq!(nearest("", names), None);
        assert!(is_slip("user.nmae", "user.name") && !is_slip("http.sslversion", "http.sslverify"));
    }

    proptest::proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn lengths_that_are_passed_over_would_not_have_been_alike(one in "[ab]{0,6}", other in "[ab]{0,6}") {
            let alike = strsim::normalized_damerau_levenshtein(&one, &other) >= ALIKE;
            if alike && !one.is_empty() {
                proptest::prop_assert!(could_be_alike(one.chars().count(), other.chars().count()));
            }
        }
    }
}
