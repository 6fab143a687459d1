//! Carrying out a [`Transition`]: files, index, what waits for a commit, references, as one operation.
//!
//! The one way for commands that know beforehand exactly what they change: restore, reset, switch by force, mv, rm, revert,
//! undo. Everything is stored before the first write; a crash is finished by the next command.

use super::incoming;
use super::kept::Kept;
use super::reflog::Reflog;
use crate::clock::Clock;
use crate::fs::{self, FileKind, WriteGuard};
use crate::git::refs::{self, Target};
use crate::git::switch::{self, Admission, Admit, ApplyError, Content, Plan};
use crate::git::trees::{self, Change};
use crate::git::{
    self, CommitId, Edit, Edits, FileMode, Head, LockedIndex, Presence, Scope, Signature, TreeId, Version,
    reflog, settings_moves, store, tags, tree_with,
};
use crate::journal::{
    self, Discarded, Draft, Kind, OperationId, RefMove, SettingsMove, Side, Staged, Touches, Transition,
    Undoes,
};
use crate::ops::FailureKind;
use crate::ops::context::Actor;
use crate::progress::Progress;
use bstr::{BStr, BString, ByteSlice as _};

/// For the journal.
#[derive(Debug, Clone)]
pub struct Purpose<'a> {
    /// The operation's name, where it had to be known beforehand.
    pub id: Option<OperationId>,
    /// The command.
    pub kind: Kind,
    /// Why, in a line.
    pub reason: String,
    /// Who.
    pub actor: &'a Actor,
    /// The operation that is taken back.
    pub undoes: Option<Undoes>,
    /// Values that lose by it.
    pub discarded: Vec<Discarded>,
    /// For the reflogs.
    pub reflog: Reflog,
}

/// What was done.
#[derive(Debug)]
pub struct Done {
    /// The operation in the journal.
    pub operation: OperationId,
    /// Files that stay in the commit without being written, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files that were saved meanwhile, and left as they are.
    pub left_alone: Vec<BString>,
    /// Files that are not there, since others were put into a folder of that name meanwhile.
    pub blocked: Vec<BString>,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
}

impl From<ApplyError> for Error {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Git(error) => Self::Git(error),
            ApplyError::File(error) => Self::File(error),
        }
    }
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Git(error) => FailureKind::of_git(error),
            Self::Journal(error) => FailureKind::of_journal(error),
            _ => FailureKind::Failed,
        }
    }
}

/// The parts of the context that it takes.
pub struct Hands<'a> {
    /// The repository.
    pub scope: &'a Scope,
    /// Time.
    pub clock: Clock,
    /// Where progress is shown.
    pub progress: &'a dyn Progress,
    /// For the reflogs.
    pub who: &'a Signature,
}

/// Carry it out. All objects of both sides are stored already (see [`on_disk`]); the versions before are those that stand
/// there: a file that holds something else by now is left alone.
///
/// # Errors
/// [`Error`]; what was begun is finished by the next command.
pub fn carry_out(
    hands: &Hands<'_>,
    guard: &WriteGuard,
    locked: LockedIndex,
    transition: &Transition,
    purpose: Purpose<'_>,
) -> Result<Done, Error> {
    carry_out_admitting(hands, guard, locked, (transition, &incoming::admit), purpose)
}

/// As [`carry_out`], where the caller says what may stand on disk beside what is kept.
///
/// # Errors
/// [`Error`]; what was begun is finished by the next command.
pub fn carry_out_admitting(
    hands: &Hands<'_>,
    guard: &WriteGuard,
    mut locked: LockedIndex,
    (transition, admit): (&Transition, &Admit<'_>),
    purpose: Purpose<'_>,
) -> Result<Done, Error> {
    let scope = hands.scope;
    let mut kept = Kept::read(scope)?;
    kept.extend(going(scope, &locked.index, &transition.files));
    for id in unfit(scope, &locked.index, &transition.files)? {
        kept.add_unfit(id);
    }
    kept.save(scope, guard)?;
    let pending = journal::begin(scope, guard, hands.clock, &draft(scope, transition, &purpose)?)?;
    let plan = Plan::exactly(&transition.files);
    let admit = |path: &BStr, content: Content<'_>| match admit(path, content) {
        Admission::Withheld(_) => kept.admit(path, content),
        Admission::Admitted => Admission::Admitted,
    };
    let switched = switch::apply(scope, plan, &admit, hands.progress)?;
    let edits = index_edits(scope, &locked, transition, &switched.edits, &kept)?;
    if !edits.is_empty() {
        locked.index = std::mem::replace(&mut locked.index, git::index::empty()).edited(&edits)?;
        locked.commit()?;
    }
    let (before, after) = (&transition.index.before.waiting, &transition.index.after.waiting);
    if before != after {
        after.write(scope)?;
    }
    move_references(hands, transition, &purpose)?;
    settings_moves::bring(scope, &transition.settings)?;
    let operation = pending.publish(scope)?;
    Ok(Done {
        operation,
        withheld: switched.withheld,
        left_alone: switched.left_alone,
        blocked: switched.blocked,
    })
}

