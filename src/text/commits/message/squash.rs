//! Take apart the body of a squash: the messages that a host or git joined.

use super::lines::{self, Fence, is_ruler};
use super::trailers;

/// What git writes above the commits that it squashed.
pub(crate) const HEAD: &str = "Squashed commit of the following:";

/// The messages that a body consists of, each as its subject and its body; the body alone if nothing was joined.
pub(super) fn messages(body: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = body.split('\n').collect();
    let parts = of_git(&lines).or_else(|| of_host(&lines));
    parts.unwrap_or_else(|| vec![(String::new(), body.to_owned())])
}

/// `commit <id>`, a header, and the message indented by four.
fn of_git(lines: &[&str]) -> Option<Vec<(String, String)>> {
    let has_head = lines.iter().find(|line| !line.trim().is_empty())?.trim() == HEAD;
    let starts: Vec<usize> = (0..lines.len()).filter(|at| is_commit(lines, *at, has_head)).collect();
    let first = *starts.first()?;
    let before: Vec<&str> = lines[..first].iter().copied().filter(|line| line.trim() != HEAD).collect();
    let mut parts = vec![(String::new(), before.join("\n"))];
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    for (start, end) in starts.iter().zip(ends) {
        let is_header = |line: &&&str| HEADERS.iter().any(|name| line.starts_with(name));
        let text = lines[start + 1..end].iter().skip_while(is_header);
        let text: Vec<&str> = text.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
        let text = text.join("\n");
        let (subject, body) = text.trim_matches('\n').split_once('\n').unwrap_or((text.trim(), ""));
        parts.push((subject.to_owned(), body.trim_matches('\n').to_owned()));
    }
    Some(parts)
}

const HEADERS: [&str; 6] = ["Author:", "AuthorDate:", "Commit:", "CommitDate:", "Date:", "Merge:"];

/// Whether the header of a commit begins here: with a full id and an author, or below [`HEAD`].
fn is_commit(lines: &[&str], at: usize, has_head: bool) -> bool {
    let Some(id) = lines[at].strip_prefix("commit ").and_then(|rest| rest.split_whitespace().next()) else {
        return false;
    };
    let is_id = id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let next = |name: &str| lines.get(at + 1).is_some_and(|line| line.starts_with(name));
    is_id && (has_head && id.len() >= 7 || id.len() == 40 && (next("Author: ") || next("Merge: ")))
}

/// From the first line on, items with `*` that have a blank line before and after them: each is a subject. One with items
/// of its own below it is one as well where trailers are to be read.
fn of_host(lines: &[&str]) -> Option<Vec<(String, String)>> {
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    let is_blank =
        |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty() || is_ruler(line.trim()));
    let mut fence = Fence::default();
    let is_subject = |at: usize| {
        let is_first = is_blank(at.checked_sub(1).and_then(|at| lines.get(at)));
        is_first && lines[at].strip_prefix("* ").is_some_and(|text| !text.trim().is_empty())
    };
    let is_nested = |line: &str| margin(line) > 0 && lines::item(line).is_some();
    let mut starts: Vec<usize> =
        (0..lines.len()).filter(|at| !fence.holds(lines[*at]) && is_subject(*at)).collect();
    starts.retain(|at| is_blank(lines.get(at + 1)) || lines.get(at + 1).is_some_and(|line| is_nested(line)));
    let are_alone = starts.iter().filter(|at| is_blank(lines.get(*at + 1))).count() >= 2;
    let has_trailers = || lines.iter().any(|line| trailers::own(line.trim()).is_some());
    if starts.len() < 2 || !lines[first].starts_with("* ") || !(are_alone || has_trailers()) {
        return None;
    }
    // a first item of several lines is a subject as well
    let starts = (starts[0] != first).then_some(first).into_iter().chain(starts.iter().copied());
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let part = |(start, end): (&usize, usize)| {
        let subject = lines[*start].get(2..).unwrap_or_default().trim().to_owned();
        (subject, without_margin(&lines[start + 1..end]).trim_matches('\n').to_owned())
    };
    Some(starts.iter().zip(ends).map(part).collect())
}

fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The body of an item: the lines below it lose their common margin; code keeps its own.
fn without_margin(lines: &[&str]) -> String {
    let is_text = |line: &&&str| !line.trim().is_empty();
    let has_margin = lines.iter().find(is_text).is_some_and(|line| matches!(margin(line), 2 | 3));
    let mut is_inside = has_margin;
    let bare = lines.iter().map(|line| {
        is_inside &= line.trim().is_empty() || margin(line) >= 2;
        line.get(2..).filter(|_| is_inside).unwrap_or(line)
    });
    bare.collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(body: &str) -> Vec<(String, String)> {
        messages(body)
    }

    fn part(subject: &str, body: &str) -> (String, String) {
        (subject.to_owned(), body.to_owned())
    }

    #[test]
    fn items_alone_between_blank_lines_are_the_subjects_of_a_squash() {
        let body = "* a: add x\n\nDecision: order: oldest first\n\n* a: fix y\n\n---------\n\nCo-authored-by: B <b@c>";
        let expected = [
            part("a: add x", "Decision: order: oldest first"),
            part("a: fix y", "---------\n\nCo-authored-by: B <b@c>"),
        ];
        assert_eq!(parts(body), expected);
        assert_eq!(parts("* a\n\n* b"), [part("a", ""), part("b", "")]);
        assert_eq!(parts("* a\n  b\n\n* c\n\n* d")[0], part("a", "b"));
        for body in [
            "* a\n* b",
            "* a\n\nb",
            "text\n\n* a\n\n* b",
            "- a\n\n- b",
            "* a b\n  c\n\n* d\n  e",
            "```\n* a\n\n* b\n```",
            "* a\n  * b\n\n* c\n  * d",
        ] {
            assert_eq!(parts(body), [part("", body)], "{body}");
        }
    }

    #[test]
    fn a_subject_may_have_items_of_its_own_and_a_body_with_a_margin() {
        let body = "* a\n  * b\n  * c\n\nfact: d: e\n\n* f\n  - g\n\nText.";
        assert_eq!(parts(body), [part("a", "* b\n* c\n\nfact: d: e"), part("f", "- g\n\nText.")]);
        let body = "* a\n\n  * b\n\n      code\n\n  Fact: d: e\n\n* f\n\n    code\n\n---\n\nBy: g";
        let first = part("a", "* b\n\n    code\n\nFact: d: e");
        assert_eq!(parts(body), [first, part("f", "    code\n\n---\n\nBy: g")]);
        assert_eq!(parts("* a\n\n  b\nc\n  d\n\n* e")[0], part("a", "b\nc\n  d"));
    }

    #[test]
    fn what_git_squashed_is_taken_apart_and_loses_its_margin() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let body = format!(
            "Why it is so.\n\nSquashed commit of the following:\n\ncommit {id}\nAuthor: A <a@b>\nDate:   Mon\n\n    pool: one\n\n    Fact: a: b\n\ncommit {id}\nMerge: 1 2\nAuthor: B <b@c>\n\n    two\n"
        );
        // without git's own line first, ids must be whole
        let expected = [part("", "Why it is so.\n\n"), part("pool: one", "Fact: a: b"), part("two", "")];
        assert_eq!(parts(&body), expected);
        let short = "Squashed commit of the following:\n\ncommit 0123456\nAuthor: A\n\n    one\n\n    text\n";
        assert_eq!(parts(short)[1], part("one", "text"));
        assert_eq!(parts("commit 0123456 was\n\nwrong").len(), 1);
    }
}
