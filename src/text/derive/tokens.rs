//! Estimate tokens: characters divided by four, rounded up.
//!
//! Uses no model's tokenizer: the estimate has to be the same on every machine and for every model.

use crate::doc::verified_line;

pub const CHARS_PER_TOKEN: usize = 4;

/// The estimated tokens of `text`.
pub fn tokens_of(text: &str) -> u64 {
    tokens_of_chars(text.chars().count())
}

/// The tokens of bytes that should be UTF-8; a byte that starts no character does not count.
pub fn tokens_of_bytes(bytes: &[u8]) -> u64 {
    tokens_of_chars(chars(bytes))
}

/// The tokens of a file of the tree; its confirmation counts as none.
pub fn tokens_of_file(bytes: &[u8]) -> u64 {
    tokens_of_chars(chars(bytes) - verified_line(bytes).chars().count())
}

fn chars(bytes: &[u8]) -> usize {
    count(bytes, |byte| byte & 0xc0 != 0x80)
}

/// How many bytes are so. In blocks that a byte can count: then many bytes are looked at at once.
pub(super) fn count(bytes: &[u8], is_so: impl Fn(u8) -> bool) -> usize {
    let in_block = |block: &[u8]| block.iter().map(|byte| u8::from(is_so(*byte))).sum::<u8>();
    bytes.chunks(usize::from(u8::MAX)).map(|block| usize::from(in_block(block))).sum()
}

pub const fn tokens_of_chars(chars: usize) -> u64 {
    chars.div_ceil(CHARS_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confirmation_counts_as_no_tokens() {
        let plain = "---\ntitle: t\n---\n\nText.\n";
        let confirmed =
            plain.replace("t\n---", &format!("t\nverified: {} 2026-01-01T00:00:00Z\n---", "a".repeat(40)));
        assert!(tokens_of(&confirmed) > tokens_of(plain) + 10);
        assert_eq!(tokens_of_file(confirmed.as_bytes()), tokens_of_file(plain.as_bytes()));
    }

    #[test]
    fn four_characters_of_any_script_are_a_token_and_a_rest_counts_whole() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("観測計画", 1), ("é́́́é", 2)]
        {
            assert_eq!(tokens_of(text), tokens, "{text}");
            assert_eq!(tokens_of_bytes(text.as_bytes()), tokens, "{text}");
        }
    }
}
