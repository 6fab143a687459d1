//! What a line that ends with a colon announces, and lines that are only a label.

use super::code::{MOST_PROSE, fenced, flat_end, parted};
use crate::doc::{Block, BlockKind};

/// The labels of the Raw Concept, in lower case: the text after them says where an entry comes from, wherever it is.
const CONCEPT: [&str; 7] = ["task", "changes", "files", "flow", "timestamp", "author", "patterns"];

/// Whether a text ends with a colon, whatever marks stand around it.
pub(super) fn is_open(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_', '`']).ends_with([':', '：'])
}

/// The label that a text begins with, in lower case, and what follows it: of `**Files:** a` it is `files`.
fn label(text: &str) -> Option<(String, &str)> {
    let (label, rest) = text.trim().strip_prefix("**")?.split_once("**")?;
    let (label, rest) = match label.strip_suffix(':') {
        Some(label) => (label, rest),
        None => (label, rest.strip_prefix(':')?),
    };
    Some((label.trim().to_lowercase(), rest.trim()))
}

/// Whether a text is a label and nothing else, or one of the Raw Concept.
pub(super) fn is_label(text: &str) -> bool {
    label(text).is_some_and(|(_, rest)| rest.is_empty()) || is_of_concept(text)
}

/// Whether a text begins with a label of the Raw Concept.
pub(super) fn is_of_concept(text: &str) -> bool {
    label(text).is_some_and(|(label, _)| CONCEPT.contains(&label.as_str()))
}

/// What the block behind an open line has that it announces, below that line: short code, a short table or quote. The items of a
/// list stand for themselves.
pub(super) fn announced(body: &str, after: &[Block]) -> Option<String> {
    let first = after.first()?;
    let text = &body[first.content.clone()];
    match first.kind {
        BlockKind::Fence { .. } => Some(fenced(&parted(text).1?)),
        BlockKind::Table | BlockKind::Quote | BlockKind::Indented => indented(text),
        _ => None,
    }
}

/// The number of blocks of the list that comes first.
pub(super) fn list_length(after: &[Block]) -> usize {
    let Some(BlockKind::Item { list, .. }) = after.first().map(|block| &block.kind) else { return 0 };
    let is_of_list = |block: &&Block| matches!(&block.kind, BlockKind::Item { list: own, .. } if own == list);
    after.iter().take_while(is_of_list).count()
}

/// The lines, each after a line end, if they are short.
fn indented(text: &str) -> Option<String> {
    let text: String = text.lines().map(|line| format!("\n  {}", flat_end(line))).collect();
    (text.chars().count() <= MOST_PROSE).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_known_with_the_colon_inside_and_outside() {
        assert!(is_label("**Files:**") && is_label("**Options**: ") && is_label("**Task:** do it"));
        assert!(!is_label("**Never** do it") && !is_label("**Limit**: 3") && !is_label("Files:"));
        assert!(is_of_concept("**Files:**") && !is_of_concept("**Options:**"));
    }

    #[test]
    fn a_colon_opens_whatever_marks_are_around_it() {
        assert!(is_open("as follows:") && is_open("**Note:** ") && is_open("so：") && is_open("`a:`"));
        assert!(!is_open("a: b") && !is_open(""));
    }
}
