//! `brv curate`: apply operations to entries, and learn what became of each.

pub mod commits;
mod grouped;
mod history;
mod one;
pub mod plan;

use crate::git::patch_id;
use crate::journal::SourceCommit;
use crate::ops::context::{Context, Opened};
use crate::ops::steps::curating;
use crate::ops::steps::hosting::Host;
use std::path::Path;

pub use crate::curation::MAX_INPUT_BYTES;
pub use crate::ops::Mode;
use crate::ops::Stop;
pub use crate::ops::steps::curating::{Applied, Done, Extent, Options, Outcome, Similar};
pub use one::{One, Verb};

/// Apply the operations, in order.
///
/// # Errors
/// [`Stop`]; then nothing was written. An operation that fails is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    match grouped::sources(&options.operations) {
        Some(groups) => grouped::curate(cx, &opened, options, &groups),
        None => {
            let options = Options { code_head: code_head(&opened, &cx.cwd), ..options.clone() };
            Ok(curating::curate(cx.parts(&opened), &options)?)
        }
    }
}

/// The head of the code around the project; `None` where there is none, or where the commit of the entry will be one of the
/// code itself.
fn code_head(opened: &Opened, cwd: &Path) -> Option<SourceCommit> {
    let host = Host::of(opened, cwd).ok().flatten().filter(|_| opened.scope.prefix().is_empty())?;
    let commit = host.scope.head().ok()?.commit()?;
    Some(SourceCommit { commit, patch: patch_id::of_commit(&host.scope, commit).ok().flatten() })
}
