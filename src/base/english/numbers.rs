//! Numbers and months as they are said in English: `seventeen`, `twice`, `Sept`.
//!
//! Pure. Does not know whether a word is meant so in its sentence; who asks decides that.

use super::list;
use std::collections::HashMap;
use std::sync::LazyLock;

static CARDINALS: list::Rows<2> = list::Rows::of(include_str!("lists/numbers.txt"));
static OTHERS: list::Rows<2> = list::Rows::of(include_str!("lists/counts.txt"));
static MONTHS: list::Groups = list::Groups::of(include_str!("lists/months.txt"));

/// Words with their numbers.
type Numbers = HashMap<&'static str, u32>;

fn numbers(rows: &list::Rows<2>) -> Numbers {
    rows.iter().filter_map(|[word, number]| Some((word, number.parse().ok()?))).collect()
}

/// The number that is written as a word, in lower case: also `one` and `zero`.
pub fn cardinal(word: &str) -> Option<u32> {
    static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| numbers(&CARDINALS));
    NUMBERS.get(word).copied()
}

/// The number that is written as a word, in lower case. `one` is a pronoun, and `zero` a "no", too often to be among them.
pub fn spelled_number(word: &str) -> Option<u32> {
    cardinal(word).filter(|number| *number > 1)
}

/// The number that a word in lower case says or means: as [`spelled_number`], `one` and `zero` as well, `twice`, `third`,
/// `dozen`.
pub fn meant_number(word: &str) -> Option<u32> {
    static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| numbers(&OTHERS));
    cardinal(word).or_else(|| NUMBERS.get(word).copied())
}

/// The month of a name, 1 to 12, given in lower case. A short form needs a capital letter, and so do `March` and `May`, which
/// are verbs as well.
pub fn month(lower: &str, is_capital: bool) -> Option<u32> {
    static ALL: LazyLock<Numbers> = LazyLock::new(|| {
        (1..)
            .zip(MONTHS.iter())
            .flat_map(|(month, names)| names.iter().map(move |name| (*name, month)))
            .collect()
    });
    let month = *ALL.get(lower)?;
    let is_plain = || month_name(month) == Some(lower) && !matches!(lower, "march" | "may");
    (is_capital || is_plain()).then_some(month)
}

/// The whole name of a month, 1 to 12, in lower case.
pub fn month_name(month: u32) -> Option<&'static str> {
    let at = usize::try_from(month).ok()?.checked_sub(1)?;
    MONTHS.iter().nth(at)?.first().copied()
}

/// The day of a month, 1 to 31: `3`, `21`, `3rd`.
pub fn day_of_month(word: &str) -> Option<u32> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let is_day = (1..=2).contains(&digits) && matches!(&word[digits..], "" | "st" | "nd" | "rd" | "th");
    if is_day { word[..digits].parse().ok().filter(|day| (1..=31).contains(day)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_said_in_words() {
        assert_eq!(
            ["seventeen", "hundred", "one", "zero"].map(spelled_number),
            [Some(17), Some(100), None, None]
        );
        assert_eq!(["one", "twice", "dozen", "few"].map(meant_number), [Some(1), Some(2), Some(12), None]);
        for [word, number] in CARDINALS.iter().chain(OTHERS.iter()) {
            assert_eq!(meant_number(word).map(|own| own.to_string()).as_deref(), Some(number), "{word}");
        }
    }

    #[test]
    fn a_day_is_said_with_or_without_its_ending() {
        let days = ["3", "3rd", "21st", "32", "0th", "123", "3d", "+3", ""].map(day_of_month);
        assert_eq!(days, [Some(3), Some(3), Some(21), None, None, None, None, None, None]);
    }

    #[test]
    fn a_month_has_a_name_and_short_forms() {
        let all: Vec<_> = MONTHS.iter().map(|names| month(names[names.len() - 1], true)).collect();
        assert_eq!(all, (1..=12).map(Some).collect::<Vec<_>>());
        assert_eq!(
            [("june", false), ("jun", false), ("may", false), ("july", true)]
                .map(|(name, is_capital)| month(name, is_capital)),
            [Some(6), None, None, Some(7)]
        );
        assert_eq!((month("juneau", true), month("ju", true)), (None, None));
        assert_eq!([0, 1, 12, 13].map(month_name), [None, Some("january"), Some("december"), None]);
    }
}
