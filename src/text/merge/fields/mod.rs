//! Merge everything before the body: byte order mark, fences, frontmatter.
//!
//! Frontmatter never gets conflict markers: a field in conflict is left as ours has it. The result is parsed again:
//! unless it has exactly the expected fields with the expected values, all of the frontmatter is one conflict. Knows
//! nothing of the body. Line endings are kept: the caller unifies them first if needed.

mod alone;
mod braces;
mod chunks;
mod commented;
mod decide;
mod foreign;
mod items;
mod keys;
#[cfg(test)]
mod laws;
mod mapping;
mod pieces;
mod plain;
mod sequence;
mod sets;
#[cfg(test)]
mod tests;
pub(super) mod times;

pub use decide::{decide_field, has_field};

use bstr::ByteSlice;

use super::{Conflict, MergePlace, Reason, Record, Rules, Settled, Side, Texts, Undecided};
use crate::doc::{Document, Frontmatter, Opaque};
use chunks::{Chunk, Fields, Front};
use keys::Merger;
use pieces::FieldPiece;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The head of a merged document: all bytes before its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The bytes. If any side has a body, they end with a line ending.
    pub bytes: Vec<u8>,
    pub records: Vec<Record>,
    /// Conflicts, without spans.
    pub conflicts: Vec<Conflict>,
}

/// The three documents. Without a base, both sides added the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<'a> {
    pub base: Option<&'a Document>,
    pub ours: &'a Document,
    pub theirs: &'a Document,
}

/// Merge everything before the body. `disputed`: the subjects that the field of this name must list; `None` to merge it
/// as a set.
pub(super) fn merge(sides: &Sides<'_>, rules: &Rules<'_>, disputed: Option<&[String]>) -> Head {
    let mut head = fronts(sides, rules, disputed);
    let marked = |document: &Document| document.as_bytes().starts_with(BOM);
    let (ours, theirs) = (marked(sides.ours), marked(sides.theirs));
    let before = sides.base.is_some_and(marked);
    let mark = if ours == before { theirs } else { ours };
    let body = [sides.ours, sides.theirs].iter().any(|side| !side.body_bytes().is_empty());
    if body && !head.bytes.is_empty() && !head.bytes.ends_with(b"\n") {
        head.bytes.extend_from_slice(if head.bytes.contains_str("\r\n") { b"\r\n" } else { b"\n" });
    }
    if mark {
        head.bytes.splice(..0, BOM.iter().copied());
    }
    head
}

fn fronts(sides: &Sides<'_>, rules: &Rules<'_>, disputed: Option<&[String]>) -> Head {
    let base = sides.base.map_or(&b""[..], chunks::front);
    let (ours, theirs) = (chunks::front(sides.ours), chunks::front(sides.theirs));
    if ours == theirs {
        // new items in `disputed` use the line ending of the lesser side, whichever that is
        let lesser = if sides.ours.as_bytes() < sides.theirs.as_bytes() { sides.ours } else { sides.theirs };
        return one_sided(lesser, disputed);
    }
    if base == theirs {
        return one_sided(sides.ours, disputed);
    }
    if base == ours {
        return one_sided(sides.theirs, disputed);
    }
    let fronts = (chunks::read(sides.ours), chunks::read(sides.theirs));
    match fronts {
        (Front::Fields(ours), Front::Fields(theirs)) => by_key(sides, rules, disputed, &ours, &theirs),
        (Front::Absent, Front::Fields(theirs)) if has_fields(sides.base) => {
            by_key(sides, rules, disputed, &Fields::default(), &theirs)
        }
        (Front::Fields(ours), Front::Absent) if has_fields(sides.base) => {
            by_key(sides, rules, disputed, &ours, &Fields::default())
        }
        (Front::Absent, Front::Fields(_)) => change_kept(sides, Side::Theirs, disputed),
        (Front::Fields(_), Front::Absent) => change_kept(sides, Side::Ours, disputed),
        (Front::Unreadable(_), Front::Unreadable(_)) => {
            // unclosed frontmatter would swallow the body
            let is_open = |document: &Document| {
                matches!(document.frontmatter(), Frontmatter::Opaque { why: Opaque::Unclosed, .. })
            };
            let stands =
                if is_open(sides.ours) && !is_open(sides.theirs) { Side::Theirs } else { Side::Ours };
            unreadable(sides, stands, Reason::BothFrontmatters, disputed)
        }
        (Front::Unreadable(_), _) => unreadable(sides, Side::Theirs, Reason::OurFrontmatter, disputed),
        (_, Front::Unreadable(_)) => unreadable(sides, Side::Ours, Reason::TheirFrontmatter, disputed),
        // two absent fronts are equal
        (Front::Absent, Front::Absent) => one_sided(sides.ours, disputed),
    }
}

