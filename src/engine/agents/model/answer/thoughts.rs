//! Take the thoughts of a model out of its answer: between them may stand a draft that the model then discards.
//!
//! Servers that know a model give its thoughts in a field of their own. Others leave them in the text, between marks that
//! the model was trained on.

use super::json::{self, JsonStart};

/// The names of marks that are written `<name>` and `</name>`.
const NAMES: [&str; 7] =
    ["think", "thinking", "thought", "thoughts", "reasoning", "reflection", "seed:think"];

/// Marks of another form: Magistral, Kimi, Command A, and gpt-oss.
const OTHERS: [[&str; 2]; 4] = [
    ["[think]", "[/think]"],
    ["◁think▷", "◁/think▷"],
    ["<|start_thinking|>", "<|end_thinking|>"],
    ["<|channel|>analysis", "<|channel|>final<|message|>"],
];

/// A mark of a thought, with its length in bytes.
#[derive(Clone, Copy)]
enum ThoughtMark {
    Open(usize),
    Close(usize),
}

/// The text without thoughts. One that does not end reaches to the end of the text; one that ends without a beginning begins
/// with the text, as some servers write the opening mark into the prompt. A mark in a string of JSON or in quotation marks
/// is text.
pub fn removed(text: &str) -> String {
    let (mut kept, mut at, mut copied) = (String::new(), 0, 0);
    while at < text.len() {
        if let JsonStart::Value { end, .. } = json::start(text, at) {
            at = end;
            continue;
        }
        match mark_at(text, at) {
            Some(ThoughtMark::Open(length)) => {
                kept.push_str(&text[copied..at]);
                at = end_of_thought(text, at + length);
                copied = at;
            }
            Some(ThoughtMark::Close(length)) => {
                kept.clear();
                at += length;
                copied = at;
            }
            None => at = next(text, at),
        }
    }
    kept.push_str(&text[copied..]);
    kept
}

/// Behind the mark that closes it, else the end of the text.
fn end_of_thought(text: &str, mut at: usize) -> usize {
    while at < text.len() {
        match mark_at(text, at) {
            Some(ThoughtMark::Close(length)) => return at + length,
            _ => at = next(text, at),
        }
    }
    text.len()
}

/// The next place where a mark or a value of JSON may begin.
fn next(text: &str, at: usize) -> usize {
    let rest = text[at..].char_indices().skip(1);
    let found = rest.into_iter().find(|(_, letter)| matches!(letter, '<' | '[' | '◁' | '{'));
    found.map_or(text.len(), |(offset, _)| at + offset)
}

fn mark_at(text: &str, at: usize) -> Option<ThoughtMark> {
    if text[..at].ends_with(['`', '"', '\'']) {
        return None;
    }
    let rest = &text[at..];
    let begins = |mark: &str| rest.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    for [open, close] in OTHERS {
        if begins(open) {
            return Some(ThoughtMark::Open(open.len()));
        }
        if begins(close) {
            return Some(ThoughtMark::Close(close.len()));
        }
    }
    let inner = rest.strip_prefix('<')?;
    let (name, is_closing) = inner.strip_prefix('/').map_or((inner, false), |name| (name, true));
    // the longest name fits, and attributes beside it
    let (tag, _) = name.get(..name.len().min(80)).unwrap_or(name).split_once('>')?;
    let word = tag.split_whitespace().next()?;
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(word)).then_some(())?;
    let length = rest.len() - name.len() + tag.len() + 1;
    Some(if is_closing { ThoughtMark::Close(length) } else { ThoughtMark::Open(length) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thought_is_no_part_of_the_answer_however_it_is_marked() {
        for (text, answer) in [
            ("<think>draft {\"n\": 1}</think>\n{\"n\": 2}", "\n{\"n\": 2}"),
            ("<THINKING time=\"3\">a</thinking>b", "b"),
            ("draft {\"n\": 1} so </think>{\"n\": 2}", "{\"n\": 2}"),
            ("<think>a<think>b</think>{\"n\": 1}</think>c", "c"),
            ("<think>{\"n\": 1} but", ""),
            ("<think>I close it by \"</think>\": {\"n\": 1}", ""),
            ("A.<think>b</think>C.<think>d</think>E.", "A.C.E."),
            ("[THINK]a[/THINK]b", "b"),
            ("◁think▷ä◁/think▷b", "b"),
            ("<|START_THINKING|>a<|END_THINKING|>b", "b"),
            ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "b"),
        ] {
            assert_eq!(removed(text), answer, "{text}");
        }
    }

    #[test]
    fn what_only_speaks_of_thoughts_stays() {
        for text in [
            "",
            "no thought, 1 < 2 [1] {x",
            "{\"n\": \"<think>\"}",
            "{\"n\": \"a </think> b\"} and [{\"m\": \"<think>\"}]",
            "The parser drops `<think>` and `</think>`.",
            "<thinker>a</thinker> <think",
            &"<".repeat(50_000),
            &"[{".repeat(50_000),
        ] {
            assert_eq!(removed(text), text, "{}", &text[..text.len().min(80)]);
        }
    }
}
