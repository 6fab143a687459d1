//! Cut the body of an entry into pieces: what is found and shown is a piece, not a file.
//!
//! A section is a piece; each item under `## Facts` is one; a section of more than [`LONG`] words is cut between blocks.
//! Knows no terms.

use std::ops::Range;

use brv_text::doc::{BlockKind, Document, Outline};

/// Words of a piece, above which a section is cut. Found by the ranking study: pieces of about 64 words rank best.
const LONG: usize = 64;

/// A block of more words is cut at line ends.
const LONGEST: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub range: Range<usize>,
    /// Whether it is one item under `## Facts`.
    pub is_fact: bool,
}

/// The pieces of a body, in order; at least one. Only blank lines, and the headings of facts, belong to none.
pub fn pieces(document: &Document) -> Vec<Piece> {
    let (body, outline) = (document.body(), document.outline());
    let mut cutter = Cutter { body, pieces: Vec::new() };
    let mut facts = facts(outline);
    for (at, section) in outline.sections().iter().enumerate() {
        let is_facts = std::mem::take(&mut facts[at]);
        let blocks = &outline.blocks()[section.blocks.clone()];
        if is_facts {
            let mut rest = section.content.start;
            for block in blocks {
                if matches!(block.kind, BlockKind::Item { .. }) {
                    cutter.push(rest..block.span.start, false);
                    cutter.push(block.span.clone(), true);
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
        cutter.pieces.push(Piece { range: 0..0, is_fact: false });
    }
    cutter.pieces
}

/// For each section whether it is `Facts` or nested in it.
fn facts(outline: &Outline) -> Vec<bool> {
    let mut facts = vec![false; outline.sections().len()];
    for at in outline.titled("facts") {
        facts[outline.with_nested(at)].fill(true);
    }
    facts
}

struct Cutter<'a> {
    body: &'a str,
    pieces: Vec<Piece>,
}

impl Cutter<'_> {
    fn push(&mut self, range: Range<usize>, is_fact: bool) {
        let text = &self.body[range.clone()];
        let lead = text.len() - text.trim_start().len();
        let range = range.start + lead..range.start + text.trim_end().len();
        if lead < text.len() && !range.is_empty() {
            // whole lines, so that a piece never begins inside an indented item
            let start = self.body[..range.start].rfind('\n').map_or(0, |end| end + 1);
            self.pieces.push(Piece { range: start..range.end, is_fact });
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
        let pieces = pieces(&document).into_iter();
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
