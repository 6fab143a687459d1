//! Add text to the lead of an entry: the text before its first section, or below its title. No heading names it, so
//! nothing of it is replaced.

use super::Plan;
use crate::doc::content::unified;
use crate::doc::{Block, BlockKind, Outline};
use std::ops::Range;

/// The section with the lead: the text before the first heading, or else that below a title of level 1.
pub(super) fn section(body: &str, outline: &Outline) -> usize {
    let sections = outline.sections();
    let is_blank = body[sections[0].content.clone()].trim().is_empty();
    usize::from(is_blank && sections.get(1).is_some_and(|first| first.level == 1))
}

fn blocks(outline: &Outline, section: usize) -> impl Iterator<Item = &Block> {
    let blocks = &outline.blocks()[outline.sections()[section].blocks.clone()];
    blocks.iter().filter(|block| !block.content.is_empty())
}

/// The blocks of a section, as texts.
pub(super) fn texts(body: &str, outline: &Outline, section: usize) -> Vec<String> {
    blocks(outline, section).map(|block| unified(&body[block.content.clone()])).collect()
}

/// The text of a section in pieces that mean something by themselves: a paragraph, a whole list, and what announces
/// something (`Steps:`) together with it.
pub(super) fn pieces(body: &str, outline: &Outline, section: usize) -> Vec<String> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut before: Option<&Block> = None;
    for block in blocks(outline, section) {
        match pieces.last_mut().zip(before).filter(|(_, before)| is_one(body, before, block)) {
            Some((last, _)) => last.end = block.content.end,
            None => pieces.push(block.content.clone()),
        }
        before = Some(block);
    }
    pieces.into_iter().map(|piece| unified(&body[piece])).collect()
}

/// Whether two blocks mean something only together.
fn is_one(body: &str, before: &Block, block: &Block) -> bool {
    match (&before.kind, &block.kind) {
        (BlockKind::Item { list, .. }, BlockKind::Item { list: other, .. }) => list == other,
        (BlockKind::Rule, _) => true,
        (BlockKind::Paragraph, _) => {
            let text = body[before.content.clone()].trim_end();
            let plain = text.trim_end_matches(['*', '_']);
            let is_emphasised = plain.len() < text.len() && text.starts_with(['*', '_']);
            plain.ends_with(':') || is_emphasised
        }
        _ => false,
    }
}

impl Plan<'_> {
    /// Add the pieces that the lead does not have, as paragraphs of their own after those it has.
    pub(super) fn lead(&mut self, given: &[String]) {
        let at = section(self.body, self.outline);
        let there = pieces(self.body, self.outline, at);
        let new: Vec<&str> =
            given.iter().filter(|piece| !there.contains(piece)).map(String::as_str).collect();
        if new.is_empty() {
            return;
        }
        let sections = self.outline.sections();
        let end = match (there.is_empty(), at, sections.get(1)) {
            // the blank lines at the start of the body belong to its first heading
            (true, 0, Some(first)) => {
                let heading = &self.body[first.heading.clone()];
                let blank = heading.len() - heading.trim_start().len();
                first.heading.start + heading[..blank].rfind('\n').map_or(0, |end| end + 1)
            }
            (true, 0, None) => self.body.len(),
            _ => sections[at].content.end,
        };
        self.insert(end, new.join("\n\n"));
    }
}