/// What goes from the disk, or is written over.
fn going<'a>(
    scope: &'a Scope,
    index: &'a git::Index,
    files: &'a [Change],
) -> impl Iterator<Item = (&'a BStr, git::BlobId)> {
    let on_disk = |change: &&Change| !index.is_withheld(scope.full(&change.path).as_bstr());
    let stood = |change: &'a Change| Some((change.path.as_bstr(), change.before?.id));
    files.iter().filter(on_disk).filter_map(stood)
}

/// Edits of this disk that go, and that no entry may have: of what is recorded each was looked at when it came.
fn unfit(scope: &Scope, index: &git::Index, files: &[Change]) -> Result<Vec<git::BlobId>, git::Error> {
    let mut found = Vec::new();
    for (path, id) in going(scope, index, files) {
        let recorded = index.version(scope.full(path).as_bstr());
        if recorded.is_none_or(|version| version.id != id)
            && incoming::admit_name(path) == Admission::Admitted
            && incoming::admit(path, Content::Bytes(&trees::blob(scope, id)?)) != Admission::Admitted
        {
            found.push(id);
        }
    }
    Ok(found)
}

/// As [`carry_out`], where only references move and settings of branches and remotes change: the index is not even read.
///
/// # Errors
/// [`Error`]; what was begun is finished by the next command.
pub fn carry_out_moves(
    hands: &Hands<'_>,
    guard: &WriteGuard,
    (moves, settings): (Vec<RefMove>, Vec<SettingsMove>),
    purpose: &Purpose<'_>,
) -> Result<OperationId, Error> {
    let transition = Transition { moves, settings, ..Transition::default() };
    let draft = draft(hands.scope, &transition, purpose)?;
    let pending = journal::begin(hands.scope, guard, hands.clock, &draft)?;
    move_references(hands, &transition, purpose)?;
    settings_moves::bring(hands.scope, &transition.settings)?;
    Ok(pending.publish(hands.scope)?)
}

fn move_references(
    hands: &Hands<'_>,
    transition: &Transition,
    purpose: &Purpose<'_>,
) -> Result<(), git::Error> {
    let moves = transition.moves.iter().filter(|one| one.old != one.new);
    let moves: Vec<_> = moves.map(|one| one.to_move(purpose.reflog.line(one.name.as_bstr()))).collect();
    if moves.is_empty() {
        return Ok(());
    }
    journal::keep_tags(hands.scope, &transition.moves)?;
    let renamed = renamed(&transition.moves);
    let log = renamed.map(|(gone, _)| reflog::read(hands.scope, gone)).transpose()?;
    git::refs::update(hands.scope, moves, hands.who)?;
    match (renamed, log) {
        (Some((_, come)), Some(log)) => reflog::go_on(hands.scope, come, &log),
        _ => Ok(()),
    }
}

/// The branch that goes away where another comes to the same commit, and that one: its log goes along.
fn renamed(moves: &[RefMove]) -> Option<(&BStr, &BStr)> {
    let branches = || moves.iter().filter(|one| one.name.starts_with(b"refs/heads/") && one.old != one.new);
    let (gone, come): (Vec<_>, Vec<_>) = branches().partition(|one| one.new.is_none());
    match (&gone[..], &come[..]) {
        ([gone], [come]) if gone.old == come.new => Some((gone.name.as_bstr(), come.name.as_bstr())),
        _ => None,
    }
}

/// The entries that the index is to have, with what is known of their files.
fn index_edits(
    scope: &Scope,
    locked: &LockedIndex,
    transition: &Transition,
    brought: &Edits,
    kept: &Kept,
) -> Result<Edits, fs::Error> {
    let off_disk = transition.index.off_disk(&locked.index);
    let presence = |path: &BString, staged: &Staged| {
        Ok(match (brought.get(path), staged) {
            (Some(Edit::Put(version, presence)), Staged::Version(wanted)) if version == wanted => *presence,
            _ if off_disk(path.as_bstr(), *staged) => Presence::Withheld,
            (None, Staged::Version(version)) if never_came(scope, path, *version, kept)? => {
                Presence::Withheld
            }
            _ => Presence::Unknown,
        })
    };
    let before = &transition.index.before.entries;
    let entries = transition.index.after.entries.iter();
    entries
        .filter(|(path, staged)| before.get(*path) != Some(staged) || brought.contains_key(*path))
        .map(|(path, staged)| Ok((path.clone(), staged.to_edit(presence(path, staged)?))))
        .collect()
}

