//! Whether a text asks instead of answering: a heading that is a question, a list of questions, an open task.

use brv_base::english::list;
/// Words at the beginning of a sentence that say that something is still to be found out; in lower case.
static OPEN: list::Set = list::Set::of_lines(include_str!("lists/open.txt"));

/// The marks that end a question: of Latin, wide and Arabic script, and of Greek.
const MARKS: [char; 4] = ['?', '？', '؟', '\u{37e}'];

/// Whether every sentence of a text without code asks: it ends in a question mark, or says that something is still to
/// be found out. A text without a word asks nothing.
pub fn asks(text: &str) -> bool {
    let mut sentences = sentences(text).peekable();
    sentences.peek().is_some() && sentences.all(is_open)
}

fn is_open(sentence: &str) -> bool {
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !MARKS.contains(&c));
    bare.ends_with(MARKS) || {
        let lower = bare.to_lowercase();
        OPEN.iter().any(|open| {
            let rest = lower.strip_prefix(open);
            rest.is_some_and(|rest| open.ends_with(':') || !rest.starts_with(char::is_alphanumeric))
        })
    }
}

/// The sentences of a text, each from its first letter; those of a list are one for each item.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|c: char| c.is_alphanumeric() || c == '¿')?;
        rest = start_of_item(&rest[start..]);
        let end = end(rest);
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
    .filter(|sentence| sentence.chars().any(char::is_alphanumeric))
}

/// Without what only marks an item or a question: `1.`, `[x]`, `Q:`, `Question:`.
fn start_of_item(text: &str) -> &str {
    let (head, rest) = text.split_at(text.find([' ', '\n']).unwrap_or(text.len()));
    let label = head.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_number = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    let is_label = matches!(label, "x" | "X" | "Q" | "Question") && head != label;
    match is_label || is_number && head.ends_with(['.', ')', ']']) {
        true => rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '¿'),
        false => text,
    }
}

/// Where a sentence ends: after its mark with a blank behind it, or where an item begins.
fn end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_mark = matches!(c, '.' | '!' | '。' | '！') || MARKS.contains(&c);
        let ends = is_mark && next.is_none_or(|next| !next.is_alphanumeric());
        let after = &text[at + c.len_utf8()..];
        if ends || c == '\n' && after.trim_start_matches(' ').starts_with(['-', '*', '+', '#', '\n']) {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_open_tasks_ask() {
        for text in [
            "How do I rotate a key?",
            "## How do I rotate a key?",
            "- **Q: Which store keeps\n  the sessions?**",
            "- How often do keys rotate?\n- Who may do it? And when?\n",
            "1. Who decides?\n2. When?",
            "- [ ] find out whether Redis evicts sessions",
            "TODO: who owns the gateway",
            "Open question: do we need a second region.",
            "¿Quién rota las claves?",
            "誰が鍵を更新しますか？",
        ] {
            assert!(asks(text), "{text}");
        }
    }

    #[test]
    fn what_states_something_does_not_ask() {
        for text in [
            "Keys rotate every ninety days.",
            "How often? Every ninety days.",
            "- How often do keys rotate?\n- Every ninety days\n",
            "Todoist keeps the tasks.",
            "The URL is `https://example.org/?page=2` for everyone",
            "Find outliers with the `tail` command.",
            "1. Stop the server.",
            "",
            "---",
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
