//! Find where a text must not be cut because a number would lose its unit, its range or its rate.
//!
//! `took 5.3–8.4 s`, `5 to 8 ms`, `± 0.1 %`, `20 requests per second`: half of it means something else, or nothing.
//! Knows words only: a number on its own (a year, a version) is treated as one whose unit follows.

use brv_base::english::list;
/// Words and signs that join two parts of a measurement.
static JOINTS: list::Set = list::Set::of_words(include_str!("lists/joints.txt"));

/// How many words before a joint may contain its number: `20 requests per second`.
const REACH: usize = 2;

/// Whether a measurement continues from the last word of `before` to the first of `after`, which are separated by one
/// space.
pub(super) fn is_split(before: &str, after: &str) -> bool {
    let mut back = before.rsplit(' ');
    let last = back.next().unwrap_or_default();
    let next = after.split(' ').next().unwrap_or_default();
    if is_number(last) || !last.contains(char::is_alphanumeric) && next.starts_with(|c: char| c.is_numeric())
    {
        return true;
    }
    let has_digit = |word: &str| word.contains(|c: char| c.is_numeric());
    if JOINTS.contains(last) {
        return back.take(REACH).any(has_digit) && has_digit(next) || is_rate(last) && measured(before);
    }
    JOINTS.contains(next)
        && measured(before)
        && (is_rate(next) || after.split(' ').nth(1).is_some_and(has_digit))
}

/// Whether one of the last words is, or begins with, a number.
fn measured(before: &str) -> bool {
    before.rsplit(' ').take(REACH + 1).any(|word| word.contains(|c: char| c.is_numeric()))
}

/// Joints that are followed by a unit, not a number.
fn is_rate(joint: &str) -> bool {
    matches!(joint, "per" | "pro" | "par" | "por" | "/")
}

/// Digits at both ends, with anything between and before them: `5.3–8.4`, `~1,000`, `≤20`.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    digits.starts_with(char::is_numeric) && digits.ends_with(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use super::super::inline::cut;

    #[test]
    fn no_limit_cuts_a_measurement() {
        for (text, parts) in [
            ("It took 5.3–8.4 s on all of the hosts", &["5.3", "s"][..]),
            ("It took 5.3 – 8.4 s on all of the hosts", &["5.3", "s"]),
            ("Waits of 5 to 8 ms are fine for now", &["5", "ms"]),
            ("At 5 ms to 8 ms it is fine for now", &["5", "8 ms"]),
            ("Errors of ± 0.1 % are fine for now", &["±", "%"]),
            ("They send 20 requests per second to it", &["20", "second"]),
            ("It costs € 500 a month for each of us", &["€", "500 a"]),
            ("Up to 1,000 entries are read at once", &["1,000", "entries"]),
            ("観測は約5.3〜8.4秒かかるので注意すること", &["5.3", "秒"]),
        ] {
            let (start, end) = (text.find(parts[0]).unwrap(), text.find(parts[1]).unwrap() + parts[1].len());
            for limit in 0..text.chars().count() {
                let shown = cut(text, limit);
                let kept = shown.trim_end_matches('…').len();
                assert!(kept <= start || kept >= end, "{text} at {limit}: {shown}");
            }
        }
    }

    #[test]
    fn other_words_are_cut_as_before() {
        for (text, limit, shown) in [
            ("one two three", 9, "one two…"),
            ("use utf8 or else", 13, "use utf8 or…"),
            ("in 2024, the last", 14, "in 2024, the…"),
            ("one to three and more", 14, "one to three…"),
        ] {
            assert_eq!(cut(text, limit), shown, "{text}");
        }
    }
}
