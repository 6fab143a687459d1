//! The type and the scope of a subject, as people write them: `feat(walk): …`, `walk: …`, `[PR] ignore/walk: …`.

use crate::judge::after_emoji;
use crate::judge::lists::{is_label, is_type};

/// The longest name before a colon, and the longest scope in brackets, in characters.
const NAME: usize = 31;
const BRACKETS: usize = 40;

/// What a subject says before its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Start<'a> {
    /// The type of a conventional commit, as it is written.
    pub(super) kind: Option<&'a str>,
    /// `a`, or `a` and `b` of `a(b)` where `a` is not a type.
    pub(super) scope: Option<(&'a str, Option<&'a str>)>,
}

pub(super) fn read(subject: &str) -> Start<'_> {
    let (scope, subject) = after_emoji(subject);
    let (inner, subject) = after_emoji(without_mark(subject));
    if let Some(scope) = scope.or(inner) {
        return start(scope, None);
    }
    for (at, _) in subject.match_indices(':').take(4) {
        let text = &subject[at + 1..];
        if !text.starts_with(char::is_whitespace) || text.trim().is_empty() {
            continue;
        }
        let head = subject[..at].strip_suffix('!').unwrap_or(&subject[..at]);
        if let Some((name, inner)) = name_and_brackets(head) {
            return start(name, inner);
        }
    }
    Start::default()
}

/// The subject after `Revert "`, `revert: ` or `[…] `.
fn without_mark(subject: &str) -> &str {
    for mark in ["Revert \"", "revert: "] {
        if let Some(rest) = subject.strip_prefix(mark) {
            return rest;
        }
    }
    let bracket = subject.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    bracket.filter(|(mark, _)| (1..=20).contains(&mark.chars().count())).map_or(subject, |(_, rest)| rest)
}

fn name_and_brackets(head: &str) -> Option<(&str, Option<&str>)> {
    let (name, inner) = match head.strip_suffix(')').and_then(|head| head.split_once('(')) {
        Some((name, inner)) => (name.trim_end(), Some(inner)),
        None => (head, None),
    };
    let is_inner = |inner: &str| !inner.contains(')') && (1..=BRACKETS).contains(&inner.chars().count());
    let belongs = |c: char| c.is_alphanumeric() || "_./@&, +-".contains(c);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '@' || c == '.')
        && name.chars().all(belongs)
        && name.chars().count() <= NAME;
    (is_name && inner.is_none_or(is_inner)).then_some((name, inner))
}

fn start<'a>(name: &'a str, inner: Option<&'a str>) -> Start<'a> {
    let lower = name.to_lowercase();
    if is_type(&lower) {
        return Start { kind: Some(name), scope: inner.map(|inner| (inner, None)) };
    }
    if name.split_whitespace().count() > 3 || is_label(&lower) {
        return Start::default();
    }
    Start { kind: None, scope: Some((name, inner)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_begins_with_a_type_or_a_scope_or_neither() {
        for (subject, kind, scope) in [
            ("feat(walk): x", Some("feat"), Some(("walk", None))),
            ("Fix(walk)!: x", Some("Fix"), Some(("walk", None))),
            ("feat!: x", Some("feat"), None),
            ("docs: x", Some("docs"), None),
            ("walk: x", None, Some(("walk", None))),
            ("ignore/walk: x", None, Some(("ignore/walk", None))),
            ("ignore(walk): x", None, Some(("ignore", Some("walk")))),
            ("[PR #12] walk: x", None, Some(("walk", None))),
            ("Revert \"walk: x\"", None, Some(("walk", None))),
            ("認証: トークン", None, Some(("認証", None))),
            ("\u{2728} feat(net): x", Some("feat"), Some(("net", None))),
            ("\u{1f41b} ui: x", None, Some(("ui", None))),
            (":bug: (db) x", None, Some(("db", None))),
            ("Revert \":bug: (db) x\"", None, Some(("db", None))),
            ("(db) x", None, None),
            (".github: x", None, Some((".github", None))),
            ("@a/b: x", None, Some(("@a/b", None))),
            ("one two three four: x", None, None),
            ("Note: x", None, None),
            ("walk:x", None, None),
            ("walk: ", None, None),
            ("std::fs is slow", None, None),
            ("std::fs: it is slow", None, None),
            ("🚀 ship it", None, None),
            ("", None, None),
        ] {
            assert_eq!(read(subject), Start { kind, scope }, "{subject}");
        }
        let long = format!("{}: x", "a".repeat(32));
        assert_eq!(read(&long), Start::default());
    }
}
