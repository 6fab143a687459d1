//! Put a choice in place of a field in conflict.
//!
//! The file has our version of the field, without markers. Whatever else is in it stays, byte for byte.

use super::chunks::{self, Chunk, Front};
use super::keys::Merger;
use super::mapping;
use crate::doc::Document;
use crate::merge::{Choice, Rules, Unfit, Versions};

/// Whether the text still has our version of a field, as a merge leaves it in conflict. `field` is its name, `a.b` for
/// a nested one.
pub fn has_field(text: &[u8], ours: &[u8], field: &str) -> bool {
    let (document, ours) = (Document::parse(text), Document::parse(ours));
    let lines = |document| find(document, field).map(|chunk| chunk.lines.replace("\r\n", "\n"));
    lines(&document).is_some_and(|found| lines(&ours) == Some(found))
}

/// The text with a choice in place of our version of a field.
///
/// # Errors
/// [`Unfit`] if the chosen version is missing, or would not be a field.
pub fn decide_field(
    text: &[u8],
    versions: &Versions<'_>,
    field: &str,
    choice: Choice,
) -> Result<Vec<u8>, Unfit> {
    let document = Document::parse(text);
    let here = find(&document, field).ok_or(Unfit::NothingToMerge)?;
    let ending = document.attributes().line_ending.as_str();
    let with_ending =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\n', ending);
    let sides = [versions.base.unwrap_or_default(), versions.ours, versions.theirs];
    let sides = sides.map(|bytes| Document::parse(with_ending(bytes)));
    let [base, ours, theirs] = sides.each_ref().map(|side| find(side, field));
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return Err(Unfit::NothingToMerge) };
    let wanted = match choice {
        Choice::Ours => ours.lines.to_owned(),
        Choice::Theirs => theirs.lines.to_owned(),
        Choice::Base => match base {
            Some(base) => base.lines.to_owned(),
            None if versions.base.is_some() && here.lines.ends_with('\n') => String::new(),
            None => return Err(Unfit::NoBase),
        },
        Choice::Both => {
            let mut merger = Merger::new([&[]; 3], &Rules::default());
            let both = merger.both_kept("", (base.as_ref(), &ours, &theirs));
            both.map(|piece| piece.lines.into_owned()).ok_or(Unfit::OnlyOne)?
        }
    };
    let text = document.as_bytes();
    let start = here.lines.as_ptr().addr() - text.as_ptr().addr();
    let decided = [&text[..start], wanted.as_bytes(), &text[start + here.lines.len()..]].concat();
    let read = Document::parse(decided.as_slice());
    let fits = match find(&read, field) {
        Some(found) => found.lines == wanted,
        None => wanted.is_empty() && matches!(chunks::read(&read), Front::Fields(_)),
    };
    if fits { Ok(decided) } else { Err(Unfit::OnlyOne) }
}

fn find<'a>(document: &'a Document, field: &str) -> Option<Chunk<'a>> {
    let Front::Fields(fields) = chunks::read(document) else { return None };
    below(fields.chunks, field)
}

fn below<'a>(chunks: Vec<Chunk<'a>>, field: &str) -> Option<Chunk<'a>> {
    chunks.into_iter().find_map(|chunk| match field.strip_prefix(&*chunk.key)? {
        "" => Some(chunk),
        rest => below(mapping::fields(&chunk)?, rest.strip_prefix('.')?),
    })
}
