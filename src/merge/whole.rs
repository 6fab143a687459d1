//! The cascade: from the cheapest way to merge a file to the last.

use super::lines::{self, Piece};
use super::{
    Conflict, Method, Names, Outcome, Place, Reason, Record, Rules, Settled, Side, Texts, Undecided, Versions,
};

/// Merge three versions of one file.
#[must_use]
pub fn merge(versions: &Versions<'_>, rules: &Rules<'_>) -> Outcome {
    let Versions { base, ours, theirs } = *versions;
    let settled = |bytes: &[u8], method| Outcome {
        bytes: bytes.to_vec(),
        method,
        records: Vec::new(),
        conflicts: Vec::new(),
    };
    if ours == theirs {
        return settled(ours, Method::Equal);
    }
    if base == Some(ours) {
        return settled(theirs, Method::OneSided(Side::Theirs));
    }
    if base == Some(theirs) {
        return settled(ours, Method::OneSided(Side::Ours));
    }
    by_lines(base.unwrap_or_default(), ours, theirs, rules)
}

fn by_lines(base: &[u8], ours: &[u8], theirs: &[u8], rules: &Rules<'_>) -> Outcome {
    let mut outcome =
        Outcome { bytes: Vec::new(), method: Method::Markers, records: Vec::new(), conflicts: Vec::new() };
    for piece in lines::merge(base, ours, theirs) {
        match piece {
            Piece::Clean(lines) => outcome.bytes.extend_from_slice(lines),
            Piece::Conflict { base, ours, theirs } => decide(&mut outcome, [base, ours, theirs], rules),
        }
    }
    outcome
}

fn decide(outcome: &mut Outcome, [base, ours, theirs]: [&[u8]; 3], rules: &Rules<'_>) {
    let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
    let texts = Texts { base: text(base), ours: text(ours), theirs: text(theirs) };
    let start = outcome.bytes.len();
    let settled = match rules.undecided {
        Undecided::Mark => {
            mark(&mut outcome.bytes, [base, ours, theirs], rules.names);
            let span = Some(start..outcome.bytes.len());
            let (place, reason) = (Place::Whole, Reason::Lines);
            return outcome.conflicts.push(Conflict { place, reason, texts, span });
        }
        Undecided::Ours => {
            outcome.bytes.extend_from_slice(ours);
            Settled::Chosen(Side::Ours)
        }
        Undecided::Theirs => {
            outcome.bytes.extend_from_slice(theirs);
            Settled::Chosen(Side::Theirs)
        }
        Undecided::Both => {
            outcome.bytes.extend_from_slice(ours);
            outcome.bytes.extend_from_slice(theirs);
            Settled::BothKept
        }
        Undecided::Base => {
            outcome.bytes.extend_from_slice(base);
            Settled::BaseTaken
        }
    };
    outcome.records.push(Record { place: Place::Whole, settled, texts });
}

/// Conflict markers with the base, as git's `diff3` style has them. A part that does not end its last line gets a line
/// feed.
fn mark(into: &mut Vec<u8>, [base, ours, theirs]: [&[u8]; 3], names: Names<'_>) {
    let mut part = |marker: &str, name: &str, lines: &[u8]| {
        into.extend_from_slice(marker.as_bytes());
        if !name.is_empty() {
            into.push(b' ');
            into.extend_from_slice(name.as_bytes());
        }
        into.push(b'\n');
        into.extend_from_slice(lines);
        if !lines.is_empty() && !lines.ends_with(b"\n") {
            into.push(b'\n');
        }
    };
    part("<<<<<<<", names.ours, ours);
    part("|||||||", names.base, base);
    part("=======", "", theirs);
    part(">>>>>>>", names.theirs, b"");
}
