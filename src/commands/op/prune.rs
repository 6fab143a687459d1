//! `brv op prune`: remove operations from the journal, either the expired ones or all that contain a file.

use brv_base::fs;
use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::journal::{self, Listed, OperationId, Recovered};
use brv_engine::open::context::Context;
use brv_engine::open::naming::{operations, paths};
use brv_engine::outcome::bytes::texts;
use brv_engine::read::analysis;
use brv_engine::write::operation::{Derived, Writing};
use brv_engine::write::written::WrittenEffects;
use brv_git::Scope;
use brv_git::pathspec::{Pathspec, Pathspecs};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

pub use brv_engine::Mode;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Every operation that contains a version of these paths, as typed; empty: the expired operations.
    pub paths: Vec<String>,
    /// Whether anything is written.
    pub mode: Mode,
}

/// `brv.op.prune/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpPrune")]
pub struct Outcome {
    /// The operations that were deleted, or would be, newest first: they can no longer be undone.
    pub gone: Vec<DeletedOperation>,
    /// Other files that these operations changed: those changes can no longer be undone either.
    // only where paths were named; sorted
    pub others: Vec<String>,
    /// Number of operations that are kept.
    pub kept: usize,
    /// The given paths that `HEAD` still has: the history still holds them.
    pub in_head: Vec<String>,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered: Option<Recovered>,
    /// Effects on files, and the operation.
    #[serde(skip)]
    pub written: WrittenEffects,
}

/// A deleted operation.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Gone")]
pub struct DeletedOperation {
    /// Its id.
    pub id: OperationId,
    /// The command; absent if this version of brv cannot read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Why it was made, or why it cannot be read.
    pub reason: String,
}

/// Remove what the options name.
///
/// # Errors
/// A path that names no single file, or nothing that there is: nothing was removed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    if let Some(at) = specs.iter().position(|spec| spec.has_wildcard() || spec.as_bstr().is_empty()) {
        let message = format!("`{}` does not name a single file or folder", options.paths[at]);
        return Err(Stop::usage(message).hint("name the files one by one, or their folder"));
    }
    let paths: Vec<BString> = specs.iter().map(|spec| spec.as_bstr().to_owned()).collect();
    let writing = Writing::begin(cx.parts(&opened))?;
    let listed = journal::list(scope)?;
    let ids = match paths.is_empty() {
        true => journal::expired(listed.iter().map(|one| one.id.clone()), cx.clock.seconds()),
        false => holding(scope, &listed, &paths)?,
    };
    let in_head = in_head(scope, &paths)?;
    let others = others(scope, listed.iter().filter(|one| ids.contains(&one.id)), &specs)?;
    if options.mode == Mode::Write {
        if !paths.is_empty() {
            derive::forget_shared(scope.environment(), &opened.config)?;
            analysis::forget(&opened.places.cache());
        }
        journal::forget(scope, writing.guard(), &ids)?;
    }
    let kept = listed.len() - ids.len();
    let gone = listed.into_iter().filter(|one| ids.contains(&one.id)).map(DeletedOperation::from).collect();
    let written = WrittenEffects::from(&writing.finish(Derived::Leave));
    let recovered = written.rewritten.recovered.clone();
    Ok(Outcome { gone, others: texts(&others), kept, in_head: texts(&in_head), recovered, written })
}

/// The files that these operations changed in addition to the named ones.
fn others<'a>(
    scope: &Scope,
    gone: impl Iterator<Item = &'a Listed>,
    named: &[Pathspec],
) -> Result<Vec<BString>, Stop> {
    let mut others = BTreeSet::new();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let named = Pathspecs::of(named);
    for record in gone.filter_map(|one| one.record.as_ref().ok()) {
        let touched = operations::footprint(scope, record)?;
        others.extend(touched.into_iter().filter(|path| !named.matches(path.as_bstr())));
    }
    Ok(others.into_iter().collect())
}

fn in_head(scope: &Scope, paths: &[BString]) -> Result<Vec<BString>, Stop> {
    let mut found = Vec::new();
    for path in paths {
        if journal::is_in_head(scope, scope.full(path).as_ref())? {
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// The operations that contain one of the paths. A path that is in no operation, not in `HEAD` and not on disk is taken
/// for a typing error.
fn holding(scope: &Scope, listed: &[Listed], paths: &[BString]) -> Result<Vec<OperationId>, Stop> {
    let mut ids = Vec::new();
    for path in paths {
        let found = journal::holding(scope, listed, scope.full(path).as_ref())?;
        if found.is_empty()
            && !journal::is_in_head(scope, scope.full(path).as_ref())?
            && fs::stat(&fs::below(&scope.root(), path.as_bstr())?)?.is_none()
        {
            let message = format!("`{path}` matches no file on disk, in `HEAD` or in the operation log");
            return Err(Stop::usage(message));
        }
        ids.extend(found.into_iter().map(|one| one.id.clone()));
    }
    ids.sort();
    ids.dedup();
    Ok(ids)
}

impl From<Listed> for DeletedOperation {
    fn from(one: Listed) -> Self {
        let (kind, reason) = match one.record {
            Ok(record) => (Some(record.kind.word()), record.reason),
            Err(reason) => (None, reason),
        };
        Self { id: one.id, kind, reason }
    }
}
