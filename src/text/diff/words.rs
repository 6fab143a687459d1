//! Pair changed lines that are versions of each other, and diff their words.

use super::bag::likeness;
use super::edits::{DiffRange, changes};
use super::{Hunk, LineKind, bytes};
use bstr::{BStr, BString, ByteSlice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use unicode_segmentation::UnicodeSegmentation as _;

/// A removed line and the added line that is its new version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinePair {
    /// The index of the removed line in [`Hunk::lines`].
    pub before: usize,
    /// The index of the added line in [`Hunk::lines`].
    pub after: usize,
    /// The words of both, merged in reading order.
    pub words: Vec<Word>,
}

/// A piece of a changed text.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Piece")]
pub struct Word {
    pub kind: LineKind,
    #[serde(serialize_with = "bytes::text", deserialize_with = "bytes::bytes")]
    #[schemars(with = "String")]
    pub text: BString,
}

/// Two lines are versions of each other if at least this fraction of their words is common (Dice's coefficient).
const LIKE: f64 = 0.5;

/// The maximum number of line comparisons in one block; in larger blocks lines are paired in order, if there are
/// equally many.
const MAX_COMPARISONS: usize = 10_000;

/// Find the pairs of lines in each block of a hunk, and their words.
pub fn mark(hunks: &mut [Hunk]) {
    for hunk in hunks {
        let mut pairs = Vec::new();
        for (removed, added) in blocks(hunk) {
            let text = |place: &usize| hunk.lines[*place].text.as_bstr();
            let before: Vec<&BStr> = removed.iter().map(text).collect();
            let after: Vec<&BStr> = added.iter().map(text).collect();
            pairs.extend(versions(&before, &after).into_iter().map(|(b, a)| LinePair {
                before: removed[b],
                after: added[a],
                words: words(before[b], after[a]),
            }));
        }
        hunk.pairs = pairs;
    }
}

/// The indexes of the removed and the added lines of each run of changed lines that has both.
fn blocks(hunk: &Hunk) -> Vec<(Vec<usize>, Vec<usize>)> {
    let places: Vec<usize> = (0..hunk.lines.len()).collect();
    let changed = |place: &usize| hunk.lines[*place].kind != LineKind::Context;
    places
        .chunk_by(|left, right| changed(left) && changed(right))
        .filter(|run| changed(&run[0]))
        .map(|run| run.iter().partition(|place| hunk.lines[**place].kind == LineKind::Removed))
        .filter(|(removed, added): &(Vec<usize>, Vec<usize>)| !removed.is_empty() && !added.is_empty())
        .collect()
}

/// The pairs of similar lines with the greatest total similarity, in order on both sides.
pub(super) fn versions(before: &[&BStr], after: &[&BStr]) -> Vec<(usize, usize)> {
    let mut ids = HashMap::new();
    let bags_before: Vec<Vec<usize>> = before.iter().map(|line| bag(&mut ids, line)).collect();
    let bags_after: Vec<Vec<usize>> = after.iter().map(|line| bag(&mut ids, line)).collect();
    if before.len() * after.len() > MAX_COMPARISONS {
        let alike = |place: &usize| likeness(&bags_before[*place], &bags_after[*place]) >= LIKE;
        let even = before.len() == after.len();
        return (0..before.len()).filter(|place| even && alike(place)).map(|place| (place, place)).collect();
    }
    let width = after.len() + 1;
    // best[b * width + a]: the greatest total similarity among before[b..] and after[a..]
    let mut best = vec![0.0f64; (before.len() + 1) * width];
    let mut like = vec![0.0f64; before.len() * after.len()];
    for b in (0..before.len()).rev() {
        for a in (0..after.len()).rev() {
            let score = likeness(&bags_before[b], &bags_after[a]);
            like[b * after.len() + a] = score;
            let apart = best[(b + 1) * width + a].max(best[b * width + a + 1]);
            let together = if score >= LIKE { score + best[(b + 1) * width + a + 1] } else { 0.0 };
            best[b * width + a] = apart.max(together);
        }
    }
    let (mut b, mut a, mut pairs) = (0, 0, Vec::new());
    while b < before.len() && a < after.len() {
        let score = like[b * after.len() + a];
        let here = best[b * width + a];
        if score >= LIKE && (score + best[(b + 1) * width + a + 1] - here).abs() < 1e-9 {
            pairs.push((b, a));
            b += 1;
            a += 1;
        } else if best[(b + 1) * width + a] >= best[b * width + a + 1] {
            b += 1;
        } else {
            a += 1;
        }
    }
    pairs
}

