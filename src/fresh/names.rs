//! What became of the names of an entry in a file: gone, or a line that introduces one is.
//!
//! Text is compared, no language is parsed: a line introduces a name that stands before `=` or `:`, or behind a word such as
//! `fn` or `class`. The lines of call sites may change.

use super::citations::is_word_char;
use std::collections::HashSet;

/// Words behind which a name is introduced.
const KEYWORDS: [&str; 27] = [
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "type",
    "const",
    "let",
    "func",
    "var",
    "val",
    "static",
    "trait",
    "interface",
    "mod",
    "module",
    "function",
    "fun",
    "macro_rules!",
    "union",
    "record",
    "namespace",
    "object",
    "mut",
    "define",
    "protocol",
    "export",
];

/// A name that is no longer as it was in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Altered {
    pub name: String,
    /// Where to look in the file of now, counted from 1: where the name is introduced, else where it was.
    pub line: usize,
}

/// A text as it is compared: its lines with blanks collapsed.
#[derive(Debug, Default)]
pub struct Text {
    lines: Vec<String>,
    known: HashSet<u64>,
}

impl Text {
    pub fn new(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(collapsed).collect();
        let known = lines.iter().map(|line| hash(line)).collect();
        Self { lines, known }
    }

    /// The lines that introduce a name, each with its number from 0; where none does, the first line it stands on.
    fn introducing(&self, name: &str) -> Vec<(usize, &str)> {
        let standing =
            || self.lines.iter().enumerate().filter(|(_, line)| stands(line, name).next().is_some());
        let introduces =
            |(_, line): &(usize, &String)| stands(line, name).any(|at| is_introduced(line, at, name));
        let found: Vec<(usize, &str)> =
            standing().filter(introduces).map(|(at, line)| (at, line.as_str())).collect();
        match found.is_empty() {
            true => standing().take(1).map(|(at, line)| (at, line.as_str())).collect(),
            false => found,
        }
    }

    fn has_line(&self, line: &str) -> bool {
        self.known.contains(&hash(line))
    }
}

/// Whether a name that stands in `before` is altered in `after`; `None` if it is not, or stands in neither.
pub fn altered(before: &Text, after: &Text, name: &str) -> Option<Altered> {
    let introducing = before.introducing(name);
    let (was, _) = introducing.iter().find(|(_, line)| !after.has_line(line))?;
    let now = after.introducing(name);
    // the line that took the place of the one that is gone
    let new = now.iter().find(|(_, line)| !before.has_line(line)).or(now.first());
    let line = new.map_or_else(|| (*was).min(after.lines.len().saturating_sub(1)), |(at, _)| *at);
    Some(Altered { name: name.to_owned(), line: line + 1 })
}

fn collapsed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hash(line: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Where a name stands in a line as a whole word.
fn stands<'a>(line: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bounds = (name.starts_with(is_word_char), name.ends_with(is_word_char));
    let is_whole = move |at: &usize| {
        let (before, after) = (line[..*at].chars().next_back(), line[at + name.len()..].chars().next());
        !(bounds.0 && before.is_some_and(is_word_char) || bounds.1 && after.is_some_and(is_word_char))
    };
    line.match_indices(name).map(|(at, _)| at).filter(is_whole)
}

/// Whether a name is introduced where it stands in a line.
fn is_introduced(line: &str, at: usize, name: &str) -> bool {
    let (before, after) = (line[..at].trim_end(), &line[at + name.len()..]);
    let word = before.rsplit(|char: char| char.is_whitespace() || char == '(').next().unwrap_or_default();
    let word = word.trim_start_matches('#');
    if KEYWORDS.contains(&word) || is_method(before) {
        return true;
    }
    is_before_value(after) && !is_member(before) && !is_inside(before)
}

/// `func (c *Client)`: behind it stands the name of a method.
fn is_method(before: &str) -> bool {
    before.strip_prefix("func (").is_some_and(|rest| rest.ends_with(')') && rest.matches(')').count() == 1)
}

