//! What became of the names of an entry in a file: gone, or what introduces one is another.
//!
//! Text is compared, no language is parsed: a line introduces a name that stands before `=` or `:`, or behind a word such as
//! `fn` or `class`. The lines of call sites, comments and imports may change.

use super::citations::is_word_char;
use super::declaration::{Declaration, declaration, joined};
use super::said::Said;
use super::shown;

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

/// Those of them behind which a variable is introduced.
const VARIABLES: [&str; 4] = ["let", "mut", "var", "val"];

/// Words before a name that is called, where a type would make it a definition: `return f(x)`, `int f(x)`.
const BEFORE_CALLS: [&str; 16] = [
    "return", "await", "new", "else", "throw", "yield", "case", "in", "not", "and", "or", "if", "while",
    "do", "go", "defer",
];

/// On how many lines a name may stand at most that nothing introduces, so that the first of them is what it is about: one
/// that stands everywhere is used, not told.
const FEW: usize = 2;

/// On how many lines of a file a lower-case word may stand at most: one that stands everywhere is a word, no name.
const OFTEN: usize = 20;

/// A name that is looked for in a file.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub name: &'a str,
    /// The line of the entry that has the name.
    pub said: &'a Said,
    /// Whether the file is a text for people, where a name may only be missing.
    pub is_prose: bool,
}

/// A name that is no longer as it was in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Altered {
    pub name: String,
    /// Where to look in the file of now, counted from 1: where the name is introduced, else where it was.
    pub line: usize,
    /// Whether it is gone: nothing in the file introduces it any more.
    pub is_gone: bool,
    /// What introduced it, and what does now, as they may be shown.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A text as it is compared: its lines with blanks collapsed.
#[derive(Debug, Default)]
pub struct Text {
    pub(super) lines: Vec<String>,
}

/// What introduces a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Introduction {
    /// Its line, counted from 0.
    pub line: usize,
    pub how: How,
    pub declaration: Declaration,
}

/// How a line introduces a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// As a function, a type, a constant, a module.
    Item,
    /// As a field, a variable, a parameter, a setting.
    Declared,
    /// It gives the name a value, which declares it where nothing else does.
    Assigned,
    /// An attribute names it, as a lint: `#![forbid(unsafe_code)]`.
    Attributed,
    /// It is the first line that is about a name which nothing introduces.
    Mentioned,
}

impl Text {
    pub fn new(text: &str) -> Self {
        Self { lines: text.lines().map(collapsed).collect() }
    }

    /// Its lines, with blanks collapsed.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    fn standing<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let all = self.lines.iter().map(String::as_str).enumerate();
        all.filter(move |(_, line)| stands(line, name).next().is_some())
    }

    /// The first line that has a name, in any case of letters.
    fn mentioning(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        let has = |line: &&str| stands(&line.to_lowercase(), &name).next().is_some();
        self.lines.iter().map(String::as_str).find(has)
    }

    /// Whether a line declares a name or gives it a value.
    fn gives(&self, name: &str) -> bool {
        let asked = Asked { name, said: &Said::default(), is_prose: false };
        self.introducing(&asked).iter().any(|one| one.how != How::Mentioned)
    }

    /// Whether a line declares a name.
    pub fn declares(&self, name: &str) -> bool {
        let asked = Asked { name, said: &Said::default(), is_prose: false };
        self.introducing(&asked).iter().any(|one| one.how < How::Assigned)
    }

    /// What introduces a name; where nothing does, the first line that is about it.
    pub(super) fn introducing(&self, asked: &Asked<'_>) -> Vec<Introduction> {
        let (name, said) = (asked.name, asked.said);
        let mut found: Vec<Introduction> = self
            .standing(name)
            .filter(|(_, line)| !is_comment(line) && !is_import(line))
            .filter_map(|(line, text)| {
                let (at, how) = stands(text, name).find_map(|at| Some((at, introduced(text, at, name)?)))?;
                Some(Introduction {
                    line,
                    how,
                    declaration: declaration(&self.lines[line..], at, name, said),
                })
            })
            .collect();
        if let Some(strongest) = found.iter().map(|one| one.how).min().filter(|how| *how < How::Assigned) {
            found.retain(|one| one.how == strongest);
        } else if found.len() > 1 {
            // what counts up is no other beginning
            let is_first = |one: &Introduction| stands(&self.lines[one.line], name).nth(1).is_none();
            if found.iter().any(is_first) {
                found.retain(is_first);
            }
        }
        if !found.is_empty() || self.standing(name).nth(FEW).is_some() {
            return found;
        }
        let is_about = |(_, text): &(usize, &str)| {
            !is_comment(text) && !is_import(text) && stands(text, name).any(|at| !is_call(text, at, name))
        };
        let first = self.standing(name).find(is_about);
        let mentioned = |(line, text): (usize, &str)| Introduction {
            line,
            how: if attributed(text, name).is_some() { How::Attributed } else { How::Mentioned },
            declaration: Declaration::plain(attributed(text, name).unwrap_or(text), said),
        };
        first.map(mentioned).into_iter().collect()
    }

    /// Whether a name is a word that stands everywhere.
    fn is_everywhere(&self, name: &str) -> bool {
        name.chars().all(char::is_lowercase)
            && self.standing(name).nth(OFTEN).is_some()
            && !self
                .standing(name)
                .any(|(_, line)| stands(line, name).any(|at| introduced(line, at, name) == Some(How::Item)))
    }
}

