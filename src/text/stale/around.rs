//! What stands around a declaration: the comment and the attributes above it, and the fields or variants of a type. They
//! matter to an entry whose line is about the same things.

use super::modifiers::unqualified;
use super::names::{Altered, Asked, How, Introduction, Text};
use super::said::Said;
use super::shown;
use super::words::{CodeWords, Counter};
use std::collections::BTreeSet;

/// The most lines of a comment, and of a type, that are compared.
const MOST_ABOVE: usize = 80;
const MOST_WITHIN: usize = 300;

/// How far above its end the first line of an attribute is looked for.
const MOST_OF_ATTRIBUTE: usize = 12;

/// Of how many declarations of one name the surroundings are compared.
const MOST_DECLARED: usize = 3;

/// How many rare words an entry's line and a change must share.
const SHARED: usize = 2;

/// Attributes that say nothing of what is declared.
const MUTE: [&str; 6] = ["#[inline", "#[allow", "#[expect", "#[rustfmt", "#[cfg_attr(docsrs", "#[must_use"];

/// Words of types that have fields or variants.
const TYPES: [&str; 5] = ["struct", "enum", "union", "interface", "record"];

/// A change around a declaration that may matter to the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// Words that the entry's line and the changed lines share.
    shared: BTreeSet<String>,
    altered: Altered,
}

impl Around {
    /// The change, if enough of the shared words are rare in the code.
    pub fn that_matters(self, words: &CodeWords) -> Option<Altered> {
        let rare = self.shared.iter().filter(|word| words.is_rare(word)).count();
        (rare >= SHARED).then_some(self.altered)
    }
}

/// Fields or variants of a named type that are more or fewer than the entry's line says: `seven variants`.
pub fn recounted(before: &Text, after: &Text, asked: &Asked<'_>) -> Option<Altered> {
    let ((_, was), (line, now)) = (counted(before, asked)?, counted(after, asked)?);
    if was.len() == now.len() || !asked.said.counts(was.len()) {
        return None;
    }
    let only = |some: &[&str], others: &[&str]| {
        some.iter().find(|item| !others.contains(item)).map(|item| (*item).to_owned())
    };
    let (before, after) = shown::pair(only(&was, &now).as_deref(), only(&now, &was).as_deref());
    Some(Altered { name: asked.name.to_owned(), line: line + 1, is_gone: false, before, after })
}

/// The line of the only type with this name, and its fields or variants.
fn counted<'t>(text: &'t Text, asked: &Asked<'_>) -> Option<(usize, Vec<&'t str>)> {
    let [one] = &text.introducing(asked)[..] else { return None };
    let end = end_within(&text.lines, one.line, asked.name)?;
    Some((one.line, items(&text.lines[one.line..end])))
}

