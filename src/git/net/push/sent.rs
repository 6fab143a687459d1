//! Notes about pushed commits that no tracking ref shows: `refs/brv/sent/<address>/heads/topic/<commit>`.
//!
//! By these an undo knows what a remote has. A note is durable before anything is sent, and is removed when the server
//! rejects the push. So at no time does a remote have a commit without a note, even if the command is killed; a noted
//! commit that never arrived, or whose result is unknown, counts as sent, which costs an undo no more than a commit. A
//! tracked ref needs no note: its tracking ref moves when the answer is there.

use super::settings::PushAddress;
use super::{Error, RefOutcome};
use crate::error::{During, Error as GitError};
use crate::history::ancestry::{self, KnownHistory, is_ancestor};
use crate::history::shallow::Boundary;
use crate::id::CommitId;
use crate::net::fetch::Tracked;
use crate::net::network;
use crate::refs::{self, listing, rescue};
use crate::repository::scope::Scope;
use brv_base::content::ContentId;
use bstr::{BStr, BString, ByteSlice as _};
use gix::refs::FullName;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::{ObjectId, Repository};
use std::collections::HashSet;

const SENT: &str = "refs/brv/sent/";
const REMEMBERED: &str = "refs/remotes/";
/// Digits of the hash in the name, for addresses and commits.
const DIGITS: usize = 12;

/// The commits that remotes have, or may have, with all that they reach.
pub fn published(scope: &Scope) -> Result<Vec<CommitId>, GitError> {
    let (mut found, sent) = (refs::commits(scope, REMEMBERED)?, refs::commits(scope, SENT)?);
    found.extend(sent);
    Ok(found.into_iter().map(|(_, commit)| commit).collect())
}

pub(super) struct SentNotes<'a> {
    repo: &'a Repository,
    tracked: &'a Tracked,
    /// `refs/brv/sent/<address>/`
    folder: String,
}

impl<'a> SentNotes<'a> {
    pub fn of(repo: &'a Repository, tracked: &'a Tracked, address: &PushAddress) -> Self {
        // an address may be longer than a name can be
        let hex = ContentId::of(address.shown().as_bytes()).hex();
        let key = hex[..DIGITS].as_bstr();
        Self { repo, tracked, folder: format!("{SENT}{key}/") }
    }

    /// Whether a local ref tracks `destination` (full remote name), so that it needs no note.
    pub fn is_tracked(&self, destination: &BStr) -> Result<bool, GitError> {
        Ok(self.tracked.name(destination)?.is_some_and(|name| name.starts_with(REMEMBERED.as_bytes())))
    }

    /// Notes what is about to be sent. Returns the new notes.
    pub fn write(&self, refs: &[&RefOutcome]) -> Result<Vec<BString>, GitError> {
        let mut edits = Vec::new();
        for (reference, commit) in refs.iter().zip(self.wanted(refs, &[])?) {
            if let Some(commit) = commit {
                edits.extend(self.noting(reference.destination.as_bstr(), commit)?);
            }
        }
        let names = edits.iter().map(|edit: &RefEdit| edit.name.as_bstr().to_owned()).collect();
        refs::edit_many(self.repo, edits)?;
        Ok(names)
    }

    /// Removes the notes of refs that the remote is known to have rejected.
    pub fn withdraw(&self, names: impl IntoIterator<Item = BString>) -> Result<(), GitError> {
        let edits = names.into_iter().map(|name| delete(&name)).collect::<Result<_, _>>()?;
        refs::edit_many(self.repo, edits)
    }

    /// The edits of notes after the remote's refs were read: each ref has moved, is unchanged, or is gone.
    pub fn settle(&self, done: &[&RefOutcome]) -> Result<Vec<RefEdit>, GitError> {
        let mut told = Vec::new();
        for reference in done {
            if self.is_tracked(reference.destination.as_bstr())? {
                told.extend(reference.after.map(|id| id.0));
            }
        }
        let mut edits = Vec::new();
        for (reference, wanted) in done.iter().zip(self.wanted(done, &told)?) {
            let name = reference.destination.as_bstr();
            if let Some(wanted) = wanted {
                edits.extend(self.noting(name, wanted)?);
            }
            for (note, commit) in self.below(name)? {
                if Some(commit) != wanted && self.is_over(reference, commit)? {
                    edits.push(delete(&note)?);
                }
            }
        }
        Ok(edits)
    }

