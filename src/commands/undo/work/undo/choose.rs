//! Choose what to undo: the operation that is named, the caller's last one, or all of a session.

use super::{OperationId, PassedOver, Undone, UndoneSession, readable};
use crate::undo::work::{self, Foreign, Refused, UndoPlan};
use brv_base::escape::escape_line;
use brv_engine::Stop;
use brv_engine::journal::{self, Elsewhere, Listed, OperationKind, Record, RefMove};
use brv_engine::open::context::Actor;
use brv_engine::open::naming::operations;
use brv_engine::outcome::stop::OrStop;
use brv_git as git;
use brv_git::CommitId;
use std::collections::HashMap;

/// What the command undoes.
pub(super) enum Chosen<'a> {
    Recorded(Box<Record>),
    /// All operations of a session that are left to undo, newest first.
    Session(String, Vec<&'a Record>),
    Foreign(OperationId, Vec<Foreign>),
    /// All operations of a session of another clone, by their commits, newest first.
    ForeignSession(String, Vec<(OperationId, Vec<Foreign>)>),
}

impl Chosen<'_> {
    /// The operation; of a session the newest one.
    pub(super) fn newest(&self) -> Undone {
        match self {
            Self::Recorded(record) => Undone::of(record),
            Self::Session(_, records) => Undone::of(records[0]),
            Self::Foreign(id, commits) => of_commits(id, commits),
            Self::ForeignSession(_, all) => of_commits(&all[0].0, &all[0].1),
        }
    }

    /// The commits that it made, or brought to a branch of this clone.
    pub(super) fn commits(&self) -> Vec<CommitId> {
        match self {
            Self::Recorded(record) => brought(record).collect(),
            Self::Session(_, records) => records.iter().flat_map(|record| brought(record)).collect(),
            Self::Foreign(_, commits) => commits.iter().map(|one| one.commit).collect(),
            Self::ForeignSession(_, all) => {
                all.iter().flat_map(|(_, commits)| commits).map(|one| one.commit).collect()
            }
        }
    }

    /// What the plan makes of the operations of a session.
    pub(super) fn session(&self, planned: &UndoPlan) -> Option<UndoneSession> {
        let (id, all): (&String, Vec<Undone>) = match self {
            Self::Session(id, records) => (id, records.iter().map(|record| Undone::of(record)).collect()),
            Self::ForeignSession(id, all) => {
                (id, all.iter().map(|(own, commits)| of_commits(own, commits)).collect())
            }
            Self::Recorded(_) | Self::Foreign(..) => return None,
        };
        let mut session = UndoneSession { id: id.clone(), operations: Vec::new(), remaining: Vec::new() };
        for (place, one) in all.into_iter().enumerate() {
            match planned.changed.get(place) {
                Some(true) => session.operations.push(one),
                Some(false) | None => session.remaining.push(one),
            }
        }
        Some(session)
    }
}

/// An operation of another clone, as its commits tell it.
fn of_commits(id: &OperationId, commits: &[Foreign]) -> Undone {
    let reason = commits.first().map(|commit| commit.subject.clone()).unwrap_or_default();
    Undone { id: id.clone(), kind: None, reason }
}

/// The commits that an operation left branches at.
fn brought(record: &Record) -> impl Iterator<Item = CommitId> {
    let is_branch = |one: &&RefMove| one.name == "HEAD" || one.name.starts_with(b"refs/heads/");
    record.moves.iter().filter(is_branch).filter_map(RefMove::new_commit)
}

/// Whether an operation can be undone together with others of its session: it changes files of the tree, and at most
/// adds a commit to the branch.
const fn goes_with_its_session(kind: OperationKind) -> bool {
    match kind {
        OperationKind::Curate
        | OperationKind::Archive
        | OperationKind::Unarchive
        | OperationKind::Dream
        | OperationKind::Reject
        | OperationKind::Confirm
        | OperationKind::Check => true,
        OperationKind::Adopt
        | OperationKind::Commit
        | OperationKind::Pull
        | OperationKind::Clone
        | OperationKind::Merge
        | OperationKind::AbortMerge
        | OperationKind::Resolve
        | OperationKind::Repair
        | OperationKind::Undo
        | OperationKind::Branch
        | OperationKind::Switch
        | OperationKind::Restore
        | OperationKind::Reset
        | OperationKind::Move
        | OperationKind::Remove
        | OperationKind::Revert
        | OperationKind::Sync
        | OperationKind::Add
        | OperationKind::Push
        | OperationKind::Remote
        | OperationKind::Tag => false,
    }
}

