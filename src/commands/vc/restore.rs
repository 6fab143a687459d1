//! `brv vc restore`: restore files, or their staged versions, from the index or a commit.

use brv_engine::journal::Kind;
pub use brv_engine::merge::integrate::Derive;
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches::{self, Start};
use brv_engine::open::naming::paths;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::vc::work_tree::restoring::{self, Absent, Request, Restored};
use brv_engine::write::operation::{self, Writing};
use brv_engine::{Fails, FailureKind};
use brv_git as git;
use brv_git::revision::RevisionError;
use brv_git::{Scope, TreeId};

pub use brv_engine::vc::work_tree::restoring::{Places, Side};

#[derive(Debug, Clone)]
pub struct Options {
    pub paths: Vec<String>,
    pub source: Source,
    /// What to restore: files, index or both.
    pub places: Places,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The index for files, or `HEAD` for the index itself.
    Usual,
    Side(Side),
    /// A revision, as typed.
    Revision(String),
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Revision(#[from] branches::Error),
    #[error("one side of a conflict can only be restored to the work tree, not to the index")]
    SideOfIndex,
    #[error(transparent)]
    Restore(#[from] restoring::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::SideOfIndex => FailureKind::Usage,
            Self::Revision(error) => error.kind(),
            Self::Restore(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Restore. If a commit is named, tracked files that it lacks are removed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Restored, Error> {
    operation::settle(Error::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Restored, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let writing = Writing::begin(cx.parts(&opened))?;
    let (source, of) = source(scope, options)?;
    let request = Request {
        specs,
        source,
        places: options.places,
        absent: Absent::Goes,
        kind: Kind::Restore,
        reason: format!("restore {}{of}", options.paths.join(" ")),
    };
    Ok(restoring::restore(writing, &request, options.derive)?)
}

fn source(scope: &Scope, options: &Options) -> Result<(restoring::Source, String), Error> {
    Ok(match &options.source {
        Source::Side(_) if options.places != Places::Files => return Err(Error::SideOfIndex),
        Source::Side(side) => (restoring::Source::Side(*side), String::new()),
        Source::Revision(typed) => {
            let tree = scope.tree_of(Start::at(scope, typed)?.commit)?;
            (restoring::Source::Tree(tree), format!(" of {typed}"))
        }
        Source::Usual if options.places == Places::Files => (restoring::Source::Index, String::new()),
        Source::Usual => (restoring::Source::Tree(head(scope)?), String::new()),
    })
}

/// The tree of `HEAD`; a branch without commits has none to restore from.
fn head(scope: &Scope) -> Result<TreeId, Error> {
    let commit = git::revision::commit(scope, "HEAD");
    let commit = commit.map_err(|error: RevisionError| branches::Error::from(error))?;
    Ok(scope.tree_of(commit)?)
}
