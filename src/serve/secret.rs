//! Secrets of one run.

use std::fmt::Write as _;
use std::io;

/// So many random bytes as hex digits.
///
/// # Errors
/// The system has no random bytes.
pub fn random<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().fold(String::with_capacity(2 * BYTES), |mut text, byte| {
        write!(text, "{byte:02x}").expect("memory takes all text");
        text
    }))
}

/// Compares in a time that does not depend on where they differ.
pub fn is_same(given: &str, secret: &str) -> bool {
    let differ = given.bytes().zip(secret.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
    given.len() == secret.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_the_whole_secret() {
        assert!(is_same("abc", "abc"));
        for other in ["ab", "abcd", "abd", ""] {
            assert!(!is_same(other, "abc"), "{other}");
        }
    }

    #[test]
    fn each_is_another() {
        let [one, other] = [random::<32>().unwrap(), random::<32>().unwrap()];
        assert_ne!(one, other);
        assert!(one.len() == 64 && one.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
