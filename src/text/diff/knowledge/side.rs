//! One side of a comparison: a document with its blocks in normal form and their lines.
//!
//! Does not know the other side.

use super::{BlockKind, Claim, normal};
use crate::diff::bag::Bag;
use crate::doc::{self, Document, Middle, Section};
use bstr::ByteSlice as _;
use std::cell::OnceCell;
use std::ops::Range;

/// A document with the data needed for comparing.
pub(super) struct DiffSide<'a> {
    pub document: &'a Document,
    pub units: Vec<DiffUnit>,
    /// The sections that may differ from those of the other side; see [`is_shared`].
    sections: Range<usize>,
    /// The units that may differ, and their normal forms.
    near: Range<usize>,
    near_forms: Vec<String>,
    /// All normal forms: those of shared units are seldom needed.
    forms: OnceCell<Vec<String>>,
    lines: LineOffsets,
}

pub(super) struct DiffUnit {
    pub kind: BlockKind,
    /// The section it is in, as an index; a heading is in the section it opens.
    pub section: usize,
    pub is_heading: bool,
    /// Whether it is an item among facts.
    is_fact: bool,
    claim: OnceCell<Option<Claim>>,
    /// Its bytes in the body, without the blank lines after it.
    pub content: Range<usize>,
}

/// The start of each line of a text; a line ends with `\n`, `\r\n` or `\r`.
struct LineOffsets(Vec<usize>);

impl LineOffsets {
    fn of(text: &str) -> LineOffsets {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 2);
        starts.push(0);
        let mut at = 0;
        while let Some(end) = bytes[at..].find_byteset(b"\r\n") {
            at += end + 1;
            if bytes[at - 1] == b'\n' || bytes.get(at) != Some(&b'\n') {
                starts.push(at);
            }
        }
        LineOffsets(starts)
    }

    fn number(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset) - 1
    }

    /// The lines that contain a byte of `range`.
    fn covering(&self, range: Range<usize>) -> Range<usize> {
        let start = self.number(range.start);
        if range.is_empty() { start..start } else { start..self.number(range.end - 1) + 1 }
    }
}

/// Both sides of a comparison, with what they share known as such.
///
/// `middle`: that of `after` beside `before`; without one they are taken to share nothing.
pub(super) fn both<'a>(
    before: &'a Document,
    after: &'a Document,
    middle: Option<Middle>,
) -> [DiffSide<'a>; 2] {
    match middle {
        Some(Middle { known, other, is_closed }) => {
            [DiffSide::new(before, known, is_closed), DiffSide::new(after, other, is_closed)]
        }
        None => [before, after].map(|side| DiffSide::new(side, 0..side.blocks().len(), false)),
    }
}

/// Whether these sections of two sides are one that both share, with its heading and all blocks up to the next heading.
pub(super) fn is_shared(before: &DiffSide<'_>, after: &DiffSide<'_>, was: usize, is: usize) -> bool {
    let (old, new) = (&before.sections, &after.sections);
    match was < old.start {
        true => was == is,
        false => was >= old.end && is >= new.end && was - old.end == is - new.end,
    }
}

