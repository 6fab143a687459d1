//! The start of a text, as candidates are shown with it.

/// The longest preview and abstract, in characters.
const PREVIEW: usize = 400;

/// The start of a text.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(PREVIEW) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
