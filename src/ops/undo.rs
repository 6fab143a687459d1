//! `brv undo`: take an operation back, any one, whoever made it.

use crate::diff::knowledge::Entry;
use crate::git;
use crate::git::CommitId;
use crate::git::pathspec::Pathspec;
use crate::journal::{
    self, Elsewhere, Kind, Listed, Record, Recovered, RefMove, Resolution, SettingsMove, Undoes,
};
use crate::merge::Undecided;
use crate::ops::FailureKind;
use crate::ops::context::{Actor, Context};
use crate::ops::steps::cause::{Cause, caused};
use crate::ops::steps::merging::integrate::MOST_TOLD;
use crate::ops::steps::merging::reconcile::{Conflict, Settled};
use crate::ops::steps::naming::{operations, paths};
use crate::ops::steps::refresh;
use crate::ops::steps::remotes::upstream;
use crate::ops::steps::telling::changes::{self, After, Detail, FileChange};
use crate::ops::steps::telling::knowledge;
use crate::ops::steps::undoing::{self, Foreign, Planned, Wanted, What};
use crate::ops::steps::writing::{Derived, Writing, Written};
use bstr::{BString, ByteSlice as _};
use std::collections::HashMap;

pub use crate::journal::{Extent, OperationId};
pub use crate::ops::Mode;
pub use crate::ops::steps::undoing::{Manner, Refused};

/// What to take back.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The operation, as typed; `None`: the caller's last one.
    pub operation: Option<String>,
    /// Only these files, as typed.
    pub paths: Vec<String>,
    /// What is done where a person would have to decide.
    pub on_conflict: OnConflict,
    /// Whether anything is written.
    pub mode: Mode,
}

/// What is done where a person would have to decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing is written.
    #[default]
    Stop,
    /// Markers are written, to be decided later.
    Mark,
    /// What is there now stays.
    Ours,
    /// What was before the operation returns.
    Theirs,
    /// Both are kept.
    Both,
}

/// What was done.
#[derive(Debug)]
pub struct Outcome {
    /// What is taken back.
    pub undone: Undone,
    /// Operations that came after it, newest first, and are not the caller's: they stay.
    pub passed_over: Vec<PassedOver>,
    /// How.
    pub manner: Manner,
    /// Whether all of it.
    pub extent: Extent,
    /// References that went back.
    pub moves: Vec<RefMove>,
    /// The branch that `HEAD` is on, if it has no commits then.
    pub unborn: Option<BString>,
    /// Settings of branches and remotes that went back.
    pub settings: Vec<SettingsMove>,
    /// Settings (`remote.origin.url`) that came back without a user name or a password, which are on no record.
    pub without_secrets: Vec<String>,
    /// The commit that takes it back, if one was made.
    pub commit: Option<CommitId>,
    /// The files that changed on disk.
    pub files: Vec<FileChange>,
    /// Files of which what is recorded for the next commit changed, relative to the tree; none where a commit was made.
    pub staged: Vec<BString>,
    /// The same by meaning, without what must be decided; none where the files are too many.
    pub entries: Vec<Entry>,
    /// What a person must decide. Unless markers were asked for nothing was written then.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person.
    pub settled: Vec<Settled>,
    /// Files that were brought back and not committed, since they have edits that are not.
    pub uncommitted: Vec<BString>,
    /// Files of others with the name of a derived one, which stay.
    pub kept: Vec<BString>,
    /// What the next push would take from the remote again.
    pub reverts_on_remote: Option<RevertedOnRemote>,
    /// The rest.
    pub written: Written,
}

/// The operation that is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// Its name.
    pub id: OperationId,
    /// The command; `None` of an operation of another clone.
    pub kind: Option<Kind>,
    /// Why it was done.
    pub reason: String,
}

/// Entries of the undone operation that the remote has, and that a push of the undo would change there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevertedOnRemote {
    /// `origin/main`
    pub upstream: String,
    /// Relative to the tree: they would be removed.
    pub removed: Vec<BString>,
    /// Relative to the tree: they would be changed back.
    pub changed: Vec<BString>,
}

/// An operation of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// Its name.
    pub id: OperationId,
    /// Whose; empty where nobody was named.
    pub actor: String,
}

