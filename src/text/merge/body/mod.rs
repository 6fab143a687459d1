//! Merge three bodies by section, block and fact.
//!
//! Every block of every version gets a number, the same number for the same block. Then the steps decide which numbers
//! survive, the text of each, their order, and the gaps between them. The two sides come in the order of their bytes,
//! so that a clean merge is the same whichever is ours.

mod blocks;
mod claim;
mod content;
mod definitions;
pub(super) mod facts;
mod fate;
mod hunks;
mod item;
mod joined;
mod numbering;
mod part;
mod rows;
mod sections;

mod table;
mod weave;
mod write;

pub(super) use part::{VersionBody, bare, lines};

use super::{
    Additions, Conflict, Disputes, MergePlace, Reason, Record, Rules, Settled, Side, Texts, Undecided,
};
use crate::doc::{BlockKind, Document};
use facts::Verdicts;
use hunks::Hunk;
use rows::MergedRows;

/// The settings and position of a body merge.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub rules: &'a Rules<'a>,
    /// Whether the first side is theirs.
    pub swapped: bool,
    pub depth: usize,
}

impl Context<'_> {
    /// Which side the first (0) or the second (1) is.
    pub fn side(&self, which: usize) -> Side {
        if (which == 0) == self.swapped { Side::Theirs } else { Side::Ours }
    }

    /// Put what each side added in one place into order, by bytes or ours first.
    pub fn arrange<K: Ord>(&self, runs: &mut [Vec<usize>; 2], key: impl Fn(&Vec<usize>) -> K) {
        match self.rules.additions {
            Additions::Sorted => runs.sort_by_key(key),
            Additions::OursFirst if self.side(0) == Side::Theirs => runs.swap(0, 1),
            Additions::OursFirst => {}
        }
    }

    /// Whether two claims about one subject are a conflict with markers.
    fn stops_at_disputes(&self) -> bool {
        self.rules.disputes == Disputes::Conflict && self.rules.undecided == Undecided::Mark
    }

    /// The rule for text that one side changed and the other removed.
    pub fn removed(&self) -> Removed {
        match (self.rules.disputes, self.rules.undecided) {
            (Disputes::Conflict, Undecided::Mark) => Removed::Open,
            (Disputes::Conflict, Undecided::Ours) => Removed::Taken(Side::Ours),
            (Disputes::Conflict, Undecided::Theirs) => Removed::Taken(Side::Theirs),
            (Disputes::Keep, _) | (Disputes::Conflict, Undecided::Both | Undecided::Base) => Removed::Stays,
        }
    }

    /// The texts of base, first and second as base, ours and theirs.
    pub fn texts(&self, [base, first, second]: [Option<&str>; 3]) -> Texts {
        let (ours, theirs) = if self.swapped { (second, first) } else { (first, second) };
        let own = |text: Option<&str>| text.map(str::to_owned);
        Texts { base: own(base), ours: own(ours), theirs: own(theirs) }
    }
}

/// The rule for text that one side changed and the other removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removed {
    Stays,
    /// One side is taken, even if it is the removal.
    Taken(Side),
    Open,
}

/// The merged content of a block that both sides have.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    Settled(String),
    /// Two claims, one per line.
    Claims(String),
    /// The merged text, with a line that neither side has on its own.
    Combined(String),
    /// One side's text; the other side's has the same meaning in other words or marks, or was the lesser of two.
    Chosen {
        text: String,
        /// 0: the first side's, 1: the second's.
        side: usize,
    },
    /// The merged lines, some of which may be conflicts.
    Rows(Reason, MergedRows),
    Conflict(Reason),
}

#[derive(Debug, Default)]
pub(super) struct Merged {
    pub text: String,
    pub records: Vec<Record>,
    /// Their spans are in `text`.
    pub conflicts: Vec<Conflict>,
    /// The blocks expected when the text is parsed again; `None` for a block that may be read as several.
    pub blocks: Vec<Option<String>>,
    /// The headings below which both versions of a block were kept.
    pub undecided: Vec<String>,
    /// Headings that one side removed, kept for what the other side has below them.
    pub revived: Vec<String>,
}

