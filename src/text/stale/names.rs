//! What became of the names of an entry in a file: gone, or what introduces one is another.
//!
//! Text is compared, no language is parsed: a line introduces a name that stands before `=` or `:`, or behind a word such as
//! `fn` or `class`. The lines of call sites, comments and imports may change.

use super::citations::is_word_char;
use super::declaration::{Declaration, declaration};

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

/// Words before a name that is called, where a type would make it a definition: `return f(x)`, `int f(x)`.
const BEFORE_CALLS: [&str; 16] = [
    "return", "await", "new", "else", "throw", "yield", "case", "in", "not", "and", "or", "if", "while",
    "do", "go", "defer",
];

/// On how many lines a name may stand at most that nothing introduces, so that the first of them is what it is about: one
/// that stands everywhere is used, not told.
const FEW: usize = 2;

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
}

/// What introduces a name.
#[derive(Debug, PartialEq, Eq)]
struct Introduction {
    /// Its line, counted from 0.
    line: usize,
    declaration: Declaration,
}

impl Text {
    pub fn new(text: &str) -> Self {
        Self { lines: text.lines().map(collapsed).collect() }
    }

    fn standing<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let all = self.lines.iter().map(String::as_str).enumerate();
        all.filter(move |(_, line)| stands(line, name).next().is_some())
    }

    /// What introduces a name; where nothing does, the first line that is about it.
    fn introducing(&self, name: &str) -> Vec<Introduction> {
        let found: Vec<Introduction> = self
            .standing(name)
            .filter(|(_, line)| !is_comment(line) && !is_import(line))
            .filter_map(|(line, text)| {
                let at = stands(text, name).find(|at| is_introduced(text, *at, name))?;
                Some(Introduction { line, declaration: declaration(&self.lines[line..], at, name) })
            })
            .collect();
        if !found.is_empty() || self.standing(name).nth(FEW).is_some() {
            return found;
        }
        let is_about = |(_, text): &(usize, &str)| {
            !is_comment(text) && !is_import(text) && stands(text, name).any(|at| !is_call(text, at, name))
        };
        let first = self.standing(name).find(is_about);
        first
            .map(|(line, text)| Introduction { line, declaration: Declaration::plain(text) })
            .into_iter()
            .collect()
    }
}

/// Whether a name that stands in `before` is altered in `after`; `None` if it is not, or does not stand in `before`.
pub fn altered(before: &Text, after: &Text, name: &str) -> Option<Altered> {
    let (first, _) = before.standing(name).next()?;
    let now = after.introducing(name);
    let introducing = before.introducing(name);
    let is_there = |was: &&Introduction| now.iter().any(|one| one.declaration.is(&was.declaration));
    let at = match introducing.iter().find(|was| !is_there(was)) {
        Some(was) => was.line,
        None if after.standing(name).next().is_none() => first,
        None => return None,
    };
    // what took the place of what is gone
    let is_new = |one: &&Introduction| !introducing.iter().any(|was| was.declaration.is(&one.declaration));
    let new = now.iter().find(is_new).or(now.first());
    let line = new.map_or_else(|| at.min(after.lines.len().saturating_sub(1)), |one| one.line);
    Some(Altered { name: name.to_owned(), line: line + 1 })
}

fn collapsed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
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

fn is_comment(line: &str) -> bool {
    ["//", "/*", "*/", "* ", "<!--", "\"\"\""].iter().any(|start| line.starts_with(start)) || line == "*"
}

fn is_import(line: &str) -> bool {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    ["use ", "import ", "from ", "extern crate ", "#include", "require ", "using ", "mod "]
        .iter()
        .any(|start| line.starts_with(start))
        && !line.ends_with('{')
}

