//! Secrets inside something else: in base64, or in a file format that says where its private part is.

use super::connection::is_word_for_a_password;
use super::shapes::{self, AROUND, boundary, is_base64, is_placeholder, run, unbase64};
use std::ops::Range;

/// More than the longest key that is in use.
const MOST: usize = 1 << 15;

/// A private key in base64, as in a secret of Kubernetes, given `-----BEGIN` in base64.
pub(super) fn key_block(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let end = boundary(text, prefix.start).then(|| run(text, prefix.end, is_base64, 80, MOST)).flatten()?;
    let block = unbase64(&text.as_bytes()[prefix.start..end]);
    let block = String::from_utf8_lossy(&block);
    let is_key = shapes::key_block(&block, 0.."-----BEGIN ".len()).is_some();
    is_key.then_some(prefix.start..end)
}

/// The private lines of a PuTTY key file, given the text before their number.
pub(super) fn putty(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    const DIGITS: usize = 8;
    let lines = &text[prefix.end..];
    let end = lines.bytes().take(DIGITS).position(|byte| byte == b'\n')?;
    let count: usize = lines[..end].trim_matches(AROUND).parse().ok()?;
    let lines = &lines[end + 1..];
    let start = text.len() - lines.len();
    let lines = lines.split_inclusive('\n').take(count.min(500));
    let length: usize =
        lines.take_while(|line| line.trim().trim_matches(AROUND).bytes().all(is_base64)).map(str::len).sum();
    let end = start + text[start..start + length].trim_end().len();
    (end - start >= 40).then_some(start..end)
}

/// `user:password` in base64, given the `"auth"` before it: the settings of Docker.
pub(super) fn basic(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let value = text[name.end..].trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let start = text.len() - value.len();
    let end = run(text, start, is_base64, 12, 2048)?;
    let pair = String::from_utf8(unbase64(&text.as_bytes()[start..end])).ok()?;
    let (user, password) = pair.split_once(':')?;
    let is_text = !user.is_empty() && pair.chars().all(|c| !c.is_control());
    let is_secret = password.len() >= 6 && !is_placeholder(password) && !is_word_for_a_password(password);
    (is_text && is_secret).then_some(start..end)
}

/// A token (RFC 7519) that is once more in base64, given the `eyJ` of its header in base64.
pub(super) fn jwt(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let end = boundary(text, prefix.start).then(|| run(text, prefix.end, is_base64, 80, MOST)).flatten()?;
    let token = String::from_utf8(unbase64(&text.as_bytes()[prefix.start..end])).ok()?;
    shapes::jwt(&token, 0.."eyJ".len()).map(|_| prefix.start..end)
}
