//! The language of a text, by its function words.
//!
//! Only the six languages with a stemmer are told apart; anything else counts as English, whose stemmer leaves words
//! with other letters alone. Cyrillic words are Russian wherever they stand.

use super::stop_words;
use super::tokens;
use brv_text::words::stems::Language;

/// How much of a text decides, in bytes.
const SAMPLE: usize = 4096;

/// A language other than English needs this many function words, and half as many again as English has.
const FEWEST: usize = 3;

/// The language of `text`, by the function words at its beginning.
pub fn language_of(text: &str) -> Language {
    let mut counts = [0_usize; Language::ALL.len()];
    tokens::each(&text[..text.floor_char_boundary(SAMPLE)], |token| {
        let of = stop_words::languages(token.low);
        for (number, count) in counts.iter_mut().enumerate() {
            *count += usize::from(of >> number & 1);
        }
    });
    let most = Language::ALL.into_iter().max_by_key(|&one| (counts[one as usize], std::cmp::Reverse(one)));
    let found = most.unwrap_or(Language::English);
    let (count, english) = (counts[found as usize], counts[0]);
    if count >= FEWEST && 2 * count > 3 * english { found } else { Language::English }
}

/// A question in a language that no item has needs this many function words: `man` and `die` are English, too.
const FEWEST_OUTSIDE: usize = 2;

/// The language of a question for an index of items in the languages `among`: a short text, for which one function word
/// is enough if English has fewer.
pub fn language_of_question(text: &str, among: u8) -> Language {
    let mut counts = [0_usize; Language::ALL.len()];
    tokens::each(&text[..text.floor_char_boundary(SAMPLE)], |token| {
        let of = stop_words::languages(token.low);
        for (number, count) in counts.iter_mut().enumerate() {
            *count += usize::from(of >> number & 1);
        }
    });
    let is_among = |one: Language| (among | 1) >> (one as u8) & 1 == 1;
    let count = |one: Language| match counts[one as usize] {
        count if is_among(one) => count,
        // more than English by half, as for a text
        count if count >= FEWEST_OUTSIDE && 2 * count > 3 * counts[0] => count,
        _ => 0,
    };
    let most =
        Language::ALL.into_iter().max_by_key(|&one| (count(one), is_among(one), std::cmp::Reverse(one)));
    most.unwrap_or(Language::English)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_needs_more_in_a_language_that_nothing_has() {
        for (text, among, language) in [
            ("Wie viele Tokens hat ein Nutzer?", 1, Language::German),
            ("¿Cuánto dura un token?", 1, Language::Spanish),
            ("man page of the die", 1, Language::English),
            ("man page", 1, Language::English),
            ("Token und Laufzeit", 0b11, Language::German),
            ("Token und Laufzeit", 1, Language::English),
        ] {
            assert_eq!(language_of_question(text, among), language, "{text}");
        }
    }

    #[test]
    fn function_words_tell_the_language() {
        for (text, language) in [
            ("The lifetime of a token is set in the configuration.", Language::English),
            (
                "Die Laufzeit der Tokens wird in der Konfiguration gesetzt und ist nicht fest.",
                Language::German,
            ),
            ("La durée des jetons est fixée dans la configuration et ne change pas.", Language::French),
            (
                "La vida de los tokens se fija en la configuración y no cambia con el tiempo.",
                Language::Spanish,
            ),
            ("A duração dos tokens é fixada na configuração e não muda com o tempo.", Language::Portuguese),
            ("Срок жизни токена задан в настройках и не меняется", Language::Russian),
            ("let x = foo(bar); // 観測", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(language_of(text), language, "{text}");
        }
    }
}
