//! Secrets inside something else: in base64, or in a file format that says where its private part is.

use super::connection::is_word_for_a_password;
use super::shapes::{self, AROUND, boundary, is_base64, is_placeholder, run, unbase64, url_safe};
use std::ops::Range;

/// More than the longest key that is in use.
const MOST: usize = 1 << 15;

/// A private key in base64, as in a secret of Kubernetes, given `-----BEGIN` in base64.
pub(super) fn key_block(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let end = run(text, prefix.end, is_base64, 80, MOST)?;
    let block = unbase64(&text.as_bytes()[prefix.start..end]);
    let block = String::from_utf8_lossy(&block);
    let is_key = shapes::key_block(&block, 0.."-----BEGIN ".len()).is_some();
    (is_key && boundary(text, prefix.start)).then_some(prefix.start..end)
}

/// The private lines of a PuTTY key file, given what stands before their number.
pub(super) fn putty(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[prefix.end..];
    let (count, lines) = rest.split_once('\n')?;
    let count: usize = count.trim_matches(AROUND).parse().ok()?;
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
    let class = |byte: u8| is_base64(byte) || url_safe(byte);
    let end = run(text, prefix.end, class, 80, MOST)?;
    let token = String::from_utf8(unbase64(&text.as_bytes()[prefix.start..end])).ok()?;
    (shapes::jwt(&token, 0.."eyJ".len()).is_some() && boundary(text, prefix.start))
        .then_some(prefix.start..end)
}
