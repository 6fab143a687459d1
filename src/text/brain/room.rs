//! Tokens and characters: a token is about four characters, on every machine and for every model.

const CHARS_PER_TOKEN: usize = 4;

/// The tokens of a text.
pub fn tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(CHARS_PER_TOKEN) as u64
}

/// The characters of so many tokens.
pub(super) fn chars(tokens: u64) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(CHARS_PER_TOKEN)
}