/// Why nothing was taken back.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name.
    #[error(transparent)]
    Name(#[from] operations::Error),
    /// Nothing of the caller's is left to take back.
    #[error("nothing to undo")]
    Nothing,
    /// The last operation is another's.
    #[error("the last operation was not made in this session")]
    Others {
        /// Its name.
        id: OperationId,
        /// Whose.
        actor: String,
    },
    /// It was made in another tree of the repository.
    #[error("operation {id} was made in {place}")]
    OtherTree {
        /// The operation.
        id: OperationId,
        /// Which.
        place: Elsewhere,
    },
    /// It is taken back already.
    #[error("operation {id} was already undone by {by}")]
    Already {
        /// The operation.
        id: OperationId,
        /// What took it back.
        by: OperationId,
    },
    /// No commit of the history carries its name: it was squashed away, or never was.
    #[error("operation {0} is not in the operation log, and no commit in this history carries its ID")]
    Gone(OperationId),
    /// Commits that carry its name stand apart.
    #[error("{} commits in this history carry the ID of operation {id}, with other commits between them", .commits.len())]
    Scattered {
        /// The operation.
        id: OperationId,
        /// The commits, newest first.
        commits: Vec<CommitId>,
    },
    /// The caller's last operation cannot be undone as things stand.
    #[error("cannot undo {kind} {}: {refused}", .id.short())]
    Stuck {
        /// The command of the operation.
        kind: &'static str,
        /// The operation.
        id: OperationId,
        /// Why.
        refused: Refused,
        /// The one before it, where this one never will be undone.
        next: Option<OperationId>,
    },
    /// Taking it back.
    #[error(transparent)]
    Undoing(#[from] undoing::Error),
    /// The settings of the upstream.
    #[error(transparent)]
    Upstream(#[from] upstream::Error),
    /// What is no fault of the operation.
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Name(error) => error.kind(),
            Self::Nothing | Self::Others { .. } | Self::Already { .. } => FailureKind::Refused,
            Self::Stuck { .. } | Self::Gone(_) | Self::Scattered { .. } | Self::OtherTree { .. } => {
                FailureKind::Refused
            }
            Self::Undoing(error) => error.kind(),
            Self::Upstream(_) => FailureKind::Failed,
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Take an operation back.
///
/// # Errors
/// [`Error`]; conflicts are an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let paths = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let listed = journal::list(scope)?;
    if let Some((record, undoes)) = asked_again(&listed, &cx.actor, options, writing.recovered()) {
        let outcome = Outcome::finished(scope, &listed, (record, undoes))?;
        let written = Written { operation: Some(record.id.clone()), ..writing.finish(Derived::Anyway) };
        return Ok(Outcome { written, ..outcome });
    }
    let survey = writing.survey(|index| refresh::quick_survey(&opened, index))?;
    let plan = |chosen: &Chosen| undoing::plan(scope, &survey, &wanted(cx, options, chosen, &paths));
    let (chosen, passed_over, planned) = match options.operation.as_deref() {
        Some(typed) => {
            let chosen = named(scope, &listed, typed)?;
            let planned = plan(&chosen)?;
            (chosen, Vec::new(), planned)
        }
        None => last_with_something_left(scope, &listed, &cx.actor, plan)?,
    };
    let mut outcome = Outcome { passed_over, ..Outcome::of(scope, chosen.undone(), &planned)? };
    outcome.reverts_on_remote = reverted_on_remote(scope, &survey.head, &planned)?;
    let stops = !planned.conflicts.is_empty() && options.on_conflict == OnConflict::Stop;
    if options.mode == Mode::Write && !stops {
        let undoes = Undoes { operation: outcome.undone.id.clone(), extent: planned.extent };
        let subject = &outcome.undone.reason;
        outcome.commit = undoing::carry_out(&mut writing, survey, planned, (undoes, subject))?;
    }
    outcome.written = writing.finish(Derived::Changed);
    Ok(outcome)
}

/// What is taken back.
enum Chosen {
    Recorded(Box<Record>),
    Foreign(OperationId, Vec<Foreign>),
}

impl Chosen {
    fn undone(&self) -> Undone {
        match self {
            Self::Recorded(record) => {
                Undone { id: record.id.clone(), kind: Some(record.kind), reason: record.reason.clone() }
            }
            Self::Foreign(id, commits) => Undone {
                id: id.clone(),
                kind: None,
                reason: commits.first().map(|commit| commit.subject.clone()).unwrap_or_default(),
            },
        }
    }
}

fn wanted<'a>(cx: &Context<'_>, options: &Options, chosen: &'a Chosen, paths: &'a [Pathspec]) -> Wanted<'a> {
    let what = match chosen {
        Chosen::Recorded(record) => What::Recorded(record),
        Chosen::Foreign(_, commits) => What::Commits(commits),
    };
    let undecided = match options.on_conflict {
        OnConflict::Stop | OnConflict::Mark => Undecided::Mark,
        OnConflict::Ours => Undecided::Ours,
        OnConflict::Theirs => Undecided::Theirs,
        OnConflict::Both => Undecided::Both,
    };
    Wanted { what, paths, undecided, name: "before", now: cx.clock.seconds() }
}

