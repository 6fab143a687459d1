//! Operations that name the commits of the code that they come from: those of one commit land together, as one operation
//! and one commit of the tree.

use super::commits::lease;
use super::taking::imported;
use super::{Applied, Options};
use crate::commits::decide::{ended, note_branch, remember};
use crate::commits::replacing::Ranks;
use crate::commits::{Authors, Intake, Route};
use brv_base::path::PathKind;
use brv_engine::curate::{self, Outcome};
use brv_engine::jobs::{Store, Verdict};
use brv_engine::journal::SourceCommit;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::open::state::Ended;
use brv_engine::read::history::learned::filings::Writer;
use brv_engine::{Mode, Stop};
use brv_git as git;
use brv_git::{CommitId, patch_id, revision};
use brv_text::curate::{Code, Read, Refused};
use bstr::ByteSlice as _;

/// The operations of one source, by their places in the list.
struct OperationGroup {
    source: Option<OperationSource>,
    places: Vec<usize>,
}

/// A commit of the code that operations name.
#[derive(PartialEq, Eq)]
enum OperationSource {
    Commit(CommitId),
    /// As written: it is not a commit of the code.
    Missing(String),
}

/// Whether an operation names a commit that it comes from.
pub fn have_sources(operations: &[Read]) -> bool {
    operations.iter().any(|read| written(read).is_some())
}

fn written(read: &Read) -> Option<&str> {
    read.operation.as_ref().ok()?.source_commit.as_deref()
}

/// The operations by their sources, in the order in which these appear first.
fn groups(operations: &[Read], host: Option<&Host>) -> Vec<OperationGroup> {
    let mut groups: Vec<OperationGroup> = Vec::new();
    for (place, read) in operations.iter().enumerate() {
        let source = written(read).map(|id| match host.and_then(|host| commit(host, id)) {
            Some(commit) => OperationSource::Commit(commit),
            None => OperationSource::Missing(id.to_owned()),
        });
        match groups.iter_mut().find(|group| group.source == source) {
            Some(group) => group.places.push(place),
            None => groups.push(OperationGroup { source, places: vec![place] }),
        }
    }
    groups
}

/// The commit that an id means, which may be cut.
fn commit(host: &Host, id: &str) -> Option<CommitId> {
    let whole = CommitId::from_hex(id).filter(|id| git::commit::read(&host.scope, *id).is_ok());
    whole.or_else(|| revision::abbreviated(&host.scope, id).ok().flatten())
}

fn subject_of(host: &Host, commit: CommitId) -> Option<String> {
    let read = git::commit::read(&host.scope, commit).ok()?;
    Some(read.subject().to_str_lossy().into_owned()).filter(|said| !said.is_empty())
}

/// Apply the operations, source by source.
///
/// # Errors
/// What stops the first of them as a whole; of a later one it is the outcome of its operations.
pub fn curate(cx: &Context<'_>, opened: &Opened, options: &Options) -> Result<Outcome, Stop> {
    let host = Host::of(opened, &cx.cwd)?;
    let groups = groups(&options.operations, host.as_ref());
    let _lease = lease(&Store::of(opened)?, opened.config.lock_timeout.value, options.mode)?;
    let ranks = host.as_ref().map(|host| Ranks::of(opened, host)).transpose()?;
    let writer = Writer::of(options.model.as_deref(), cx.actor.name.as_deref(), cx.actor.session.as_deref());
    let mut applied: Vec<Option<Applied>> = options.operations.iter().map(|_| None).collect();
    let mut all = Outcome::default();
    for (number, group) in groups.iter().enumerate() {
        let reads: Vec<Read> = group.places.iter().map(|place| options.operations[*place].clone()).collect();
        let refused = |code, message: String| refused(&reads, &Refused::new(code, message));
        let one = match source(group, host.as_ref(), (ranks.as_ref(), writer)) {
            Err(why) => Ok(Outcome { applied: refused(why.code, why.message), ..Outcome::default() }),
            Ok(source_commit) => {
                let replacing = match (source_commit, &ranks) {
                    (Some(source), Some(ranks)) => ranks.outranked(source.commit, writer)?,
                    _ => Vec::new(),
                };
                let operations = reads.clone();
                // what comes from a commit is of that commit, and all else of now
                let code_head = options.code_head.filter(|_| source_commit.is_none());
                let source_subject =
                    source_commit.and_then(|source| subject_of(host.as_ref()?, source.commit));
                let options = Options {
                    operations,
                    source_commit,
                    source_subject,
                    replacing,
                    code_head,
                    ..options.clone()
                };
                curate::curate(cx.parts(opened), &options)
            }
        };
        let one = match one {
            Err(error) if number == 0 => return Err(error),
            Err(error) => {
                let why = error.message;
                Outcome { applied: refused(Code::Conflict, why), ..Outcome::default() }
            }
            Ok(one) => one,
        };
        if let (Some(OperationSource::Commit(id)), Some(host), Mode::Write) =
            (&group.source, &host, options.mode)
        {
            note(cx, opened, host, (*id, &one));
        }
        add(&mut all, one, &group.places, &mut applied);
    }
    all.applied = applied.into_iter().flatten().collect();
    if groups.len() > 1 {
        (all.commit, all.written.operation) = (None, None);
    }
    Ok(all)
}