/// The parts of base, first and second: what one version has below a heading of facts is a fact in all versions,
/// whatever the others call that section.
pub(super) fn parts<'a>(documents: [&'a Document; 3]) -> [VersionBody<'a>; 3] {
    let mut parts = documents.map(VersionBody::of);
    let counts = parts.each_ref().map(|part| part.facts.iter().flatten().count());
    if counts == [0; 3] {
        return parts;
    }
    let sections = sections::pair(parts.each_ref());
    for at in &sections.at {
        let is_of_facts = [0, 1, 2].map(|version| at[version].map(|at| parts[version].is_of_facts(at)));
        let is_renamed = is_of_facts.contains(&Some(true)) && is_of_facts.contains(&Some(false));
        for version in (0..3).filter(|version| is_renamed && is_of_facts[*version] == Some(false)) {
            at[version].into_iter().for_each(|section| parts[version].claim(section));
        }
    }
    parts
}

/// Merge three bodies: base, first, second.
pub(super) fn merge_parts(parts: [&VersionBody<'_>; 3], verdicts: &Verdicts, cx: &Context<'_>) -> Merged {
    match joined::join(parts) {
        Some(joined) => {
            let parts = joined.parts(parts);
            merge_blocks(parts.each_ref(), &joined.links, &joined.verdicts(verdicts), cx)
        }
        None => merge_blocks(parts, &[], verdicts, cx),
    }
}

/// Merge three bodies in which some blocks are known to be the same.
fn merge_blocks(
    parts: [&VersionBody<'_>; 3],
    links: &[[Option<usize>; 3]],
    verdicts: &Verdicts,
    cx: &Context<'_>,
) -> Merged {
    let sections = sections::pair(parts);
    let Some(loose) = sections::loose(parts, &sections) else {
        return merge_sections(parts, (&sections, links), verdicts, cx);
    };
    let outlines = [0, 1, 2].map(|version| parts[version].outline.without(&loose[version]));
    let parts = [0, 1, 2].map(|version| parts[version].in_sections(&outlines[version]));
    merge_sections(parts.each_ref(), (&sections::pair(parts.each_ref()), links), verdicts, cx)
}

fn merge_sections(
    parts: [&VersionBody<'_>; 3],
    (sections, links): (&part::PartPairing, &[[Option<usize>; 3]]),
    verdicts: &Verdicts,
    cx: &Context<'_>,
) -> Merged {
    let blocks = blocks::pair(parts, sections, links);
    let ground = Ground { parts, sections, blocks: &blocks, links, cx };
    let fates = fate::decide(&ground, verdicts);
    let mut woven = weave::weave(&ground, &fates);
    numbering::count(&ground, &mut woven);
    write::write(&ground, &fates, woven)
}

/// The input that all steps share.
struct Ground<'a> {
    parts: [&'a VersionBody<'a>; 3],
    sections: &'a part::PartPairing,
    blocks: &'a part::PartPairing,
    /// Joined blocks, by version.
    links: &'a [[Option<usize>; 3]],
    cx: &'a Context<'a>,
}

impl<'a> Ground<'a> {
    /// The texts of a block in the three versions.
    fn texts_of(&self, number: usize) -> [Option<&'a str>; 3] {
        let at = self.blocks.at[number];
        [0, 1, 2].map(|version| at[version].map(|at| self.parts[version].block(at)))
    }

    /// Whether the block is a fact in every version that has it.
    fn is_fact(&self, number: usize) -> bool {
        let at = self.blocks.at[number];
        (0..3).all(|version| at[version].is_none_or(|at| self.parts[version].facts[at].is_some()))
    }

    /// The kind of a block: an item if any version has it as one, since the others then have it as a paragraph.
    fn kind(&self, number: usize) -> &'a BlockKind {
        let (version, at) = self.somewhere(number);
        let at_all = self.blocks.at[number];
        let kinds = (0..3).filter_map(|version| Some(self.parts[version].kind(at_all[version]?)));
        let mut items = kinds.filter(|kind| matches!(kind, BlockKind::Item { .. }));
        items.next().unwrap_or_else(|| self.parts[version].kind(at))
    }

    /// Whether the block was joined from several blocks of the text.
    fn is_joined(&self, number: usize) -> bool {
        let at = self.blocks.at[number];
        self.links
            .iter()
            .any(|link| (0..3).any(|version| at[version].is_some() && at[version] == link[version]))
    }

    /// The lines of a block that both sides changed, if conflicts in it are about lines and not the whole block.
    fn hunks_of(&self, number: usize) -> Option<Vec<Hunk>> {
        let [base, Some(first), Some(second)] = self.texts_of(number) else { return None };
        let (version, at) = self.somewhere(number);
        let kind = self.parts[version].kind(at);
        if !content::is_laid_out(kind) && !self.is_joined(number) {
            return None;
        }
        let hunks = hunks::hunks([base.unwrap_or_default(), first, second])?;
        // markers around everything in a fence would read as an explanation of markers
        let is_line = |hunk: &Hunk| matches!(hunk, Hunk::Settled(text) if text.lines().count() == 1);
        let is_all = match &hunks[..] {
            [start, Hunk::Open(_), end] => is_line(start) && is_line(end),
            _ => false,
        };
        (!is_all || !matches!(kind, BlockKind::Fence { .. })).then_some(hunks)
    }

    /// A version that has the block (a side if possible) and its position there: the same whichever side is ours.
    fn somewhere(&self, number: usize) -> (usize, usize) {
        self.found(number, [1, 2, 0])
    }

    /// As [`Ground::somewhere`], but ours first: for display.
    fn in_ours(&self, number: usize) -> (usize, usize) {
        self.found(number, if self.cx.swapped { [2, 1, 0] } else { [1, 2, 0] })
    }

    fn found(&self, number: usize, order: [usize; 3]) -> (usize, usize) {
        let at = self.blocks.at[number];
        let found = order.into_iter().find_map(|version| Some((version, at[version]?)));
        found.expect("every number is in some version")
    }

    /// The line ending to use.
    fn newline(&self) -> &'static str {
        let text = self.parts[1].text;
        let first = text.find('\n').map(|at| text[..at].ends_with('\r'));
        if first == Some(true) { "\r\n" } else { "\n" }
    }

    /// The place of a block, for display. A heading is in the section around it.
    fn place(&self, number: usize) -> MergePlace {
        let (version, at) = self.in_ours(number);
        let part = self.parts[version];
        if let Some(name) = &part.named[at] {
            return MergePlace::Fact { subject: name.clone() };
        }
        match self.place_below(number) {
            MergePlace::Block { mut headings, starts }
                if matches!(part.kind(at), BlockKind::Heading { .. }) =>
            {
                headings.pop();
                MergePlace::Block { headings, starts }
            }
            place => place,
        }
    }

    /// The place of a line of a block, for display, by its texts in base, first and second.
    fn place_of(&self, number: usize, [base, first, second]: [Option<&str>; 3]) -> MergePlace {
        let (ours, theirs) = if self.cx.swapped { (second, first) } else { (first, second) };
        match (self.place(number), ours.or(theirs).or(base)) {
            (MergePlace::Block { headings, .. }, Some(line)) => {
                MergePlace::Block { headings, starts: starts(line) }
            }
            (place, _) => place,
        }
    }

    /// The section of a block, for display: for a heading, the one it opens.
    fn place_below(&self, number: usize) -> MergePlace {
        let (version, at) = self.in_ours(number);
        let part = self.parts[version];
        let headings = part.outline.path(part.section_of[at]).into_iter().map(str::to_owned).collect();
        MergePlace::Block { headings, starts: starts(part.block(at)) }
    }
}

/// The first words of a text: at most 60 characters from one line.
fn starts(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().chars().take(60).collect()
}