/// Whether a name is introduced where it stands in a line.
fn is_introduced(line: &str, at: usize, name: &str) -> bool {
    let (before, after) = (line[..at].trim_end(), &line[at + name.len()..]);
    let word = before.rsplit(|char: char| char.is_whitespace() || char == '(').next().unwrap_or_default();
    let word = word.trim_start_matches('#');
    if KEYWORDS.contains(&word) || is_method(before) {
        return true;
    }
    let is_typed = word.ends_with(|char: char| is_word_char(char) || matches!(char, '*' | '&' | '>'));
    if is_typed && after.starts_with('(') && !BEFORE_CALLS.contains(&word) && !is_inside(before) {
        return line.ends_with(['{', ';', ')', ',', '(']) && !before.contains('=');
    }
    let is_value = if is_in_parameters(before) { is_before(after, '=') } else { is_before_value(after) };
    is_value && !is_member(before) && !is_inside(before)
}

/// Whether a name is called where it stands.
fn is_call(line: &str, at: usize, name: &str) -> bool {
    line[at + name.len()..].starts_with('(')
}

/// `func (c *Client)`: behind it stands the name of a method.
fn is_method(before: &str) -> bool {
    before.strip_prefix("func (").is_some_and(|rest| rest.ends_with(')') && rest.matches(')').count() == 1)
}

/// Whether `=` or `:` follows, not `==`, `=>` or `::`.
fn is_before_value(after: &str) -> bool {
    is_before(after, '=') || is_before(after, ':')
}

fn is_before(after: &str, sign: char) -> bool {
    let after = after.trim_start_matches(['"', '\'', '?', '!', ']']).trim_start();
    after
        .strip_prefix(sign)
        .is_some_and(|rest| !rest.starts_with(['=', '>', '~', ':']) || rest.starts_with(":="))
        || sign == '=' && after.starts_with(":=")
}

/// Whether what stands before a name makes it a part of another one, or a type; an attribute of the object itself is its own.
fn is_member(before: &str) -> bool {
    let is_own = before.ends_with("self.") || before.ends_with("this.");
    before.ends_with(':') || before.ends_with("->") || before.ends_with('.') && !is_own
}

fn is_open(before: &str, (left, right): (char, char)) -> bool {
    before.matches(left).count() > before.matches(right).count()
}

/// Whether a line is a definition up to here.
fn is_definition(before: &str) -> bool {
    let mut words = before.split(|char: char| !is_word_char(char));
    words.any(|word| KEYWORDS[..12].contains(&word) || matches!(word, "interface" | "function" | "fun"))
}

/// Whether a name stands among the parameters of a definition.
fn is_in_parameters(before: &str) -> bool {
    is_open(before, ('(', ')')) && is_definition(before)
}

/// Whether a name stands in the arguments of a call or the fields of a value that begin on its line.
fn is_inside(before: &str) -> bool {
    (is_open(before, ('(', ')')) || is_open(before, ('{', '}'))) && !is_definition(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn altered_line(before: &str, after: &str, name: &str) -> Option<usize> {
        altered(&Text::new(before), &Text::new(after), name).map(|altered| altered.line)
    }

    #[test]
    fn what_introduces_a_name_counts_and_a_call_does_not() {
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
            ("static int connect(int a) {", "static int connect(long a) {", "connect"),
            ("def f(retries=5):", "def f(retries=6):", "retries"),
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
            ("use a::{B, Name};", "use a::{Name, B};", "Name"),
            ("/// limit: what it is", "/// limit: it is", "limit"),
            ("return retry_all(3);", "return retry_all(4);", "retry_all"),
        ] {
            assert_eq!(altered_line(before, after, name), None, "{before}");
        }
    }

    #[test]
    fn how_a_definition_is_written_does_not_count() {
        for (before, after, name) in [
            ("fn f(a: u8, b: u8) -> u8 {", "pub(crate) fn f(\n    a: u8,\n    b: u8,\n) -> u8 {", "f"),
            ("struct Iter<'w, 'a: 'w, S: T + 'w> {", "pub struct Iter<'a, S: T> {", "Iter"),
            ("fn f(self) -> Wrapper<'a> {", "fn f(self) -> Wrapper<'a, S> {", "f"),
            ("const A: u8 = 1; // one", "const A: u8 = 1; // still one", "A"),
        ] {
            assert_eq!(altered_line(before, after, name), None, "{before}");
        }
        assert_eq!(altered_line("a: Vec<u8>,", "a: Vec<u16>,", "a"), Some(1));
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
