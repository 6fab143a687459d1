//! `brv vc switch`: switch to another branch, create one, or detach `HEAD` at a commit.

pub use brv_engine::merge::integrate::Derive;
use brv_engine::open::context::Context;
use brv_engine::open::naming::upstream::{self, Upstream};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::vc::work_tree::switching::{self, Switched};
use brv_engine::write::operation::{self, Writing};
use brv_engine::{Fails, FailureKind};

pub use brv_engine::open::naming::branches::{Existing, Track};
pub use brv_engine::vc::work_tree::switching::{Guess, Local, To};

/// What to switch to, and how.
#[derive(Debug, Clone)]
pub struct Options {
    pub to: To,
    pub local: Local,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
}

#[derive(Debug)]
pub struct Outcome {
    /// Where `HEAD` was and is, and which files changed.
    pub switched: Switched,
    pub upstream: Option<Upstream>,
}

/// Why `HEAD` did not move.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Switch(#[from] switching::Error),
    #[error(transparent)]
    Upstream(#[from] upstream::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Switch(error) => error.kind(),
            Self::Upstream(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    operation::settle(Error::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("switch")?;
    let writing = Writing::begin(cx.parts(&opened))?;
    let way = switching::way(&opened.scope, &opened.scope.head()?, &options.to)?;
    let switched = switching::switch(writing, &way, options.local, options.derive)?;
    let upstream = upstream::of(&opened.scope, &switched.after)?;
    Ok(Outcome { switched, upstream })
}
