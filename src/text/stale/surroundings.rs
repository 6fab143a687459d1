//! What stands around a declaration: the comment and the attributes above it, the docstring below it, and the fields or
//! variants of a type.

use super::modifiers::unqualified;
use super::said::Said;
use super::text::Text;

/// The most lines of a comment, and of a type, that are compared.
const MOST_ABOVE: usize = 80;
const MOST_WITHIN: usize = 300;

/// How far above its end the first line of an attribute is looked for.
const MOST_OF_ATTRIBUTE: usize = 12;

/// Attributes that say nothing of what is declared.
const MUTE: [&str; 6] = ["#[inline", "#[allow", "#[expect", "#[rustfmt", "#[cfg_attr(docsrs", "#[must_use"];

/// Words of types that have fields or variants.
const TYPES: [&str; 5] = ["struct", "enum", "union", "interface", "record"];

/// The text around a declaration: the sentences of its comment, its attributes, and the lines of its type.
pub(super) fn said_around([above, within, docstring]: [&[String]; 3], about: &Said) -> Vec<String> {
    let mut said = Sentences::default();
    if !is_licence(above) {
        above.iter().for_each(|line| said.add(line, about));
    }
    said.end();
    within.iter().chain(docstring).for_each(|line| said.add(line, about));
    said.end();
    said.all
}

/// The lines around a declaration as they are: where they are the same, nothing needs to be compared.
pub(super) fn lines_around<'t>(text: &'t Text, at: usize, name: &str) -> [&'t [String]; 3] {
    let end = end_within(&text.lines, at, name).unwrap_or(at);
    let within = text.lines.get(at + 1..end).unwrap_or_default();
    [&text.lines[start_above(&text.lines, at)..at], within, docstring(&text.lines[at..])]
}

/// The first line of the comment and the attributes above a line.
fn start_above(lines: &[String], at: usize) -> usize {
    let mut first = at;
    while let Some(above) = first.checked_sub(1).filter(|_| at - first < MOST_ABOVE) {
        let line = &lines[above];
        if is_remark(line) || line.starts_with("#[") || line.starts_with('@') {
            first = above;
        } else if line.ends_with([']', ')'])
            && let Some(start) = start_of_attribute(lines, above)
        {
            first = start;
        } else {
            break;
        }
    }
    first
}

/// The line on which an attribute of several lines begins that ends on this one.
fn start_of_attribute(lines: &[String], end: usize) -> Option<usize> {
    let from = end.saturating_sub(MOST_OF_ATTRIBUTE);
    let start = (from..end).rev().find(|at| lines[*at].starts_with("#[") || lines[*at].starts_with('@'))?;
    let is_open =
        |sign: (char, char)| lines[start].matches(sign.0).count() > lines[start].matches(sign.1).count();
    (is_open(('(', ')')) || is_open(('[', ']'))).then_some(start)
}

fn is_remark(line: &str) -> bool {
    ["//", "/*", "*/", "* ", "--", "# "].iter().any(|start| line.starts_with(start))
        || matches!(line, "*" | "#")
}

fn is_licence(lines: &[String]) -> bool {
    let mut words = lines.iter().filter(|line| is_remark(line));
    words.any(|line| ["Copyright", "SPDX-License", "Licensed under"].iter().any(|word| line.contains(word)))
}

/// The line behind the last one of a type with fields or variants that begins at a line.
pub(super) fn end_within(lines: &[String], at: usize, name: &str) -> Option<usize> {
    let (before, behind) = lines[at].split_once(name)?;
    let word = before.split_whitespace().next_back().unwrap_or_default();
    let is_type = TYPES.contains(&word)
        || [" struct {", " interface {"].iter().any(|end| behind.starts_with(end))
        || word == "type" && behind.ends_with("= {");
    if !is_type {
        return None;
    }
    let mut depth = 0_usize;
    for (line, text) in lines.iter().enumerate().skip(at).take(MOST_WITHIN) {
        let was = depth;
        depth = (depth + text.matches('{').count()).saturating_sub(text.matches('}').count());
        let is_over = was == 0 && text.ends_with(';');
        if is_over || depth == 0 && (was > 0 || text.contains('}')) {
            return Some(line + 1);
        }
    }
    None
}

/// The lines of the docstring below a definition of Python.
fn docstring(lines: &[String]) -> &[String] {
    const QUOTES: [&str; 2] = ["\"\"\"", "'''"];
    let is_python =
        lines[0].starts_with("def ") || lines[0].starts_with("async def ") || lines[0].starts_with("class ");
    let head = lines.iter().take(MOST_OF_ATTRIBUTE).position(|line| line.ends_with(':'));
    let Some(start) = head.filter(|_| is_python).map(|at| at + 1) else { return &[] };
    let first = lines.get(start).map_or("", String::as_str);
    let Some(quotes) = QUOTES.iter().find(|quotes| first.starts_with(**quotes)) else { return &[] };
    if first[quotes.len()..].contains(quotes) {
        return &lines[start..=start];
    }
    let rest = lines.iter().skip(start + 1).take(MOST_ABOVE);
    let length = rest.take_while(|line| !line.contains(quotes)).count();
    &lines[start..(start + 2 + length).min(lines.len())]
}

/// Comments as sentences, however they are broken into lines and without their examples, and lines of code as they are.
#[derive(Default)]
struct Sentences {
    all: Vec<String>,
    /// The sentence that goes on.
    open: String,
    is_example: bool,
}

impl Sentences {
    fn add(&mut self, line: &str, said: &Said) {
        let bare = line.trim_start_matches(['/', '*', '!', '#', '-', '"', ' ']);
        if is_remark(line) || line.starts_with("\"\"\"") {
            let is_fence = bare.starts_with("```");
            self.is_example ^= is_fence;
            if bare.is_empty() || is_fence || self.is_example {
                return self.end();
            }
            return bare.split_inclusive(". ").for_each(|part| self.push(part));
        }
        self.end();
        if !line.is_empty() && !MUTE.iter().any(|start| line.starts_with(start)) {
            let (code, remark) = line.split_once(" // ").unwrap_or((line, ""));
            self.all.push(format!("{} {remark}", unqualified(code, said)).trim().to_owned());
        }
    }

    fn push(&mut self, part: &str) {
        self.open.push(' ');
        self.open.push_str(part.trim());
        if part.trim_end().ends_with(['.', ':', ';', '!', '?']) {
            self.end();
        }
    }

    fn end(&mut self) {
        let sentence = std::mem::take(&mut self.open);
        if !sentence.is_empty() {
            self.all.push(sentence.trim().to_owned());
        }
    }
}

/// The first lines of the fields or variants of a type.
pub(super) fn items(lines: &[String]) -> Vec<&str> {
    let (mut depth, mut found) = (0_usize, Vec::new());
    for line in lines {
        let is_item = !is_remark(line) && !line.starts_with(['#', '@', '}', ')']) && !line.is_empty();
        if depth == 1 && is_item {
            found.push(line.as_str());
        }
        let count = |signs: [char; 2]| line.matches(signs).count();
        depth = (depth + count(['{', '('])).saturating_sub(count(['}', ')']));
    }
    found
}