/// Whether a name that stands in `before` is altered in `after`; `None` if it is not, or does not stand in `before`.
pub fn altered(before: &Text, after: &Text, asked: &Asked<'_>) -> Option<Altered> {
    if asked.is_prose {
        return missing(before, after, asked.name);
    }
    // a variable of a shell is set without the sign with which it is used
    if let Some(name) = asked.name.strip_prefix('$').filter(|name| before.gives(name)) {
        let found = altered(before, after, &Asked { name, ..*asked })?;
        return Some(Altered { name: asked.name.to_owned(), ..found });
    }
    let (first, _) = before.standing(asked.name).next()?;
    if before.is_everywhere(asked.name) {
        return None;
    }
    let introducing = before.introducing(asked);
    let now = after.introducing(asked);
    let is_there = |was: &&Introduction| now.iter().any(|one| one.declaration.is(&was.declaration));
    let stands_now = after.standing(asked.name).next().is_some();
    let is_lost = |was: &&Introduction| !is_there(was) && (was.how != How::Mentioned || !stands_now);
    let at = match introducing.iter().find(is_lost) {
        Some(was) => was.line,
        None if !stands_now => first,
        None => return None,
    };
    // what took the place of what is gone
    let is_new = |one: &&Introduction| !introducing.iter().any(|was| was.declaration.is(&one.declaration));
    let new = now.iter().find(is_new).or(now.first()).map(|one| one.line);
    let is_mentioned = |all: &[Introduction]| all.iter().all(|one| one.how == How::Mentioned);
    let is_gone = !stands_now || !is_mentioned(&introducing) && is_mentioned(&now);
    let after_text = new.filter(|_| !is_gone).map(|line| joined(&after.lines[line..]));
    let (before, after_text) = shown::pair(Some(&joined(&before.lines[at..])), after_text.as_deref());
    let line = new.unwrap_or_else(|| at.min(after.lines.len().saturating_sub(1))) + 1;
    Some(Altered { name: asked.name.to_owned(), line, is_gone, before, after: after_text })
}

/// A name that a text for people no longer has.
fn missing(before: &Text, after: &Text, name: &str) -> Option<Altered> {
    let was = before.mentioning(name)?;
    let is_missing = after.mentioning(name).is_none();
    let (before, after) = shown::pair(Some(was), None);
    is_missing.then(|| Altered { name: name.to_owned(), line: 1, is_gone: true, before, after })
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

/// How a name is introduced where it stands in a line; `None` if it is not.
fn introduced(line: &str, at: usize, name: &str) -> Option<How> {
    let (before, after) = (line[..at].trim_end(), &line[at + name.len()..]);
    let word = before.rsplit(|char: char| char.is_whitespace() || char == '(').next().unwrap_or_default();
    let word = word.trim_start_matches('#');
    if VARIABLES.contains(&word) {
        // what is taken apart is declared elsewhere
        return (!after.trim_start().starts_with(['{', '('])).then_some(How::Declared);
    }
    if KEYWORDS.contains(&word) || is_method(before) {
        return Some(How::Item);
    }
    let is_typed = word.ends_with(|char: char| is_word_char(char) || matches!(char, '*' | '&' | '>'));
    if is_typed && after.starts_with('(') && !BEFORE_CALLS.contains(&word) && !is_inside(before) {
        let is_definition = line.ends_with(['{', ';', ')', ',', '(']) && !before.contains('=');
        return is_definition.then_some(How::Item);
    }
    if is_member(before) || is_inside(before) {
        return None;
    }
    if is_in_parameters(before) {
        return is_before(after, '=').then_some(How::Declared);
    }
    if is_before(after, ':') || before.is_empty() && is_typed_value(after) {
        return Some(How::Declared);
    }
    let is_new = is_typed && !BEFORE_CALLS.contains(&word) || after.trim_start().starts_with(":=");
    is_before(after, '=').then_some(if is_new { How::Declared } else { How::Assigned })
}

/// Whether behind a name a type and a value follow: ` int = 10`.
fn is_typed_value(after: &str) -> bool {
    let Some((kind, rest)) = after.split_once('=') else { return false };
    let is_type = |char: char| is_word_char(char) || matches!(char, '.' | '*' | '[' | ']' | ' ');
    let words = kind.split_whitespace().count();
    kind.starts_with(' ') && words == 1 && kind.chars().all(is_type) && !rest.starts_with(['=', '>', '~'])
}

/// What an attribute does with a name that it has in its brackets: `#![forbid`.
fn attributed<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let at = stands(line, name).next()?;
    let is_attribute = line.starts_with("#[") || line.starts_with("#![");
    is_attribute.then_some(&line[..at])?.split_once('(').map(|(does, _)| does)
}

/// Whether a name is called where it stands.
fn is_call(line: &str, at: usize, name: &str) -> bool {
    line[at + name.len()..].starts_with('(')
}

/// `func (c *Client)`: behind it stands the name of a method.
fn is_method(before: &str) -> bool {
    before.strip_prefix("func (").is_some_and(|rest| rest.ends_with(')') && rest.matches(')').count() == 1)
}

/// Whether a sign follows, not `==`, `=>` or `::`.
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
        look(before, after, name, "what it is").map(|altered| altered.line)
    }

    fn look(before: &str, after: &str, name: &str, said: &str) -> Option<Altered> {
        let (said, is_prose) = (&Said::of(said), false);
        altered(&Text::new(before), &Text::new(after), &Asked { name, said, is_prose })
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
            ("static int connect(int a) {", "static int connect(int a, long b) {", "connect"),
            ("def f(retries=5):", "def f(retries=6):", "retries"),
        ] {
            assert_eq!(altered_line(before, after, name), Some(1), "{before}");
            let (call, other) =
                (format!("{before}\n    use({name}, 1);\n"), format!("{before}\n    use({name}, 2);\n"));
            assert_eq!(altered_line(&call, &other, name), None, "{before}");
        }
        for (before, after, name) in [
            ("let a = 1;\na = 2;", "let a = 1;\na = 3;", "a"),
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
