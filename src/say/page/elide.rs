//! Shortens long unchanged text to the parts next to a change.

use brv_text::diff::{Hunk, LineKind, Word};
use bstr::{BStr, ByteSlice as _};

/// Unchanged runs with more characters than this are shortened.
const LONG: usize = 280;

/// Number of characters that are kept next to a change.
const KEPT: usize = 110;

/// A piece of a text with its changes marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Words of a side, or of both.
    Text(LineKind, &'a BStr),
    /// Unchanged text was left out here.
    Gap,
}

/// The words, with long unchanged runs shortened.
pub(super) fn pieces(words: &[Word]) -> Vec<Piece<'_>> {
    cut(words.iter().map(|word| (word.kind, word.text.as_bstr())))
}

fn cut<'a>(words: impl ExactSizeIterator<Item = (LineKind, &'a BStr)>) -> Vec<Piece<'a>> {
    let count = words.len();
    let mut pieces = Vec::with_capacity(count);
    for (number, (kind, text)) in words.enumerate() {
        if kind != LineKind::Context || !is_long(text) {
            pieces.push(Piece::Text(kind, text));
            continue;
        }
        if number > 0 {
            pieces.push(Piece::Text(kind, start(text)));
        }
        pieces.push(Piece::Gap);
        if number + 1 < count {
            pieces.push(Piece::Text(kind, end(text)));
        }
    }
    pieces
}

/// One line of a hunk: if it is a version of another line, as its words, where the changed ones have the line's kind;
/// else as context. Long unchanged runs are shortened.
pub(super) fn line(hunk: &Hunk, number: usize) -> Vec<Piece<'_>> {
    let line = &hunk.lines[number];
    let text = chomp(&line.text);
    match hunk.pair_of(number) {
        Some(pair) => {
            let is_here = |word: &&Word| word.kind == LineKind::Context || word.kind == line.kind;
            let own: Vec<&Word> = pair.words.iter().filter(is_here).collect();
            cut(own.iter().map(|word| (word.kind, chomp(&word.text))))
        }
        None if line.kind == LineKind::Context && is_long(text) => {
            vec![Piece::Text(LineKind::Context, start(text)), Piece::Gap]
        }
        None => vec![Piece::Text(LineKind::Context, text)],
    }
}

fn chomp(text: &[u8]) -> &BStr {
    text.strip_suffix(b"\n").unwrap_or(text).as_bstr()
}

fn is_long(text: &BStr) -> bool {
    text.chars().nth(LONG).is_some()
}

/// The start of an unchanged text, and whether something was cut off.
pub(super) fn beginning(text: &str) -> (&str, bool) {
    if !is_long(text.into()) {
        return (text, false);
    }
    (start(text.into()).to_str().unwrap_or_default(), true)
}

/// The first characters, up to the end of a word if there is one.
fn start(text: &BStr) -> &BStr {
    let cut = text.char_indices().nth(KEPT).map_or(text.len(), |(at, ..)| at);
    let word = text[..cut].rfind_byteset(b" \n").filter(|at| *at > cut / 2);
    text[..word.unwrap_or(cut)].as_bstr()
}

/// The last characters, from the start of a word if there is one.
fn end(text: &BStr) -> &BStr {
    let cut = text.char_indices().rev().nth(KEPT).map_or(0, |(at, ..)| at);
    let word = text[cut..].find_byteset(b" \n").filter(|at| *at < (text.len() - cut) / 2);
    text[word.map_or(cut, |at| cut + at + 1)..].as_bstr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(kind: LineKind, text: &str) -> Word {
        Word { kind, text: text.into() }
    }

    #[test]
    fn only_what_stands_beside_a_change_is_kept_of_long_text() {
        let long = "lorem ipsum ".repeat(60);
        let words = [
            word(LineKind::Context, &long),
            word(LineKind::Removed, "old"),
            word(LineKind::Added, "new"),
            word(LineKind::Context, &long),
        ];
        let pieces = pieces(&words);
        assert_eq!((pieces[0], pieces[5]), (Piece::Gap, Piece::Gap));
        for at in [1, 4] {
            let Piece::Text(LineKind::Context, text) = pieces[at] else { panic!("text") };
            assert!(
                text.len() <= KEPT + 1 && text.starts_with(b"lorem") | text.ends_with(b"ipsum "),
                "{text}"
            );
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_changed_word_is_cut(words in prop::collection::vec(("[a令 \u{e9}]{0,400}", 0..3u8), 0..5)) {
            let kinds = [LineKind::Context, LineKind::Removed, LineKind::Added];
            let words: Vec<Word> =
                words.iter().map(|(text, kind)| word(kinds[usize::from(*kind)], text)).collect();
            let shown: Vec<Piece<'_>> = pieces(&words);
            for word in words.iter().filter(|word| word.kind != LineKind::Context) {
                prop_assert!(shown.contains(&Piece::Text(word.kind, word.text.as_bstr())));
            }
        }
    }
}
