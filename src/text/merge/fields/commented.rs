//! Merge sets with comments, item by item: the comment after an item and those above it stay with it, whichever side
//! wrote them.
//!
//! Knows lines and the items they hold; does not decide which items are kept.

use super::chunks::Chunk;
use super::items::{self, List, three};
use crate::doc::{Document, Frontmatter, Value};
use crate::merge::Texts;

/// The lines of a field that holds exactly `wanted`, in the style of `template`, with the comments of both sides;
/// `None` if neither side has a comment in a known place.
pub(super) fn merge(
    base: Option<&Chunk<'_>>,
    template: &Chunk<'_>,
    other: &Chunk<'_>,
    wanted: &[&str],
) -> Option<String> {
    if !has_comment(template.lines) && !has_comment(other.lines) {
        return None;
    }
    let values = |chunk: &Chunk<'_>| chunk.value.list().map(|items| scalars(&items));
    let (one, two, all) = (values(template)?, values(other)?, scalars(wanted));
    let before = base.and_then(values).unwrap_or_default();
    let known = base.and_then(|base| List::of_block(base.lines, &before)).unwrap_or_default();
    let (own, theirs) = (List::of_block(template.lines, &one)?, List::of_block(other.lines, &two)?);
    let lines = List::merged([&known, &own, &theirs], &items::keys(&all))?;
    holds(&lines, &template.key, wanted).then_some(lines)
}

fn scalars(items: &[&str]) -> Vec<Value> {
    items.iter().map(|item| Value::Scalar((*item).to_owned())).collect()
}

/// The lines of a list in brackets with the comment after them that one side changed; any other list is returned
/// unchanged. `versions` are the lines of the base, of the side whose style `lines` have, and of the other side.
pub(super) fn behind(versions: [Option<&str>; 3], lines: &str) -> String {
    fn split(lines: &str) -> Option<(&str, &str)> {
        let words = lines.find(" #").unwrap_or(lines.len());
        let is_one = lines.trim_end().lines().count() == 1;
        let end = lines[..words].rfind(']').filter(|_| is_one)? + 1;
        Some(lines.split_at(end))
    }
    let [before, own, other] = versions.map(|lines| lines.and_then(split).map(|(_, comment)| comment));
    match (split(lines), own, other) {
        (Some((list, _)), Some(own), Some(other)) => {
            format!("{list}{}", three(before.unwrap_or("\n"), own, other))
        }
        _ => lines.to_owned(),
    }
}

/// Whether the lines of a field contain a comment.
pub(super) fn has_comment(lines: &str) -> bool {
    lines.contains(" #") || lines.lines().any(|line| line.starts_with('#'))
}

/// The comments alone: lost when one side's style is taken and no item is lost.
pub(super) fn texts([base, ours, theirs]: [Option<&Chunk<'_>>; 3]) -> Texts {
    let comments = |chunk: &Chunk<'_>| {
        let comment = |line: &'_ str| line.find('#').map(|at| line[at..].trim_end().to_owned());
        let lines = chunk.lines.lines().filter(|line| has_comment(line));
        Some(lines.filter_map(comment).collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
    };
    Texts { base: base.and_then(comments), ours: ours.and_then(comments), theirs: theirs.and_then(comments) }
}

fn holds(lines: &str, key: &str, wanted: &[&str]) -> bool {
    let document = Document::parse(format!("---\n{lines}---\n"));
    let is_one = matches!(document.frontmatter(), Frontmatter::Fields([_]));
    is_one && document.field(key).is_some_and(|value| value.to_list() == wanted)
}

#[cfg(test)]
mod tests {
    use super::super::chunks::{self, Front};
    use super::*;

    fn merged([base, ours, theirs]: [&str; 3], wanted: &[&str]) -> Option<String> {
        let documents = [base, ours, theirs].map(|lines| Document::parse(format!("---\n{lines}---\n")));
        let [base, ours, theirs] = documents.each_ref().map(|document| match chunks::read(document) {
            Front::Fields(fields) => fields.chunks[0].clone(),
            _ => panic!("fields"),
        });
        merge(Some(&base), &ours, &theirs, wanted)
    }

    #[test]
    fn comments_stay_with_their_items() {
        let base = "tags:\n  - a\n  - b\n";
        let ours = "tags:\n  - a # ours\n  - b\n  - c\n";
        let theirs = "tags:\n- a\n# above\n- b # theirs\n- d # new\n";
        let wanted = "tags:\n  - a # ours\n# above\n  - b # theirs\n  - c\n  - d # new\n";
        assert_eq!(merged([base, ours, theirs], &["a", "b", "c", "d"]).as_deref(), Some(wanted));
        assert_eq!(
            merged([base, ours, theirs], &["a", "d"]).as_deref(),
            Some("tags:\n  - a # ours\n  - d # new\n")
        );
        assert_eq!(merged([base; 3], &["a"]), None, "there is no comment");
    }

    #[test]
    fn the_comment_behind_brackets_is_a_value_of_its_own() {
        let behind =
            |[base, own, other]: [&str; 3], lines: &str| behind([Some(base), Some(own), Some(other)], lines);
        let found = behind(["t: [a]\n", "t: [a, b]\n", "t: [a] # why\n"], "t: [a, b]\n");
        assert_eq!(found, "t: [a, b] # why\n");
        let found = behind(["t: [a] # x\n", "t: [a, b] # x\n", "t: [a]\n"], "t: [a, b] # x\n");
        assert_eq!(found, "t: [a, b]\n");
        assert_eq!(behind(["t: [a]\n", "t: [a]\n", "t:\n  - a # why\n"], "t: [a]\n"), "t: [a]\n");
    }
}
