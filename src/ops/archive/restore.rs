//! `brv archive restore`: archived entries return to the tree, byte for byte, and their records go.

use crate::content::ContentId;
use crate::doc;
use crate::fs;
use crate::git::{CommitId, Converter, Index, Scope, trees};
use crate::journal::{Kind, Staged};
use crate::ops::cause::{Cause, caused};
use crate::ops::context::Context;
use crate::ops::steps::archived::{self, Inventory, Item, Sought, State};
use crate::ops::steps::landing::{self, Landed, Landing, Note, Uncommitted};
use crate::ops::steps::writing::files_only::Rewrite;
use crate::ops::steps::writing::{self, Derived, Locking, Writing, Written};
use crate::ops::{Fails, FailureKind};
use crate::path::TreePath;
use bstr::{BStr, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// What to restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Archived entries as typed.
    pub names: Vec<String>,
}

/// What was restored.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The restored entries.
    pub restored: Vec<TreePath>,
    /// What could not be restored: paths of the tree, or names as typed.
    pub missing: Vec<(String, Missing)>,
    /// The commit, if one was made.
    pub commit: Option<CommitId>,
    /// The files that were written and are not in the commit.
    pub uncommitted: Vec<Uncommitted>,
    /// What else was written: operation and derived files.
    pub written: Written,
}

/// Why an entry could not be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing of this name is archived.
    NotArchived,
    /// Its record cannot be read.
    Malformed,
    /// Its content is not in this clone.
    Elsewhere,
    /// The other tool left only a stub.
    OnlyAStub,
}

/// Why nothing was restored.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error("`{}` is taken: a file or folder is there", .0.join("`, `"))]
    Taken(Vec<String>),
    #[error(transparent)]
    Landing(#[from] landing::Error),
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Taken(_) => FailureKind::Refused,
            Self::Landing(error) => error.kind(),
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Restore archived entries.
///
/// # Errors
/// [`Error`]; then nothing was written. An entry that cannot be restored is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    writing::settle(Error::kind, |locking| once(cx, options, locking))
}

fn once(cx: &Context<'_>, options: &Options, locking: Locking) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let mut writing = Writing::begin(cx.parts(&opened))?.locking(locking);
    let manner = landing::manner(&writing.parts())?;
    let index = writing.index()?;
    let scope = writing.scope();
    let inventory = archived::inventory(&opened)?;
    let sought: Vec<(&String, Sought)> =
        options.names.iter().map(|name| (name, Sought::of(scope, &cx.cwd, name))).collect();
    let mut outcome = Outcome::default();
    let found = find(scope, &inventory, &sought, &mut outcome)?;
    let files = files(scope, &index, &found)?;
    outcome.restored = found.keys().cloned().collect();
    let restored = &outcome.restored;
    let words = |paths: &BTreeSet<&BStr>| words(restored, paths);
    let all: BTreeSet<&BStr> = files.iter().map(|file| file.path.as_bstr()).collect();
    let note = |path: &TreePath| Note {
        path: path.as_str().into(),
        reason: "restored from the archive".into(),
        review: None,
    };
    let landing = Landing {
        kind: Kind::Unarchive,
        reason: words(&all).0,
        files,
        notes: restored.iter().map(note).collect(),
        discarded: Vec::new(),
        words: &words,
        source_commit: None,
    };
    let Landed { commit, uncommitted, derived, .. } = landing::land(&mut writing, index, manner, landing)?;
    (outcome.commit, outcome.uncommitted) = (commit, uncommitted);
    outcome.written = writing.finish(derived.unwrap_or(Derived::Leave));
    Ok(outcome)
}

