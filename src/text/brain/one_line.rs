//! Texts on one line, cut to a length, and what an entry without a title is called.

/// What an entry without a title is called.
pub(super) fn name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name).replace('_', " ")
}

/// A text on one line.
pub(super) fn flat(text: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(visible).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most so many characters; a text that is cut ends with `…`.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let short: String = text.chars().take(most.saturating_sub(1)).collect();
            let end = short.rfind(' ').filter(|end| *end > short.len() / 2).unwrap_or(short.len());
            format!("{}…", short[..end].trim_end())
        }
    }
}
