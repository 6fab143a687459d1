//! Whether a sentence has a measured effect: a figure with its unit, or an arrow between figures.

use super::scanner::{Border, List, Scanner};
use std::sync::OnceLock;

/// Whether a unit or an arrow follows a digit.
pub(super) fn has_measure(sentence: &str) -> bool {
    static UNITS: OnceLock<Scanner> = OnceLock::new();
    let units = || {
        UNITS.get_or_init(|| Scanner::new([List::new(0, Border::Free, include_str!("lists/measure.txt"))]))
    };
    let digits = sentence.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit());
    let ends = digits.map(|(at, _)| at + 1);
    let mut ends = ends.filter(|at| !sentence.as_bytes().get(*at).is_none_or(u8::is_ascii_digit));
    ends.any(|at| units().is_at(sentence, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_follows_a_digit() {
        for text in [
            "5%",
            "a1.5 ms",
            "10 KiB",
            "3 GB.",
            "2x",
            "7 µs",
            "7μs",
            "1 second",
            "20 minutes",
            "3s",
            "5 -> 4",
        ] {
            assert!(has_measure(text), "{text}");
        }
        for text in ["5", "%", "5  ms", "5msec", "5 xy", "3 bytes", "5 -> x", "5 - 4", "x -> 4"] {
            assert!(!has_measure(text), "{text}");
        }
    }
}