/// The archived entries that are meant, with their bytes; the others go to `outcome`.
fn find<'i>(
    scope: &Scope,
    inventory: &'i Inventory,
    sought: &[(&String, Sought)],
    outcome: &mut Outcome,
) -> Result<BTreeMap<TreePath, (&'i Item, Vec<u8>)>, Error> {
    let (mut found, mut taken) = (BTreeMap::new(), Vec::new());
    for (name, sought) in sought {
        let Some(item) = inventory.find(sought) else {
            if inventory.is_malformed(sought) {
                outcome.missing.push(((*name).clone(), Missing::Malformed));
            } else if sought.is_there(scope)? {
                taken.push((*name).clone());
            } else {
                outcome.missing.push(((*name).clone(), Missing::NotArchived));
            }
            continue;
        };
        if is_taken(scope, &item.path)? {
            taken.push(item.path.to_string());
            continue;
        }
        match item.content(scope)? {
            Some(bytes) => {
                found.insert(item.path.clone(), (item, bytes));
            }
            None => {
                let only_a_stub = item.state == State::Foreign && item.found.full.is_none();
                let why = if only_a_stub { Missing::OnlyAStub } else { Missing::Elsewhere };
                outcome.missing.push((item.path.to_string(), why));
            }
        }
    }
    if taken.is_empty() { Ok(found) } else { Err(Error::Taken(taken)) }
}

/// Whether something is at the path, or in place of a folder above it.
fn is_taken(scope: &Scope, path: &TreePath) -> Result<bool, Cause> {
    let root = scope.root();
    let file = path.on_disk(&root);
    Ok(fs::stat(&file)?.is_some() || !fs::is_reached_by_folders(&root, &file)?)
}

/// Whether the commit or the index still has a file at the path: it was removed and that is not committed, so the
/// entry will not be either.
fn is_known(scope: &Scope, index: &Index, path: &TreePath) -> Result<bool, Cause> {
    let name = path.as_bytes().as_bstr();
    let committed = match scope.head()?.commit() {
        Some(head) => trees::find(scope, scope.tree_of(head)?, name)?.is_some(),
        None => false,
    };
    Ok(committed || Staged::of(index, scope.full(name).as_bstr()) != Staged::Nothing)
}

/// The entries come, and their records go. A record goes in the commit in which its entry comes, or it stays: another
/// clone would have neither.
fn files(
    scope: &Scope,
    index: &Index,
    found: &BTreeMap<TreePath, (&Item, Vec<u8>)>,
) -> Result<Vec<Rewrite>, Cause> {
    let (root, converter) = (scope.root(), Converter::of(scope));
    let mut files = Vec::new();
    let mut records: BTreeMap<TreePath, Vec<(&str, ContentId)>> = BTreeMap::new();
    for (path, (item, bytes)) in found {
        files.push(Rewrite::new(path, None, Some(bytes.clone())));
        if let Some(record) = &item.record
            && !is_known(scope, index, path)?
        {
            let of_folder = records.entry(archived::overview_of(path)).or_default();
            of_folder.push((record.name.as_str(), record.blob));
        }
    }
    for (overview, keys) in records {
        let Some(bytes) = fs::read_below(&root, &overview.on_disk(&root))? else { continue };
        let before = converter.to_git(overview.as_bytes().as_bstr(), bytes.into())?.into_owned();
        // an entry that is there voids its record, so a record that cannot be removed does no harm
        if let Ok(after) = doc::remove_archive_records(&before, &keys) {
            files.push(Rewrite::new(&overview, Some(before), after));
        }
    }
    Ok(files)
}

/// Subject and body of the commit that has these paths.
fn words(restored: &[TreePath], paths: &BTreeSet<&BStr>) -> (String, Vec<String>) {
    let is_in = |path: &&TreePath| paths.contains(path.as_bytes().as_bstr());
    let done: Vec<&TreePath> = restored.iter().filter(is_in).collect();
    let subject = match &done[..] {
        [path] => format!("restore {path} from the archive"),
        several => format!("restore {} entries from the archive", several.len()),
    };
    (subject, done.iter().map(|path| format!("- {path}")).collect())
}
