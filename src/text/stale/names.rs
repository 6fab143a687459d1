//! What introduces a name in a line.
//!
//! No language is parsed: a line introduces a name that stands before `=` or `:`, or behind a word such as `fn` or `class`.

use super::citations::is_word_char;
use brv_base::english::list;

/// How a line introduces a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// As a function, a type, a constant, a module.
    Item,
    /// As a field or a setting.
    Declared,
    /// As a variable or a parameter.
    Variable,
    /// It gives the name a value, which declares it where nothing else does.
    Assigned,
    /// An attribute names it, as a lint: `#![forbid(unsafe_code)]`.
    Attributed,
    /// It is the first line that is about a name which nothing introduces.
    Mentioned,
}

/// Words behind which a name is introduced.
static DEFINITIONS: list::Set = list::Set::of_words(include_str!("lists/definitions.txt"));
static INTRODUCING: list::Set = list::Set::of_words(include_str!("lists/introducing.txt"));

/// The introducing words behind which a variable comes.
const VARIABLES: [&str; 4] = ["let", "mut", "var", "val"];

/// Words before a name that is called, where a type would make it a definition: `return f(x)`, `int f(x)`.
static BEFORE_CALLS: list::Set = list::Set::of_words(include_str!("lists/before_calls.txt"));

/// Where a name stands in a line as a whole word.
pub(super) fn stands<'a>(line: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bounds = (name.starts_with(is_word_char), name.ends_with(is_word_char));
    let is_whole = move |at: &usize| {
        let (before, after) = (line[..*at].chars().next_back(), line[at + name.len()..].chars().next());
        !(bounds.0 && before.is_some_and(is_word_char) || bounds.1 && after.is_some_and(is_word_char))
    };
    line.match_indices(name).map(|(at, _)| at).filter(is_whole)
}

pub(super) fn is_comment(line: &str) -> bool {
    ["//", "/*", "*/", "* ", "<!--", "\"\"\""].iter().any(|start| line.starts_with(start)) || line == "*"
}

pub(super) fn is_import(line: &str) -> bool {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    ["use ", "import ", "from ", "extern crate ", "#include", "require ", "using ", "mod "]
        .iter()
        .any(|start| line.starts_with(start))
        && !line.ends_with('{')
}

/// How a name is introduced where it stands in a line; `None` if it is not.
pub(super) fn introduced(line: &str, at: usize, name: &str) -> Option<How> {
    let (before, after) = (line[..at].trim_end(), &line[at + name.len()..]);
    let word = before.rsplit(|char: char| char.is_whitespace() || char == '(').next().unwrap_or_default();
    let word = word.trim_start_matches('#');
    if VARIABLES.contains(&word) {
        // what is taken apart is declared elsewhere
        return (!after.trim_start().starts_with(['{', '('])).then_some(How::Variable);
    }
    if DEFINITIONS.contains(word) || INTRODUCING.contains(word) || is_method(before) {
        return Some(How::Item);
    }
    let is_typed = word.ends_with(|char: char| is_word_char(char) || matches!(char, '*' | '&' | '>'));
    if is_typed && after.starts_with('(') && !BEFORE_CALLS.contains(word) && !is_inside(before) {
        let is_definition = line.ends_with(['{', ';', ')', ',', '(']) && !before.contains('=');
        return is_definition.then_some(How::Item);
    }
    if is_member(before) || is_inside(before) {
        return None;
    }
    if is_in_parameters(before) {
        return is_before(after, '=').then_some(How::Variable);
    }
    if is_before(after, ':') || before.is_empty() && is_typed_value(after) {
        return Some(How::Declared);
    }
    let is_new = is_typed && !BEFORE_CALLS.contains(word) || after.trim_start().starts_with(":=");
    is_before(after, '=').then_some(if is_new { How::Variable } else { How::Assigned })
}

/// Whether code introduces a name: a function, a type, a constant, a field, a variable.
pub fn introduces(code: &str, name: &str) -> bool {
    let lines = code.lines().map(str::trim).filter(|line| !is_comment(line) && !is_import(line));
    let mut places = lines.flat_map(|line| stands(line, name).map(move |at| (line, at)));
    places.any(|(line, at)| introduced(line, at, name).is_some())
}

/// Whether behind a name a type and a value follow: ` int = 10`.
fn is_typed_value(after: &str) -> bool {
    let Some((kind, rest)) = after.split_once('=') else { return false };
    let is_type = |char: char| is_word_char(char) || matches!(char, '.' | '*' | '[' | ']' | ' ');
    let words = kind.split_whitespace().count();
    kind.starts_with(' ') && words == 1 && kind.chars().all(is_type) && !rest.starts_with(['=', '>', '~'])
}

/// What an attribute does with a name that it has in its brackets: `#![forbid`.
pub(super) fn attributed<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let at = stands(line, name).next()?;
    let is_attribute = line.starts_with("#[") || line.starts_with("#![");
    is_attribute.then_some(&line[..at])?.split_once('(').map(|(does, _)| does)
}

/// Whether a name is called where it stands.
pub(super) fn is_call(line: &str, at: usize, name: &str) -> bool {
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

/// Whether the text before a name makes it a part of another one, or a type; an attribute of the object itself is its
/// own.
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
    words.any(|word| DEFINITIONS.contains(word) || matches!(word, "interface" | "function" | "fun"))
}

/// Whether a name stands among the parameters of a definition.
fn is_in_parameters(before: &str) -> bool {
    is_open(before, ('(', ')')) && is_definition(before)
}

/// Whether a name stands in the arguments of a call or the fields of a value that begin on its line.
fn is_inside(before: &str) -> bool {
    (is_open(before, ('(', ')')) || is_open(before, ('{', '}'))) && !is_definition(before)
}