/// All operations of a session that are left to undo in this tree.
pub(super) fn of_session<'a>(
    scope: &git::Scope,
    listed: &'a [Listed],
    session: &str,
) -> Result<Chosen<'a>, Stop> {
    let name = journal::one_line(session);
    let undone = journal::undone(listed);
    let records = || listed.iter().filter_map(|one| one.record.as_ref().ok());
    let mut of_it = records().filter(|record| record.session.as_ref() == Some(&name)).peekable();
    if of_it.peek().is_none() {
        return foreign_session(scope, &undone, name);
    }
    let mut left: Vec<&Record> = Vec::new();
    let mut others = Vec::new();
    // what is undone within the session is neither done again
    let is_left = |record: &&Record| match record.undoes.is_empty() {
        true => !undone.contains_key(&record.id),
        false => is_live(record, &undone) && !is_of_session(listed, record, session),
    };
    for record in of_it.filter(is_left) {
        match is_here(scope, record) {
            Ok(()) => left.push(record),
            Err(error) => others.push(error),
        }
    }
    match left.iter().find(|record| !goes_with_its_session(record.kind)) {
        Some(Record { id, kind, .. }) => {
            let (kind, id) = (kind.word(), id.short());
            let stop = Stop::refused(format!("`{kind}` {id} of this session can only be undone separately"));
            Err(stop.hint(format!(
                "nothing was written; undo it with `brv undo {id}` first, or undo the others one by one"
            )))
        }
        None if left.is_empty() => Err(others.into_iter().next().unwrap_or_else(nothing)),
        None => Ok(Chosen::Session(name, left)),
    }
}

/// The operations of a session of another clone, found by the commits that carry its name.
fn foreign_session(
    scope: &git::Scope,
    undone: &HashMap<OperationId, OperationId>,
    session: String,
) -> Result<Chosen<'static>, Stop> {
    let Some(all) = work::of_session(scope, &session)? else {
        let stop = Stop::usage(format!(
            "no operation in the log, and no commit in this history, was made in session `{session}`"
        ));
        return Err(stop.hint(
            "`brv op log` shows the session of each operation; undo an operation of another clone with `brv undo ID`",
        ));
    };
    let left: Vec<_> = all.into_iter().filter(|(id, _)| !undone.contains_key(id)).collect();
    match left.iter().find(|(_, commits)| !work::stand_together(commits)) {
        Some((id, commits)) => Err(scattered(id, commits)),
        None if left.is_empty() => Err(nothing()),
        None => Ok(Chosen::ForeignSession(session, left)),
    }
}

/// Whether everything that an undo reverted was made in a session.
pub(super) fn is_of_session(listed: &[Listed], undo: &Record, session: &str) -> bool {
    let name = journal::one_line(session);
    let mut undone = undo.undoes.iter().map(|undoes| readable(listed, &undoes.operation));
    undone.all(|record| record.is_some_and(|record| record.session.as_ref() == Some(&name)))
}

pub(super) fn named(scope: &git::Scope, listed: &[Listed], typed: &str) -> Result<Chosen<'static>, Stop> {
    let undone = journal::undone(listed);
    match operations::find(listed, typed)? {
        Some(one) => match undone.get(&one.id) {
            Some(by) => Err(already(&one.id, by)),
            None => {
                let record = operations::record(one)?;
                is_here(scope, record)?;
                Ok(Chosen::Recorded(Box::new(record.clone())))
            }
        },
        None => {
            let id = match OperationId::parse(typed) {
                Some(id) => Some(id),
                None => operations::only(typed, work::named(scope, typed)?)?,
            };
            elsewhere(scope, &undone, id.ok_or_else(|| operations::unknown(typed))?)
        }
    }
}