/// The caller's own undo that a crash had interrupted and recovery has finished, if it is what is asked for now: who
/// repeats the command means that one, not the operation before it.
fn asked_again<'a>(
    listed: &'a [Listed],
    caller: &Actor,
    options: &Options,
    recovered: Option<&Recovered>,
) -> Option<(&'a Record, &'a Undoes)> {
    let recovered = recovered.filter(|one| one.resolution == Resolution::Finished)?;
    let record = listed.iter().find(|one| one.id == recovered.id)?.record.as_ref().ok()?;
    let undoes = record.undoes.as_ref().filter(|_| operations::is_own(record, caller))?;
    let is_meant = match &options.operation {
        // who asks what would be done gets to know that it was done, and what would be now
        None => options.mode == Mode::Write,
        Some(typed) => {
            let is_named = operations::find(listed, typed).is_ok_and(|one| one.id == undoes.operation);
            is_named && undoes.extent == Extent::Whole
        }
    };
    is_meant.then_some((record, undoes))
}

/// The operation that is called so.
fn named(scope: &git::Scope, listed: &[Listed], typed: &str) -> Result<Chosen, Error> {
    let undone = journal::undone(listed);
    match operations::find(listed, typed) {
        Ok(one) => match undone.get(&one.id) {
            Some(by) => Err(Error::Already { id: one.id.clone(), by: by.clone() }),
            None => here(scope, operations::record(one)?),
        },
        Err(operations::Error::Elsewhere(id)) => elsewhere(scope, &undone, id),
        Err(operations::Error::Unknown(_)) => {
            let named = undoing::named(scope, typed)?;
            elsewhere(scope, &undone, operations::only(typed, named)?)
        }
        Err(error) => Err(error.into()),
    }
}