/// The first lines of the fields or variants of a type.
fn items(lines: &[String]) -> Vec<&str> {
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

/// What changed around a name whose declaration did not, if it shares words with the entry's line.
pub fn around(before: &Text, after: &Text, asked: &Asked<'_>) -> Option<Around> {
    if asked.is_prose {
        return None;
    }
    let mut counter = Counter::default();
    let own = counter.words(asked.name);
    let mut said = counter.words(&asked.said.prose());
    said.retain(|word| !own.contains(word));
    if said.len() < SHARED {
        return None;
    }
    let (was, now) = (before.introducing(asked), after.introducing(asked));
    let declared = was.iter().filter(|one| one.how != How::Mentioned).take(MOST_DECLARED);
    let pairs = declared.enumerate().filter_map(|(at, one)| {
        let same = |other: &&Introduction| other.declaration.is(&one.declaration);
        Some((one.line, now.iter().filter(same).nth(was[..at].iter().filter(same).count())?.line))
    });
    let found = pairs.filter_map(|(was, now)| {
        changed((before, was), (after, now), asked, |line| {
            counter.words(line).into_iter().filter(|word| said.contains(word)).collect()
        })
    });
    found.max_by_key(|around| around.shared.len())
}

/// What changed around one declaration.
fn changed(
    (before, was): (&Text, usize),
    (after, now): (&Text, usize),
    asked: &Asked<'_>,
    mut shared: impl FnMut(&str) -> BTreeSet<String>,
) -> Option<Around> {
    let (was, now_said) = (said_around(before, was, asked), said_around(after, now, asked));
    let (removed, added) = (without(&was, &now_said), without(&now_said, &was));
    let mut all = BTreeSet::new();
    let mut nearest = |lines: &[&String]| {
        let mut best: Option<(usize, String)> = None;
        for line in lines {
            let words = shared(line);
            if best.as_ref().is_none_or(|(most, _)| words.len() > *most) {
                best = Some((words.len(), (*line).clone()));
            }
            all.extend(words);
        }
        best.map(|(_, line)| line)
    };
    let (removed, added) = (nearest(&removed), nearest(&added));
    if all.len() < SHARED {
        return None;
    }
    let (before, after) = shown::pair(removed.as_deref(), added.as_deref());
    let altered = Altered { name: asked.name.to_owned(), line: now + 1, is_gone: false, before, after };
    Some(Around { shared: all, altered })
}

/// Those lines that the others do not have, by their words and numbers.
fn without<'l>(lines: &'l [String], others: &[String]) -> Vec<&'l String> {
    let form = |line: &String| -> String {
        line.split(|char: char| !char.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let others: BTreeSet<String> = others.iter().map(form).collect();
    lines.iter().filter(|line| !others.contains(&form(line))).collect()
}

/// What is said around a declaration: the sentences of its comment, its attributes, and the lines of its type.
fn said_around(text: &Text, at: usize, asked: &Asked<'_>) -> Vec<String> {
    let above = &text.lines[start_above(&text.lines, at)..at];
    let mut said = Sentences::default();
    if !is_licence(above) {
        above.iter().for_each(|line| said.add(line, asked.said));
    }
    said.end();
    let end = end_within(&text.lines, at, asked.name).unwrap_or(at);
    let within = text.lines[at..end].iter().skip(1).chain(docstring(&text.lines[at..]));
    within.for_each(|line| said.add(line, asked.said));
    said.end();
    said.0
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
fn end_within(lines: &[String], at: usize, name: &str) -> Option<usize> {
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
struct Sentences(Vec<String>, String, bool);

impl Sentences {
    fn add(&mut self, line: &str, said: &Said) {
        let bare = line.trim_start_matches(['/', '*', '!', '#', '-', '"', ' ']);
        if is_remark(line) || line.starts_with("\"\"\"") {
            let is_fence = bare.starts_with("```");
            self.2 ^= is_fence;
            if bare.is_empty() || is_fence || self.2 {
                return self.end();
            }
            return bare.split_inclusive(". ").for_each(|part| self.push(part));
        }
        self.end();
        if !line.is_empty() && !MUTE.iter().any(|start| line.starts_with(start)) {
            let (code, remark) = line.split_once(" // ").unwrap_or((line, ""));
            self.0.push(format!("{} {remark}", unqualified(code, said)).trim().to_owned());
        }
    }

    fn push(&mut self, part: &str) {
        self.1.push(' ');
        self.1.push_str(part.trim());
        if part.trim_end().ends_with(['.', ':', ';', '!', '?']) {
            self.end();
        }
    }

    fn end(&mut self) {
        let sentence = std::mem::take(&mut self.1);
        if !sentence.is_empty() {
            self.0.push(sentence.trim().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that a change around a name shares with a line.
    fn shared(before: &str, after: &str, (name, line): (&str, &str)) -> Vec<String> {
        let said = Said::of(line);
        let asked = Asked { name, said: &said, is_prose: false };
        let found = around(&Text::new(before), &Text::new(after), &asked);
        found.into_iter().flat_map(|around| around.shared).collect()
    }

    const LINE: (&str, &str) = ("Plan", "a plan of orchids at dusk");

    #[test]
    fn the_comment_and_the_attributes_above_count() {
        let before = "use a;\n\n/// Orchids are watered\n/// at dusk. Others are not.\n#[a]\nstruct Plan;\n";
        let after = before.replace("dusk", "dawn");
        assert_eq!(shared(before, &after, LINE), ["dusk", "orchid"]);
        assert_eq!(
            shared(before, &before.replace("watered\n/// at", "watered at\n///"), LINE),
            Vec::<String>::new()
        );
        assert_eq!(shared(before, &before.replace("#[a]", "#[a]\n#[inline]"), LINE), Vec::<String>::new());
        assert_eq!(
            shared(before, &before.replace("#[a]", "#[a(\n    orchids,\n    dusk\n)]"), LINE),
            ["dusk", "orchid"]
        );
        assert_eq!(shared(before, &before.replace("Others", "All others"), LINE), Vec::<String>::new());
        let licence = before.replace("/// Orchids", "/// Copyright 2020.\n/// Orchids");
        assert_eq!(shared(&licence, &licence.replace("dusk", "dawn"), LINE), Vec::<String>::new());
    }

    #[test]
    fn the_body_of_a_type_counts_and_that_of_a_function_does_not() {
        let before = "struct Plan {\n    orchids: u8,\n    pub dusk: u8,\n}\nfn f() {}\n";
        assert_eq!(shared(before, "struct Plan {\n}\n", LINE), ["dusk", "orchid"]);
        assert_eq!(shared(before, &before.replace("pub dusk", "dusk"), LINE), Vec::<String>::new());
        assert_eq!(shared(before, &before.replace("fn f", "fn orchids_dusk"), LINE), Vec::<String>::new());
        let function = "fn Plan() {\n    orchids(dusk);\n}\n";
        assert_eq!(shared(function, "fn Plan() {\n}\n", LINE), Vec::<String>::new());
        let go = "type Plan struct {\n\tOrchids int\n\tDusk int\n}\n";
        assert_eq!(shared(go, "type Plan struct {\n}\n", LINE), ["dusk", "orchid"]);
    }

    #[test]
    fn what_a_line_counts_is_counted() {
        let said = Said::of("two variants of a plan");
        let asked = Asked { name: "Plan", said: &said, is_prose: false };
        let look = |before: &str, after: &str| recounted(&Text::new(before), &Text::new(after), &asked);
        let before = "/// All.\nenum Plan {\n    /// One.\n    A(\n        u8,\n    ),\n    #[x]\n    B {\n        b: u8,\n    },\n}\n";
        let after = before.replace("    #[x]", "    C,\n    #[x]");
        let found = look(before, &after).unwrap();
        assert_eq!((found.line, found.before, found.after.as_deref()), (2, None, Some("C,")));
        assert_eq!(look(&after, before), None, "the line does not count three");
        assert_eq!(look(before, &before.replace("A(", "D(")), None);
    }

    #[test]
    fn a_docstring_counts() {
        let before = "def Plan(a):\n    \"\"\"Water.\n\n    Orchids at dusk.\n    \"\"\"\n    go()\n";
        assert_eq!(shared(before, &before.replace("dusk", "dawn"), LINE), ["dusk", "orchid"]);
        assert_eq!(shared(before, &before.replace("go()", "orchids(dusk)"), LINE), Vec::<String>::new());
    }

    #[test]
    fn what_is_shown_is_the_line_that_shares_most() {
        let said = Said::of(LINE.1);
        let asked = Asked { name: "Plan", said: &said, is_prose: false };
        let before = Text::new("/// All. Orchids at dusk.\nstruct Plan;\n");
        let after = Text::new("/// None. Orchids at dawn.\nstruct Plan;\n");
        let found = around(&before, &after, &asked).unwrap().that_matters(&CodeWords::default()).unwrap();
        assert_eq!(
            (found.before.as_deref(), found.after.as_deref()),
            (Some("Orchids at dusk."), Some("Orchids at dawn."))
        );
        assert_eq!((found.line, found.is_gone), (2, false));
    }
}