    /// Whether a note is obsolete, because the ref now shows the same or the note is no longer true. A note of a push
    /// that runs at the same time, or that was never answered, may be kept longer.
    fn is_over(&self, reference: &RefOutcome, commit: ObjectId) -> Result<bool, GitError> {
        if reference.after.is_none() {
            return Ok(true);
        }
        for id in [reference.after, reference.before].into_iter().flatten() {
            if let Some(tip) = rescue::commit_of(self.repo, id.0)
                && is_ancestor(self.repo, commit, tip)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The commit to note for each ref: for every untracked branch, and for a tag unless a tracking ref, or one of
    /// `told`, has it in its history, as thousands of tags of pushed branches are.
    fn wanted(&self, refs: &[&RefOutcome], told: &[ObjectId]) -> Result<Vec<Option<ObjectId>>, GitError> {
        let mut wanted = Vec::new();
        for reference in refs {
            let is_tracked = self.is_tracked(reference.destination.as_bstr())?;
            let commit = reference.after.and_then(|id| rescue::commit_of(self.repo, id.0));
            wanted.push(commit.filter(|_| !is_tracked));
        }
        let is_tag = |reference: &RefOutcome| reference.destination.starts_with(b"refs/tags/");
        let tags = refs.iter().zip(&wanted).filter(|(reference, _)| is_tag(reference));
        let tags: Vec<ObjectId> = tags.filter_map(|(_, commit)| *commit).collect();
        if tags.is_empty() {
            return Ok(wanted);
        }
        let known = below(self.repo, REMEMBERED.into())?.into_iter().map(|(_, id)| id);
        let known: Vec<ObjectId> = known.chain(told.iter().copied()).collect();
        let known = known.into_iter().filter_map(|id| rescue::commit_of(self.repo, id)).collect::<Vec<_>>();
        let ahead =
            ancestry::ahead(self.repo, &tags, KnownHistory { tips: &known, boundary: &Boundary::new() })?;
        let ahead: HashSet<ObjectId> = ahead.into_iter().map(|commit| commit.id).collect();
        for (reference, commit) in refs.iter().zip(&mut wanted) {
            *commit = commit.filter(|commit| !is_tag(reference) || ahead.contains(commit));
        }
        Ok(wanted)
    }

    pub fn name(&self, reference: &RefOutcome) -> Option<BString> {
        let commit = rescue::commit_of(self.repo, reference.after?.0)?;
        Some(self.name_of(reference.destination.as_bstr(), commit))
    }

    fn name_of(&self, destination: &BStr, commit: ObjectId) -> BString {
        let mut name = self.of_ref(destination);
        name.extend_from_slice(commit.to_hex_with_len(DIGITS).to_string().as_bytes());
        name
    }

    fn noting(&self, destination: &BStr, commit: ObjectId) -> Result<Option<RefEdit>, GitError> {
        let name = self.name_of(destination, commit);
        let is_there = self.repo.try_find_reference(name.as_bstr()).during("read what was sent")?.is_some();
        if is_there {
            return Ok(None);
        }
        Ok(Some(RefEdit::update(full(&name)?, commit, PreviousValue::Any, "")))
    }

    fn below(&self, destination: &BStr) -> Result<Vec<(BString, ObjectId)>, GitError> {
        let folder = self.of_ref(destination);
        let mut found = below(self.repo, folder.as_bstr())?;
        // notes of `topic/sub` do not belong to `topic`
        found.retain(|(name, _)| !name[folder.len()..].contains(&b'/'));
        Ok(found)
    }

    /// `refs/brv/sent/<address>/heads/topic/`
    fn of_ref(&self, destination: &BStr) -> BString {
        let inner = destination.strip_prefix(b"refs/").unwrap_or(destination);
        [self.folder.as_bytes(), inner, b"/"].concat().into()
    }
}

/// Whether the remote may have accepted the push, although the command failed.
pub(super) const fn may_have_arrived(error: &Error) -> bool {
    matches!(
        error,
        Error::Unanswered(_)
            | Error::Network(network::Error::Unreachable { .. } | network::Error::Interrupted)
    )
}

fn below(repo: &Repository, folder: &BStr) -> Result<Vec<(BString, ObjectId)>, GitError> {
    let mut found = Vec::new();
    for reference in listing::below(repo, folder, || format!("list {folder}"))? {
        found.extend(reference.try_id().map(|id| (reference.name().as_bstr().to_owned(), id.detach())));
    }
    Ok(found)
}

fn delete(name: &BString) -> Result<RefEdit, GitError> {
    Ok(RefEdit::delete(full(name)?, PreviousValue::Any))
}

fn full(name: &BString) -> Result<FullName, GitError> {
    FullName::try_from(name.as_bstr()).during(format!("use `{name}` as the name of a ref"))
}
