//! What a commit takes back: the commits that its message names by their ids or by their subjects.

use super::message::{self, lines};
use super::patterns::compiled;
use regex::Regex;
use std::sync::LazyLock;

/// A commit that another one takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reverted {
    /// The start of its id: 7 to 64 hexadecimal digits in lower case.
    pub id: Option<String>,
    /// Its subject, as it is quoted.
    pub subject: Option<String>,
}

/// Only a part is taken back.
static PARTLY: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?i)\b(?:part(?:ial)?(?:ly)?|in part)[ -](?:revert|back)"));

/// `This reverts commit 1234567, 2345678 and 3456789`, at the start of a clause: what follows `git revert` or another commit
/// tells of something else.
static BY_ID: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)(?:(?:^|[.,:;!(\n]\s*|[-*]\s+)(?:(?:this|the|commit|patch|change|pr|mr|pull|request|diff|also|fully|completely|effectively|basically|just|simply|and|so|now|for|here|we|i|therefore|thus|hereby|it|a|temporarily) +){0,5}(?:reverts?|backs? out)|\band +(?:also +)?(?:reverts|backs out))(?P<named>(?: of)?(?: the)? commits?)? +(?P<ids>[`\x22'(\[]?(?:https?://\S+/commit/|[\w./-]+@)?[0-9a-f]{7,64}\b[`\x22')\]]*(?:(?:,? and|,| &)\s+(?:commits? )?[`\x22'(\[]?[0-9a-f]{7,64}\b[`\x22')\]]*)*)",
    )
});

static ID: LazyLock<Regex> = LazyLock::new(|| compiled(r"\b[0-9a-f]{7,64}\b"));

/// What stands before a quoted subject.
static BY_SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)\b(?:(?P<again>reapply)|reverts?|backs? out)(?: of)?:? (?P<quote>[\x22\x{201c}])")
});

/// What follows a quoted subject if another comes: `" and "`, `", "`, `" and revert "`.
static NEXT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)^(?:,? and|,| &)(?: (?:reverts?|backs? out))?(?: of)? (?P<quote>[\x22\x{201c}])")
});

/// The commits that a message takes back as a whole, in the order in which it names them.
pub fn reverts(subject: &str, body: &str) -> Vec<Reverted> {
    let messages = message::read(body);
    let text = |message: &message::Message| prose(&message.body);
    let body: String = messages.iter().map(text).collect::<Vec<_>>().join("\n\n");
    if PARTLY.is_match(subject) || PARTLY.is_match(&body) {
        return Vec::new();
    }
    let mut ids: Vec<String> = Vec::new();
    for id in ids_of(subject).into_iter().chain(ids_of(&body)) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let subjects = quoted(subject).into_iter().map(|(subject, again)| match again {
        true => format!("Revert \"{subject}\""),
        false => subject,
    });
    joined(ids, subjects.collect())
}

/// Ids and subjects in pairs if there are as many of both; else each by itself.
fn joined(ids: Vec<String>, subjects: Vec<String>) -> Vec<Reverted> {
    if ids.len() == subjects.len() {
        let pairs = ids.into_iter().zip(subjects);
        return pairs.map(|(id, subject)| Reverted { id: Some(id), subject: Some(subject) }).collect();
    }
    let by_id = ids.into_iter().map(|id| Reverted { id: Some(id), subject: None });
    by_id.chain(subjects.into_iter().map(|subject| Reverted { id: None, subject: Some(subject) })).collect()
}

fn ids_of(text: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for found in BY_ID.captures_iter(text) {
        let is_named = found.name("named").is_some();
        let all = found.name("ids").map_or("", |ids| ids.as_str()).to_ascii_lowercase();
        let is_id = |id: &str| is_named || id.contains(|c: char| c.is_ascii_digit());
        ids.extend(ID.find_iter(&all).map(|id| id.as_str().to_owned()).filter(|id| is_id(id)));
    }
    ids
}

/// The subjects that a subject quotes, each with whether it is in force again.
fn quoted(subject: &str) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    let Some(found) = BY_SUBJECT.captures(subject) else { return all };
    let again = found.name("again").is_some();
    let mut rest = found.name("quote").map_or("", |quote| &subject[quote.start()..]);
    while let Some(length) = quote_length(rest) {
        let inner = rest[..length].trim_matches(['\u{201c}', '\u{201d}']);
        let inner = inner.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(inner);
        all.push((inner.trim().to_owned(), again));
        let Some(next) = NEXT.captures(&rest[length..]) else { break };
        let start = next.name("quote").map_or(0, |quote| quote.start());
        rest = &rest[length + start..];
    }
    all
}

/// The length of the quote that a text begins with; quotes in it have quotes of their own.
fn quote_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        let opens = c == '\u{201c}' || c == '"' && matches!(before, ' ' | '(' | '[') && !next.is_whitespace();
        match c {
            _ if opens => depth += 1,
            '"' | '\u{201d}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
        before = c;
    }
    None
}

/// The lines of a body without code and quotes, each paragraph on one line.
fn prose(body: &str) -> String {
    let mut fence = lines::Fence::default();
    let mut text = String::new();
    for line in body.split('\n') {
        let bare = line.trim();
        let is_left_out = fence.holds(line) || lines::is_quote(bare) || lines::is_indented(line);
        text.push_str(if is_left_out || bare.is_empty() { "\n" } else { bare });
        if !bare.is_empty() && !is_left_out {
            text.push(' ');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    fn said(subject: &str, body: &str) -> Vec<(Option<String>, Option<String>)> {
        reverts(subject, body).into_iter().map(|one| (one.id, one.subject)).collect()
    }

    fn id(id: &str) -> (Option<String>, Option<String>) {
        (Some(id.to_owned()), None)
    }

    #[test]
    fn a_revert_names_its_commit_by_id() {
        for (subject, body) in [
            ("a", "This reverts commit 1234567."),
            ("a", "Text.\n\nThis\nreverts 1234567, since it broke b."),
            ("a", "This patch also reverts commit `1234567`."),
            ("a", "It broke b, so this reverts commit https://a.b/c/commit/1234567"),
            ("Revert 1234567", ""),
            ("lib: back out 1234567", ""),
            ("a", "Backs out commit 1234567 (b)"),
            ("a", "- Reverts a/b@1234567"),
            ("a", "This bumps b and reverts 1234567 to get c."),
            ("a", "This reverts commit ABCDEF1."),
        ] {
            assert_eq!(
                said(subject, body),
                [id(if body.contains("ABC") { "abcdef1" } else { "1234567" })],
                "{subject} / {body}"
            );
        }
        assert_eq!(said("Revert b", &format!("This reverts commit {ID}.")), [id(ID)]);
        assert_eq!(said("a", "This reverts commit deadbee."), [id("deadbee")]);
    }

    #[test]
    fn what_tells_of_another_revert_is_none() {
        for body in [
            "Run git revert 1234567 to get it back.",
            "Commit 7654321 reverts 1234567.",
            "This should not revert 1234567.",
            "> This reverts commit 1234567.",
            "    This reverts commit 1234567.",
            "```\nThis reverts commit 1234567.\n```",
            "This reverts defaced pages.",
            "This partially reverts commit 1234567.",
            "This reverts #12.",
            "This is a partial revert of it. This reverts commit 1234567.",
        ] {
            assert_eq!(said("a", body), [], "{body}");
        }
        assert_eq!(said("Partial revert \"a\"", ""), []);
    }

    #[test]
    fn a_revert_names_its_commit_by_subject() {
        let both = |subject: &str| vec![(Some("1234567".to_owned()), Some(subject.to_owned()))];
        let body = "This reverts commit 1234567.";
        assert_eq!(said("Revert \"a: b\"", body), both("a: b"));
        assert_eq!(said("lib: back out \"a\" (#12)", body), both("a"));
        assert_eq!(said("Revert \u{201c}a\u{201d}", body), both("a"));
        assert_eq!(said("Revert \"use \"x\" in y\"", body), both("use \"x\" in y"));
        assert_eq!(said("Revert \"a\" because of \"b\"", body), both("a"));
        assert_eq!(said("Revert \"a", ""), []);
        assert_eq!(said("Revert a", ""), []);
    }

    #[test]
    fn a_revert_of_two_names_both() {
        let one = |id: &str, subject: &str| (Some(id.to_owned()), Some(subject.to_owned()));
        let body = "This reverts commit 1234567.\nThis reverts commit 2345678.";
        assert_eq!(said("Revert \"a\" and \"b\"", body), [one("1234567", "a"), one("2345678", "b")]);
        assert_eq!(said("a", "This reverts commits 1234567 and 2345678."), [id("1234567"), id("2345678")]);
        assert_eq!(said("a", "Reverts 1234567, 2345678"), [id("1234567"), id("2345678")]);
        let three = [id("1234567"), id("2345678"), (None, Some("a".to_owned()))];
        assert_eq!(said("Revert \"a\"", body), three);
        assert_eq!(
            said("Revert \"a\" and revert \"b\"", ""),
            [(None, Some("a".into())), (None, Some("b".into()))]
        );
    }
}
