//! One version of a body with its structure, and the pairing of parts across the three versions.

use crate::doc::{self, BlockKind, Document, Outline, normal};

pub(in crate::merge) struct VersionBody<'a> {
    pub text: &'a str,
    pub outline: &'a Outline,
    /// For each block that is a fact, its content.
    pub facts: Vec<Option<FactKey>>,
    /// For each block that is a fact, its subject as written, or its statement if it has none.
    pub named: Vec<Option<String>>,
    /// The section of each block; a heading belongs to the section it opens.
    pub section_of: Vec<usize>,
}

/// The content of a fact, apart from how it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::merge) struct FactKey {
    pub subject: Option<String>,
    pub statement: String,
}

impl FactKey {
    fn new(subject: Option<&str>, statement: &str) -> FactKey {
        FactKey {
            subject: subject.map(normal),
            statement: normal(statement).trim_end_matches('.').to_owned(),
        }
    }
}

impl<'a> VersionBody<'a> {
    /// The body of a document, with its facts.
    pub fn of(document: &'a Document) -> VersionBody<'a> {
        let mut part = VersionBody::plain(document.body(), document.outline());
        let facts = document.facts();
        let mut facts = facts.iter().peekable();
        for (at, block) in part.outline.blocks().iter().enumerate() {
            if let Some(fact) = facts.next_if(|fact| fact.span.start == block.content.start) {
                part.facts[at] = Some(FactKey::new(fact.subject.as_deref(), &fact.statement));
                part.named[at] = Some(fact.subject.as_ref().unwrap_or(&fact.statement).clone());
            }
        }
        part
    }

    /// Whether a section holds facts, by its own title or that of an enclosing section.
    pub fn is_of_facts(&self, section: usize) -> bool {
        let outline = self.outline;
        outline.titled("facts").any(|titled| outline.with_nested(titled).contains(&section))
    }

    /// Read the items of a section as facts: it is a section of facts under another title.
    pub fn claim(&mut self, section: usize) {
        for at in self.blocks_of(section) {
            let is_item = matches!(self.kind(at), BlockKind::Item { .. });
            if let Some(fact) = doc::fact(self.block(at)).filter(|_| is_item) {
                self.facts[at] = Some(FactKey::new(fact.subject.as_deref(), &fact.statement));
                self.named[at] = Some(fact.subject.unwrap_or(fact.statement));
            }
        }
    }

    pub fn plain(text: &'a str, outline: &'a Outline) -> VersionBody<'a> {
        let count = outline.blocks().len();
        let section_of = sections_of(outline);
        VersionBody { text, outline, facts: vec![None; count], named: vec![None; count], section_of }
    }

    /// The same blocks in other sections.
    pub fn in_sections<'b>(&self, outline: &'b Outline) -> VersionBody<'b>
    where
        'a: 'b,
    {
        let (facts, named) = (self.facts.clone(), self.named.clone());
        VersionBody { text: self.text, outline, facts, named, section_of: sections_of(outline) }
    }

    /// The same text with some blocks joined, none of which is a fact; `places` maps each block to its new number.
    pub fn joined<'b>(&self, outline: &'b Outline, places: &[usize]) -> VersionBody<'b>
    where
        'a: 'b,
    {
        let mut part = VersionBody::plain(self.text, outline);
        for (at, place) in places.iter().enumerate() {
            part.facts[*place].clone_from(&self.facts[at]);
            part.named[*place].clone_from(&self.named[at]);
        }
        part
    }

    /// Whether a block is the heading of a section. A heading that does not open one is an ordinary block.
    pub fn opens_section(&self, at: usize) -> bool {
        self.heading_of(self.section_of[at]) == Some(at)
    }

    /// The text of a block, without blank lines around it.
    pub fn block(&self, at: usize) -> &'a str {
        &self.text[self.outline.blocks()[at].content.clone()]
    }

    pub fn kind(&self, at: usize) -> &'a BlockKind {
        &self.outline.blocks()[at].kind
    }

    /// The blocks of a section without its heading.
    pub fn blocks_of(&self, section: usize) -> std::ops::Range<usize> {
        self.outline.sections()[section].blocks.clone()
    }

    pub fn heading_of(&self, section: usize) -> Option<usize> {
        let section = &self.outline.sections()[section];
        (section.level > 0).then(|| section.blocks.start - 1)
    }

    /// The text between a block and the next, or the end.
    pub fn gap_after(&self, at: usize) -> &'a str {
        let blocks = self.outline.blocks();
        let end = blocks.get(at + 1).map_or(self.text.len(), |next| next.content.start);
        &self.text[blocks[at].content.end..end]
    }

    /// Blank lines before the first block; `None` if there are no blocks.
    pub fn lead(&self) -> Option<&'a str> {
        let first = self.outline.blocks().first().filter(|first| first.kind != BlockKind::Blank)?;
        Some(&self.text[..first.content.start])
    }

    /// The text after the last block; `None` if there are no blocks.
    pub fn trail(&self) -> Option<&'a str> {
        let last = self.outline.blocks().len().checked_sub(1)?;
        (*self.kind(last) != BlockKind::Blank).then(|| self.gap_after(last))
    }
}

