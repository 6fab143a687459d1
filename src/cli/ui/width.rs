//! Display width of text on a terminal, and the start or the end of a text that fits.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The number of columns of `text`, which must have no control characters.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The end of `text` that fits into `limit` columns, with `...` before it if something was cut.
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

/// Shorten `text` to at most `columns`, at the end of a word.
pub fn keep_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split_inclusive(' ') {
        if width(&short) + width(word) > columns {
            break;
        }
        short.push_str(word);
    }
    if short.is_empty() {
        short = text.chars().take(columns / 2).collect();
    }
    format!("{}…", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideographs_take_two_columns_and_marks_none() {
        assert_eq!(width("abc"), 3);
        assert_eq!(width("令牌"), 4);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("\u{1f468}\u{200d}\u{1f469}"), 2);
    }

    #[test]
    fn the_end_of_a_long_text_is_kept() {
        assert_eq!(keep_end("abcdef", 6), "abcdef");
        assert_eq!(keep_end("abcdefg", 6), "...efg");
        assert_eq!(keep_end("令牌令牌", 6), "...牌");
    }

    #[test]
    fn a_long_summary_ends_at_a_word() {
        assert_eq!(keep_start("one two three", 13), "one two three");
        assert_eq!(keep_start("one two three", 10), "one two…");
        assert_eq!(keep_start(&"令".repeat(30), 20), format!("{}…", "令".repeat(10)));
    }
}
