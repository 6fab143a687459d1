//! `brv op log`: list the operations in the operation log, newest first.

use brv_engine::journal::{self, Listed, OperationId, Record};
use brv_engine::open::context::Context;
use brv_engine::open::naming::{operations, paths};
use bstr::BString;

pub use brv_engine::journal::{Elsewhere, Kind};
pub use brv_engine::outcome::cause::Cause as Error;

/// How many files of an operation are listed, unless all are asked for.
const FILES: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub limit: Option<usize>,
    /// Only operations of this actor.
    pub actor: Option<String>,
    /// Only operations of this session.
    pub session: Option<String>,
    /// Only operations of these kinds; empty: all.
    pub kinds: Vec<Kind>,
    /// Only operations that touch one of these files, as typed.
    pub paths: Vec<String>,
    /// Whether each operation has all of its files, however many.
    pub all_files: bool,
}

#[derive(Debug)]
pub struct Outcome {
    pub entries: Vec<Entry>,
    /// How many operations the log has, filters and limit aside.
    pub total: usize,
}

#[derive(Debug)]
pub enum Entry {
    /// An operation that this version understands.
    Known(Box<Known>),
    /// An operation that this version cannot read.
    Unreadable {
        id: OperationId,
        /// Why it cannot be read.
        reason: String,
    },
}

/// An operation, with what became of it later.
#[derive(Debug)]
pub struct Known {
    pub record: Record,
    /// The files that it touches, relative to the tree; of many the first ones.
    pub footprint: Vec<BString>,
    /// How many it touches.
    pub touched: usize,
    pub undone_by: Option<OperationId>,
    /// Where it was made, if not in this tree.
    pub elsewhere: Option<Elsewhere>,
}

/// Read the operation log.
///
/// # Errors
/// [`Error`]; an operation that cannot be read is part of the outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let paths = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let listed = journal::list(scope)?;
    let mut undone = journal::undone(&listed);
    let total = listed.len();
    let mut entries = Vec::new();
    for one in listed.into_iter().filter(|one| is_meant(one, options)) {
        if options.limit.is_some_and(|limit| entries.len() >= limit) {
            break;
        }
        match one.record {
            Err(reason) => entries.push(Entry::Unreadable { id: one.id, reason }),
            Ok(record) => {
                if !paths.is_empty() && !operations::touches(scope, &record, &paths)? {
                    continue;
                }
                let mut footprint = operations::footprint(scope, &record)?;
                let touched = footprint.len();
                if !options.all_files {
                    footprint.truncate(FILES);
                }
                let undone_by = undone.remove(&record.id);
                let elsewhere = record.elsewhere(scope);
                entries.push(Entry::Known(Box::new(Known {
                    record,
                    footprint,
                    touched,
                    undone_by,
                    elsewhere,
                })));
            }
        }
    }
    Ok(Outcome { entries, total })
}

/// Whether the operation matches the filters. An unreadable one matches only if no filter is set.
fn is_meant(one: &Listed, options: &Options) -> bool {
    let Options { actor, session, kinds, paths, .. } = options;
    match &one.record {
        Err(_) => actor.is_none() && session.is_none() && kinds.is_empty() && paths.is_empty(),
        Ok(record) => {
            actor.as_ref().is_none_or(|actor| record.actor == *actor)
                && session.as_ref().is_none_or(|session| record.session.as_ref() == Some(session))
                && (kinds.is_empty() || kinds.contains(&record.kind))
        }
    }
}
