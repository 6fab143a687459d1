//! `brv vc commit`: make what is recorded a commit.

use crate::fs::{FileKind, Listing, WriteGuard};
use crate::git::identity::{self, Identity};
use crate::git::index::WriteTreeError;
use crate::git::merge_state;
use crate::git::pathspec::{Pathspec, Pathspecs};
use crate::git::signing;
use crate::git::status::StatusError;
use crate::git::trees::{self, Change, Renames};
use crate::git::{self, Cause, CommitId, Edit, Head, Scope, Signature, TreeId, Version};
use crate::journal::{
    self, Draft, IndexSides, Kind, OperationId, Recovered, RefMove, Side, Staged, Touches, Waiting,
};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError, Opened};
use crate::ops::steps::naming::{self, Outside};
use crate::ops::steps::staging::{self, Refused, Selection, Wanted};
use crate::ops::steps::survey::Survey;
use crate::ops::steps::tidying::{Tidying, tidying};
use crate::ops::steps::{provenance, recovery, refresh, survey, unstaged_merge};
use bstr::{BString, ByteSlice};
use std::collections::BTreeMap;
use std::time::Instant;

pub use crate::git::signing::{SigningError, Wish};

/// What to commit.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The paragraphs of the message; empty only where a merge or a squash has left one.
    pub message: Vec<String>,
    /// What it takes.
    pub include: Include,
    /// Whether a commit that changes nothing is made.
    pub empty: Empty,
    /// Who wrote it, if not the committer: name and address.
    pub author: Option<(String, String)>,
    /// Whether it is signed.
    pub signing: Wish,
    /// Which commit it may be.
    pub takes: Takes,
}

/// Which commit it may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Takes {
    /// Any.
    #[default]
    Anything,
    /// One that ends a merge (`merge --continue`).
    MergeOnly,
}

/// What the commit takes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Include {
    /// What is recorded.
    #[default]
    Staged,
    /// Also changes of recorded files that are not.
    AllChanges,
    /// These paths as they stand on disk, and nothing else that is recorded. As typed; see [`naming::pathspecs`].
    Only(Vec<String>),
}

/// Whether a commit that changes nothing is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Empty {
    /// No: that is an outcome of its own.
    #[default]
    Refuse,
    /// Yes.
    Allow,
}

/// What became of it.
#[derive(Debug)]
pub enum Outcome {
    /// A commit was made.
    Committed(Box<Committed>),
    /// There was nothing to commit.
    NothingToCommit {
        /// Whether something would be there with `-a` or after `add`.
        unrecorded: Unrecorded,
        /// Changed files that could not be recorded.
        refused: Vec<Refused>,
        /// A command that a crash had interrupted.
        recovered: Option<Recovered>,
    },
}

/// What is there but not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrecorded {
    /// Nothing: the tree is clean.
    Nothing,
    /// Changes or new files.
    Something,
}

