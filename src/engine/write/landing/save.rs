//! Save a draft: lock, compare, write, commit. The draft is made without any lock.
//!
//! A draft names the bytes that it expects of each file. What another program changed meanwhile is never overwritten: it
//! is an outcome.

use super::{CommitMode, Landing, LandingResult, MessageWriter, Note, Uncommitted, commit_mode, land};
use crate::journal::{Discarded, OperationKind, SourceCommit};
use crate::open::context::Parts;
use crate::outcome::json;
use crate::write::operation::files_only::{self, Rewrite};
use crate::write::operation::{self, Derived, Interference, Locking, WriteOutcome, Writing};
use crate::{FailureKind, OrStop, Stop};
use brv_git as git;
use brv_git::{CommitId, Scope};
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// How often a draft is made again.
const TRIES: u32 = 4;

/// What is to be written, and why.
pub struct Draft<'a> {
    pub items: Vec<Item>,
    /// What the commit says about each path.
    pub notes: Vec<Note>,
    /// Values that a merge discarded.
    pub discarded: Vec<Discarded>,
    /// Subject and body of the commit; the subject is the reason in the operation log, too.
    pub words: &'a MessageWriter<'a>,
    /// The commit of the code that the knowledge comes from.
    pub source_commit: Option<SourceCommit>,
}

/// Files that are written together or not at all. No file is in two items.
#[derive(Debug, Clone, Default)]
pub struct Item {
    /// The new bytes, each with those that it expects.
    pub files: Vec<Rewrite>,
    /// The files that must be as `HEAD` and the index have them, since the item relies on it: an archived entry is in
    /// a commit.
    pub relies: Vec<BString>,
}

impl<'a> Draft<'a> {
    /// A draft of these items, with the words of its commit.
    pub const fn new(items: Vec<Item>, words: &'a MessageWriter<'a>) -> Self {
        Self { items, notes: Vec::new(), discarded: Vec::new(), words, source_commit: None }
    }
}

impl Item {
    /// A file that relies on nothing else.
    pub fn of(file: Rewrite) -> Self {
        Self { files: vec![file], relies: Vec::new() }
    }
}

/// What was written.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Saved {
    /// The commit; `null` if none was made.
    pub commit: Option<CommitId>,
    /// Files that were written and are not in the commit.
    #[serde(serialize_with = "paths")]
    #[schemars(with = "Vec<String>")]
    pub uncommitted: Vec<Uncommitted>,
    /// Files that another program changed since the draft was made: nothing of their items was written.
    #[serde(serialize_with = "json::texts", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub differed: Vec<BString>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: WriteOutcome,
}

impl Saved {
    /// Fail if another program was in the way: for a draft of one item, which then was not written at all.
    ///
    /// # Errors
    /// A file differed.
    pub fn complete(self) -> Result<Self, Stop> {
        if self.differed.is_empty() {
            return Ok(self);
        }
        Err(Stop::new(FailureKind::Changed, git::held::changed(&self.differed)).hint("try again"))
    }
}

fn paths<S: Serializer>(files: &[Uncommitted], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(files.iter().map(|file| file.path.to_str_lossy()))
}

/// Write a draft as one operation and, unless it is not wanted here, one commit of exactly its files.
///
/// # Errors
/// [`Stop`]; then nothing was written, or it says that the next command completes it.
pub fn save(parts: Parts<'_>, kind: OperationKind, draft: &Draft<'_>) -> Result<Saved, Stop> {
    let mut differed: Vec<BString> = Vec::new();
    loop {
        let fits = |item: &&Item| !item.files.iter().any(|file| differed.contains(&file.path));
        let kept: Vec<&Item> = draft.items.iter().filter(fits).collect();
        let tried = operation::settle(Tried::kind, |locking| attempt(parts, (kind, draft), &kept, locking));
        match tried {
            Ok(saved) => {
                differed.sort();
                return Ok(Saved { differed, ..saved });
            }
            Err(Tried::Differ(paths)) => differed.extend(paths),
            Err(Tried::Stop(stop)) => return Err(stop),
        }
    }
}

/// Make a draft and save it. If another program changed one of its files meanwhile, make it again, a few times; `T` is
/// what else the last one found.
///
/// # Errors
/// The first [`Stop`].
pub fn settled<T>(
    parts: Parts<'_>,
    mut once: impl FnMut() -> Result<(Saved, T), Stop>,
) -> Result<(Saved, T), Stop> {
    // a draft is made from what is there, and half a command is not
    operation::recover(parts)?;
    commit_mode(&parts)?;
    for _ in 0..TRIES {
        let done = once()?;
        if done.0.differed.is_empty() || done.0.written.operation.is_some() {
            return Ok(done);
        }
    }
    once()
}

/// Why an attempt wrote nothing.
enum Tried {
    /// Other programs changed these files.
    Differ(Vec<BString>),
    Stop(Stop),
}

impl Tried {
    const fn kind(&self) -> FailureKind {
        match self {
            Self::Differ(_) => FailureKind::Conflict,
            Self::Stop(stop) => stop.kind,
        }
    }
}

impl<E: Into<Stop>> From<E> for Tried {
    fn from(error: E) -> Self {
        Self::Stop(error.into())
    }
}

fn attempt(
    parts: Parts<'_>,
    (kind, draft): (OperationKind, &Draft<'_>),
    items: &[&Item],
    locking: Locking,
) -> Result<Saved, Tried> {
    let mut writing = Writing::begin(parts)?.locking(locking);
    let mode: CommitMode = commit_mode(&writing.parts())?;
    let files: Vec<Rewrite> = items.iter().flat_map(|item| item.files.iter().cloned()).collect();
    let differing = differing(writing.scope(), &files)?;
    if !differing.is_empty() {
        return Err(Tried::Differ(differing));
    }
    let paths: BTreeSet<&BStr> = files.iter().map(|file| file.path.as_bstr()).collect();
    let reason = (draft.words)(&paths).0;
    let is_written = |note: &&Note| paths.contains(note.path.as_bstr());
    let notes = draft.notes.iter().filter(is_written).cloned().collect();
    let landing = Landing {
        kind,
        reason,
        notes,
        discarded: draft.discarded.clone(),
        words: draft.words,
        source_commit: draft.source_commit,
        source_author: None,
        source_subject: None,
        code_head: None,
        model: None,
        rules: None,
        dream: None,
        job: None,
        relies: items.iter().flat_map(|item| item.relies.iter().cloned()).collect(),
        files: files.clone(),
    };
    // read last, so that as little time as possible is left in which git may write it
    let index = writing.index()?;
    match land(&mut writing, index, mode, landing) {
        Ok(LandingResult { commit, uncommitted, derived, .. }) => {
            let mut written = writing.finish(derived.unwrap_or(Derived::Leave));
            written.recovered = written.recovered.or_else(|| parts.preceding.get().cloned());
            Ok(Saved { commit, uncommitted, differed: Vec::new(), written })
        }
        Err(OrStop::This(Interference::Saved { paths, .. })) => Err(Tried::Differ(paths)),
        Err(error) => Err(error.into()),
    }
}

/// The files that are not as the draft expects.
fn differing(scope: &Scope, files: &[Rewrite]) -> Result<Vec<BString>, Stop> {
    let converter = git::Converter::of(scope);
    let mut differing = Vec::new();
    for file in files {
        if !files_only::is_as_read(scope, &converter, file)? {
            differing.push(file.path.clone());
        }
    }
    Ok(differing)
}
