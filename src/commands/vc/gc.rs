//! `brv vc gc`: pack everything reachable, and delete what is no longer needed.

use brv_engine::Stop;
use brv_engine::journal::{self, Recovered};
use brv_engine::open::context::Context;
use brv_engine::write::operation::{Derived, Writing};
use brv_git as git;
use brv_git::gc::{self, Expiry, Mentions};
use brv_text::doc;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_git::gc::GcMode;

/// How to tidy up.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Unreachable objects newer than this are kept, in git's date syntax; `None`: as configured, or two weeks.
    pub prune: Option<String>,
    /// Whether anything is written.
    pub extent: GcMode,
}

/// `brv.vc.gc/1`: what was done, or would be done with `--dry-run`.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Gc")]
pub struct Outcome {
    /// Whether `--dry-run` was given.
    pub dry_run: bool,
    #[serde(flatten)]
    pub done: gc::Outcome,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Recovered>,
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("gc")?;
    let scope = &opened.scope;
    let now = cx.clock.seconds();
    let expiry = match &options.prune {
        Some(text) => Expiry::parse(text, now)?,
        None => gc::expiry(scope, now)?,
    };
    let writing = Writing::begin(cx.parts(&opened))?;
    if options.extent == GcMode::Everything {
        journal::prune(scope, writing.guard(), now)?;
    }
    let mentions = Some(Mentions { file: "context.md", of: doc::archived_blobs });
    let wanted = gc::Options { expiry, extent: options.extent, now, mentions };
    let done = gc::collect(scope, writing.guard(), &wanted, cx.progress, git::interrupt())?;
    Ok(Outcome {
        dry_run: options.extent == GcMode::CountOnly,
        done,
        recovered: writing.finish(Derived::Leave).recovered,
    })
}
