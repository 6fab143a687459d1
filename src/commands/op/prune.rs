//! `brv op prune`: remove operations from the journal, either the expired ones or all that contain a file.

use brv_base::fs;
use brv_engine::FailureKind;
use brv_engine::journal::{self, Listed, OperationId};
use brv_engine::open::context::Context;
use brv_engine::open::naming::{operations, paths};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::write::operation::{Derived, WriteOutcome, Writing};
use brv_git::Scope;
use brv_git::pathspec::{Pathspec, Pathspecs};
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeSet;

pub use brv_engine::Mode;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Every operation that contains a version of these paths, as typed; empty: the expired operations.
    pub paths: Vec<String>,
    /// Whether anything is written.
    pub mode: Mode,
}

/// What was removed, or would be.
#[derive(Debug)]
pub struct Outcome {
    /// The removed operations, newest first; they can no longer be undone.
    pub gone: Vec<Gone>,
    /// Where paths were named: the other files that these operations changed, relative to the tree, sorted. An
    /// operation is removed as a whole, so their changes can no longer be undone either.
    pub others: Vec<BString>,
    /// How many operations are kept.
    pub kept: usize,
    /// The named paths that `HEAD` still contains, relative to the tree: the history holds their content, too.
    pub in_head: Vec<BString>,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    pub id: OperationId,
    /// Its command; `None` if this version cannot read it.
    pub kind: Option<journal::Kind>,
    pub reason: String,
}

/// Why nothing was removed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error("`{0}` does not name a single file or folder")]
    NotOne(String),
    #[error("`{0}` matches no file on disk, in `HEAD` or in the operation log")]
    NoMatch(BString),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::NotOne(_) | Self::NoMatch(_) => FailureKind::Usage,
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    if let Some(at) = specs.iter().position(|spec| spec.has_wildcard() || spec.as_bstr().is_empty()) {
        return Err(Error::NotOne(options.paths[at].clone()));
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
        journal::forget(scope, writing.guard(), &ids)?;
    }
    let kept = listed.len() - ids.len();
    let gone = listed.into_iter().filter(|one| ids.contains(&one.id)).map(Gone::from).collect();
    Ok(Outcome { gone, others, kept, in_head, written: writing.finish(Derived::Leave) })
}

/// The files that these operations changed in addition to the named ones.
fn others<'a>(
    scope: &Scope,
    gone: impl Iterator<Item = &'a Listed>,
    named: &[Pathspec],
) -> Result<Vec<BString>, Error> {
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

fn in_head(scope: &Scope, paths: &[BString]) -> Result<Vec<BString>, Error> {
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
fn holding(scope: &Scope, listed: &[Listed], paths: &[BString]) -> Result<Vec<OperationId>, Error> {
    let mut ids = Vec::new();
    for path in paths {
        let found = journal::holding(scope, listed, scope.full(path).as_ref())?;
        if found.is_empty()
            && !journal::is_in_head(scope, scope.full(path).as_ref())?
            && fs::stat(&fs::below(&scope.root(), path.as_bstr())?)?.is_none()
        {
            return Err(Error::NoMatch(path.clone()));
        }
        ids.extend(found.into_iter().map(|one| one.id.clone()));
    }
    ids.sort();
    ids.dedup();
    Ok(ids)
}

impl From<Listed> for Gone {
    fn from(one: Listed) -> Self {
        let (kind, reason) = match one.record {
            Ok(record) => (Some(record.kind), record.reason),
            Err(reason) => (None, reason),
        };
        Self { id: one.id, kind, reason }
    }
}