fn has_fields(base: Option<&Document>) -> bool {
    base.is_some_and(|base| matches!(chunks::read(base), Front::Fields(_)))
}

/// One side's front unchanged, except for `disputed`.
fn one_sided(document: &Document, disputed: Option<&[String]>) -> Head {
    let front = chunks::front(document);
    let settled = disputed.and_then(|subjects| with_disputed(document, subjects));
    Head { bytes: settled.unwrap_or_else(|| front.to_vec()), records: Vec::new(), conflicts: Vec::new() }
}

/// The front of a document with the wanted field `disputed`; `None` if nothing needs to change, or it cannot be
/// changed.
fn with_disputed(document: &Document, subjects: &[String]) -> Option<Vec<u8>> {
    let front = chunks::front(document);
    if subjects.is_empty() && !front.contains_str("disputed") {
        return None;
    }
    match chunks::read(document) {
        Front::Absent => {
            let newline = document.attributes().line_ending.as_str();
            let wanted: Vec<&str> = subjects.iter().map(String::as_str).collect();
            let line = sets::write_new("disputed", &wanted, newline).filter(|_| !subjects.is_empty())?;
            Some(format!("---{newline}{line}---{newline}").into_bytes())
        }
        Front::Fields(fields) => {
            let chunks = &fields.chunks[..];
            let mut merger = Merger::new([chunks; 3], &Rules::default());
            let pieces = merger.level("", [chunks; 3], Some(subjects));
            let text = rendered(fields.open, &pieces, fields.tail, fields.close);
            reads_as_expected(&text, &pieces).then(|| text.into_bytes())
        }
        Front::Unreadable(_) => None,
    }
}

/// A front that one side changed and the other removed: it is kept.
fn change_kept(sides: &Sides<'_>, side: Side, disputed: Option<&[String]>) -> Head {
    let mut head = one_sided(document(sides, side), disputed);
    head.records.push(Record {
        place: MergePlace::Whole,
        settled: Settled::ChangeKept(side),
        texts: texts(sides),
    });
    head
}

/// The front of the side that is taken, if one or both cannot be read.
fn unreadable(sides: &Sides<'_>, stands: Side, reason: Reason, disputed: Option<&[String]>) -> Head {
    let mut head = one_sided(document(sides, stands), disputed);
    head.conflicts.push(Conflict { place: MergePlace::Whole, reason, texts: texts(sides), span: None });
    head
}

