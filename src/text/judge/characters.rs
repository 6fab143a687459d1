//! Classes of characters and borders of words, as the lists mean them.

use unicode_normalization::char::is_combining_mark;

/// Letters, digits and underscores of any script. Marks that combine with a letter are not letters here, though Unicode
/// calls some of them alphabetic, nor are letters in a circle or a square.
pub(super) fn is_word(char: char) -> bool {
    if char.is_ascii() {
        return char.is_ascii_alphanumeric() || char == '_';
    }
    char.is_alphanumeric()
        && !is_combining_mark(char)
        && !matches!(char, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}')
}

/// White space, with the four separators of ASCII.
pub(super) fn is_space(char: char) -> bool {
    char.is_whitespace() || matches!(char, '\u{1c}'..='\u{1f}')
}

/// The character that ends at a position.
pub(super) fn before(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at.checked_sub(1)?) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => text.get(..at)?.chars().next_back(),
    }
}

/// The character that begins at a position.
pub(super) fn after(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => text.get(at..)?.chars().next(),
    }
}

/// Whether a word begins or ends at a position.
pub(super) fn is_edge(text: &str, at: usize) -> bool {
    before(text, at).is_some_and(is_word) != after(text, at).is_some_and(is_word)
}

/// Whether a character is neither of a word nor a hyphen.
pub(super) fn is_apart(char: Option<char>) -> bool {
    !char.is_some_and(|char| char == '-' || is_word(char))
}

/// The length in bytes of the start of a text whose characters all are so.
pub(super) fn run(text: &str, is_so: impl Fn(char) -> bool) -> usize {
    text.find(|char| !is_so(char)).unwrap_or(text.len())
}
