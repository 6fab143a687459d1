//! Text that instructs waits for a person, unless a person wrote it at a terminal: a guard against what an agent read
//! somewhere, not against an agent that lies about who it is.

use super::Landing;
use crate::Stop;
use crate::journal::{Note, OperationKind};
use crate::open::context::Parts;
use crate::review::trust::{self, EntryBytesSource, Trust};
use crate::write::operation::Writing;
use crate::write::operation::files_only::Rewrite;
use brv_git::network::Prompt;
use brv_text::doc::Document;
use brv_text::lint::Steering;
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeSet;

/// Mark the files that instruct anew, and remember their versions. Returns their paths.
///
/// # Errors
/// They cannot be remembered.
pub(super) fn mark(writing: &Writing<'_>, landing: &mut Landing<'_>) -> Result<BTreeSet<BString>, Stop> {
    let parts = writing.parts();
    if !may_instruct(&parts, landing) {
        return Ok(BTreeSet::new());
    }
    let found: Vec<usize> = found(&parts, &landing.files);
    let trust = Trust::of(parts.opened);
    let version = |at: &usize| {
        let Rewrite { path, before, after, .. } = &landing.files[*at];
        // as git has the bytes, whose lines may end otherwise on disk
        let id = |bytes: &Vec<u8>| trust.id(&path.to_str_lossy(), bytes, EntryBytesSource::Disk);
        Some((after.as_ref().map(id)?, before.as_ref().map(id)))
    };
    trust::note_unreviewed(parts.opened, &found.iter().filter_map(version).collect::<Vec<_>>())?;
    let paths: BTreeSet<BString> = found.into_iter().map(|at| landing.files[at].path.clone()).collect();
    paths.iter().for_each(|path| note(&mut landing.notes, path));
    Ok(paths)
}

/// Whether somebody else than a person at a terminal writes, and new text at all.
fn may_instruct(parts: &Parts<'_>, landing: &Landing<'_>) -> bool {
    let is_of_person = landing.kind == OperationKind::Curate
        && landing.source_commit.is_none()
        && landing.model.is_none()
        && parts.prompt == Prompt::Terminal
        && parts.actor.name.is_none()
        && parts.actor.session.is_none();
    matches!(landing.kind, OperationKind::Curate | OperationKind::Dream) && !is_of_person
}

/// The files that instruct in a line that neither they had before, nor a file that the operation removes, unless that one is
/// withheld itself.
fn found(parts: &Parts<'_>, files: &[Rewrite]) -> Vec<usize> {
    let trust = Trust::of(parts.opened);
    let parse = |bytes: &Option<Vec<u8>>| bytes.clone().map(Document::parse);
    let is_served = |one: &Rewrite| {
        let bytes = one.before.as_deref().unwrap_or_default();
        trust.judge(&one.path.to_str_lossy(), bytes, EntryBytesSource::Disk).is_none()
    };
    let instructs = |file: &Rewrite| {
        let after = parse(&file.after).filter(|after| Steering::instructs_anew(after, [].into_iter()))?;
        let counts = |one: &&Rewrite| one.path == file.path || one.after.is_none() && is_served(one);
        let before: Vec<Document> =
            files.iter().filter(counts).filter_map(|one| parse(&one.before)).collect();
        Steering::instructs_anew(&after, before.iter()).then_some(())
    };
    files.iter().enumerate().filter(|(_, file)| instructs(file).is_some()).map(|(at, _)| at).collect()
}

fn note(notes: &mut Vec<Note>, path: &BString) {
    match notes.iter_mut().find(|note| note.path.as_bstr() == path.as_bstr()) {
        Some(Note { review: Some(review), .. })
            if review.split(", ").any(|word| word == trust::INSTRUCTIONS) => {}
        Some(Note { review: Some(review), .. }) => {
            *review = [review.as_str(), trust::INSTRUCTIONS].join(", ")
        }
        Some(note) => note.review = Some(trust::INSTRUCTIONS.to_owned()),
        None => notes.push(Note {
            path: path.clone(),
            reason: String::new(),
            review: Some(trust::INSTRUCTIONS.to_owned()),
        }),
    }
}
