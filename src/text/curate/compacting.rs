//! Make a text short enough for one request, in three levels: a summary, a shorter summary, a prefix.
//!
//! Pure: who summarises is an argument. It ends whatever that one answers: no level asks more than [`PARTS`] times, and the
//! last level asks nobody.

/// The most characters of a whole request.
pub const MOST_REQUEST: usize = 20_000;

/// The most parts of a text that are summarised at one level. Longer texts are read in as many parts, spread evenly.
pub const PARTS: usize = 16;

/// What is left of the room for a summary that was too long at first, in percent.
const SHORTER: usize = 60;

/// A text that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compacted {
    pub text: String,
    /// The level that made it fit; 0 if it did before.
    pub level: u8,
    /// What of it was left out unread, or cut off.
    pub warnings: Vec<String>,
}

/// The text in at most `room` characters. `summarise` is given a part of at most `part` characters and how many its summary
/// may have; it may answer with more.
///
/// # Errors
/// What `summarise` failed of.
pub fn compact<E>(
    text: &str,
    (room, part): (usize, usize),
    mut summarise: impl FnMut(&str, usize) -> Result<String, E>,
) -> Result<Compacted, E> {
    let mut compacted = Compacted { text: text.to_owned(), level: 0, warnings: Vec::new() };
    for share in [100, SHORTER] {
        if length(&compacted.text) <= room {
            return Ok(compacted);
        }
        let all = parts(&compacted.text, part);
        let chosen = spread(&all);
        if chosen.len() < all.len() {
            let read: usize = chosen.iter().map(|part| length(part)).sum();
            let (all, parts) = (length(&compacted.text), chosen.len());
            let warning =
                format!("{read} of {all} characters were read, in {parts} parts from all over the text");
            compacted.warnings.push(warning);
        }
        let most = (room * share / 100).saturating_sub(chosen.len()) / chosen.len();
        let summaries: Vec<String> =
            chosen.iter().map(|part| summarise(part, most.max(1))).collect::<Result<_, _>>()?;
        compacted.text = summaries.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n");
        compacted.level += 1;
    }
    if length(&compacted.text) > room {
        let kept = prefix(&compacted.text, room);
        let (kept_length, all) = (length(kept), length(&compacted.text));
        compacted.warnings.push(format!(
            "the summary of the text was cut off after {kept_length} of {all} characters: the model answered with more than it \
             was asked for"
        ));
        compacted.text = kept.to_owned();
        compacted.level += 1;
    }
    Ok(compacted)
}

/// The longest start of a text that has at most `most` characters and ends with a line; with a word, if its first line is
/// longer; with a character, if its first word is.
pub fn prefix(text: &str, most: usize) -> &str {
    let fits = |end: &usize| length(&text[..*end]) <= most;
    if fits(&text.len()) {
        return text;
    }
    let longest = |ends: Vec<usize>| ends.get(ends.partition_point(fits).checked_sub(1)?).copied();
    let after = |is_end: fn(char) -> bool| -> Vec<usize> {
        text.char_indices().filter(|(_, c)| is_end(*c)).map(|(at, c)| at + c.len_utf8()).collect()
    };
    let end = longest(after(|c| c == '\n')).or_else(|| longest(after(char::is_whitespace)));
    let end = end.or_else(|| longest(text.char_indices().map(|(at, _)| at).collect()));
    &text[..end.unwrap_or_default()]
}

/// The text in parts of at most `most` characters, cut as [`prefix`] does.
fn parts(text: &str, most: usize) -> Vec<&str> {
    // a part has no more bytes than that, so that cutting one looks at no more of the rest
    let window = most.saturating_mul(4).saturating_add(4);
    let (mut parts, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let ahead = &rest[..rest.floor_char_boundary(window)];
        let part = match prefix(ahead, most) {
            "" => ahead,
            part => part,
        };
        parts.push(part);
        rest = &rest[part.len()..];
    }
    parts
}

/// At most [`PARTS`] of them, spread evenly, with the first and the last.
fn spread<'t>(all: &[&'t str]) -> Vec<&'t str> {
    if all.len() <= PARTS {
        return all.to_vec();
    }
    (0..PARTS).map(|at| all[at * (all.len() - 1) / (PARTS - 1)]).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn compacted(text: &str, answer: impl Fn(&str, usize) -> String) -> (Compacted, usize) {
        let mut asked = 0;
        let done = compact(text, (9_000, 18_000), |part, most| {
            asked += 1;
            assert!(length(part) <= 18_000);
            Ok::<_, Infallible>(answer(part, most))
        });
        (done.unwrap_or_else(|never| match never {}), asked)
    }

    #[test]
    fn a_text_that_fits_is_left_alone() {
        let (done, asked) = compacted("a\nb", |_, _| unreachable!());
        assert_eq!((done.text.as_str(), done.level, asked), ("a\nb", 0, 0));
    }

    #[test]
    fn a_model_that_does_as_it_is_told_summarises_once() {
        let text = "Tokens live 12 hours.\n".repeat(2_000);
        let (done, asked) = compacted(&text, |_, most| "x".repeat(most));
        assert!((done.level, asked) == (1, 3) && done.warnings.is_empty(), "{asked} {:?}", done.warnings);
    }

    #[test]
    fn a_summary_that_is_too_long_is_summarised_in_less() {
        let text = "Tokens live 12 hours.\n".repeat(2_000);
        let (done, asked) =
            compacted(&text, |part, most| "x".repeat(if part.starts_with('x') { most } else { 4_000 }));
        assert_eq!((done.level, asked, length(&done.text)), (2, 4, 5_399));
    }

    #[test]
    fn ten_megabytes_end_with_a_model_that_answers_longer_than_asked() {
        let text = "All work and no play makes a dull boy.\n".repeat(10_000_000 / 39);
        let (done, asked) = compacted(&text, |part, _| format!("{part}\nand more\n"));
        assert_eq!((done.level, asked), (3, 2 * PARTS));
        assert!(length(&done.text) <= 9_000 && done.text.ends_with('\n'));
        assert!(
            done.warnings[0].starts_with("273351 of 9999990 characters were read, in 16 parts"),
            "{:?}",
            done.warnings
        );
        assert!(done.warnings.last().unwrap().contains("was cut off after"), "{:?}", done.warnings);
    }

    #[test]
    fn a_prefix_ends_with_a_line_if_it_can() {
        assert_eq!(prefix("ab\ncd\nef", 7), "ab\ncd\n");
        assert_eq!(prefix("ab\ncd\nef", 8), "ab\ncd\nef");
        assert_eq!(prefix("ab cd ef", 7), "ab cd ");
        assert_eq!(prefix("äöüß", 2), "äö");
        assert_eq!(prefix("äöüß", 0), "");
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(128))]

        #[test]
        fn parts_are_the_text(text in "(\\PC|\n| ){0,200}", most in 1_usize..50) {
            let all = parts(&text, most);
            prop_assert_eq!(&all.concat(), &text);
            prop_assert!(all.iter().all(|part| length(part) <= most && !part.is_empty()));
        }

        #[test]
        fn it_fits_whatever_is_answered(text in "(\\PC|\n| ){0,400}", answer in "(\\PC|\n){0,80}", room in 0_usize..60) {
            let done = compact(&text, (room, 40), |_, _| Ok::<_, Infallible>(answer.clone()));
            let done = done.unwrap_or_else(|never| match never {});
            prop_assert!(length(&done.text) <= room);
        }
    }
}
