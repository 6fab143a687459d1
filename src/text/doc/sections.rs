//! The headings of a body as a tree of sections.
//!
//! Does not know what headings mean.

use std::ops::Range;

use super::blocks::{self, Block, BlockKind};

/// A heading and the blocks up to the next heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// The text of the heading without markup; empty at level 0.
    pub title: String,
    /// The bytes of the heading with the blank lines after it; empty at level 0.
    pub heading: Range<usize>,
    /// The bytes after the heading up to the next heading of any level.
    pub content: Range<usize>,
    /// Its blocks without the heading, as indexes into [`Outline::blocks`].
    pub blocks: Range<usize>,
    /// The enclosing section, as an index into [`Outline::sections`]; `None` at the top.
    pub parent: Option<usize>,
}

/// The structure of a body. All ranges are byte offsets into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    blocks: Vec<Block>,
    sections: Vec<Section>,
}

/// Parse the structure of `body`.
pub(super) fn outline(body: &str) -> Outline {
    Outline::of_blocks(blocks::read(body))
}

/// The tree of the headings among these blocks.
fn tree(blocks: &[Block]) -> Vec<Section> {
    let mut sections = vec![Section {
        level: 0,
        title: String::new(),
        heading: 0..0,
        content: 0..0,
        blocks: 0..0,
        parent: None,
    }];
    for (at, block) in blocks.iter().enumerate() {
        if let BlockKind::Heading { level, title } = &block.kind {
            let parent = enclosing(&sections, *level);
            let (heading, content) = (block.span.clone(), block.span.end..block.span.end);
            let blocks = at + 1..at + 1;
            sections.push(Section { level: *level, title: title.clone(), heading, content, blocks, parent });
        } else if let Some(section) = sections.last_mut() {
            section.content.end = block.span.end;
            section.blocks.end = at + 1;
        }
    }
    sections
}

/// The nearest earlier section of a lower level, except the one of level 0.
fn enclosing(sections: &[Section], level: u8) -> Option<usize> {
    let mut at = sections.len().checked_sub(1)?;
    while sections[at].level >= level {
        at = sections[at].parent?;
    }
    (sections[at].level > 0).then_some(at)
}

impl Outline {
    /// The structure of a body with these blocks.
    pub(super) fn of_blocks(blocks: Vec<Block>) -> Outline {
        let sections = tree(&blocks);
        Outline { blocks, sections }
    }

    /// Parse the structure of a text that is not a document of its own, such as the inside of a list item.
    pub fn of(text: &str) -> Outline {
        outline(text)
    }

    /// The same blocks, with the headings of some sections as ordinary blocks: the content of such a section belongs to
    /// the one before it. `dropped` has an element for each section; the first section stays.
    pub fn without(&self, dropped: &[bool]) -> Outline {
        let mut sections: Vec<Section> = Vec::with_capacity(self.sections.len());
        for (at, section) in self.sections.iter().enumerate() {
            match sections.last_mut().filter(|_| dropped[at]) {
                Some(last) => {
                    // before the first heading there may be nothing, not even a position for it
                    if last.blocks.is_empty() {
                        last.blocks.start = section.blocks.start - 1;
                    }
                    last.blocks.end = section.blocks.end;
                    last.content.end = section.content.end;
                }
                None => {
                    let parent = enclosing(&sections, section.level).filter(|_| section.level > 0);
                    sections.push(Section { parent, ..section.clone() });
                }
            }
        }
        Outline { blocks: self.blocks.clone(), sections }
    }

    /// The same text with the blocks of each range as one paragraph. The ranges are in order and hold no headings.
    pub fn joined(&self, ranges: &[Range<usize>]) -> Outline {
        let mut blocks: Vec<Block> = Vec::with_capacity(self.blocks.len());
        let mut places = Vec::with_capacity(self.blocks.len() + 1);
        for (at, block) in self.blocks.iter().enumerate() {
            let range = ranges.iter().find(|range| range.contains(&at));
            match blocks.last_mut().filter(|_| range.is_some_and(|range| at > range.start)) {
                Some(last) => {
                    last.span.end = block.span.end;
                    last.content.end = block.content.end;
                    last.code_spans.extend_from_slice(&block.code_spans);
                }
                None if range.is_some() => {
                    blocks.push(Block { kind: BlockKind::Paragraph, ..block.clone() });
                }
                None => blocks.push(block.clone()),
            }
            places.push(blocks.len() - 1);
        }
        places.push(blocks.len());
        let sections = self.sections.iter().map(|section| {
            let blocks = places[section.blocks.start]..places[section.blocks.end];
            Section { blocks, ..section.clone() }
        });
        let sections = sections.collect();
        Outline { blocks, sections }
    }

    /// All blocks, in order; their spans tile the body.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// All sections in document order, starting with the text before the first heading (always present). Their
    /// `heading` and `content` tile the body.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The headings from the top down to this section; empty for level 0.
    pub fn path(&self, section: usize) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = Some(section).filter(|&at| self.sections[at].level > 0);
        while let Some(section) = at {
            path.push(self.sections[section].title.as_str());
            at = self.sections[section].parent;
        }
        path.reverse();
        path
    }

    /// The first section whose heading path ends in `titles`, compared without regard to case, attributes and tags.
    pub fn find(&self, titles: &[&str]) -> Option<usize> {
        (1..self.sections.len()).find(|&at| {
            let path = self.path(at);
            path.len() >= titles.len()
                && path[path.len() - titles.len()..].iter().zip(titles).all(|(a, b)| same_title(a, b))
        })
    }

    /// All sections with this title, compared without regard to case, attributes and tags.
    pub fn titled<'a>(&'a self, title: &'a str) -> impl Iterator<Item = usize> + 'a {
        (1..self.sections.len()).filter(move |&at| same_title(&self.sections[at].title, title))
    }

    /// The section and all nested sections, as indexes.
    pub fn with_nested(&self, section: usize) -> Range<usize> {
        let level = self.sections[section].level;
        let after = self.sections[section + 1..].iter().position(|next| next.level <= level);
        section..after.map_or(self.sections.len(), |count| section + 1 + count)
    }

    /// The bytes of the section with its heading and all nested sections.
    pub fn span(&self, section: usize) -> Range<usize> {
        let nested = self.with_nested(section);
        self.sections[section].heading.start..self.sections[nested.end - 1].content.end
    }
}

