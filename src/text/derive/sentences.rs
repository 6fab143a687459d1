//! Split a flat text into sentences.
//!
//! Boundaries are those of Unicode Standard Annex #29 (which knows 。！？ and the full stops of other scripts), except
//! those that are not boundaries in technical prose: after an abbreviation, inside a code span, before a lower-case
//! word, and at a dot without a space after it (`map.get(x).Value`). Does not know markdown blocks.

use brv_base::english::list;
use unicode_segmentation::UnicodeSegmentation;

/// Without their last dot, in lower case.
static ABBREVIATIONS: list::Set = list::Set::of_words(include_str!("lists/abbreviations.txt"));

/// The sentences of `text`, without the white space around them.
pub(super) fn split(text: &str) -> Vec<&str> {
    let text = text.trim();
    if !may_break(text) {
        return if text.is_empty() { Vec::new() } else { vec![text] };
    }
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut end_at = |end: usize| {
        if end == text.len() || is_boundary(&text[start..end], &text[end..]) {
            sentences.push(text[start..end].trim());
            start = end;
        }
    };
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        ascii_bounds(text.as_bytes(), &mut end_at);
    } else {
        text.split_sentence_bound_indices().for_each(|(at, piece)| end_at(at + piece.len()));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// The ends of the sentences of visible ASCII characters: the rules of Annex #29 for these alone, without its tables.
fn ascii_bounds(text: &[u8], mut end_at: impl FnMut(usize)) {
    let byte = |at: usize| text.get(at).copied().unwrap_or_default();
    let is_terminator = |byte: u8| matches!(byte, b'.' | b'!' | b'?');
    let is_close = |byte: u8| matches!(byte, b'"' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}');
    let mut at = 0;
    while let Some(next) = text[at..].iter().position(|byte| is_terminator(*byte)) {
        let dot = at + next;
        let mut after = dot + 1;
        at = after;
        let is_full_stop = text[dot] == b'.';
        // SB6, SB7
        let joins = byte(after).is_ascii_digit()
            || byte(after).is_ascii_uppercase() && dot > 0 && text[dot - 1].is_ascii_alphabetic();
        if is_full_stop && joins {
            continue;
        }
        // SB9, SB10
        while is_close(byte(after)) {
            after += 1;
        }
        while byte(after) == b' ' {
            after += 1;
        }
        // SB8
        let stops = |byte: &u8| byte.is_ascii_alphabetic() || is_terminator(*byte);
        let letter = || text[after..].iter().copied().find(stops).unwrap_or_default();
        if is_full_stop && letter().is_ascii_lowercase() {
            continue;
        }
        // SB8a, SB11
        if after < text.len()
            && !is_terminator(byte(after))
            && !matches!(byte(after), b',' | b'-' | b':' | b';')
        {
            end_at(after);
        }
    }
    end_at(text.len());
}

/// Whether there can be a boundary at all: most list items are one sentence and need no table lookups.
fn may_break(text: &str) -> bool {
    let inner = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    !inner.is_ascii() || inner.bytes().any(|byte| matches!(byte, b'.' | b'!' | b'?'))
}

fn is_boundary(before: &str, after: &str) -> bool {
    let ended = before.trim_end();
    let spaced = ended.len() < before.len();
    let bare = ended.trim_end_matches(['"', '\'', ')', ']', '*', '”', '’', '»', '\\']);
    if bare.ends_with(['.', '!', '?']) && !spaced {
        return false;
    }
    if after.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_lowercase) {
        return false;
    }
    // 「…！」という: text directly after a quotation continues the sentence around it
    let quoted = before.ends_with(['」', '』', '”', '’', '»', '）', ')']);
    if quoted && after.starts_with(|c: char| matches!(c, '\u{3041}'..='\u{309f}' | '、' | '，')) {
        return false;
    }
    !in_code(before) && !ends_in_abbreviation(bare)
}

/// Whether a code span is still open at the end of `text`.
fn in_code(text: &str) -> bool {
    let (mut open, mut run, mut escaped) = (0, 0, false);
    let mut close = |run: usize| {
        if run > 0 {
            open = if open == 0 {
                run
            } else if open == run {
                0
            } else {
                open
            };
        }
        open
    };
    for byte in text.bytes() {
        if byte == b'`' && !escaped {
            run += 1;
        } else {
            close(run);
            run = 0;
        }
        escaped = byte == b'\\' && !escaped;
    }
    close(run) != 0
}

fn ends_in_abbreviation(text: &str) -> bool {
    let Some(stem) = text.strip_suffix('.') else { return false };
    let word = stem.rsplit(|c: char| c.is_whitespace() || "([\"'".contains(c)).next().unwrap_or(stem);
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    let number =
        !word.is_empty() && word.len() == stem.len() && word.bytes().all(|byte| byte.is_ascii_digit());
    initial || number || ABBREVIATIONS.contains(&word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::held_to(2_000))]
        #[test]
        fn the_rules_for_ascii_are_those_of_the_tables(text in "[ab AB12.!?,;:'()\\-\"\\[\\]`*_/~$ ]{1,24}") {
            let mut ends = Vec::new();
            ascii_bounds(text.as_bytes(), |end| ends.push(end));
            let expected: Vec<usize> =
                text.split_sentence_bound_indices().map(|(at, piece)| at + piece.len()).collect();
            prop_assert_eq!(ends, expected);
        }
    }

    #[test]
    fn sentences_of_technical_prose() {
        for (text, sentences) in [
            ("", vec![]),
            ("One only", vec!["One only"]),
            ("Use gix, e.g. For reading. Then write.", vec!["Use gix, e.g. For reading.", "Then write."]),
            (
                "See map.get(x).Value and Foo().Bar. Done!",
                vec!["See map.get(x).Value and Foo().Bar.", "Done!"],
            ),
            ("Call `a. B` first. Next.", vec!["Call `a. B` first.", "Next."]),
            ("Version 1.2.3 is out. (It works.) Good", vec!["Version 1.2.3 is out.", "(It works.)", "Good"]),
            ("1. First thing. Second", vec!["1. First thing.", "Second"]),
            ("J. Smith said so. Really? Yes", vec!["J. Smith said so.", "Really?", "Yes"]),
            ("what? he asked", vec!["what? he asked"]),
            ("Das gilt z.B. Hier. Und dort.", vec!["Das gilt z.B. Hier.", "Und dort."]),
        ] {
            assert_eq!(split(text), sentences, "{text}");
        }
    }

    #[test]
    fn sentences_of_other_scripts() {
        for (text, sentences) in [
            (
                "観測は夜に行う。雨の日は休む！なぜか？",
                vec!["観測は夜に行う。", "雨の日は休む！", "なぜか？"],
            ),
            ("今天观测。Use RA first. 然后记录。", vec!["今天观测。", "Use RA first.", "然后记录。"]),
            ("「きれい！」という声が多い。また来る。", vec!["「きれい！」という声が多い。", "また来る。"]),
            ("Свет ярок. Тьма глубока.", vec!["Свет ярок.", "Тьма глубока."]),
            ("यह पहला है। यह दूसरा है।", vec!["यह पहला है।", "यह दूसरा है।"]),
            ("هل هذا صحيح؟ نعم.", vec!["هل هذا صحيح؟", "نعم."]),
        ] {
            assert_eq!(split(text), sentences, "{text}");
        }
    }
}
