//! `brv review reject`: take a change back, alone, and keep the rest of its operation.

use super::{Decided, Decision, Options, chosen, foreign, siblings};
use crate::undo::work::undo::{self, UndoRequest};
use brv_engine::journal::{self, OperationId, OperationKind};
use brv_engine::merge::reconcile::Conflict;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::state::{Ruling, StoredDecision};
use brv_engine::outcome::json::texts;
use brv_engine::read::history::provenance::{COMMENT, REJECTED};
use brv_engine::review::{self, Decisions, Flag, ReviewExtent, ReviewStanding, Reviewed};
use brv_engine::write::operation;
use brv_engine::{FailureKind, Stop};
use brv_git::pathspec::Pathspec;
use brv_git::{CommitId, Scope};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// `brv.review.reject/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewReject")]
pub struct Outcome {
    /// What was rejected; nothing if there are conflicts.
    pub decided: Vec<Decided>,
    /// The operation that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Its commit, if one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// Files in conflict: nothing was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// Files that were restored but not committed, because they have uncommitted edits.
    #[serde(serialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub uncommitted: Vec<BString>,
    /// What was taken back, for the text output; `None` if that was so before.
    #[serde(skip)]
    pub undone: Option<undo::Outcome>,
    /// Why the decision is not in the log of this clone.
    #[serde(skip)]
    pub forgotten: Option<Stop>,
}

impl Outcome {
    fn of(decided: Vec<Decided>, undone: Option<undo::Outcome>) -> Self {
        let mut undone = undone;
        Self {
            decided,
            operation: undone.as_ref().and_then(|undone| undone.written.operation.clone()),
            commit: undone.as_ref().and_then(|undone| undone.commit),
            conflicts: undone
                .as_mut()
                .map(|undone| std::mem::take(&mut undone.conflicts))
                .unwrap_or_default(),
            uncommitted: undone.as_ref().map(|undone| undone.uncommitted.clone()).unwrap_or_default(),
            undone,
            forgotten: None,
        }
    }
}

/// Reject what an id names.
///
/// # Errors
/// Nothing is called so; its operation cannot be undone. Then nothing is written.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    // half a command is not what is there
    operation::recover(cx.parts(&opened))?;
    let reviewed = foreign::read(&opened, ReviewExtent::Everything)?;
    let found = chosen(cx, &opened.scope, &reviewed, (&options.id, &options.paths))?;
    let decided = |is_old: bool| {
        found.iter().map(|(flag, _)| Decided::of(flag, Decision::Rejected, is_old)).collect::<Vec<_>>()
    };
    let open: Vec<&Flag> = found
        .iter()
        .filter(|(_, standing)| *standing != ReviewStanding::TakenBack)
        .map(|(flag, _)| flag)
        .collect();
    if open.is_empty() {
        return Ok(Outcome::of(decided(true), None));
    }
    if let Some(one) = open.iter().find(|flag| flag.is_foreign) {
        let message = format!("`{}` came from elsewhere: no operation of this clone can be undone", one.path);
        let hint = "agents do not get this version; `brv vc rm PATH` removes it for everybody";
        return Err(Stop::new(FailureKind::Refused, message).hint(hint));
    }
    let undone = take_back(cx, &opened, (&reviewed, &open), options)?;
    if !undone.conflicts.is_empty() {
        return Ok(Outcome::of(Vec::new(), Some(undone)));
    }
    let (actor, now) = (review::decider(&cx.parts(&opened)), cx.clock.seconds());
    let decision = (Ruling::Rejected, options.comment.as_ref());
    let operation = undone.written.operation.as_ref().map(ToString::to_string);
    let with = |one: StoredDecision| StoredDecision { operation: operation.clone(), ..one };
    let new: Vec<_> = open.iter().map(|flag| with(review::stored(flag, decision, (&actor, now)))).collect();
    let forgotten = Decisions::add(&opened, &new).err();
    let decided = found.iter().map(|(flag, standing)| {
        Decided::of(flag, Decision::Rejected, *standing == ReviewStanding::TakenBack)
    });
    Ok(Outcome { forgotten, ..Outcome::of(decided.collect(), Some(undone)) })
}

fn take_back(
    cx: &Context<'_>,
    opened: &Opened,
    (reviewed, open): (&Reviewed, &[&Flag]),
    options: &Options,
) -> Result<undo::Outcome, Stop> {
    let scope = &opened.scope;
    let (mut paths, mut operations): (BTreeSet<BString>, BTreeSet<OperationId>) = Default::default();
    for flag in open {
        let mut others = siblings(reviewed, flag);
        others.retain(|other| !open.iter().any(|one| one.id == other.id));
        let (operation, made) = made_by(scope, flag)?;
        paths.extend(review::paths(scope, made.as_ref().unwrap_or(flag), &others)?);
        operations.insert(operation);
    }
    let Some(operation) = operations.pop_first().filter(|_| operations.is_empty()) else {
        let message = format!("`{}` is of several operations that were committed together", options.id);
        return Err(Stop::new(FailureKind::Refused, message).hint("reject the changes one by one"));
    };
    let operation = operation.to_string();
    let paths: Vec<Pathspec> = paths.iter().map(|path| Pathspec::literal(path.as_bstr())).collect();
    let rejected = open.iter().map(|flag| (REJECTED, format!("{} {}", flag.id, flag.path)));
    let comment = options.comment.iter().map(|comment| (COMMENT, comment.clone()));
    let trailers: Vec<(&'static str, String)> = rejected.chain(comment).collect();
    let undone = operation::settle(Stop::kind, |locking| {
        let opened = cx.open()?;
        let request = UndoRequest {
            operation: Some(&operation),
            paths: &paths,
            kind: OperationKind::Reject,
            comment: options.comment.as_deref(),
            trailers: &trailers,
            ..UndoRequest::LAST
        };
        undo::undo(cx.parts(&opened), &request, locking)
    });
    undone.map_err(|stop| match stop.kind {
        FailureKind::Refused => {
            stop.hint("nothing was written; `brv vc revert COMMIT` reverts a whole commit")
        }
        _ => stop,
    })
}

/// The operation to undo, which made the change; with the change as it made it, if another operation committed it.
fn made_by(scope: &Scope, flag: &Flag) -> Result<(OperationId, Option<Flag>), Stop> {
    let gone = || {
        let message = format!("the commit of `{}` names no operation that can be undone in part", flag.id);
        Stop::new(FailureKind::Refused, message).hint("revert the commit with `brv vc revert COMMIT`")
    };
    let id = flag.operation.clone().ok_or_else(gone)?;
    let listed = journal::list(scope)?;
    let records = || listed.iter().filter_map(|one| one.record.as_ref().ok());
    if records().all(|record| record.id != id || record.kind != OperationKind::Commit) {
        return Ok((id, None));
    }
    let undone = journal::undone(&listed);
    for record in records().filter(|record| !undone.contains_key(&record.id) && record.is_of(scope)) {
        let made = Flag::of_record(scope, record)?;
        let is_it = |one: &Flag| one.path == flag.path && one.versions[1] == flag.versions[1];
        if let Some(made) = made.into_iter().find(is_it) {
            return Ok((record.id.clone(), Some(made)));
        }
    }
    Err(gone())
}
