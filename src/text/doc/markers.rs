//! Find conflict markers: complete triples at the start of lines; in a code fence only those that a merge may have left
//! there.
//!
//! A document that explains markers in a fence, or has only one of the lines, is not in conflict. A merge by brv shows
//! the base with a label for each part, and leaves some other line in the fence; an explanation seldom does both. Does
//! not resolve anything.

use bstr::ByteSlice as _;
use std::ops::Range;

use super::Document;
use super::blocks::BlockKind;
use super::envelope;

/// One conflict as git writes it. Ranges are in bytes of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// All lines from `<<<<<<<` to `>>>>>>>`.
    pub span: Range<usize>,
    /// The label after `<<<<<<<`.
    pub ours_label: String,
    /// The label after `>>>>>>>`.
    pub theirs_label: String,
    pub ours: Range<usize>,
    /// The lines of the base, if the conflict shows it.
    pub base: Option<Range<usize>>,
    pub theirs: Range<usize>,
    /// The 1-based line of `<<<<<<<`.
    pub line: usize,
}

impl Conflict {
    pub fn marker_lines(&self) -> Vec<usize> {
        // a separator starts where the part before it ends
        let middle = self.base.as_ref().map(|base| [self.ours.end, base.end]);
        let separators = middle.map_or_else(|| vec![self.ours.end], Vec::from);
        [self.span.start].into_iter().chain(separators).chain([self.theirs.end]).collect()
    }
}

struct Marker<'a> {
    sign: u8,
    label: &'a str,
    lines: Range<usize>,
    number: usize,
}

/// The markers of a conflict that is not complete yet.
#[derive(Default)]
struct Open<'a> {
    ours: Option<Marker<'a>>,
    base: Option<Marker<'a>>,
    separator: Option<Marker<'a>>,
}

/// All complete conflicts, in order. Whether one is in a fence is decided by its first line, since a conflict may tear
/// a fence apart. A fence that is never closed hides nothing, and none hides a conflict about some of its lines.
pub(super) fn read(document: &Document) -> Vec<Conflict> {
    let text = document.text();
    if !text.as_bytes().contains_str("<<<<<<<") {
        return Vec::new();
    }
    let start = document.body_start();
    let closed =
        document.blocks().iter().filter(|block| matches!(block.kind, BlockKind::Fence { closed: true, .. }));
    let fences: Vec<_> = closed.map(|block| start + block.content.start..start + block.content.end).collect();
    let mut conflicts = Vec::new();
    let mut open = Open::default();
    for marker in markers(text) {
        match marker.sign {
            b'<' => open = Open { ours: Some(marker), ..Open::default() },
            b'|' if open.ours.is_some() && open.separator.is_none() => open.base = Some(marker),
            b'=' if open.ours.is_some() && open.separator.is_none() => open.separator = Some(marker),
            b'>' => {
                let open = std::mem::take(&mut open);
                let is_named = open.is_named(&marker);
                let is_told = |conflict: &Conflict| {
                    let fence = fences.iter().find(|fence| fence.contains(&conflict.span.start));
                    fence.is_none_or(|fence| {
                        is_named && !is_all_of(&text[fence.clone()], conflict, fence.start)
                    })
                };
                conflicts.extend(open.complete(&marker).filter(is_told));
            }
            _ => {}
        }
    }
    conflicts
}

/// Whether the conflict is the only content of the fence, which starts at `start`.
fn is_all_of(fence: &str, conflict: &Conflict, start: usize) -> bool {
    let inside = |range: Range<usize>| fence.get(range).unwrap_or_default().lines().count();
    let before = inside(0..conflict.span.start - start);
    let after = inside(conflict.span.end.saturating_sub(start)..fence.len());
    before == 1 && after <= 1
}

impl Open<'_> {
    /// Whether the conflict shows the base and labels each part.
    fn is_named(&self, last: &Marker<'_>) -> bool {
        let labels = [&self.ours, &self.base].map(|marker| marker.as_ref().map_or("", |marker| marker.label));
        labels.into_iter().chain([last.label]).all(|label| !label.is_empty())
    }

    fn complete(self, last: &Marker<'_>) -> Option<Conflict> {
        let (ours, separator) = (self.ours?, self.separator?);
        let ours_end = self.base.as_ref().map_or(separator.lines.start, |base| base.lines.start);
        Some(Conflict {
            span: ours.lines.start..last.lines.end,
            ours_label: ours.label.to_owned(),
            theirs_label: last.label.to_owned(),
            ours: ours.lines.end..ours_end,
            base: self.base.map(|base| base.lines.end..separator.lines.start),
            theirs: separator.lines.end..last.lines.start,
            line: ours.number,
        })
    }
}

