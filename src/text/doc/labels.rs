//! Find the definitions of labels: footnotes `[^1]: …` and links `[name]: url`, wherever they stand.
//!
//! The markdown parser keeps only the first definition of a label. So every label gets a number of its own before the
//! text is parsed. Does not know references.

use brv_base::sorting;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};
use unicase::UniCase;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The form in which labels are compared: white space collapsed, case folded as Unicode does it (`ß` is `ss`).
    /// The label of a footnote begins with `^`.
    pub label: String,
    /// Its bytes from `[` on, without white space at the end. In a quote, the markers of its next lines are among them.
    pub span: Range<usize>,
    /// Where the outermost quote, list or footnote around it begins.
    pub inside: Option<usize>,
}

/// The character between a label and its number: one for private use, which no markup has.
const MARK: char = '\u{F8FF}';

/// The length of a mark with its number.
const WIDTH: usize = MARK.len_utf8() + 8;

/// All definitions in a body, in order.
pub fn definitions(body: &str) -> Vec<Definition> {
    if !body.contains("]:") {
        return Vec::new();
    }
    let ends = ends_of_labels(body);
    let numbered = numbered(body, &ends);
    let shifted: Vec<usize> = ends.iter().enumerate().map(|(number, end)| end + number * WIDTH).collect();
    let place = |at: usize| at - shifted.partition_point(|end| *end < at) * WIDTH;
    let events = Parser::new_ext(&numbered, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES);
    let events = events.into_offset_iter();
    let links = events.reference_definitions().iter();
    let mut found: Vec<(String, Range<usize>)> =
        links.map(|(label, one)| (folded(label), one.span.clone())).collect();
    let (mut containers, mut depth) = (Vec::new(), 0_usize);
    for (event, range) in events {
        if let Event::Start(tag) = &event {
            if let Tag::FootnoteDefinition(label) = tag {
                found.push((format!("^{}", folded(label)), range.clone()));
            }
            let is_container = matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_));
            containers.extend((depth == 0 && is_container).then(|| place(range.start)..place(range.end)));
            depth += 1;
        } else if let Event::End(_) = &event {
            depth -= 1;
        }
    }
    sorting::sort_by_key(&mut found, |(_, span)| span.start);
    let definition = |(label, span): (String, Range<usize>)| {
        let (start, end) = (place(span.start), place(span.end));
        // a footnote is not inside itself
        let around = containers.iter().find(|around| around.start < start && start < around.end);
        let inside = around.map(|around| around.start);
        Definition { label, span: start..start + trimmed(&body[start..end]).len(), inside }
    };
    found.into_iter().map(definition).collect()
}

/// Where a label may end: each `]:` that is not escaped and has a label before it.
fn ends_of_labels(body: &str) -> Vec<usize> {
    let is_end = |at: &usize| {
        let before = &body[..*at];
        let is_escaped = (before.len() - before.trim_end_matches('\\').len()) % 2 == 1;
        let label = &before[before.rfind('[').map_or(*at, |start| start + 1)..];
        let mut lines = label.strip_prefix('^').unwrap_or(label).split('\n');
        let is_blank = lines.next().is_none_or(|line| line.trim().is_empty())
            && lines.all(|line| line.chars().all(|c| c == '>' || c.is_whitespace()));
        !is_escaped && !is_blank
    };
    body.match_indices("]:").map(|(at, _)| at).filter(is_end).collect()
}

fn numbered(body: &str, ends: &[usize]) -> String {
    let mut numbered = String::with_capacity(body.len() + ends.len() * WIDTH);
    let mut from = 0;
    for (number, end) in ends.iter().enumerate() {
        numbered.push_str(&body[from..*end]);
        numbered.push_str(&format!("{MARK}{number:08x}"));
        from = *end;
    }
    numbered.push_str(&body[from..]);
    numbered
}

/// The text without lines at its end that are blank, or blank but for the markers of a quote.
fn trimmed(text: &str) -> &str {
    let mut text = text.trim_end();
    while let Some((above, last)) = text.rsplit_once('\n')
        && last.chars().all(|c| c == '>' || c.is_whitespace())
    {
        text = above.trim_end();
    }
    text
}