fn refused(reads: &[Read], why: &Refused) -> Vec<Applied> {
    let one = |read: &Read| Applied {
        kind: read.kind.clone(),
        path: read.path.clone(),
        result: Err(why.clone()),
        operation: None,
        commit: None,
    };
    reads.iter().map(one).collect()
}

/// The source of a group, which must be a commit of the host that nobody of the caller's rank has filed.
fn source(
    group: &OperationGroup,
    host: Option<&Host>,
    (ranks, writer): (Option<&Ranks<'_>>, Writer),
) -> Result<Option<SourceCommit>, Refused> {
    let commit = match &group.source {
        None => return Ok(None),
        Some(OperationSource::Commit(commit)) => *commit,
        Some(OperationSource::Missing(written)) => {
            return Err(Refused::new(Code::Invalid, format!("`{written}` is not a commit of the code")));
        }
    };
    if ranks.is_some_and(|ranks| ranks.has(commit, writer)) {
        return Err(Refused::new(Code::Exists, format!("what commit {commit} says is in the tree already")));
    }
    let patch = host.and_then(|host| patch_id::of_commit(&host.scope, commit).unwrap_or_default());
    Ok(Some(SourceCommit { commit, patch }))
}

/// Remember that a commit was taken in, so that no hook and no import takes it again. The trailer says so, too.
fn note(cx: &Context<'_>, opened: &Opened, host: &Host, (id, one): (CommitId, &Outcome)) {
    let Some(operation) = &one.written.operation else { return };
    let Ok(store) = Store::of(opened) else { return };
    let branch = host.scope.head().ok().and_then(|head| head.short_branch());
    let patch = patch_id::of_commit(&host.scope, id).unwrap_or_default();
    let end = Ended {
        operation: Some(operation.to_string()),
        entries: one
            .changed()
            .filter(|path| path.kind() == PathKind::Entry)
            .map(ToString::to_string)
            .collect(),
        patch: patch.map(|patch| patch.to_string()),
        ..ended(Verdict::Curated, "filed")
    };
    let authors = Authors::of(host);
    let intake = Intake {
        parts: cx.parts(opened),
        host,
        authors: &authors,
        mode: Mode::Write,
        route: Route::Import,
        placing: None,
        aside: None,
    };
    let new = imported(id, branch.clone(), cx.actor.name.clone());
    let _ = remember(&store, &new, &end);
    note_branch(&intake, &store, (id, branch.as_deref()));
}

/// Add the outcome of a group to that of all.
fn add(all: &mut Outcome, one: Outcome, places: &[usize], applied: &mut [Option<Applied>]) {
    for (at, row) in one.applied.into_iter().enumerate() {
        let operation = one.written.operation.clone().filter(|_| row.result.is_ok());
        let commit = one.commit.filter(|_| operation.is_some());
        applied[places[at]] = Some(Applied { operation, commit, ..row });
    }
    all.uncommitted.extend(one.uncommitted);
    all.told.files.extend(one.told.files);
    all.told.entries.extend(one.told.entries);
    all.commit = one.commit.or(all.commit);
    all.trouble = all.trouble.take().or(one.trouble);
    all.waits |= one.waits;
    let before = std::mem::replace(&mut all.written, one.written);
    all.written.recovered = before.recovered.or(all.written.recovered.take());
    all.written.operation = all.written.operation.take().or(before.operation);
    all.written.derived = all.written.derived.take().or(before.derived);
    all.written.withheld.extend(before.withheld);
    all.written.left_alone.extend(before.left_alone);
    all.written.blocked.extend(before.blocked);
}