/// The numbers of a line's words, sorted, without white space.
fn bag<'a>(ids: &mut HashMap<&'a [u8], usize>, line: &'a BStr) -> Vec<usize> {
    let mut bag = Vec::new();
    for token in tokens(line) {
        if token.trim().is_empty() {
            continue;
        }
        let next = ids.len();
        bag.push(*ids.entry(token).or_insert(next));
    }
    bag.sort_unstable();
    bag
}

/// The words of two texts, merged in reading order: those of kind `Context` and `Removed` make up `before`, those of
/// kind `Context` and `Added` make up `after`.
pub fn words(before: &[u8], after: &[u8]) -> Vec<Word> {
    let before = tokens(before);
    let after = tokens(after);
    let mut words = Vec::new();
    let mut push = |kind, tokens: &[&[u8]]| {
        if !tokens.is_empty() {
            words.push(Word { kind, text: BString::from(tokens.concat()) });
        }
    };
    let mut next = 0;
    for change in runs(changes(&before, &after), &before) {
        push(LineKind::Context, &before[next..change.before.start]);
        push(LineKind::Removed, &before[change.before.clone()]);
        push(LineKind::Added, &after[change.after.clone()]);
        next = change.before.end;
    }
    push(LineKind::Context, &before[next..]);
    words
}

/// Join changes with only blanks between them: a replaced phrase is read as a whole.
fn runs(changes: Vec<DiffRange>, before: &[&[u8]]) -> Vec<DiffRange> {
    let is_blank = |token: &&[u8]| !token.is_empty() && token.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    let mut runs: Vec<DiffRange> = Vec::new();
    for change in changes {
        match runs.last_mut() {
            Some(last) if before[last.before.end..change.before.start].iter().all(is_blank) => {
                (last.before.end, last.after.end) = (change.before.end, change.after.end);
            }
            _ => runs.push(change),
        }
    }
    runs
}

/// The words of a text, by Unicode's word boundaries (UAX 29): each ideograph, punctuation mark and run of white space
/// is one; so is a run of bytes that are not UTF-8. Concatenated they are the text.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let mut tokens = Vec::new();
    for chunk in text.utf8_chunks() {
        match chunk.valid().is_ascii() {
            true => push_ascii(chunk.valid().as_bytes(), &mut tokens),
            false => tokens.extend(chunk.valid().split_word_bounds().map(str::as_bytes)),
        }
        if !chunk.invalid().is_empty() {
            tokens.push(chunk.invalid());
        }
    }
    tokens
}

/// The words of a text in ASCII: the same as by Unicode's tables, without looking into them.
fn push_ascii<'a>(text: &'a [u8], tokens: &mut Vec<&'a [u8]>) {
    let mut start = 0;
    for at in 1..=text.len() {
        if at == text.len() || !is_inside(text, at) {
            tokens.push(&text[start..at]);
            start = at;
        }
    }
}

/// Whether the bytes on both sides of this place belong to one word.
fn is_inside(text: &[u8], at: usize) -> bool {
    let (left, right) = (text[at - 1], text[at]);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match (is_word(left), is_word(right)) {
        (true, true) => true,
        // a mark inside a word stands between two letters or two digits
        (true, false) => text.get(at + 1).is_some_and(|next| is_between(left, right, *next)),
        (false, true) => at > 1 && is_between(text[at - 2], left, right),
        (false, false) => matches!((left, right), (b' ', b' ') | (b'\r', b'\n')),
    }
}