/// A label without its number, as it is compared.
fn folded(label: &str) -> String {
    let label = label.rsplit_once(MARK).map_or(label, |(label, _)| label);
    let words: Vec<&str> = label.split_whitespace().collect();
    UniCase::new(words.join(" ")).to_folded_case()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Label, text and `>` for nested ones.
    fn found(body: &str) -> Vec<(String, String)> {
        let found = definitions(body).into_iter();
        let nested = |one: &Definition| if one.inside.is_some() { "> " } else { "" };
        found.map(|one| (nested(&one).to_owned() + &one.label, body[one.span].to_owned())).collect()
    }

    fn is(body: &str, expected: &[(&str, &str)]) {
        let own = |(label, text): &(&str, &str)| ((*label).to_owned(), (*text).to_owned());
        assert_eq!(found(body), expected.iter().map(own).collect::<Vec<_>>(), "{body}");
        let lines = body.replace('\n', "\r\n");
        assert_eq!(found(&lines).len(), expected.len(), "{lines:?}");
    }

    #[test]
    fn definitions_are_found_wherever_they_stand() {
        is("[a]: x\n[A]: y 'title'\n", &[("a", "[a]: x"), ("a", "[A]: y 'title'")]);
        is("Text[^1].\n[^1]: one\n[^2]: two\n", &[("^1", "[^1]: one"), ("^2", "[^2]: two")]);
        is("[^1]: one\n\n    more\n\nText\n", &[("^1", "[^1]: one\n\n    more")]);
        is("> quoted\n> > [^n]: two\n\n> [n]: x\n", &[("> ^n", "[^n]: two"), ("> n", "[n]: x")]);
        is("> [^n]: one\n>\n>     more\n", &[("> ^n", "[^n]: one\n>\n>     more")]);
        is("> [^n]: one\n>\n> after\n> [n]: <x>\n>\n", &[("> ^n", "[^n]: one")]);
        is("> [n]: <x>\n>\n> after\n", &[("> n", "[n]: <x>")]);
        is("- [n]: x\n- item\n\n  [^n]: two\n", &[("> n", "[n]: x"), ("> ^n", "[^n]: two")]);
        is("[^1]: one\n\n    [n]: x\n", &[("^1", "[^1]: one\n\n    [n]: x"), ("> n", "[n]: x")]);
        is("- item\n\n[n]: x\n", &[("n", "[n]: x")]);
    }

    #[test]
    fn labels_are_compared_as_markdown_compares_them() {
        is("[a\\]b]: x\n", &[("a\\]b", "[a\\]b]: x")]);
        is("[ß]: x\n[SS]: y\n", &[("ss", "[ß]: x"), ("ss", "[SS]: y")]);
        is("[> ]: x\n", &[(">", "[> ]: x")]);
        is("[a\n  b ]: x\n[A  B]: y\n", &[("a b", "[a\n  b ]: x"), ("a b", "[A  B]: y")]);
    }

    #[test]
    fn what_reads_otherwise_defines_nothing() {
        is("```\n[a]: x\n```\n\n    [a]: x\n\n<div>\n[a]: x\n</div>\n\nText\n[a]: x\n", &[]);
        is("[]: x\n\n[ ]: x\n\n- [ ]: x\n\n[a\\]: x\n\n[a] : x\n", &[]);
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(500))]

        #[test]
        fn the_first_definition_of_each_link_is_the_parsers(parts in prop::collection::vec(prop::sample::select(vec![
            "[a]: x\n", "[A]: y \"t]: t\"\n", "[ß]: <]:>\n", "[^1]: one\n", "[^1]:", "[a\\]: b]: x\n", "[", "]", "]:", " ",
            "\n", "\n\n", "> ", "- ", "2. ", "  ", "    ", "text\n", "```\n", "<div>\n", "| a |\n|---|\n", "# ", "===\n", "\\",
        ]), 0..16)) {
            let text = parts.concat();
            let plain = Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES);
            let links = plain.reference_definitions().iter();
            // far to the right below another link, a footnote reads as a link
            let links = links.filter(|(label, _)| !label.starts_with('^'));
            let expected: BTreeSet<_> = links.map(|(label, one)| (folded(label), one.span.start)).collect();
            let (mut firsts, mut seen) = (BTreeSet::new(), BTreeSet::new());
            for one in definitions(&text).into_iter().filter(|one| !one.label.starts_with('^')) {
                if seen.insert(one.label.clone()) {
                    firsts.insert((one.label, one.span.start));
                }
            }
            prop_assert_eq!(firsts, expected, "{:?}", text);
        }
    }
}
