//! Passages for a model: how many, and how long.

/// The most characters of all passages together.
pub const MOST_CHARS: usize = 8_000;

/// How many of these texts, in their order, are within [`MOST_CHARS`] together; at least one, which may have to be cut.
pub fn fit<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    let mut left = MOST_CHARS;
    let mut count = 0;
    for text in texts {
        match left.checked_sub(text.chars().count()) {
            Some(rest) => left = rest,
            None => return count.max(1),
        }
        count += 1;
    }
    count
}

/// The text, cut at a blank to at most `most` characters; what was cut is marked.
pub fn cut_to(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let end = head.rfind(char::is_whitespace).filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_are_whole_and_one_is_always_given() {
        let long = "a ".repeat(2_500);
        assert_eq!(fit([long.as_str(), "b", long.as_str()]), 2);
        assert_eq!(fit(["x".repeat(9_000).as_str(), "b"]), 1);
        assert_eq!(fit([]), 0);
    }

    #[test]
    fn a_text_is_cut_between_words() {
        assert_eq!(cut_to("one two three", 20), "one two three");
        assert_eq!(cut_to("one two three", 9), "one two…");
        assert!(cut_to(&"観".repeat(30), 10).chars().count() <= 10);
    }
}