fn is_between(left: u8, mark: u8, right: u8) -> bool {
    match mark {
        b'\'' | b'.' => {
            left.is_ascii_alphabetic() && right.is_ascii_alphabetic()
                || left.is_ascii_digit() && right.is_ascii_digit()
        }
        b':' => left.is_ascii_alphabetic() && right.is_ascii_alphabetic(),
        b',' | b';' => left.is_ascii_digit() && right.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FileDiff, compare};
    use super::*;
    use proptest::prelude::*;

    fn shown(before: &str, after: &str) -> String {
        words(before.as_bytes(), after.as_bytes())
            .iter()
            .map(|word| match word.kind {
                LineKind::Context => word.text.to_string(),
                LineKind::Removed => format!("[-{}-]", word.text),
                LineKind::Added => format!("{{+{}+}}", word.text),
            })
            .collect()
    }

    #[test]
    fn only_the_changed_words_are_marked() {
        assert_eq!(
            shown("tokens live 24 hours.", "tokens live 12 hours."),
            "tokens live [-24-]{+12+} hours."
        );
    }

    #[test]
    fn a_phrase_is_replaced_as_a_whole() {
        assert_eq!(
            shown("for 60 seconds at most", "for one minute at most"),
            "for [-60 seconds-]{+one minute+} at most"
        );
        assert_eq!(shown("a b, c d", "x b, y d"), "[-a-]{+x+} b, [-c-]{+y+} d");
        assert_eq!(shown("a\nb", "x\ny"), "[-a-]{+x+}\n[-b-]{+y+}");
    }

    #[test]
    fn ideographs_are_words() {
        assert_eq!(shown("令牌有效期一天", "令牌有效期两天"), "令牌有效期[-一-]{+两+}天");
    }

    fn pairs(before: &str, after: &str) -> Vec<(usize, usize)> {
        let FileDiff::Text(mut hunks) = compare(before.as_bytes(), after.as_bytes(), 0) else {
            panic!("text")
        };
        mark(&mut hunks);
        hunks.iter().flat_map(|hunk| hunk.pairs.iter().map(|pair| (pair.before, pair.after))).collect()
    }

    #[test]
    fn a_line_pairs_with_its_new_version_past_an_inserted_one() {
        let before = "tokens live for 24 hours\nkeys rotate on the first of the month\n";
        let after = "tokens live for 12 hours\nnothing alike\nkeys rotate on the first of the week\n";
        assert_eq!(pairs(before, after), [(0, 2), (1, 4)]);
    }

    #[test]
    fn unlike_lines_do_not_pair() {
        assert_eq!(pairs("one two three\n", "four five six\n"), []);
    }

    #[test]
    fn a_huge_line_is_compared_in_bounded_time() {
        let before = "a b ".repeat(1 << 18);
        let after = "b a ".repeat(1 << 18);
        let merged = words(before.as_bytes(), after.as_bytes());
        assert!(merged.len() <= 4, "the middle is replaced whole");
    }

    #[test]
    fn large_blocks_pair_in_order() {
        let side = |word: &str| (0..200).map(|n| format!("line {n} says {word}\n")).collect::<String>();
        assert_eq!(pairs(&side("yes"), &side("no")).len(), 200);
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn words_in_ascii_are_those_of_unicode(text in "[a-c0-2_'.:,;\" \t\r\n(-]{0,24}|[\\x00-\\x7f]{0,12}") {
            prop_assert_eq!(tokens(text.as_bytes()), text.split_word_bounds().map(str::as_bytes).collect::<Vec<_>>());
        }

        #[test]
        fn the_words_make_up_both_sides(
            before in prop::collection::vec(any::<u8>(), 0..60),
            after in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            sides(&before, &after)?;
        }

        #[test]
        fn the_words_of_text_make_up_both_sides(before in "[ab 令\u{301}\u{200d}.]{0,40}", after in "[ab 令\u{301}\u{200d}.]{0,40}") {
            sides(before.as_bytes(), after.as_bytes())?;
        }
    }

    fn sides(before: &[u8], after: &[u8]) -> Result<(), TestCaseError> {
        let merged = words(before, after);
        let side = |other| -> Vec<u8> {
            merged.iter().filter(|word| word.kind != other).flat_map(|word| word.text.to_vec()).collect()
        };
        prop_assert_eq!(side(LineKind::Added), before);
        prop_assert_eq!(side(LineKind::Removed), after);
        Ok(())
    }
}
