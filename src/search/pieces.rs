//! Cut the body of an entry into pieces: what is found and shown is a piece, not a file.
//!
//! A section is a piece; each item under `## Facts` is one; a section of more than [`LONG`] words is cut between
//! blocks. The items of Highlights and Rules are not among them: each is searched separately. Knows no terms.

use std::collections::HashSet;
use std::ops::Range;

use brv_text::doc::{self, Block, BlockKind, Document, Outline};

/// Words of a piece, above which a section is cut. Found by the ranking study: pieces of about 64 words rank best.
const LONG: usize = 64;

/// A block of more words is cut at line ends.
const LONGEST: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceSpan {
    pub range: Range<usize>,
    /// Whether it is one item under `## Facts`.
    pub is_fact: bool,
    /// Whether it is in `## Raw Concept`, which tells where an entry comes from: it is searched, and never shown.
    pub is_concept: bool,
}

/// The pieces of a body without `items`, in order; at least one. Only blank lines, and the headings of facts and items,
/// belong to none.
pub fn pieces(document: &Document, items: &[doc::Item]) -> Vec<PieceSpan> {
    let (body, outline) = (document.body(), document.outline());
    let mut cutter = Cutter { body, is_concept: false, pieces: Vec::new() };
    let (facts, concept) = (titled(outline, "facts"), titled(outline, "raw concept"));
    let items: HashSet<usize> = items.iter().map(|item| item.span.start).collect();
    for (at, section) in outline.sections().iter().enumerate() {
        cutter.is_concept = concept[at];
        let blocks = &outline.blocks()[section.blocks.clone()];
        let is_item = |block: &Block| items.contains(&block.content.start);
        if facts[at] || blocks.iter().any(is_item) {
            let mut rest = section.content.start;
            for block in blocks.iter().filter(|block| matches!(block.kind, BlockKind::Item { .. })) {
                if facts[at] || is_item(block) {
                    cutter.push(rest..block.span.start, false);
                    if !is_item(block) {
                        cutter.push(block.span.clone(), true);
                    }
                    rest = block.span.end;
                }
            }
            cutter.push(rest..section.content.end, false);
        } else if words(&body[section.heading.start..section.content.end]) <= LONG {
            cutter.push(section.heading.start..section.content.end, false);
        } else {
            cutter.cut(section.heading.clone(), blocks.iter().map(|block| block.span.clone()));
        }
    }
    if cutter.pieces.is_empty() {
        cutter.pieces.push(PieceSpan { range: 0..0, is_fact: false, is_concept: false });
    }
    cutter.pieces
}

/// For each section whether it has this title, in lower case, or is nested in one that has.
fn titled(outline: &Outline, title: &str) -> Vec<bool> {
    let mut titled = vec![false; outline.sections().len()];
    for at in outline.titled(title) {
        titled[outline.with_nested(at)].fill(true);
    }
    titled
}

struct Cutter<'a> {
    body: &'a str,
    is_concept: bool,
    pieces: Vec<PieceSpan>,
}

impl Cutter<'_> {
    fn push(&mut self, range: Range<usize>, is_fact: bool) {
        let text = &self.body[range.clone()];
        let lead = text.len() - text.trim_start().len();
        let range = range.start + lead..range.start + text.trim_end().len();
        if lead < text.len() && !range.is_empty() {
            // whole lines, so that a piece never begins inside an indented item
            let start = self.body[..range.start].rfind('\n').map_or(0, |end| end + 1);
            let range = start..range.end;
            self.pieces.push(PieceSpan { range, is_fact, is_concept: self.is_concept });
        }
    }

    /// Pack blocks into pieces of about [`LONG`] words; the heading goes with the first.
    fn cut(&mut self, heading: Range<usize>, blocks: impl Iterator<Item = Range<usize>>) {
        let mut open = heading;
        let mut held = words(&self.body[open.clone()]);
        for block in blocks {
            let count = words(&self.body[block.clone()]);
            if held > 0 && held + count > LONG {
                self.push(open.clone(), false);
                open = block.start..block.start;
                held = 0;
            }
            open.end = block.end;
            held += count;
            if count > LONGEST {
                self.lines(open.clone());
                open = block.end..block.end;
                held = 0;
            }
        }
        self.push(open, false);
    }

    /// Cut a very long block at line ends.
    fn lines(&mut self, range: Range<usize>) {
        let (mut start, mut end, mut held) = (range.start, range.start, 0);
        for line in self.body[range].split_inclusive('\n') {
            let count = words(line);
            if held > 0 && held + count > LONG {
                self.push(start..end, false);
                (start, held) = (end, 0);
            }
            end += line.len();
            held += count;
        }
        self.push(start..end, false);
    }
}

fn words(text: &str) -> usize {
    text.split_ascii_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str) -> Vec<(String, bool)> {
        let document = Document::parse(body);
        let pieces = pieces(&document, &document.items()).into_iter();
        pieces.map(|piece| (document.body()[piece.range].to_owned(), piece.is_fact)).collect()
    }

    #[test]
    fn sections_and_facts_are_pieces() {
        let body = "---\ntitle: t\n---\nLead.\n\n## A\nOne.\n\nTwo.\n\n## Facts\n\nAs of May:\n\n- **x**: y\n  more\n- z\n\n## Empty\n";
        let expected = [
            ("Lead.", false),
            ("## A\nOne.\n\nTwo.", false),
            ("As of May:", false),
            ("- **x**: y\n  more", true),
            ("- z", true),
            ("## Empty", false),
        ];
        assert_eq!(texts(body), expected.map(|(text, is_fact)| (text.to_owned(), is_fact)));
    }

    #[test]
    fn items_are_in_no_piece_and_the_raw_concept_is_known() {
        let body = "## Raw Concept\n**Files:**\n- `a.rs`\n## Narrative\n### Highlights\nSo far:\n- **a**: b\n- plain\n- **c**: d\n";
        let expected = ["## Raw Concept\n**Files:**\n- `a.rs`", "## Narrative", "So far:", "- plain"];
        assert_eq!(texts(body), expected.map(|text| (text.to_owned(), false)));
        let document = Document::parse(body);
        let concept: Vec<bool> = pieces(&document, &[]).iter().map(|piece| piece.is_concept).collect();
        assert_eq!(concept, [true, false, false]);
    }

    #[test]
    fn a_long_section_is_cut_between_blocks() {
        let paragraph = "word ".repeat(40);
        let cut = texts(&format!("## A\n{paragraph}\n\n{paragraph}\n\nshort\n"));
        assert_eq!(cut.len(), 2);
        assert!(cut[0].0.starts_with("## A") && cut[1].0.ends_with("short"));
        assert!(texts(&"word word word\n".repeat(500)).len() > 20);
    }

    #[test]
    fn an_empty_body_is_one_empty_piece() {
        for body in ["", "---\ntitle: t\n---\n", "\n \n"] {
            assert_eq!(texts(body), [(String::new(), false)]);
        }
    }
}
