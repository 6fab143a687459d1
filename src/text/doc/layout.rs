//! The places of the fields in a frontmatter's text.
//!
//! The text is parsed by yaml-edit, which loses no byte; only its ranges are used, so that an edit is a splice. Does
//! not know values: the n-th entry here is the n-th parsed field.

use std::ops::Range;
use std::str::FromStr;

use yaml_edit::{SyntaxKind, YamlFile, YamlKind, YamlNode};

/// The entries of a block mapping, in order. Ranges are in bytes of the frontmatter text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub entries: Vec<FieldLayout>,
}

/// One `key: value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldLayout {
    /// Whole lines from the key to the last line of the value.
    pub lines: Range<usize>,
    pub after_colon: usize,
    pub value: ValueLayout,
}

/// The place and form of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueLayout {
    /// Nothing after the colon.
    Empty,
    /// A plain, quoted or block scalar, without the line ending at its end.
    Scalar(Range<usize>),
    /// `[a, b]`.
    Flow {
        range: Range<usize>,
        items: Vec<Range<usize>>,
    },
    /// `- a` lines.
    Block {
        range: Range<usize>,
        items: Vec<Range<usize>>,
    },
    Mapping,
}

/// Why a text cannot be edited by range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutRefusal {
    /// It uses anchors, aliases, tags, directives, explicit keys, or a flow mapping as a whole.
    Indirect,
    /// yaml-edit rejects it, or would not return it byte for byte.
    Unreadable,
}

/// Find the fields of `text`. The caller has checked its size and depth, and that it is a mapping without duplicates of
/// `fields` entries.
pub(super) fn read(text: &str, fields: usize) -> Result<Layout, LayoutRefusal> {
    if fields == 0 {
        return Ok(Layout::default());
    }
    let tokens = yaml_edit::lex(text);
    let indirect = |kind: &SyntaxKind| {
        use SyntaxKind::{ANCHOR, DIRECTIVE, QUESTION, REFERENCE, TAG};
        matches!(kind, ANCHOR | REFERENCE | TAG | QUESTION | DIRECTIVE)
    };
    let flow = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    if tokens.iter().any(|(kind, _)| indirect(kind))
        || flow.is_some_and(|line| line.trim_start().starts_with('{'))
    {
        return Err(LayoutRefusal::Indirect);
    }
    let file = YamlFile::from_str(text).map_err(|_| LayoutRefusal::Unreadable)?;
    if file.to_string() != text {
        return Err(LayoutRefusal::Unreadable);
    }
    let mapping =
        file.document().and_then(|document| document.as_mapping()).ok_or(LayoutRefusal::Unreadable)?;
    let entries = mapping.entries().map(|found| entry(text, &found)).collect::<Option<Vec<_>>>();
    let entries = entries.filter(|entries| entries.len() == fields).ok_or(LayoutRefusal::Unreadable)?;
    Ok(Layout { entries })
}

fn entry(text: &str, found: &yaml_edit::MappingEntry) -> Option<FieldLayout> {
    let whole = range(found.byte_range());
    let key = range(found.key_node()?.byte_range());
    let after_colon = key.end + text.get(key.end..whole.end)?.find(':')? + 1;
    let value = match found.value_node() {
        Some(node) => place(text, &node)?,
        None => ValueLayout::Empty,
    };
    let at_line_start = whole.start == 0 || text.as_bytes()[whole.start - 1] == b'\n';
    at_line_start.then(|| FieldLayout { lines: whole.start..line_end(text, whole.end), after_colon, value })
}

fn place(text: &str, node: &YamlNode) -> Option<ValueLayout> {
    let whole = range(node.byte_range());
    match node.kind() {
        YamlKind::Scalar => {
            let length = text.get(whole.clone())?.trim_end_matches(['\n', '\r']).len();
            let scalar = whole.start..whole.start + length;
            Some(if scalar.is_empty() { ValueLayout::Empty } else { ValueLayout::Scalar(scalar) })
        }
        YamlKind::Sequence => {
            let sequence = node.as_sequence()?;
            let items = sequence.values().map(|item| range(item.byte_range()));
            let items = items.map(|item| item.start..item.start + text[item].trim_end().len()).collect();
            let range = whole;
            Some(if sequence.is_flow_style() {
                ValueLayout::Flow { range, items }
            } else {
                ValueLayout::Block { range, items }
            })
        }
        YamlKind::Mapping => Some(ValueLayout::Mapping),
        _ => None,
    }
}

fn range(position: yaml_edit::TextPosition) -> Range<usize> {
    position.start as usize..position.end as usize
}

/// `at` if a line starts there, else the start of the next line.
fn line_end(text: &str, at: usize) -> usize {
    match text.as_bytes()[..at].last() {
        Some(b'\n') => at,
        _ => super::envelope::line_end(text, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, fields: usize) -> Vec<&str> {
        read(text, fields).unwrap().entries.into_iter().map(|entry| &text[entry.lines]).collect()
    }

    #[test]
    fn entries_are_whole_lines() {
        let text = "# top\r\ntitle: 'a' # c\r\ntags: [a,\r\n  b]\r\n\r\n# next\r\nk: |-\r\n  x\r\n\r\n  y\r\nz:\r\n- a\r\n";
        let expected =
            ["title: 'a' # c\r\n", "tags: [a,\r\n  b]\r\n", "k: |-\r\n  x\r\n\r\n  y\r\n", "z:\r\n- a\r\n"];
        assert_eq!(lines(text, 4), expected);
    }

    #[test]
    fn items_of_both_list_styles_are_found() {
        let text = "a: [x, \"y, z\"] # c\nb:\n  - p # d\n  - 'q'\n";
        let layout = read(text, 2).unwrap();
        let items = layout.entries.iter().map(|entry| match &entry.value {
            ValueLayout::Flow { items, .. } | ValueLayout::Block { items, .. } => {
                items.iter().map(|item| &text[item.clone()]).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        });
        assert_eq!(items.collect::<Vec<_>>(), [["x", "\"y, z\""], ["p", "'q'"]]);
    }

    #[test]
    fn what_an_edit_could_break_elsewhere_is_refused() {
        for text in ["a: &x 1\nb: *x\n", "a: !t b\n", "? a\n: b\n", "{a: b}\n"] {
            assert_eq!(read(text, 1), Err(LayoutRefusal::Indirect), "{text}");
        }
        assert!(read("summary: a &b and *c* [!x]\n", 1).is_ok());
    }
}