/// A new commit.
#[derive(Debug)]
pub struct Committed {
    /// Its id.
    pub id: CommitId,
    /// The first line of its message.
    pub subject: String,
    /// The branch it is on, `None` when detached.
    pub branch: Option<String>,
    /// Whether it has no parent.
    pub is_root: bool,
    /// What it changes beside its first parent, with renames.
    pub changes: Vec<Change>,
    /// The operation in the journal.
    pub operation: OperationId,
    /// A command that a crash had interrupted.
    pub recovered: Option<Recovered>,
    /// Changed files that could not be recorded.
    pub refused: Vec<Refused>,
    /// The derived files that were made again; `None` after a commit of more than [`DERIVE_AT_MOST`] files, which is
    /// left to `brv derive` and to the next pull.
    pub derived: Option<Result<refresh::Outcome, refresh::Error>>,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

/// Committing stays fast: of bigger commits, an import say, the derived files are not made on the way.
pub const DERIVE_AT_MOST: usize = 500;

/// Why no commit was made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Locked, or not recovered.
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    /// There is no merge to end.
    #[error("no merge is waiting")]
    NotMerging,
    /// No message.
    #[error("the message is empty")]
    NoMessage,
    /// A path that is not in the tree.
    #[error(transparent)]
    Outside(#[from] Outside),
    /// A merge takes all that is recorded.
    #[error("a merge takes all that is recorded, not some of its paths")]
    PartOfMerge,
    /// Nobody to be the author.
    #[error(transparent)]
    Identity(#[from] identity::Error),
    /// Files in conflict (paths relative to the tree).
    #[error("files are still in conflict")]
    Unmerged(Vec<BString>),
    /// Another tool merged them on disk only (paths relative to the tree): the commit would have our versions.
    #[error("the merge commit would drop what the other side changed: it is on disk, and not staged")]
    Unstaged(Vec<BString>),
    /// Whether that is so.
    #[error(transparent)]
    Merged(#[from] unstaged_merge::Error),
    /// What the host's git is in the midst of takes all of its files.
    #[error(
        "the repository that the tree is a folder of is in the midst of something that takes all of its files"
    )]
    HostBusy,
    /// It was to be signed, and was not.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// Recording failed.
    #[error(transparent)]
    Stage(#[from] staging::Error),
    /// Disk or index.
    #[error(transparent)]
    Survey(#[from] StatusError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] crate::fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Lock(error) => error.kind(),
            Self::Stage(error) => error.kind(),
            Self::NoMessage | Self::NotMerging | Self::Outside(_) => FailureKind::Usage,
            Self::Unmerged(_) => FailureKind::Conflict,
            Self::HostBusy | Self::PartOfMerge | Self::Unstaged(_) => FailureKind::Refused,
            Self::Git(error) => FailureKind::of_git(error),
            Self::Journal(error) => FailureKind::of_journal(error),
            _ => FailureKind::Failed,
        }
    }
}

/// Commit what is recorded.
///
/// # Errors
/// [`Error`]; nothing to commit is an outcome.
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let end = Instant::now() + opened.config.lock_timeout.value;
    let mut recovered = None;
    loop {
        match attempt(cx, &opened, options, &mut recovered) {
            // git committed between our look at `HEAD` and its move: from where it is now
            Err(Error::Git(error)) if error.cause() == Cause::Moved && Instant::now() < end => {}
            done => return done,
        }
    }
}

fn attempt(
    cx: &Context<'_>,
    opened: &Opened,
    options: &Options,
    recovered: &mut Option<Recovered>,
) -> Result<Outcome, Error> {
    let scope = &opened.scope;
    let (guard, now) = recovery::lock(opened)?;
    *recovered = recovered.take().or(now);
    let merging = merge_state::read(scope)?;
    let is_folder = !scope.prefix().is_empty();
    check(scope, options, merging.as_ref())?;
    let identity = identity(cx, scope, options)?;
    let message = message(scope, options, merging.as_ref())?;
    let (reserved, message) = named(cx, scope, message)?;
    let mut locked = git::index::lock(scope, &guard)?;
    let Taken { refused, index, only } = record_changes(cx, scope, &mut locked, &options.include)?;
    let head = scope.head()?;
    refuse_unstaged(scope, &locked.index, &head, merging.as_ref())?;
    let head_tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let tree = match (only, is_folder) {
        (Some(only), _) => tree_of_paths(scope, head_tree, &locked.index, &only)?,
        (None, true) => folder_tree(scope, head_tree, &locked.index)?,
        (None, false) => write_tree(scope, &mut locked.index)?,
    };
    if tree == head_tree && merging.is_none() && options.empty == Empty::Refuse {
        drop(guard);
        let unrecorded = unrecorded(opened)?;
        return Ok(Outcome::NothingToCommit { unrecorded, refused, recovered: recovered.take() });
    }
    let parents = head.commit().into_iter();
    let new = git::commit::NewCommit {
        tree,
        parents: parents.chain(merging.iter().flat_map(|merge| merge.heads.iter().copied())).collect(),
        author: identity.author,
        committer: identity.committer.clone(),
        message: message.clone(),
    };
    // before anything moves: without its signature there is no commit
    let signer = signing::signer(scope, &options.signing, &new.committer, cx.prompt())?;
    let id = git::commit::write_signed(scope, &new, signer.as_ref())?;
    let subject = message.lines().next().unwrap_or_default().to_str_lossy().into_owned();
    // the index first: interrupted here, everything is staged and nothing lost. It has a valid cache-tree now, which
    // makes the next status and commit fast
    locked.write()?;
    let verb = match (head.commit(), &merging) {
        (None, _) => "commit (initial)",
        (_, Some(_)) => "commit (merge)",
        _ => "commit",
    };
    let moving = HeadMove {
        head: &head,
        reserved,
        id,
        subject: &subject,
        verb,
        committer: &identity.committer,
        index,
    };
    let operation = moving.carry_out(cx, scope, &guard)?;
    // until now: a commit of git's would take what is staged for this one
    drop(locked);
    drop(guard);
    let changes = trees::diff(scope, head_tree, tree, Renames::Detect)?;
    let derived = (changes.len() <= DERIVE_AT_MOST)
        .then(|| refresh::follow(opened, (head_tree, tree), refresh::Disk::Unknown, cx.progress));
    Ok(Outcome::Committed(Box::new(Committed {
        id,
        subject,
        branch: head.short_branch(),
        is_root: head.commit().is_none(),
        changes,
        operation,
        recovered: recovered.take(),
        refused,
        derived,
        tidying: tidying(scope, cx.clock.seconds()),
    })))
}

