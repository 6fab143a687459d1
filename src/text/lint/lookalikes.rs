//! Letters that look like those of English. Does not know those that Unicode itself decomposes into them, like full-width
//! and mathematical letters.
//!
//! Source: `confusables.txt` of UTS 39, "Unicode Security Mechanisms", as far as it has letters of scripts that fonts bring
//! and that are mapped to a letter of English, also by way of a small capital (`т` to `ᴛ`) or of a letter with a stroke
//! (`ø`). Where an upper-case I and a lower-case L look alike, it is the one that the letter is named after.

use brv_base::english::list;
use std::sync::OnceLock;

/// For each letter those that look like it, small or large.
static LOOKALIKES: list::Rows<2> = list::Rows::of(include_str!("lists/lookalikes.txt"));

/// The letter of English that a letter of another alphabet, or an unusual one, looks like.
pub(super) fn english(letter: char) -> Option<char> {
    static TABLE: OnceLock<Vec<(char, char)>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let of = |[letter, those]: [&'static str; 2]| {
            letter.chars().flat_map(|letter| those.chars().map(move |one| (one, letter)))
        };
        let rows = LOOKALIKES.iter().flat_map(of);
        let mut table: Vec<(char, char)> = rows.collect();
        table.sort_unstable();
        table
    });
    let at = table.binary_search_by_key(&letter, |(one, _)| *one).ok()?;
    Some(table[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_alphabets_have_their_english_ones() {
        let plain = |text: &str| text.chars().map(|c| english(c).unwrap_or(c)).collect::<String>();
        for (text, expected) in [
            ("іgnоrе", "ignore"),
            ("ρrеνιουѕ", "previous"),
            ("ɪɢɴᴏʀᴇ", "ignore"),
            ("ոս", "nu"),
            ("Правила", "Пpabилa"),
            ("字א", "字א"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn no_letter_looks_like_two() {
        let all: Vec<char> = LOOKALIKES.iter().flat_map(|[_, those]| those.chars()).collect();
        let once: std::collections::BTreeSet<&char> = all.iter().collect();
        assert_eq!(once.len(), all.len());
        assert!(all.iter().all(|c| c.is_alphabetic() && !c.is_ascii()), "{all:?}");
    }
}