/// The caller's last operation that `plan` can undo. An operation that was committed, and has nothing left to undo
/// since that commit was undone, is skipped; any other that cannot be undone blocks the command.
pub(super) fn last_with_something_left(
    scope: &git::Scope,
    listed: &[Listed],
    caller: &Actor,
    plan: impl Fn(&Chosen<'_>) -> Result<UndoPlan, work::Error>,
) -> Result<(Chosen<'static>, Vec<PassedOver>, UndoPlan), Stop> {
    let undone = journal::undone(listed);
    let mut last: Option<OperationId> = None;
    loop {
        let (record, passed_over) = last_own(scope, listed, &undone, (caller, last.as_ref()))?;
        let chosen = Chosen::Recorded(Box::new(record.clone()));
        match plan(&chosen) {
            Ok(planned) => return Ok((chosen, passed_over, planned)),
            Err(OrStop::This(Refused::NothingLeft)) if is_in_a_commit(scope, listed, record) => {
                last = Some(record.id.clone());
            }
            Err(OrStop::This(refused)) => return Err(stuck(scope, listed, (caller, &chosen), refused)),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether it only changed files and index, and a later operation committed them.
fn is_in_a_commit(scope: &git::Scope, listed: &[Listed], record: &Record) -> bool {
    let newer = listed.iter().take_while(|one| one.id != record.id);
    let mut newer = newer.filter_map(|one| one.record.as_ref().ok()).filter(|one| one.is_of(scope));
    record.moves.is_empty() && newer.any(|one| one.kind == OperationKind::Commit)
}

/// Whether an operation counts as done: it is not undone, and no undo itself. A rejection is a decision like any other
/// operation, and is undone like one.
fn is_live(record: &Record, undone: &HashMap<OperationId, OperationId>) -> bool {
    let is_done =
        record.undoes.is_empty() || record.kind == OperationKind::Reject && !is_overtaken(record, undone);
    is_done && !undone.contains_key(&record.id)
}

/// Whether a later operation undid all of what a rejection took a part of. To undo the rejection then would
/// bring that part back alone.
fn is_overtaken(rejection: &Record, undone: &HashMap<OperationId, OperationId>) -> bool {
    let by_another = |by: &OperationId| *by != rejection.id;
    rejection.undoes.iter().all(|undoes| undone.get(&undoes.operation).is_some_and(by_another))
}

fn is_here(scope: &git::Scope, record: &Record) -> Result<(), Stop> {
    match record.elsewhere(scope) {
        // it can no longer be undone where it was made, and the values it discarded must not be lost
        None | Some(Elsewhere::Removed(_)) => Ok(()),
        Some(place) => {
            Err(Stop::refused(format!("operation {} was made in {place}", record.id)).hint("undo it there"))
        }
    }
}

/// Why the caller's last operation cannot be undone, with the one before it if this one would block every further undo.
fn stuck(
    scope: &git::Scope,
    listed: &[Listed],
    (caller, chosen): (&Actor, &Chosen<'_>),
    refused: Refused,
) -> Stop {
    let is_final = !matches!(refused, Refused::Now(_));
    let (undone, last) = (journal::undone(listed), chosen.newest());
    let next = last_own(scope, listed, &undone, (caller, Some(&last.id))).ok().filter(|_| is_final);
    let mut stop = Stop::from(refused);
    stop.message = format!("cannot undo {} {}: {}", last.word(), last.id.short(), stop.message);
    if let (Some(hint), Some((next, _))) = (&mut stop.hint, next) {
        hint.push_str(&format!("; `brv undo {}` undoes the operation before it", next.id.short()));
    }
    stop
}

/// The caller's newest operation in this tree that is neither undone nor itself an undo (with `beyond`: the newest one
/// before that which still has something to undo), with the newer operations of other actors.
fn last_own<'a>(
    scope: &git::Scope,
    listed: &'a [Listed],
    undone: &HashMap<OperationId, OperationId>,
    (caller, beyond): (&Actor, Option<&OperationId>),
) -> Result<(&'a Record, Vec<PassedOver>), Stop> {
    let passed = beyond.and_then(|beyond| listed.iter().position(|one| one.id == *beyond));
    let readable = listed[passed.map_or(0, |place| place + 1)..].iter();
    let readable = readable.filter_map(|one| one.record.as_ref().ok());
    let (present, mut others, mut is_committed) =
        (work::PresentIndex::of(scope), Vec::new(), passed.is_some());
    for record in readable.filter(|record| record.is_of(scope)) {
        // staged work that was committed by a logged operation is undone together with that commit
        let is_meant = is_live(record, undone) && (!is_committed || present.has(record)?);
        is_committed |= record.kind == OperationKind::Commit;
        if !is_meant {
            continue;
        }
        if operations::is_own(record, caller) {
            return Ok((record, others));
        }
        others.push(PassedOver { id: record.id.clone(), actor: record.actor.clone() });
    }
    Err(match others.into_iter().next() {
        Some(PassedOver { id, actor }) => {
            let by = if actor.is_empty() {
                String::new()
            } else {
                format!(" by {}", escape_line(actor.as_bytes()))
            };
            let stop = Stop::refused("the last operation was not made in this session");
            stop.hint(format!("it is {id}{by}; to undo it anyway, name it"))
        }
        None => nothing(),
    })
}

fn nothing() -> Stop {
    Stop::refused("nothing to undo").hint("`brv op log` lists the logged operations")
}

fn already(id: &OperationId, by: &OperationId) -> Stop {
    let stop = Stop::refused(format!("operation {id} was already undone by {by}"));
    stop.hint(format!("undo {by} to redo it; `brv op log` shows both"))
}

fn scattered(id: &OperationId, commits: &[Foreign]) -> Stop {
    let count = commits.len();
    Stop::refused(format!(
        "{count} commits in this history carry the ID of operation {id}, with other commits between them"
    ))
    .detailing(commits.iter().map(|one| one.commit.to_string()))
    .hint("revert them one by one with `brv vc revert COMMIT`")
}

/// An operation of another clone, found by the commits that carry its name.
fn elsewhere(
    scope: &git::Scope,
    undone: &HashMap<OperationId, OperationId>,
    id: OperationId,
) -> Result<Chosen<'static>, Stop> {
    if let Some(by) = undone.get(&id) {
        return Err(already(&id, by));
    }
    let commits = work::commits_of(scope, &id)?;
    if commits.is_empty() {
        let stop = Stop::refused(format!(
            "operation {id} is not in the operation log, and no commit in this history carries its ID"
        ));
        return Err(stop.hint(
            "its commits were squashed or made without the operation ID; revert a commit with `brv vc revert COMMIT`",
        ));
    }
    if !work::stand_together(&commits) {
        return Err(scattered(&id, &commits));
    }
    Ok(Chosen::Foreign(id, commits))
}