/// Whether what is asked for fits what git is in the midst of.
fn check(scope: &Scope, options: &Options, merging: Option<&merge_state::MergeState>) -> Result<(), Error> {
    let is_under_way = merge_state::is_under_way(scope);
    if is_under_way && !scope.prefix().is_empty() {
        return Err(Error::HostBusy);
    }
    if options.takes == Takes::MergeOnly && merging.is_none() {
        return Err(Error::NotMerging);
    }
    if matches!(options.include, Include::Only(_)) && is_under_way {
        return Err(Error::PartOfMerge);
    }
    Ok(())
}

/// The commit of a merge has what the other side changed.
fn refuse_unstaged(
    scope: &Scope,
    index: &git::Index,
    head: &Head,
    merging: Option<&merge_state::MergeState>,
) -> Result<(), Error> {
    let (Some(merge), Some(ours)) = (merging, head.commit()) else { return Ok(()) };
    let found = unstaged_merge::find(scope, index, ours, merge)?;
    match found.is_empty() {
        true => Ok(()),
        false => Err(Error::Unstaged(found.into_iter().map(|file| file.path).collect())),
    }
}

/// The branch goes to the new commit, as an operation.
struct HeadMove<'a> {
    head: &'a Head,
    /// The name of the operation, where the message has it.
    reserved: Option<OperationId>,
    id: CommitId,
    subject: &'a str,
    /// For the reflog.
    verb: &'a str,
    committer: &'a Signature,
    /// What the commit changes beside it.
    index: IndexSides,
}

impl HeadMove<'_> {
    fn carry_out(self, cx: &Context<'_>, scope: &Scope, guard: &WriteGuard) -> Result<OperationId, Error> {
        let head_move = RefMove::of_head(self.head, self.id);
        let draft = Draft {
            id: self.reserved,
            kind: Kind::Commit,
            touches: Touches::History,
            moves: vec![head_move.clone()],
            before: side(self.head),
            after: Side::Commit(self.id),
            index: Some(self.index).filter(|sides| !sides.is_empty()),
            undoes: None,
            reason: self.subject.to_owned(),
            actor: cx.actor.name.clone().unwrap_or_else(|| self.committer.to_string()),
            session: cx.actor.session.clone(),
            settings: Vec::new(),
            discarded: Vec::new(),
        };
        let pending = journal::begin(scope, guard, cx.clock, &draft)?;
        let head_move = head_move.to_move(format!("{}: {}", self.verb, self.subject).into());
        if let Err(error) = git::refs::update(scope, vec![head_move], self.committer) {
            if matches!(error.cause(), Cause::Moved | Cause::Transient) {
                pending.forget(scope)?;
            }
            return Err(error.into());
        }
        // around a folder what waits is the host's own
        if scope.prefix().is_empty() {
            merge_state::conclude(scope)?;
        }
        Ok(pending.publish(scope)?)
    }
}

fn side(head: &Head) -> Side {
    head.commit().map_or_else(|| Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() }, Side::Commit)
}

