//! Take out of a message what nobody reads as its text: line endings of other systems, control characters, comments,
//! and `<details>`.
//!
//! What stands in code is kept. A comment or an element that is never closed goes to the end of the message if it begins
//! its line, as in Markdown; else it is text.

use super::lines::Fence;
use crate::commits::patterns;

/// The text with `\n` for every line ending, without what colours a terminal, and with a blank for every other control
/// character but tabs.
pub(crate) fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = patterns::SEQUENCE.replace_all(&text, "");
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { ' ' } else { c }).collect()
}

/// The text without comments and `<details>`.
pub(super) fn without_markup(text: &str) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut cleaner = Cleaner {
        fence: Fence::default(),
        inside: Inside::Text,
        last_comment: text.rfind("-->").unwrap_or(0),
        last_details: last_end(text),
    };
    let (mut out, mut start) = (String::with_capacity(text.len()), 0);
    for line in text.split('\n') {
        cleaner.line(line, start, &mut out);
        out.push('\n');
        start += line.len() + 1;
    }
    out.pop();
    out
}

/// Where the last `</details` begins.
fn last_end(text: &str) -> usize {
    text.rmatch_indices("</").find(|(at, _)| is_tag(&text[*at..], "</details")).map_or(0, |(at, _)| at)
}

#[derive(Clone, Copy)]
enum Inside {
    Text,
    Comment,
    /// So many elements deep.
    Details(usize),
}

struct Cleaner {
    fence: Fence,
    inside: Inside,
    last_comment: usize,
    last_details: usize,
}

impl Cleaner {
    /// Write what is left of a line that begins at this byte of the text.
    fn line(&mut self, line: &str, start: usize, out: &mut String) {
        if matches!(self.inside, Inside::Text) && self.fence.holds(line) {
            out.push_str(line);
            return;
        }
        let mut at = 0;
        loop {
            let rest = &line[at..];
            let next = match self.inside {
                Inside::Text => {
                    let found = self.opening(line, at, start);
                    out.push_str(&rest[..found.map_or(rest.len(), |(begin, ..)| begin - at)]);
                    found.map(|(begin, length, inside)| (begin + length, inside))
                }
                Inside::Comment => rest.find("-->").map(|end| (at + end + 3, Inside::Text)),
                Inside::Details(depth) => tag(rest).map(|(end, opens)| match (opens, depth) {
                    (true, _) => (at + end, Inside::Details(depth + 1)),
                    (false, 1) => (at + end, Inside::Text),
                    (false, _) => (at + end, Inside::Details(depth - 1)),
                }),
            };
            let Some((end, inside)) = next else { return };
            (at, self.inside) = (end, inside);
        }
    }

    /// The next comment or element that opens outside code: where, how long its start is, and what it is.
    fn opening(&self, line: &str, from: usize, start: usize) -> Option<(usize, usize, Inside)> {
        let mut is_code = false;
        let begins_line = |at: usize| line[..at].trim().is_empty();
        for (at, c) in line[from..].char_indices().map(|(at, c)| (from + at, c)) {
            let rest = &line[at..];
            match c {
                '`' => is_code = !is_code,
                '<' if is_code => {}
                '<' if rest.starts_with("<!--") && (start + at < self.last_comment || begins_line(at)) => {
                    return Some((at, 4, Inside::Comment));
                }
                '<' if is_tag(rest, "<details") && (start + at < self.last_details || begins_line(at)) => {
                    return Some((at, 8, Inside::Details(1)));
                }
                _ => {}
            }
        }
        None
    }
}

/// Whether a text begins with a tag of this name.
fn is_tag(text: &str, name: &str) -> bool {
    let head = text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    head && !text[name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
}

/// The first tag of `details` in a text: the byte after it, and whether it opens.
fn tag(text: &str) -> Option<(usize, bool)> {
    let found = text.match_indices('<').find_map(|(at, _)| {
        let rest = &text[at..];
        is_tag(rest, "<details")
            .then_some((at + 8, true))
            .or(is_tag(rest, "</details").then_some((at + 9, false)))
    });
    let (name, opens) = found?;
    Some((text[name..].find('>').map_or(name, |end| name + end + 1), opens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_are_one_and_control_characters_are_blanks() {
        assert_eq!(plain("a\r\nb\rc\td\0e\u{1b}[0m\u{85}"), "a\nb\nc\td e ");
        assert_eq!(plain("\u{1b}[1;31mred\u{1b}[0m \u{9b}?25lon\u{1b}[2"), "red on [2");
        assert_eq!(plain("a [31m b"), "a [31m b");
    }

    #[test]
    fn comments_and_details_go_and_code_stays() {
        for (text, left) in [
            ("a <!-- b --> c", "a  c"),
            ("a\n<!-- b\nc -->d\ne", "a\n\nd\ne"),
            ("a\n<!-- b\nc", "a\n\n"),
            ("a <!-- b\nc", "a <!-- b\nc"),
            ("use `<!--` and `<details>`", "use `<!--` and `<details>`"),
            ("```\n<!-- a\n```\nb", "```\n<!-- a\n```\nb"),
            ("a\n<details>\n<summary>b</summary>\nc\n</details>\nd", "a\n\n\n\n\nd"),
            ("<DETAILS open>a<details>b</details>c</details >d", "d"),
            ("a <details> b", "a <details> b"),
            ("<details>\na", "\n"),
            ("<details-x> a", "<details-x> a"),
            ("a < b", "a < b"),
        ] {
            assert_eq!(without_markup(text), left, "{text}");
        }
    }
}
