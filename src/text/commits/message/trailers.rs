//! Recognise trailers by single lines: brv's keys, the keys of others, and git's last block.

use super::lines::{is_output, is_ruler};
use crate::commits::{keys, patterns};
use brv_base::english::list;

/// One trailer with a key of brv, its value on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub key: String,
    pub value: String,
}

/// `Key: value`; git allows blanks before the colon and needs none after it.
pub(super) fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_end_matches([' ', '\t']);
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_key.then_some((key, value.trim()))
}

/// A key of brv and its value.
pub(super) fn own(line: &str) -> Option<(&str, &str)> {
    key_and_value(line).filter(|(key, _)| keys::is_key(key))
}

/// Whether a line ends the value above it: `Key: value` with a capital, in git's last block with any letter.
pub(super) fn is_key(line: &str, in_last_block: bool) -> bool {
    let begins = |key: &str| {
        let first = key.bytes().next().unwrap_or_default();
        first.is_ascii_uppercase() || in_last_block && first.is_ascii_alphabetic()
    };
    let is_letters = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_other = |(key, _): (&str, &str)| begins(key) && key.split('-').all(is_letters);
    own(line).is_some_and(|(key, _)| begins(key)) || line.split_once(": ").is_some_and(is_other)
}

/// Keys that are nobody's text, in lower case. Also every key that ends with `-by` or begins with `brv-` or `gerrit-`.
static KNOWN: list::Set = list::Set::of_lines(include_str!("lists/trailer_keys.txt"));

/// Keys that are words of text as well: they are trailers only with a reference as their value.
static REFERENCES: list::Set = list::Set::of_lines(include_str!("lists/reference_keys.txt"));

/// Whether a line is a trailer of a host, a tool or a habit, wherever it stands.
pub(super) fn is_known(bare: &str) -> bool {
    let Some((key, value)) = bare.split_once(':') else { return false };
    let key = key.trim_end().to_ascii_lowercase();
    if REFERENCES.contains(&key) {
        return patterns::REFERENCE.is_match(bare) || patterns::TARGET.is_match(value.trim_start());
    }
    let is_made = key.ends_with("-by") || key.starts_with("brv-") || key.starts_with("gerrit-");
    KNOWN.contains(&key) || is_made && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// The text of `BREAKING CHANGE: text`.
pub(super) fn breaking(bare: &str) -> Option<&str> {
    let rest = bare.get(..8).filter(|head| head.eq_ignore_ascii_case("breaking")).map(|_| &bare[8..])?;
    let rest = rest.strip_prefix([' ', '-'])?;
    let head = rest.get(..6).filter(|head| head.eq_ignore_ascii_case("change"))?;
    Some(rest[head.len()..].trim_start().strip_prefix(':')?.trim())
}

/// Lines that git writes itself. With one of them, other lines may stand in the block.
const OF_GIT: [&str; 2] = ["Signed-off-by: ", "(cherry picked from commit "];

/// The first line of git's last block: the last paragraph, if all its lines are trailers, or a quarter of them with one of
/// git's own; else the number of lines.
pub(super) fn last_block(lines: &[&str]) -> usize {
    let is_blank = |line: &&str| line.trim().is_empty();
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(0, |at| at + 1);
    let start = lines[..end].iter().rposition(is_blank).map_or(0, |at| at + 1);
    if start < end && is_block(&lines[start..end]) { start } else { lines.len() }
}

/// The first line of the paragraph that nothing but footers follow, as those that a host adds, if it is a block as git's last
/// one; else the number of lines. What a program printed is none.
pub(super) fn above_footers(lines: &[&str]) -> usize {
    let is_blank = |line: &&str| line.trim().is_empty();
    let is_footer = |bare: &str| {
        let is_foreign = patterns::FOOTER.is_match(bare) || patterns::REFERENCE.is_match(bare);
        is_ruler(bare) || is_known(bare) || is_foreign
    };
    let last = lines.iter().rposition(|line| !is_blank(line) && !is_footer(line.trim())).unwrap_or(0);
    let start = lines[..last].iter().rposition(is_blank).map_or(0, |at| at + 1);
    let end = lines[last..].iter().position(is_blank).map_or(lines.len(), |at| last + at);
    let own = &lines[start..end];
    if is_block(own) && !own.iter().any(|line| is_output(line.trim())) { start } else { lines.len() }
}

fn is_block(lines: &[&str]) -> bool {
    let (mut trailers, mut others, mut has_own) = (0_usize, 0_usize, false);
    let mut goes_on = false;
    for line in lines {
        if goes_on && line.starts_with([' ', '\t']) {
            continue;
        }
        let is_own = OF_GIT.iter().any(|start| line.starts_with(start));
        goes_on = is_own || key_and_value(line).is_some();
        has_own |= is_own;
        if goes_on { trailers += 1 } else { others += 1 }
    }
    trailers > 0 && (others == 0 || (has_own && trailers * 3 >= others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_takes_the_last_paragraph_for_a_block_if_its_lines_are_trailers() {
        let at = |text: &str| last_block(&text.split('\n').collect::<Vec<_>>());
        assert_eq!(at("a\n\nfact: b\nx-y : c\n\n"), 2);
        assert_eq!(at("fact: b\n  c"), 0);
        assert_eq!(at("fact: b\nc"), 2);
        assert_eq!(at("fact: b\nfree\nSigned-off-by: A"), 0);
        assert_eq!(at("one\ntwo\nthree\nfour\nSigned-off-by: A"), 5);
        assert_eq!((at(""), at("a")), (1, 1));
    }

    #[test]
    fn a_key_ends_a_value_if_it_begins_with_a_capital() {
        for line in ["Tested: yes", "Co-Authored-By: A", "Fact:x", "Scope-risk: low"] {
            assert!(is_key(line, false), "{line}");
        }
        for line in ["tested: yes", "note: a", "so it is: a", "A2: x", "Key:x", "https://a.b", "-: a", ": a"]
        {
            assert!(!is_key(line, false), "{line}");
        }
        assert!(is_key("tested: yes", true) && is_key("fact:x", true) && !is_key("1: a", true));
    }

    #[test]
    fn trailers_of_others_are_known_and_words_of_text_are_not() {
        for line in [
            "Signed-off-by: A",
            "helped-by: B",
            "Change-Id: I1",
            "Fixes: #12",
            "closes: a/b#1",
            "See also: https://a.b",
            "Brv-Review: x",
            "https://a.b/c",
            "Bug: #12",
            "Tested: by hand",
        ] {
            assert!(is_known(line), "{line}");
        }
        for line in
            ["Fix: the lock is gone", "See: it must", "Note: a", "Reason: b", "issue: this is", "stand by: x"]
        {
            assert!(!is_known(line), "{line}");
        }
        assert_eq!(breaking("BREAKING CHANGE: gone"), Some("gone"));
        assert_eq!(breaking("Breaking-change:"), Some(""));
        assert_eq!((breaking("breaking changes: a"), breaking("BREAKING")), (None, None));
    }
}
