//! `brv vc restore`: bring files, or what is recorded of them, back to what the index or a commit has.

use crate::git::revision::RevisionError;
use crate::git::{self, Scope, TreeId};
use crate::journal::Kind;
use crate::ops::FailureKind;
use crate::ops::context::Context;
use crate::ops::steps::cause::{Cause, caused};
pub use crate::ops::steps::merging::integrate::Derive;
use crate::ops::steps::naming::branches::{self, Start};
use crate::ops::steps::naming::paths;
use crate::ops::steps::work_tree::restoring::{self, Absent, Request, Restored};
use crate::ops::steps::writing::Writing;

pub use crate::ops::steps::work_tree::restoring::{Places, Side};

/// What to restore.
#[derive(Debug, Clone)]
pub struct Options {
    /// As typed.
    pub paths: Vec<String>,
    /// Where the bytes come from.
    pub source: Source,
    /// Where they go.
    pub places: Places,
    /// Whether the derived files are made again.
    pub derive: Derive,
}

/// Where the bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The index for files, `HEAD` where the index itself is restored.
    Usual,
    /// A side of a conflict.
    Side(Side),
    /// A revision as typed.
    Revision(String),
}

/// Why nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the paths.
    #[error(transparent)]
    Cause(Cause),
    /// A revision.
    #[error(transparent)]
    Revision(#[from] branches::Error),
    /// A side is of files, not of the index.
    #[error("one side of a conflict can only be restored to the work tree, not to the index")]
    SideOfIndex,
    /// What was named, or what stands there.
    #[error(transparent)]
    Restore(#[from] restoring::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
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

/// Restore. A commit that is named has what it has: recorded files that it lacks go.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Restored, Error> {
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

/// On a branch without commits there is nothing that could be brought back to.
fn head(scope: &Scope) -> Result<TreeId, Error> {
    let commit = git::revision::commit(scope, "HEAD");
    let commit = commit.map_err(|error: RevisionError| branches::Error::from(error))?;
    Ok(scope.tree_of(commit)?)
}
