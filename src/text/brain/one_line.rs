//! Texts on one line, cut to a length, and what an entry without a title is called.

use crate::doc;

/// What an entry without a title is called.
pub(super) fn name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name).replace('_', " ")
}

/// A text on one line.
pub(super) fn flat(text: &str) -> String {
    if doc::is_single_spaced(text) {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len());
    let mut is_apart = false;
    for c in text.chars() {
        if c.is_control() || c.is_whitespace() {
            is_apart = !line.is_empty();
            continue;
        }
        if std::mem::take(&mut is_apart) {
            line.push(' ');
        }
        line.push(c);
    }
    line
}

/// At most so many characters; a text that is cut ends with `…`.
pub(super) fn cut(text: &str, most: usize) -> String {
    // a text of fewer bytes has fewer characters
    let is_long = text.len() > most && text.char_indices().nth(most).is_some();
    match is_long {
        false => text.to_owned(),
        true => {
            let short: String = text.chars().take(most.saturating_sub(1)).collect();
            let end = short.rfind(' ').filter(|end| *end > short.len() / 2).unwrap_or(short.len());
            format!("{}…", short[..end].trim_end())
        }
    }
}
