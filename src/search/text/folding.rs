//! The forms of a word without its marks: `café` is also written `cafe`, `Größe` also `Grosse` and `Groesse`.
//!
//! Folding comes before stemming, because a stemmer knows endings by their accents. Marks of scripts in which they are
//! vowels or other letters stay: those of Indic scripts, of kana, and that of `й`.

use unicode_normalization::UnicodeNormalization as _;

/// The prefix of the term of a word without its marks; no word has it, so it marks a match as inexact.
pub const FOLDED: char = '~';

/// The forms of a word in lower case without marks; none if it has none. Some writers of German put an `e` after a vowel
/// instead of its dots, which is a form of its own.
pub fn forms(word: &str) -> Vec<String> {
    let mut forms = Vec::new();
    if word.is_ascii() {
        return forms;
    }
    let plain = folded(word);
    if plain != word {
        forms.push(plain);
    }
    if word.contains(['ä', 'ö', 'ü']) {
        let german = |c| match c {
            'ä' => "ae".to_owned(),
            'ö' => "oe".to_owned(),
            'ü' => "ue".to_owned(),
            other => other.to_string(),
        };
        forms.push(folded(&word.chars().map(german).collect::<String>()));
    }
    forms
}

fn folded(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            'й' => plain.push(c),
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'þ' => plain.push_str("th"),
            'ø' => plain.push('o'),
            'đ' | 'ð' => plain.push('d'),
            'ł' => plain.push('l'),
            'ı' => plain.push('i'),
            'ħ' => plain.push('h'),
            _ => plain.extend(std::iter::once(c).nfd().filter(|c| !is_mark(*c))),
        }
    }
    plain.nfc().collect()
}

/// Whether a text may leave it out: accents, Hebrew points, Arabic vowel signs.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}'
        | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_left_out() {
        for (word, expected) in [
            ("café", &["cafe"] as &[&str]),
            ("größe", &["grosse", "groesse"]),
            ("straße", &["strasse"]),
            ("configuração", &["configuracao"]),
            ("ёлка", &["елка"]),
            ("łódź", &["lodz"]),
            ("שָׁלוֹם", &["שלום"]),
            ("مُحَمَّد", &["محمد"]),
            ("việt", &["viet"]),
        ] {
            assert_eq!(forms(word), expected, "{word}");
        }
        for word in ["cafe", "мой", "ガード", "हिन्दी", "한국어", "観測"] {
            assert!(forms(word).is_empty(), "{word}");
        }
    }
}