fn message(
    scope: &Scope,
    options: &Options,
    merging: Option<&merge_state::MergeState>,
) -> Result<BString, Error> {
    let given = options.message.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n");
    let recorded = match merging {
        Some(merge) => Some(merge.message.clone()),
        // around a folder it is the message of all that was squashed
        None if !scope.prefix().is_empty() => None,
        None => merge_state::read_squash(scope)?,
    };
    let recorded = recorded.map(|text| text.to_str_lossy().into_owned()).unwrap_or_default();
    if given.trim().is_empty() {
        let kept: Vec<&str> = recorded.lines().filter(|line| !line.starts_with('#')).collect();
        return match kept.join("\n").trim() {
            "" => Err(Error::NoMessage),
            text => Ok(format!("{text}\n").into()),
        };
    }
    // what a merge gave up belongs into whatever message ends it
    let given_up: Vec<&str> = recorded.lines().filter(|line| line.starts_with("Brv-Discarded: ")).collect();
    let text = given.trim();
    Ok(match given_up.is_empty() {
        true => format!("{text}\n").into(),
        false => format!("{text}\n\n{}\n", given_up.join("\n")).into(),
    })
}

/// Who says which actor or session it is gets the trailers by which other clones find the operation; a person's plain commit
/// is as git makes it, unless the message names an operation or an actor itself: then it is told which it is.
fn named(
    cx: &Context<'_>,
    scope: &Scope,
    message: BString,
) -> Result<(Option<OperationId>, BString), journal::Error> {
    if cx.actor.name.is_none() && cx.actor.session.is_none() && !provenance::is_claimed(&message) {
        return Ok((None, message));
    }
    let id = journal::reserve(scope, cx.clock, &message.to_str_lossy())?;
    let message = provenance::named(message, &cx.actor, &id);
    Ok((Some(id), message))
}

fn identity(cx: &Context<'_>, scope: &Scope, options: &Options) -> Result<Identity, Error> {
    let author = options.author.as_ref().map(|(name, email)| (name.as_str().into(), email.as_str().into()));
    let overrides = identity::Overrides { author, author_date: None };
    Ok(identity::identity(scope, &overrides, &|name| std::env::var(name).ok(), cx.clock)?)
}

/// What was recorded for the commit.
struct Taken {
    /// Changed files that could not be.
    refused: Vec<Refused>,
    /// What that and the commit change in the index and in what waits for a commit.
    index: IndexSides,
    /// Where the commit takes only some paths: those (full) that may differ from `HEAD`, with what it has of them.
    only: Option<BTreeMap<BString, Option<Version>>>,
}

/// Record what the commit takes beside what is recorded already.
fn record_changes(
    cx: &Context<'_>,
    scope: &Scope,
    locked: &mut git::LockedIndex,
    include: &Include,
) -> Result<Taken, Error> {
    let index = std::mem::replace(&mut locked.index, git::index::empty());
    let (mut taken, index) = match include {
        Include::Staged => {
            let sides = IndexSides::of(scope, &index, [])?;
            (Taken { refused: Vec::new(), index: sides, only: None }, index)
        }
        Include::AllChanges => {
            let survey = survey::survey(scope, index, Listing::Nothing)?;
            let wanted = Wanted { selection: Selection::Recorded, ..Wanted::default() };
            let (taken, edits) = stage(cx, scope, &survey, &wanted)?;
            (taken, survey.index.edited(&edits)?)
        }
        Include::Only(paths) => {
            let specs = naming::pathspecs(&scope.root(), &cx.cwd, paths)?;
            let survey = survey::survey_at(scope, index, &specs)?;
            let mut only = staged_at(scope, &survey, &specs)?;
            let known = come_back(scope, &only)?;
            let wanted = Wanted { specs, selection: Selection::Named, known, ..Wanted::default() };
            let (mut taken, edits) = stage(cx, scope, &survey, &wanted)?;
            for (path, edit) in &edits {
                if let Edit::Put(version, _) = edit {
                    only.insert(path.clone(), Some(*version));
                } else {
                    only.insert(path.clone(), None);
                }
            }
            only.retain(|path, _| !taken.refused.iter().any(|file| scope.full(&file.path) == *path));
            taken.only = Some(only);
            (taken, survey.index.edited(&edits)?)
        }
    };
    locked.index = index;
    if scope.prefix().is_empty() {
        taken.index.after.waiting = Waiting::default();
    }
    Ok(taken)
}

fn stage(
    cx: &Context<'_>,
    scope: &Scope,
    survey: &Survey,
    wanted: &Wanted,
) -> Result<(Taken, git::Edits), Error> {
    let (outcome, edits) = staging::stage(scope, survey, wanted, cx.progress)?;
    let changes = edits.iter().map(|(path, edit)| (path.clone(), Staged::after(edit)));
    let index = IndexSides::of(scope, &survey.index, changes)?;
    Ok((Taken { refused: outcome.refused, index, only: None }, edits))
}

