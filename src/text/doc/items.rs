//! Parse the items of all lists of a text, including nested ones.
//!
//! Does not know what an item means. Lists in block quotes are left out.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem {
    /// The item it is nested in, as an index into the result of [`items`]; `None` at the top.
    pub parent: Option<usize>,
    pub depth: usize,
    /// Its whole lines with everything nested in it, in bytes of the text, without the last line ending and the blank
    /// lines after it.
    pub span: Range<usize>,
    /// As [`ListItem::span`], but without the first nested item and everything after it.
    pub head: Range<usize>,
}

/// All list items of `text`, each before those nested in it.
pub fn items(text: &str) -> Vec<ListItem> {
    let mut found: Vec<ListItem> = Vec::new();
    // an item that does not begin its line has no lines of its own: it and its content are left out
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut quotes = 0_usize;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            Event::Start(Tag::Item) => {
                let start = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
                let parent = open.last().copied();
                let is_whole = text[start..range.start].trim().is_empty()
                    && quotes == 0
                    && parent.is_none_or(|parent| parent.is_some());
                open.push(is_whole.then_some(found.len()));
                if is_whole {
                    let end = start + text[start..range.end.max(start)].trim_end().len();
                    let parent = parent.flatten();
                    let depth = parent.map_or(0, |parent| found[parent].depth + 1);
                    close(&mut found, parent, start, text);
                    found.push(ListItem { parent, depth, span: start..end, head: start..end });
                }
            }
            Event::End(TagEnd::Item) => {
                open.pop();
            }
            _ => {}
        }
    }
    found
}

/// The head of the parent ends where its first nested item starts.
fn close(found: &mut [ListItem], parent: Option<usize>, start: usize, text: &str) {
    let Some(parent) = parent.map(|parent| &mut found[parent]) else { return };
    if parent.head.end > start {
        parent.head.end = parent.head.start + text[parent.head.start..start].trim_end().len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_at_every_depth() {
        let text = "# T\n\n- a\n  more\n  - b\n    - c\n\n- d\n\n> - quoted\n\n1. - e\n";
        let found = items(text);
        let shown: Vec<_> = found.iter().map(|item| (item.depth, &text[item.head.clone()])).collect();
        assert_eq!(shown, [(0, "- a\n  more"), (1, "  - b"), (2, "    - c"), (0, "- d"), (0, "1. - e")]);
        assert_eq!(found[2].parent, Some(1));
        assert_eq!(&text[found[0].span.clone()], "- a\n  more\n  - b\n    - c");
    }
}