/// Whether `=` or `:` follows, not `==`, `=>` or `::`.
fn is_before_value(after: &str) -> bool {
    let after = after.trim_start_matches(['"', '\'', '?', '!', ']']).trim_start();
    match after.strip_prefix('=') {
        Some(rest) => !rest.starts_with(['=', '>', '~']),
        None => after.strip_prefix(':').is_some_and(|rest| !rest.starts_with(':')),
    }
}

/// Whether what stands before a name makes it a part of another one; an attribute of the object itself is its own.
fn is_member(before: &str) -> bool {
    let is_own = before.ends_with("self.") || before.ends_with("this.");
    before.ends_with("::") || before.ends_with("->") || before.ends_with('.') && !is_own
}

/// Whether a name stands in the arguments of a call or the fields of a value that begin on its line.
fn is_inside(before: &str) -> bool {
    let open = |left: char, right: char| before.matches(left).count() > before.matches(right).count();
    let mut words = before.split(|char: char| !is_word_char(char));
    let is_definition =
        words.any(|word| KEYWORDS[..12].contains(&word) || matches!(word, "interface" | "function" | "fun"));
    (open('(', ')') || open('{', '}')) && !is_definition
}

#[cfg(test)]
mod tests {
    use super::*;

    fn altered_line(before: &str, after: &str, name: &str) -> Option<usize> {
        altered(&Text::new(before), &Text::new(after), name).map(|altered| altered.line)
    }

    #[test]
    fn a_line_that_introduces_a_name_counts_and_a_call_does_not() {
        for (before, after, name) in [
            ("const MAX: u32 = 5;", "const MAX: u32 = 7;", "MAX"),
            ("pub fn connect(a: u8) {", "pub fn connect(a: u8, b: u8) {", "connect"),
            ("class Store(Base):", "class Store:", "Store"),
            ("  timeout: 30s", "  timeout: 60s", "timeout"),
            ("\"port\": 80,", "\"port\": 81,", "port"),
            ("func (c *Client) Dial() error {", "func (c *Client) Dial(x int) error {", "Dial"),
            ("self.limit = 3", "self.limit = 4", "limit"),
            ("#define LIMIT 3", "#define LIMIT 4", "LIMIT"),
            ("x := retry(3)", "x := retry(4)", "x"),
        ] {
            assert_eq!(altered_line(before, after, name), Some(1), "{before}");
            let (call, other) =
                (format!("{before}\n    use({name}, 1);\n"), format!("{before}\n    use({name}, 2);\n"));
            assert_eq!(altered_line(&call, &other, name), None, "{before}");
        }
        for (before, after, name) in [
            ("let x = 1;\ncall(retries=5)", "let x = 1;\ncall(retries=6)", "x"),
            ("def f(retries=5):\n  g(retries=5)", "def f(retries=5):\n  g(retries=6)", "retries"),
            ("enum A {}\nmatch a { A::B => 1 }", "enum A {}\nmatch a { A::B => 2 }", "A"),
        ] {
            assert_eq!(altered_line(before, after, name), None, "{before}");
        }
    }

    #[test]
    fn a_name_is_a_whole_word_and_blanks_do_not_count() {
        assert_eq!(altered_line("fn retry_all() {\n", "fn retry() {\n", "retry"), None);
        assert_eq!(altered_line("  fn a( x ) {\n", "fn a( x ) {\r\n", "a"), None);
        assert_eq!(altered_line("fn a() {}\nfn b() {}\n", "fn b() {}\n", "a"), Some(1));
        assert_eq!(altered_line("// see foo_bar\nx\n", "x\n", "foo_bar"), Some(1));
        assert_eq!(altered_line("fn b() {}\n", "fn c() {}\n", "a"), None);
    }

    #[test]
    fn the_place_is_where_the_name_is_introduced_now() {
        assert_eq!(altered_line("const A: u8 = 1;\n", "\n\nconst A: u8 = 2;\n", "A"), Some(3));
    }
}
