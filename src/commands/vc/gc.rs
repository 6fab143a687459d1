//! `brv vc gc`: pack everything reachable, and delete what is no longer needed.

use brv_engine::FailureKind;
use brv_engine::journal;
use brv_engine::open::context::Context;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::write::operation::{Derived, WriteOutcome, Writing};
use brv_git as git;
use brv_git::gc::{self, Expiry, ExpiryError, Mentions};
use brv_text::doc;

pub use brv_git::gc::Error as Collecting;
pub use brv_git::gc::Extent;

/// How to tidy up.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Unreachable objects newer than this are kept, in git's date syntax; `None`: as configured, or two weeks.
    pub prune: Option<String>,
    /// Whether anything is written.
    pub extent: Extent,
}

#[derive(Debug)]
pub struct Outcome {
    /// In the object store and among the refs.
    pub collected: gc::Outcome,
    /// Whether anything was written.
    pub extent: Extent,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Expiry(#[from] ExpiryError),
    #[error(transparent)]
    Collect(#[from] gc::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Expiry(ExpiryError::Date(_) | ExpiryError::Setting(_)) => FailureKind::Usage,
            Self::Collect(gc::Error::Running(_) | gc::Error::Locked(_)) => FailureKind::Busy,
            Self::Collect(gc::Error::Precious) => FailureKind::Refused,
            Self::Collect(gc::Error::Interrupted) => FailureKind::Interrupted,
            Self::Collect(gc::Error::Git(error)) | Self::Expiry(ExpiryError::Git(error)) => {
                FailureKind::of_git(error)
            }
            Self::Collect(gc::Error::Missing(_) | gc::Error::Open(_)) => FailureKind::Failed,
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("gc")?;
    let scope = &opened.scope;
    let now = cx.clock.seconds();
    let expiry = match &options.prune {
        Some(text) => Expiry::parse(text, now)?,
        None => gc::expiry(scope, now)?,
    };
    let writing = Writing::begin(cx.parts(&opened))?;
    if options.extent == Extent::Everything {
        journal::prune(scope, writing.guard(), now)?;
    }
    let mentions = Some(Mentions { file: "context.md", of: doc::archived_blobs });
    let wanted = gc::Options { expiry, extent: options.extent, now, mentions };
    let collected = gc::collect(scope, writing.guard(), &wanted, cx.progress, git::interrupt())?;
    Ok(Outcome { collected, extent: options.extent, written: writing.finish(Derived::Leave) })
}
