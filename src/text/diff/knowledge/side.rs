//! One side of a comparison: a document with its blocks in normal form and their lines.
//!
//! Does not know the other side.

use super::{BlockKind, Claim, normal};
use crate::diff::bag::Bag;
use crate::doc::{self, Document, Section};
use std::collections::HashMap;
use std::ops::Range;

/// A document with the data needed for comparing.
pub(super) struct DiffSide<'a> {
    pub document: &'a Document,
    pub units: Vec<DiffUnit>,
    lines: LineOffsets,
}

pub(super) struct DiffUnit {
    pub kind: BlockKind,
    pub form: String,
    /// The section it is in, as an index; a heading is in the section it opens.
    pub section: usize,
    pub is_heading: bool,
    /// Its claim, if it is a fact.
    pub claim: Option<Claim>,
    /// Its bytes in the body, without the blank lines after it.
    pub content: Range<usize>,
}

/// The start of each line of a text; a line ends with `\n`, `\r\n` or `\r`.
struct LineOffsets(Vec<usize>);

impl LineOffsets {
    fn of(text: &str) -> LineOffsets {
        let bytes = text.as_bytes();
        let is_end =
            |at: &usize| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        LineOffsets([0].into_iter().chain((0..bytes.len()).filter(is_end).map(|at| at + 1)).collect())
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

impl<'a> DiffSide<'a> {
    pub(super) fn new(document: &'a Document) -> DiffSide<'a> {
        let (body, blocks) = (document.body(), document.blocks());
        let mut claims: HashMap<usize, Claim> =
            document.facts().into_iter().map(|fact| (fact.span.start, claim(fact))).collect();
        let mut sections = vec![0; blocks.len()];
        for (number, section) in document.sections().iter().enumerate() {
            sections[section.blocks.clone()].fill(number);
            if let Some(heading) = section.blocks.start.checked_sub(1).filter(|_| number > 0) {
                sections[heading] = number;
            }
        }
        let forms = normal::forms(body, blocks);
        let units = blocks.iter().zip(forms).zip(sections).map(|((block, form), section)| DiffUnit {
            kind: kind(&block.kind),
            form,
            section,
            is_heading: matches!(block.kind, doc::BlockKind::Heading { .. }),
            claim: claims.remove(&block.content.start),
            content: block.content.clone(),
        });
        DiffSide { document, units: units.collect(), lines: LineOffsets::of(document.text()) }
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
        Bag::of(normal::words(&self.units[unit].form))
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