/// Whether the version is none that may stand at the path (full), and nothing does.
fn never_came(scope: &Scope, full: &BString, version: Version, kept: &Kept) -> Result<bool, fs::Error> {
    let Some(path) = scope.strip(full.as_bstr()) else { return Ok(false) };
    if fs::stat(&fs::below(&scope.root(), path)?)?.is_some() {
        return Ok(false);
    }
    let stays_off = |content: Content<'_>| kept.admit(path, content) != Admission::Admitted;
    // one that cannot be read is missed by whoever needs it
    let is_bad = || trees::blob(scope, version.id).is_ok_and(|bytes| stays_off(Content::Bytes(&bytes)));
    Ok(stays_off(Content::Unread(version)) || is_bad())
}

/// The snapshots differ in exactly the files that change. Where a commit says the same, it is that commit; a commit that
/// a reference leaves or comes to is a parent, so that it stays as long as the record does.
fn draft(scope: &Scope, transition: &Transition, purpose: &Purpose<'_>) -> Result<Draft, Error> {
    let now = scope.head()?;
    let head = now.commit();
    let new_head = head_after(scope, &now, &transition.moves)?;
    let head_tree = head.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let full: Vec<BString> = transition.files.iter().map(|file| scope.full(&file.path)).collect();
    let with = |tree, side: fn(&Change) -> Option<Version>| {
        let versions = transition.files.iter().map(side).map(|file| file.map(|file| (file.mode, file.id)));
        tree_with(scope, tree, full.iter().zip(versions))
    };
    let before = with(head_tree, |change| change.before)?;
    let after = with(before, |change| change.after)?;
    let side = |tree, head, of| side(scope, tree, head, transition.moves.iter().filter_map(of).collect());
    Ok(Draft {
        id: purpose.id.clone(),
        kind: purpose.kind,
        touches: Touches::State,
        moves: transition.moves.clone(),
        before: side(before, head, RefMove::old_commit as fn(&RefMove) -> _)?,
        after: side(after, new_head, RefMove::new_commit)?,
        index: Some(transition.index.clone()).filter(|sides| !sides.is_empty()),
        undoes: purpose.undoes.clone(),
        reason: purpose.reason.clone(),
        actor: purpose.actor.name.clone().unwrap_or_default(),
        session: purpose.actor.session.clone(),
        settings: transition.settings.clone(),
        discarded: purpose.discarded.clone(),
    })
}

/// Where `HEAD` is after these moves.
fn head_after(scope: &Scope, now: &Head, moves: &[RefMove]) -> Result<Option<CommitId>, git::Error> {
    let place = |name: &BStr| moves.iter().find(|one| one.name == name);
    let branch = match (place("HEAD".into()), now.branch()) {
        (Some(RefMove { new: Some(Target::Symbolic(name)), .. }), _) => name.as_bstr(),
        (Some(one), _) => return Ok(one.new_commit()),
        (None, Some(name)) => name,
        (None, None) => return Ok(now.commit()),
    };
    match place(branch) {
        Some(one) => Ok(one.new_commit()),
        None => refs::commit(scope, branch),
    }
}

/// One side of an operation, from the commit of `HEAD` and those that references are at.
///
/// # Errors
/// Commits that cannot be read.
pub fn side(
    scope: &Scope,
    tree: TreeId,
    head: Option<CommitId>,
    references: Vec<CommitId>,
) -> Result<Side, git::Error> {
    let mut parents: Vec<CommitId> = head.into_iter().collect();
    for commit in references {
        // git tidies up what only `ORIG_HEAD` names
        let Some(commit) = tags::commit_of(scope, commit) else { continue };
        if !parents.contains(&commit) {
            parents.push(commit);
        }
    }
    Ok(match parents[..] {
        [only] if Some(only) == head && scope.tree_of(only)? == tree => Side::Commit(only),
        _ => Side::Snapshot { tree, parents },
    })
}

/// The versions that stand on disk at these paths (relative to the tree), stored durably; `None` where no file is. The
/// mode is that of the index where it knows the path.
///
/// # Errors
/// A file that cannot be read; objects that cannot be stored.
pub fn on_disk(scope: &Scope, index: &git::Index, paths: &[BString]) -> Result<Vec<Option<Version>>, Error> {
    let (root, converter) = (scope.root(), git::Converter::of(scope));
    let (mut found, mut blobs) = (Vec::with_capacity(paths.len()), Vec::new());
    for path in paths {
        let file = fs::below(&root, path.as_bstr())?;
        let recorded = index.version(scope.full(path).as_bstr());
        let is_there = fs::stat(&file)?.is_some_and(|stat| stat.kind == FileKind::Regular)
            && fs::is_reached_by_folders(&root, &file)?;
        if is_there {
            blobs.push(converter.to_git(path.as_bstr(), fs::read(&file)?.into())?.into_owned());
        }
        found.push(is_there.then(|| recorded.map_or(FileMode::Regular, |version| version.mode)));
    }
    let mut ids = store::write_blobs(scope, &blobs)?.into_iter();
    Ok(found.into_iter().map(|mode| Some(Version { mode: mode?, id: ids.next()? })).collect())
}