impl<'a> DiffSide<'a> {
    /// `near`: the blocks that may differ; `is_closed`: whether the last of them is a heading that does not.
    fn new(document: &'a Document, near: Range<usize>, is_closed: bool) -> DiffSide<'a> {
        let (body, blocks) = (document.body(), document.blocks());
        let mut sections = vec![0; blocks.len()];
        for (number, section) in document.sections().iter().enumerate() {
            sections[section.blocks.clone()].fill(number);
            if let Some(heading) = section.blocks.start.checked_sub(1).filter(|_| number > 0) {
                sections[heading] = number;
            }
        }
        let units = blocks.iter().zip(&sections).map(|(block, section)| DiffUnit {
            kind: kind(&block.kind),
            section: *section,
            is_heading: matches!(block.kind, doc::BlockKind::Heading { .. }),
            is_fact: false,
            claim: OnceCell::new(),
            content: block.content.clone(),
        });
        let mut units: Vec<DiffUnit> = units.collect();
        document.fact_blocks().into_iter().for_each(|unit| units[unit].is_fact = true);
        let first = if near.start == 0 { 0 } else { sections[near.start] };
        let end = if is_closed { sections[near.end - 1] } else { document.sections().len() };
        DiffSide {
            document,
            units,
            sections: first..end,
            near_forms: normal::forms(body, &blocks[near.clone()]),
            near,
            forms: OnceCell::new(),
            lines: LineOffsets::of(document.text()),
        }
    }

    /// The normal form of a unit.
    pub(super) fn form(&self, unit: usize) -> &str {
        let near = unit.checked_sub(self.near.start).and_then(|place| self.near_forms.get(place));
        let all = || normal::forms(self.document.body(), self.document.blocks());
        near.unwrap_or_else(|| &self.forms.get_or_init(all)[unit])
    }

    /// The claim of a unit, if it is a fact.
    pub(super) fn claim(&self, unit: usize) -> Option<&Claim> {
        let read = || if self.units[unit].is_fact { doc::fact(self.raw(unit)).map(claim) } else { None };
        self.units[unit].claim.get_or_init(read).as_ref()
    }

    pub(super) fn sections(&self) -> &'a [Section] {
        self.document.sections()
    }

    pub(super) fn path(&self, section: usize) -> Vec<String> {
        self.document.outline().path(section).into_iter().map(str::to_owned).collect()
    }

    /// The block as written, without carriage returns.
    pub(super) fn text(&self, unit: usize) -> String {
        self.raw(unit).replace('\r', "")
    }

    pub(super) fn raw(&self, unit: usize) -> &'a str {
        &self.document.body()[self.units[unit].content.clone()]
    }

    pub(super) fn bag(&self, unit: usize) -> Bag {
        Bag::of(normal::words(self.form(unit)))
    }

    /// The lines of the block in the document.
    pub(super) fn unit_lines(&self, unit: usize) -> Range<usize> {
        self.body_lines(self.units[unit].content.clone())
    }

    /// The lines of the document that contain a byte of this range of the body.
    pub(super) fn body_lines(&self, range: Range<usize>) -> Range<usize> {
        let start = self.document.body_start();
        self.lines.covering(start + range.start..start + range.end)
    }

    /// The heading block of a section; `None` for the text before the first heading.
    pub(super) fn heading(&self, section: usize) -> Option<usize> {
        self.sections()[section].blocks.start.checked_sub(1).filter(|_| section > 0)
    }

    /// The blocks of a section, without its heading.
    pub(super) fn blocks(&self, section: usize) -> Range<usize> {
        let blocks = self.sections()[section].blocks.clone();
        if section == 0 && blocks.is_empty() { 0..0 } else { blocks }
    }

    /// The lines of a section with everything nested in it.
    pub(super) fn section_lines(&self, section: usize) -> Range<usize> {
        self.body_lines(self.document.outline().span(section))
    }
}

fn claim(fact: doc::Fact) -> Claim {
    Claim { subject: fact.subject, statement: fact.statement, category: fact.category }
}

fn kind(kind: &doc::BlockKind) -> BlockKind {
    match kind {
        doc::BlockKind::Paragraph | doc::BlockKind::Heading { .. } => BlockKind::Paragraph,
        doc::BlockKind::Item { .. } => BlockKind::Item,
        doc::BlockKind::Fence { .. } | doc::BlockKind::Indented => BlockKind::Code,
        doc::BlockKind::Table => BlockKind::Table,
        doc::BlockKind::Html => BlockKind::Html,
        doc::BlockKind::Quote => BlockKind::Quote,
        doc::BlockKind::Rule | doc::BlockKind::Definition | doc::BlockKind::Blank => BlockKind::Other,
    }
}