/// Lines of exactly seven marker characters, alone or before a blank and a label; `=======` has no label.
fn markers(text: &str) -> impl Iterator<Item = Marker<'_>> {
    let mut at = 0;
    let mut number = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let lines = at..envelope::line_end(text, at);
            at = lines.end;
            number += 1;
            if let Some((sign, label)) = sign(&text[lines.clone()]) {
                return Some(Marker { sign, label, lines, number });
            }
        }
        None
    })
}

fn sign(line: &str) -> Option<(u8, &str)> {
    let sign = *line.as_bytes().first().filter(|byte| b"<|=>".contains(byte))?;
    let line = line.trim_end_matches(['\n', '\r']);
    let label = line.trim_start_matches(char::from(sign));
    let fits =
        line.len() - label.len() == 7 && (label.is_empty() || (label.starts_with(' ') && sign != b'='));
    fits.then(|| (sign, label.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String, Option<String>, String)> {
        let side = |range: &Range<usize>| text[range.clone()].to_owned();
        let document = Document::parse(text);
        read(&document)
            .iter()
            .map(|c| (c.line, side(&c.ours), c.base.as_ref().map(side), side(&c.theirs)))
            .collect()
    }

    #[test]
    fn both_styles_and_both_line_endings_are_found() {
        let text = "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\nd\n";
        assert_eq!(found(text), [(2, "b\n".into(), None, "c\n".into())]);
        let base = "<<<<<<< HEAD\r\nb\r\n||||||| 1234\r\n=======\r\n>>>>>>> x\r\n";
        assert_eq!(found(base), [(1, "b\r\n".into(), Some(String::new()), String::new())]);
        let document = Document::parse(base);
        let conflict = &read(&document)[0];
        assert_eq!((conflict.ours_label.as_str(), conflict.theirs_label.as_str()), ("HEAD", "x"));
        assert_eq!(conflict.span, 0..base.len());
    }

    #[test]
    fn our_side_has_no_marker_and_nothing_of_theirs() {
        let block = "<<<<<<< ours\nb\n||||||| base\nx\n=======\nc\n>>>>>>> theirs\n";
        let text = format!("a\n{block}d\n{block}");
        let ours = |text: &str| Document::parse(text).our_side().map(|ours| ours.text().to_owned());
        assert_eq!(ours(&text).as_deref(), Some("a\nb\nd\nb\n"));
        assert_eq!(ours("a\n=======\n"), None);
    }

    #[test]
    fn a_conflict_in_the_frontmatter_is_found() {
        assert_eq!(found("---\n<<<<<<< a\nt: 1\n=======\nt: 2\n>>>>>>> b\n---\n").len(), 1);
    }

    #[test]
    fn an_explanation_of_markers_is_not_a_conflict() {
        let triple = "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n";
        assert_eq!(found(&format!("text\n\n```\n{triple}```\n")), []);
        assert_eq!(found(&triple.replace('\n', "\n    ").replace("<<<", "  <<<")), []);
        assert_eq!(found("<<<<<<< a\nb\n>>>>>>> d\n"), []);
        assert_eq!(found("<<<<<<<< a\nb\n========\nc\n>>>>>>>> d\n"), []);
        assert_eq!(found("Heading\n=======\n>>>>>>> d\n"), []);
    }

    #[test]
    fn a_conflict_about_some_lines_of_a_fence_shows_its_base() {
        let conflict = "<<<<<<< a\nb\n||||||| base\nx\n=======\nc\n>>>>>>> d\n";
        assert_eq!(found(&format!("```sh\none\n{conflict}two\n```\n")).len(), 1);
        assert_eq!(found(&format!("```sh\none\n{}```\n", conflict.replace(" base", ""))), []);
        assert_eq!(found(&format!("```text\n{conflict}```\n")), [], "nothing but an explanation");
    }

    #[test]
    fn a_conflict_that_tears_a_fence_apart_is_one() {
        assert_eq!(found("<<<<<<< a\n```ts\nx\n=======\n```ts\ny\n>>>>>>> b\n```\n").len(), 1);
        assert_eq!(found("```\nopen\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n").len(), 1);
    }
}