/// The caller's last operation that `plan` can take back. One whose files came into a commit, and that has nothing left since
/// that commit was taken back, is passed over; any other that cannot be taken back is in the way.
fn last_with_something_left(
    scope: &git::Scope,
    listed: &[Listed],
    caller: &Actor,
    plan: impl Fn(&Chosen) -> Result<Planned, undoing::Error>,
) -> Result<(Chosen, Vec<PassedOver>, Planned), Error> {
    let undone = journal::undone(listed);
    let mut last: Option<OperationId> = None;
    loop {
        let (record, passed_over) = last_own(scope, listed, &undone, (caller, last.as_ref()))?;
        let chosen = Chosen::Recorded(Box::new(record.clone()));
        match plan(&chosen) {
            Ok(planned) => return Ok((chosen, passed_over, planned)),
            Err(undoing::Error::Refused(Refused::NothingLeft)) if is_in_a_commit(scope, listed, record) => {
                last = Some(record.id.clone());
            }
            Err(undoing::Error::Refused(refused)) => {
                return Err(stuck(scope, listed, (caller, &chosen), refused));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether it only changed files and index, for a commit that was made since.
fn is_in_a_commit(scope: &git::Scope, listed: &[Listed], record: &Record) -> bool {
    let newer = listed.iter().take_while(|one| one.id != record.id);
    let mut newer = newer.filter_map(|one| one.record.as_ref().ok()).filter(|one| one.is_of(scope));
    record.moves.is_empty() && newer.any(|one| one.kind == Kind::Commit)
}

/// What the upstream of the branch has from a pull or a merge, and would lose by the next push.
fn reverted_on_remote(
    scope: &git::Scope,
    head: &git::Head,
    planned: &Planned,
) -> Result<Option<RevertedOnRemote>, Error> {
    if planned.manner != Manner::Committed {
        return Ok(None);
    }
    let Some(upstream) = upstream::of(scope, head)? else { return Ok(None) };
    let Some(tracking) = upstream.tracking else { return Ok(None) };
    let Some(tip) = git::refs::commit(scope, tracking.as_bstr())? else { return Ok(None) };
    let theirs = scope.tree_of(tip)?;
    let mut reverted = RevertedOnRemote { upstream: upstream.name, removed: Vec::new(), changed: Vec::new() };
    for change in planned.files.iter().filter(|change| planned.committed.contains(&change.path)) {
        let there = match git::trees::find(scope, theirs, change.path.as_bstr())? {
            Some(git::trees::Found::File(version)) => Some(version),
            _ => None,
        };
        match (there, change.after) {
            (Some(_), _) if there != change.before => {}
            (Some(_), None) => reverted.removed.push(change.path.clone()),
            (Some(_), Some(_)) => reverted.changed.push(change.path.clone()),
            (None, _) => {}
        }
    }
    Ok(Some(reverted).filter(|one| !one.removed.is_empty() || !one.changed.is_empty()))
}

fn here(scope: &git::Scope, record: &Record) -> Result<Chosen, Error> {
    match record.elsewhere(scope) {
        // nobody can take it back there any more, and what it gave up must not be lost
        None | Some(Elsewhere::Removed(_)) => Ok(Chosen::Recorded(Box::new(record.clone()))),
        Some(place) => Err(Error::OtherTree { id: record.id.clone(), place }),
    }
}

/// Why the caller's last operation is not taken back, with the one before it where this one would be met again and again.
fn stuck(
    scope: &git::Scope,
    listed: &[Listed],
    (caller, chosen): (&Actor, &Chosen),
    refused: Refused,
) -> Error {
    let is_final = matches!(
        refused,
        Refused::NothingLeft
            | Refused::CommittedSince
            | Refused::SetSince(_)
            | Refused::MovedOn(_)
            | Refused::HeadElsewhere { .. }
            | Refused::OtherBranch { .. }
            | Refused::Cloned
            | Refused::MergeEnded
    );
    let (undone, last) = (journal::undone(listed), chosen.undone());
    let next = last_own(scope, listed, &undone, (caller, Some(&last.id))).ok().filter(|_| is_final);
    let kind = last.kind.map_or("operation", Kind::word);
    Error::Stuck { kind, id: last.id, refused, next: next.map(|(next, _)| next.id.clone()) }
}

/// The newest operation of the caller in this tree that is neither taken back nor took another back (`beyond`: the newest before
/// that one, of which something is there), with those of others that came after it.
fn last_own<'a>(
    scope: &git::Scope,
    listed: &'a [Listed],
    undone: &HashMap<OperationId, OperationId>,
    (caller, beyond): (&Actor, Option<&OperationId>),
) -> Result<(&'a Record, Vec<PassedOver>), Error> {
    let passed = beyond.and_then(|beyond| listed.iter().position(|one| one.id == *beyond));
    let readable = listed[passed.map_or(0, |place| place + 1)..].iter();
    let readable = readable.filter_map(|one| one.record.as_ref().ok());
    let is_live = |record: &Record| record.undoes.is_none() && !undone.contains_key(&record.id);
    let (present, mut others, mut is_committed) = (undoing::Present::of(scope), Vec::new(), passed.is_some());
    for record in readable.filter(|record| record.is_of(scope)) {
        // what came into a commit that is on record is taken back with that one
        let is_meant = is_live(record) && (!is_committed || present.has(record)?);
        is_committed |= record.kind == Kind::Commit;
        if !is_meant {
            continue;
        }
        if operations::is_own(record, caller) {
            return Ok((record, others));
        }
        others.push(PassedOver { id: record.id.clone(), actor: record.actor.clone() });
    }
    Err(match others.into_iter().next() {
        Some(PassedOver { id, actor }) => Error::Others { id, actor },
        None => Error::Nothing,
    })
}

/// An operation of another clone, by the commits that carry its name.
fn elsewhere(
    scope: &git::Scope,
    undone: &HashMap<OperationId, OperationId>,
    id: OperationId,
) -> Result<Chosen, Error> {
    if let Some(by) = undone.get(&id) {
        return Err(Error::Already { id, by: by.clone() });
    }
    let commits = undoing::commits_of(scope, &id)?;
    if commits.is_empty() {
        return Err(Error::Gone(id));
    }
    if !undoing::stand_together(&commits) {
        return Err(Error::Scattered { id, commits: commits.iter().map(|one| one.commit).collect() });
    }
    Ok(Chosen::Foreign(id, commits))
}

/// What changed in files; one that went from one path to another is told once.
fn files(scope: &git::Scope, changes: &[git::trees::Change]) -> Result<Vec<FileChange>, Error> {
    let joined = git::trees::join_renames(scope, changes.to_vec(), git::trees::Renames::Detect)?;
    Ok(changes::compare(scope, &joined, Detail::Counts, &After::Repository)?)
}

/// The files of which an operation changed what is recorded, relative to the tree.
fn recorded(scope: &git::Scope, record: &Record) -> Result<Vec<BString>, Error> {
    let index = journal::transition(scope, record)?.index;
    let changed =
        index.after.entries.iter().filter(|(path, now)| index.before.entries.get(*path) != Some(*now));
    Ok(changed.filter_map(|(path, _)| scope.strip(path.as_bstr()).map(ToOwned::to_owned)).collect())
}

/// The branch that `HEAD` is on, if these moves take its commits away.
fn unborn(scope: &git::Scope, moves: &[RefMove]) -> Result<Option<BString>, Error> {
    let head = scope.head()?;
    let is_left = moves.iter().any(|one| one.name == "HEAD");
    let branch = head.branch().filter(|_| !is_left);
    Ok(moves
        .iter()
        .find(|one| one.new.is_none() && branch == Some(one.name.as_ref()))
        .map(|one| one.name.clone()))
}

impl Outcome {
    /// Nothing went back.
    fn new(undone: Undone, manner: Manner, extent: Extent) -> Self {
        Self {
            undone,
            passed_over: Vec::new(),
            manner,
            extent,
            moves: Vec::new(),
            unborn: None,
            settings: Vec::new(),
            without_secrets: Vec::new(),
            commit: None,
            files: Vec::new(),
            staged: Vec::new(),
            entries: Vec::new(),
            conflicts: Vec::new(),
            settled: Vec::new(),
            uncommitted: Vec::new(),
            kept: Vec::new(),
            reverts_on_remote: None,
            written: Written::default(),
        }
    }

    /// Of an undo that recovery has finished.
    fn finished(
        scope: &git::Scope,
        listed: &[Listed],
        (record, undoes): (&Record, &Undoes),
    ) -> Result<Self, Error> {
        let undone = listed.iter().find(|one| one.id == undoes.operation);
        let undone = undone.and_then(|one| one.record.as_ref().ok());
        let (before, after) = (scope.tree_of(record.before)?, scope.tree_of(record.after)?);
        let changes = git::trees::diff(scope, before, after, git::trees::Renames::Ignore)?;
        let commit = undoing::commits_of(scope, &record.id)?.first().map(|made| made.commit);
        let undone = Undone {
            id: undoes.operation.clone(),
            kind: undone.map(|record| record.kind),
            reason: undone.unwrap_or(record).reason.clone(),
        };
        let (manner, moves, staged) = match commit {
            Some(_) => (Manner::Committed, Vec::new(), Vec::new()),
            None => (Manner::Restored, record.moves.clone(), recorded(scope, record)?),
        };
        Ok(Self {
            moves,
            unborn: unborn(scope, &record.moves)?,
            settings: record.settings.clone(),
            commit,
            files: files(scope, &changes)?,
            staged,
            entries: match changes.len() > MOST_TOLD {
                true => Vec::new(),
                false => knowledge::compare(scope, &changes, &After::Repository)?,
            },
            ..Self::new(undone, manner, undoes.extent)
        })
    }

    fn of(scope: &git::Scope, undone: Undone, planned: &Planned) -> Result<Self, Error> {
        let mut files = files(planned.scope(), &planned.files)?;
        let is_open = |path: &BString| {
            let full = scope.full(path);
            planned.conflicts.iter().any(|conflict| conflict.path == full)
        };
        // markers are nobody's lines
        files.iter_mut().filter(|file| is_open(&file.path)).for_each(|file| file.stat = None);
        let settled: Vec<_> = planned.files.iter().filter(|change| !is_open(&change.path)).cloned().collect();
        let entries = match settled.len() > MOST_TOLD {
            true => Vec::new(),
            false => knowledge::compare(planned.scope(), &settled, &After::Repository)?,
        };
        Ok(Self {
            moves: planned.moves.clone(),
            unborn: unborn(scope, &planned.moves)?,
            settings: planned.settings.clone(),
            without_secrets: planned.without_secrets.clone(),
            files,
            staged: planned.staged(),
            entries,
            conflicts: planned.conflicts.iter().map(|conflict| conflict.told(scope)).collect(),
            settled: planned.settled.iter().map(|file| file.told(scope)).collect(),
            uncommitted: planned.uncommitted.clone(),
            kept: planned.kept.clone(),
            ..Self::new(undone, planned.manner, planned.extent)
        })
    }
}