/// What is staged at the paths that are named, by full path. Each of them names something that `HEAD` or the index has.
fn staged_at(
    scope: &Scope,
    survey: &Survey,
    specs: &[Pathspec],
) -> Result<BTreeMap<BString, Option<Version>>, Error> {
    let staged = survey.staged(scope, Renames::Ignore)?;
    let all = || survey.index.first_versions().chain(survey.index.versions());
    let recorded = || all().filter_map(|(path, _)| scope.strip(path));
    for spec in specs {
        let is_gone = || staged.iter().any(|change| spec.matches(change.path.as_bstr()));
        if !recorded().any(|path| spec.matches(path)) && !is_gone() {
            return Err(staging::Error::NotRecorded(spec.as_bstr().to_owned()).into());
        }
    }
    let specs = Pathspecs::of(specs);
    let named = staged.into_iter().filter(|change| specs.matches(change.path.as_bstr()));
    Ok(named.map(|change| (scope.full(&change.path), change.after)).collect())
}

/// What the index has no more and the disk has, relative to the tree: the commit takes it, too, as git's does.
fn come_back(scope: &Scope, staged: &BTreeMap<BString, Option<Version>>) -> Result<Vec<BString>, Error> {
    let root = scope.root();
    let mut found = Vec::new();
    for (full, _) in staged.iter().filter(|(_, version)| version.is_none()) {
        let Some(path) = scope.strip(full.as_bstr()) else { continue };
        let file = crate::fs::below(&root, path)?;
        let is_file = crate::fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Regular);
        if is_file && crate::fs::is_reached_by_folders(&root, &file)? {
            found.push(path.to_owned());
        }
    }
    Ok(found)
}

/// What `HEAD` has, with these paths as they are to be.
fn tree_of_paths(
    scope: &Scope,
    head_tree: TreeId,
    index: &git::Index,
    only: &BTreeMap<BString, Option<Version>>,
) -> Result<TreeId, Error> {
    let unmerged = unmerged(scope, index);
    if !unmerged.is_empty() {
        return Err(Error::Unmerged(unmerged));
    }
    let changes = only.values().map(|version| version.map(|version| (version.mode, version.id)));
    Ok(git::tree_with(&scope.whole(), head_tree, only.keys().zip(changes))?)
}

fn unmerged(scope: &Scope, index: &git::Index) -> Vec<BString> {
    index.unmerged().iter().filter_map(|path| Some(scope.strip(path.as_ref())?.to_owned())).collect()
}

fn write_tree(scope: &Scope, index: &mut git::Index) -> Result<TreeId, Error> {
    index.write_tree(scope).map_err(|error| match error {
        WriteTreeError::Unmerged(paths) => Error::Unmerged(
            paths.iter().filter_map(|path| Some(scope.strip(path.as_ref())?.to_owned())).collect(),
        ),
        WriteTreeError::Git(error) => Error::Git(error),
    })
}

/// What `HEAD` has, with what is recorded of the folder: what is recorded around it is the user's own.
fn folder_tree(scope: &Scope, head_tree: TreeId, index: &git::Index) -> Result<TreeId, Error> {
    let unmerged = unmerged(scope, index);
    if !unmerged.is_empty() {
        return Err(Error::Unmerged(unmerged));
    }
    let staged = trees::diff_index(scope, head_tree, index, Renames::Ignore)?;
    let paths: Vec<_> = staged.iter().map(|change| scope.full(&change.path)).collect();
    let changes = staged.iter().map(|change| change.after.map(|version| (version.mode, version.id)));
    Ok(git::tree_with(&scope.whole(), head_tree, paths.iter().zip(changes))?)
}

fn unrecorded(opened: &Opened) -> Result<Unrecorded, Error> {
    let scope = &opened.scope;
    let survey = refresh::quick_survey(opened, git::index::read(scope)?)?;
    let new = survey.unrecorded(scope)?;
    let is_something =
        !survey.work_tree.changed.is_empty() || new.iter().any(|file| file.class == survey::Class::Untracked);
    Ok(if is_something { Unrecorded::Something } else { Unrecorded::Nothing })
}