/// The section of each block; a heading belongs to the section it opens.
fn sections_of(outline: &Outline) -> Vec<usize> {
    let mut section_of = vec![0; outline.blocks().len()];
    for (at, section) in outline.sections().iter().enumerate() {
        let from = if section.level > 0 { section.blocks.start - 1 } else { section.blocks.start };
        section_of[from..section.blocks.end].fill(at);
    }
    section_of
}

/// Which parts (sections or blocks) of the three versions are the same: each part gets one number for all versions.
#[derive(Debug, Default)]
pub(super) struct PartPairing {
    /// The position of each number in base, first and second.
    pub at: Vec<[Option<usize>; 3]>,
    /// The numbers of each version, in its order.
    pub of: [Vec<usize>; 3],
}

impl PartPairing {
    /// Combine the matches of both sides with the base, and the matches of parts new on both sides (for each part of
    /// the second, the one of the first).
    pub fn new(base: usize, to_base: [&[Option<usize>]; 2], new: &[Option<usize>]) -> PartPairing {
        let mut pairing = PartPairing {
            at: (0..base).map(|at| [Some(at), None, None]).collect(),
            of: [(0..base).collect(), Vec::new(), Vec::new()],
        };
        for (at, found) in to_base[0].iter().enumerate() {
            let number = found.unwrap_or(pairing.at.len());
            pairing.put(number, 1, at);
        }
        for (at, found) in to_base[1].iter().enumerate() {
            let shared = new[at].map(|first| pairing.of[1][first]);
            let number = found.or(shared).unwrap_or(pairing.at.len());
            pairing.put(number, 2, at);
        }
        pairing
    }

    fn put(&mut self, number: usize, version: usize, at: usize) {
        if number == self.at.len() {
            self.at.push([None; 3]);
        }
        self.at[number][version] = Some(at);
        self.of[version].push(number);
    }

    pub fn len(&self) -> usize {
        self.at.len()
    }
}

/// The lines that are not blank, without the marker or number of a list item: a line stays the same if its list is
/// renumbered or its marker removed.
pub(in crate::merge) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(bare).filter(|line| !line.is_empty())
}

/// A line without the marker or number of a list item.
pub(in crate::merge) fn bare(line: &str) -> &str {
    let line = line.trim();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match digits.len() < line.len() {
        true => digits.strip_prefix(['.', ')']),
        false => line.strip_prefix(['-', '*', '+']),
    };
    let item = behind.filter(|rest| rest.starts_with([' ', '\t'])).map_or(line, str::trim_start);
    ["[ ] ", "[x] ", "[X] "].into_iter().find_map(|check| item.strip_prefix(check)).unwrap_or(item)
}