fn by_key(
    sides: &Sides<'_>,
    rules: &Rules<'_>,
    disputed: Option<&[String]>,
    ours: &Fields<'_>,
    theirs: &Fields<'_>,
) -> Head {
    let base = sides.base.map_or(Front::Absent, chunks::read);
    let (open, before, tail, close) = match &base {
        Front::Fields(base) => (base.open, &base.chunks[..], base.tail, base.close),
        Front::Unreadable(chunks) => ("", &chunks[..], "", ""),
        Front::Absent => ("", &[][..], "", ""),
    };
    let three = [before, &ours.chunks, &theirs.chunks];
    let mut merger = Merger::new(three, rules);
    let mut pieces = merger.level("", three, disputed);
    if pieces.is_empty() && (ours.open.is_empty() || theirs.open.is_empty()) {
        let Merger { records, conflicts, .. } = merger;
        return Head { bytes: Vec::new(), records, conflicts };
    }
    let open = fence(open, ours.open, theirs.open);
    let close = fence(close, ours.close, theirs.close);
    let tail = pieces::once(three, [tail, ours.tail, theirs.tail], &mut pieces);
    let text = rendered(open, &pieces, &tail, close);
    if reads_as_expected(&text, &pieces) {
        let Merger { records, conflicts, .. } = merger;
        return Head { bytes: text.into_bytes(), records, conflicts };
    }
    if rules.undecided == Undecided::Mark {
        let (place, reason, texts) = (MergePlace::Whole, Reason::Field, texts(sides));
        let conflicts = vec![Conflict { place, reason, texts, span: None }];
        return Head { conflicts, ..one_sided(sides.ours, disputed) };
    }
    let front = |document: &Document| chunks::front(document).to_str_lossy().into_owned();
    let side = merger.winner(&front(sides.ours), &front(sides.theirs));
    let records = differences(three, side);
    Head { records, ..one_sided(document(sides, side), disputed) }
}

fn rendered(open: &str, pieces: &[FieldPiece<'_>], tail: &str, close: &str) -> String {
    let length: usize = pieces.iter().map(|piece| piece.lead.len() + piece.lines.len()).sum();
    let mut text = String::with_capacity(open.len() + length + tail.len() + close.len());
    text.push_str(open);
    pieces::write(pieces, tail, &mut text);
    text.push_str(close);
    text
}

/// True if the text, parsed again, has exactly these fields.
fn reads_as_expected(text: &str, pieces: &[FieldPiece<'_>]) -> bool {
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let document = Document::parse(format!("{text}{newline}x\n"));
    let Front::Fields(found) = chunks::read(&document) else { return false };
    document.body_start() == text.len() + newline.len()
        && found.chunks.len() == pieces.len()
        && found
            .chunks
            .iter()
            .zip(pieces)
            .all(|(chunk, piece)| chunk.key == piece.key && piece.reads_as(&chunk.value))
}

/// A fence line, merged as one value. A line ending wins over a missing one, which does not change what the fence
/// means.
fn fence<'a>(base: &str, ours: &'a str, theirs: &'a str) -> &'a str {
    match (ours.ends_with('\n'), theirs.ends_with('\n')) {
        (true, false) => ours,
        (false, true) => theirs,
        _ if base == ours => theirs,
        _ if base == theirs => ours,
        _ => ours.max(theirs),
    }
}

/// A record for each field that the side not taken has changed.
fn differences([base, ours, theirs]: pieces::Three<'_>, stands: Side) -> Vec<Record> {
    let lines = |side: &[Chunk<'_>], key: &str| {
        side.iter().find(|chunk| chunk.key == key).map(|chunk| format!("{}{}", chunk.lead, chunk.lines))
    };
    let new = theirs.iter().filter(|chunk| !ours.iter().any(|known| known.key == chunk.key));
    let mut records = Vec::new();
    for chunk in ours.iter().chain(new) {
        let key = &chunk.key;
        let texts = Texts { base: lines(base, key), ours: lines(ours, key), theirs: lines(theirs, key) };
        let (kept, lost) = (texts.of(stands), texts.of(stands.other()));
        if kept != lost && lost != texts.base.as_deref() {
            let (place, settled) =
                (MergePlace::Field { field: key.clone().into_owned() }, Settled::Chosen(stands));
            records.push(Record { place, settled, texts });
        }
    }
    records
}

fn document<'a>(sides: &Sides<'a>, side: Side) -> &'a Document {
    match side {
        Side::Ours => sides.ours,
        Side::Theirs => sides.theirs,
    }
}

fn texts(sides: &Sides<'_>) -> Texts {
    let text = |document: &Document| Some(chunks::front(document).to_str_lossy().into_owned());
    Texts { base: sides.base.and_then(text), ours: text(sides.ours), theirs: text(sides.theirs) }
}
