//! `brv vc restore`: restore files, or their staged versions, from the index or a commit.

use brv_engine::Stop;
use brv_engine::journal::OperationKind;
pub use brv_engine::merge::integrate::Derive;
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches::Start;
use brv_engine::open::naming::paths;
use brv_engine::vc::work_tree::restoring::{self, AbsentFilePolicy, RestoreRequest};
use brv_engine::write::operation::{self, Writing};
use brv_git::{Scope, revision};

pub use brv_engine::vc::work_tree::restoring::{Places, RestoreSide, Restored};

#[derive(Debug, Clone)]
pub struct Options {
    pub paths: Vec<String>,
    pub source: RestoreVersion,
    /// What to restore: files, index or both.
    pub places: Places,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreVersion {
    /// The index for files, or `HEAD` for the index itself.
    Usual,
    Side(RestoreSide),
    /// A revision, as typed.
    Revision(String),
}

/// Restore. If a commit is named, tracked files that it lacks are removed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Restored, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Restored, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let writing = Writing::begin(cx.parts(&opened))?;
    let (source, of) = source(scope, options)?;
    let request = RestoreRequest {
        specs,
        source,
        places: options.places,
        absent: AbsentFilePolicy::Goes,
        kind: OperationKind::Restore,
        reason: format!("restore {}{of}", options.paths.join(" ")),
    };
    restoring::restore(writing, &request, options.derive)
}

fn source(scope: &Scope, options: &Options) -> Result<(restoring::RestoreSource, String), Stop> {
    Ok(match &options.source {
        RestoreVersion::Side(_) if options.places != Places::Files => {
            return Err(Stop::usage(
                "one side of a conflict can only be restored to the work tree, not to the index",
            ));
        }
        RestoreVersion::Side(side) => (restoring::RestoreSource::Side(*side), String::new()),
        RestoreVersion::Revision(typed) => {
            let tree = scope.tree_of(Start::at(scope, typed)?.commit)?;
            (restoring::RestoreSource::Tree(tree), format!(" of {typed}"))
        }
        RestoreVersion::Usual if options.places == Places::Files => {
            (restoring::RestoreSource::Index, String::new())
        }
        // a branch without commits has none to restore from
        RestoreVersion::Usual => {
            (restoring::RestoreSource::Tree(scope.tree_of(revision::commit(scope, "HEAD")?)?), String::new())
        }
    })
}
