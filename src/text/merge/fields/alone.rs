//! Merge the lines of one field as git does, and read a field by itself.
//!
//! Does not know what the field means.

use std::collections::HashMap;

use super::chunks::Chunk;
use super::pieces::Both;
use crate::doc::{Document, Frontmatter, Value};
use crate::merge::lines::{self, Piece};

/// What becomes of lines that both sides changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    Refused,
    /// Ours come first, then theirs.
    Both,
}

/// The merged lines of a field and its value. `None` if changes overlap, if the lines do not read as this field, or if
/// an item occurs more often than in any version.
pub(super) fn by_lines((base, ours, theirs): Both<'_>, overlap: Overlap) -> Option<(String, Value)> {
    let before = base.map_or("", |base| base.lines);
    let mut text = String::with_capacity(ours.lines.len());
    for piece in lines::merge(before.as_bytes(), ours.lines.as_bytes(), theirs.lines.as_bytes()) {
        let both: &[&[u8]] = match piece {
            Piece::Clean(lines) => &[lines],
            Piece::Conflict { ours, theirs, .. } if overlap == Overlap::Both => &[ours, theirs],
            Piece::Conflict { .. } => return None,
        };
        for lines in both {
            text.push_str(std::str::from_utf8(lines).ok()?);
        }
    }
    let value = read(&text, &ours.key)?;
    let doubles = doubles_item(&value, [base, Some(ours), Some(theirs)]);
    (overlap == Overlap::Both || !doubles).then_some((text, value))
}

/// The value of a field that is alone in these lines; `None` if they are anything but a field with this key.
pub(super) fn read(lines: &str, key: &str) -> Option<Value> {
    const ABOVE: &str = "above:\n";
    let above = if lines.starts_with(' ') { ABOVE } else { "" };
    let end = if lines.ends_with('\n') { "" } else { "\n" };
    let document = Document::parse(format!("---\n{above}{lines}{end}---\n"));
    let Frontmatter::Fields([field]) = document.frontmatter() else { return None };
    let field = match &field.1 {
        Value::Map(inner) if !above.is_empty() => <&[_; 1]>::try_from(inner.as_slice()).ok()?.first()?,
        _ if above.is_empty() => field,
        _ => return None,
    };
    (field.0.as_str() == Some(key)).then(|| field.1.clone())
}

/// Whether a list has an item more often than each of the versions has it.
fn doubles_item(value: &Value, versions: [Option<&Chunk<'_>>; 3]) -> bool {
    let Value::List(items) = value else { return false };
    let mut counts: HashMap<&Value, [usize; 4]> = HashMap::with_capacity(items.len());
    items.iter().for_each(|item| counts.entry(item).or_default()[3] += 1);
    for (at, version) in versions.into_iter().enumerate() {
        let Some(Value::List(items)) = version.map(|version| version.value.to_value()) else { continue };
        for item in &items {
            if let Some(count) = counts.get_mut(item) {
                count[at] += 1;
            }
        }
    }
    counts.values().any(|[base, ours, theirs, merged]| merged > base.max(ours).max(theirs))
}