fn same_title(a: &str, b: &str) -> bool {
    let (a, b) = (bare_title(a), bare_title(b));
    match a.is_ascii() && b.is_ascii() {
        true => a.eq_ignore_ascii_case(b),
        false => a == b || a.to_lowercase() == b.to_lowercase(),
    }
}

/// A title without the attributes (`{#id .class}`) and tags (`#urgent`) at its end, as some tools write them into the
/// line of a heading. What has nothing else stays, and so do `#42` and `{name}`.
pub fn bare_title(title: &str) -> &str {
    let mut bare = title.trim();
    while let Some(rest) = without_attributes(bare).or_else(|| without_tag(bare)) {
        bare = rest;
    }
    bare
}

fn without_attributes(title: &str) -> Option<&str> {
    let (rest, inside) = title.strip_suffix('}')?.rsplit_once('{')?;
    let first = inside.split_whitespace().next()?;
    let is_attribute = first.starts_with(['#', '.', ':']) || first.contains('=') || first == "-";
    Some(rest.trim_end()).filter(|rest| is_attribute && !rest.is_empty())
}

fn without_tag(title: &str) -> Option<&str> {
    let (rest, last) = title.rsplit_once(char::is_whitespace)?;
    let tag = last.strip_prefix('#')?;
    let is_tag = tag.chars().any(char::is_alphabetic)
        && tag.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'));
    Some(rest.trim_end()).filter(|rest| is_tag && !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str =
        "intro\n\n# Top\na\n## **Raw** `Concept` ##\nb\n### Deep\nc\n## Facts\n- d\n\nSet\n---\ne\n";

    #[test]
    fn headings_form_a_tree() {
        let outline = outline(BODY);
        let paths: Vec<_> = (0..outline.sections().len()).map(|at| outline.path(at).join("/")).collect();
        assert_eq!(paths, ["", "Top", "Top/Raw Concept", "Top/Raw Concept/Deep", "Top/Facts", "Top/Set"]);
        assert_eq!(outline.find(&["raw concept", "deep"]), Some(3));
        assert_eq!(&BODY[outline.span(2)], "## **Raw** `Concept` ##\nb\n### Deep\nc\n");
        assert_eq!(outline.with_nested(1), 1..6);
    }

    #[test]
    fn attributes_and_tags_are_no_part_of_a_title() {
        for (title, bare) in [
            ("Setup {#id}", "Setup"),
            ("Setup {: .wide} #a/b #c-d ", "Setup"),
            ("Setup{#id .class key=\"a b\"}", "Setup"),
            ("Open items #urgent", "Open items"),
            ("Issue #42", "Issue #42"),
            ("C #", "C #"),
            ("Path {name}", "Path {name}"),
            ("#urgent", "#urgent"),
            ("{#id}", "{#id}"),
        ] {
            assert_eq!(bare_title(title), bare, "{title}");
        }
        let outline = outline("## Facts {#f}\n- a\n\n## Open #x\n\n### Rules\n");
        assert_eq!((outline.titled("facts").next(), outline.find(&["open", "rules"])), (Some(1), Some(3)));
    }

    #[test]
    fn a_heading_that_counts_as_a_block_leaves_its_blocks_to_the_section_before() {
        let outline = outline("# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n");
        let dropped = outline.without(&[false, false, true, false]);
        assert_eq!(dropped.blocks(), outline.blocks());
        let sections: Vec<_> =
            dropped.sections().iter().map(|s| (s.title.as_str(), s.blocks.clone(), s.parent)).collect();
        assert_eq!(sections, [("", 0..0, None), ("A", 1..4, None), ("C", 5..6, Some(1))]);
        let first = dropped.without(&[false, true, false]);
        assert_eq!(first.sections()[0].blocks, 0..4);
    }

    #[test]
    fn blocks_of_a_range_are_one_and_the_sections_keep_theirs() {
        let joined = outline("# A\n\na\n\nb\n\n- c\n\n## B\n\nd\n").joined(std::slice::from_ref(&(1..3)));
        let kinds: Vec<_> = joined.blocks().iter().map(|block| block.content.clone()).collect();
        assert_eq!(kinds, [0..3, 5..9, 11..14, 16..20, 22..23]);
        let sections: Vec<_> = joined.sections().iter().map(|section| section.blocks.clone()).collect();
        assert_eq!(sections, [0..0, 1..3, 4..5]);
    }

    #[test]
    fn sections_tile_the_body() {
        let outline = outline(BODY);
        let all =
            outline.sections().iter().flat_map(|s| [&BODY[s.heading.clone()], &BODY[s.content.clone()]]);
        assert_eq!(all.collect::<String>(), BODY);
    }

    #[test]
    fn a_heading_of_a_higher_level_ends_a_deep_first_one() {
        let outline = outline("### a\n# b\n## c\n");
        assert_eq!(outline.path(1), ["a"]);
        assert_eq!(outline.path(3), ["b", "c"]);
    }
}
