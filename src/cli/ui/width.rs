//! Display width of text on a terminal.
//!
//! An estimate that is right for the scripts people write notes in; ignores differences between terminals.

use unicode_segmentation::UnicodeSegmentation as _;

/// The number of columns of `text`, which must have no control characters.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(|cluster| cluster.chars().next().map_or(0, columns)).sum()
}

/// Two for the East Asian wide and fullwidth blocks and for emoji, else one. A cluster is as wide as its first
/// character: the others combine with it.
const fn columns(char: char) -> usize {
    match char as u32 {
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1_f300..=0x1_f64f
        | 0x1_f680..=0x1_f6ff
        | 0x1_f900..=0x1_f9ff
        | 0x2_0000..=0x3_fffd => 2,
        _ => 1,
    }
}

/// The end of `text` that fits into `limit` columns, with `...` before it if something was cut.
#[must_use]
pub fn keep_end(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.into();
    }
    let mut room = limit.saturating_sub(3);
    let mut start = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        match room.checked_sub(width(cluster)) {
            Some(left) => room = left,
            None => break,
        }
        start = at;
    }
    format!("...{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideographs_take_two_columns_and_marks_none() {
        assert_eq!(width("abc"), 3);
        assert_eq!(width("令牌"), 4);
        assert_eq!(width("e\u{301}"), 1);
    }

    #[test]
    fn the_end_of_a_long_text_is_kept() {
        assert_eq!(keep_end("abcdef", 6), "abcdef");
        assert_eq!(keep_end("abcdefg", 6), "...efg");
        assert_eq!(keep_end("令牌令牌", 6), "...牌");
    }
}
