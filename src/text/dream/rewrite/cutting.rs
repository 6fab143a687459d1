//! Take bytes out of a body so that what stays is built as it was: blocks stay apart, and lists as tight as they were.

use crate::doc::Document;
use pulldown_cmark::{Event, Options, Parser};
use std::ops::Range;

/// What becomes of a line of the body.
enum LineCut<'a> {
    /// It stays: its text, and its line ending.
    Kept(String, &'a str),
    Blank(&'a str),
    Gone,
}

/// The source without these bytes of its body. Lines that become empty are removed, and between two blocks that
/// something stood between there is one blank line.
pub fn without(source: &Document, dropped: &[Range<usize>]) -> Vec<u8> {
    let body = source.body();
    let tops = top_blocks(body);
    let top = |at: usize| tops.partition_point(|block| block.start <= at);
    let (mut rest, mut start) = (String::with_capacity(body.len()), 0);
    // the lines since the last one that stays
    let (mut blanks, mut first_blank, mut is_cut) = (String::new(), None, false);
    let mut last: Option<(usize, &str)> = None;
    for whole in body.split_inclusive('\n') {
        match line(whole, start, dropped) {
            LineCut::Blank(ending) => {
                blanks.push_str(whole);
                first_blank = first_blank.or(Some(ending));
            }
            LineCut::Gone => is_cut = true,
            LineCut::Kept(text, ending) => {
                let here = top(start + whole.len() - whole.trim_start().len());
                let apart = last.filter(|(block, _)| *block != here).map(|(_, ending)| ending);
                match is_cut {
                    true => rest.push_str(first_blank.or(apart).unwrap_or_default()),
                    false => rest.push_str(&blanks),
                }
                rest.push_str(&text);
                rest.push_str(ending);
                last = Some((here, ending));
                (first_blank, is_cut) = (None, false);
                blanks.clear();
            }
        }
        start += whole.len();
    }
    if !is_cut {
        rest.push_str(&blanks);
    }
    let head = source.as_bytes().len() - body.len();
    [&source.as_bytes()[..head], rest.as_bytes()].concat()
}

/// A line that begins at this byte of the body.
fn line<'a>(whole: &'a str, start: usize, dropped: &[Range<usize>]) -> LineCut<'a> {
    let text = whole.trim_end_matches(['\n', '\r']);
    let ending = &whole[text.len()..];
    if text.trim().is_empty() {
        return LineCut::Blank(ending);
    }
    let is_dropped = |at: usize| dropped.iter().any(|range| range.contains(&(start + at)));
    let kept: String = text.char_indices().filter(|(at, _)| !is_dropped(*at)).map(|(_, c)| c).collect();
    match () {
        () if kept.trim().is_empty() => LineCut::Gone,
        // two blanks at the end of a line break it
        () if kept.len() == text.len() => LineCut::Kept(kept, ending),
        () => LineCut::Kept(kept.trim_end().to_owned(), ending),
    }
}

/// The bytes of the blocks that stand in no other one, in their order.
fn top_blocks(body: &str) -> Vec<Range<usize>> {
    let (mut depth, mut found) = (0_usize, Vec::new());
    for (event, bytes) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        if depth == 0 && !matches!(event, Event::End(_)) {
            found.push(bytes);
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body without these texts, each the first of its kind.
    fn cut(body: &str, gone: &[&str]) -> String {
        let range = |text: &&str| {
            let start = body.find(*text).unwrap();
            start..start + text.len()
        };
        let gone: Vec<Range<usize>> = gone.iter().map(range).collect();
        String::from_utf8(without(&Document::parse(body), &gone)).unwrap()
    }

    #[test]
    fn what_stood_apart_stays_apart() {
        assert_eq!(cut("A a. B b. C c.\n\nNext.\n", &["B b. ", "C c.\n"]), "A a.\n\nNext.\n");
        assert_eq!(cut("A.\n\nB. C.\n\n- x\n- y\n", &["B. ", "C.\n", "- x\n"]), "A.\n\n- y\n");
        assert_eq!(cut("1. one\n\n- x\n\nEnd. B.\n", &["- x\n", "B.\n"]), "1. one\n\nEnd.\n");
        assert_eq!(cut("A.\n```\nx\n\ny\n```\nB.\n", &["```\nx\n\ny\n```"]), "A.\n\nB.\n");
        assert_eq!(cut("A.\r\n# H\r\nB.\r\n", &["# H"]), "A.\r\n\r\nB.\r\n");
        assert_eq!(cut("\n# T\n\nA.\n\n\nB.", &["A."]), "\n# T\n\nB.");
    }

    #[test]
    fn what_stood_together_stays_together() {
        assert_eq!(cut("- a\n- b\n- c\n", &["- b\n"]), "- a\n- c\n");
        assert_eq!(cut("- a\n\n- b\n\n- c\n", &["- b\n"]), "- a\n\n- c\n");
        assert_eq!(cut("A.\nB.\nC.  \nD.\n", &["B.\n"]), "A.\nC.  \nD.\n");
        assert_eq!(cut("A a\na. B b\nb. C.\n", &["B b\nb. "]), "A a\na.\nC.\n");
        assert_eq!(cut("| a |\n|---|\n| 1 |\n| 2 |\n", &["| 1 |\n"]), "| a |\n|---|\n| 2 |\n");
        assert_eq!(cut("A.\n\n\nB.\n\nC.\n\n", &["C.\n"]), "A.\n\n\nB.\n");
    }
}
