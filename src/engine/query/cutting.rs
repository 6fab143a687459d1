//! Cut a text to a length.

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
    fn a_text_is_cut_between_words() {
        assert_eq!(cut_to("one two three", 20), "one two three");
        assert_eq!(cut_to("one two three", 9), "one two…");
        assert!(cut_to(&"観".repeat(30), 10).chars().count() <= 10);
    }
}
