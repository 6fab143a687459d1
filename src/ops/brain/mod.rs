//! `brv brain`: what an agent should know at the start of a session, within a budget of tokens.

mod assembly;
pub mod file;
pub mod for_files;
mod task;

use crate::ops::steps::digests;
use crate::ops::steps::naming::resolve;
use crate::ops::steps::reviewing;
use crate::ops::{Context, Stop};
use assembly::Inputs;
use std::collections::BTreeSet;

pub use crate::brief::{Budgets, Outcome};

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub budgets: Budgets,
    /// Whether to leave out layer 0.
    pub no_brief: bool,
    pub task: Option<String>,
    /// A hash that was served here, `last`, or a revision.
    pub since: Option<String>,
    /// Only in this folder, as typed.
    pub scope: Option<String>,
    pub session: Option<String>,
    pub summary: bool,
    /// The hash that the caller has.
    pub if_none_match: Option<String>,
    /// Whether to say of each entry why it is in, out or cut.
    pub explain: bool,
}

impl Options {
    /// Those that change the document, as text.
    fn text(&self) -> String {
        let Self { budgets, no_brief, task, scope, summary, .. } = self;
        let Budgets { total, layers } = budgets.capped();
        let scope = scope.as_deref().map(|scope| scope.trim_matches('/'));
        format!("{total} {layers:?} {no_brief} {summary} {scope:?} {task:?}")
    }
}

/// The document, and warnings.
///
/// # Errors
/// An unknown folder, a task without a word; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<(Outcome, Vec<String>), Stop> {
    let opened = cx.keep_open()?;
    let now = cx.clock.seconds();
    let passages = options.task.as_deref().map(|words| task::passages(cx, opened, words, options));
    let passages = passages.transpose()?;
    let current = digests::current(opened)?;
    let scope = scope(&current.digests, options.scope.as_deref())?;
    let marks = reviewing::marks(opened);
    let inputs = Inputs {
        opened,
        cwd: &cx.cwd,
        now,
        options,
        scope: scope.as_deref(),
        marks: &marks,
        passages: passages.as_deref(),
        since: None,
    };
    let outcome = inputs.assemble(&current.digests);
    Ok((matched(outcome, options), Vec::new()))
}

/// Nothing where the caller has this document.
fn matched(outcome: Outcome, options: &Options) -> Outcome {
    if options.if_none_match.as_deref() != Some(&outcome.brain_hash) {
        return outcome;
    }
    Outcome { document: String::new(), token_estimate: 0, not_modified: true, ..outcome }
}

/// The folder of the tree that is meant.
fn scope(digests: &[crate::brief::Digest], typed: Option<&str>) -> Result<Option<String>, Stop> {
    let Some(typed) = typed else { return Ok(None) };
    let wanted = typed.trim_matches('/');
    if wanted.is_empty() || wanted == "." {
        return Ok(None);
    }
    let folders: BTreeSet<&str> = digests
        .iter()
        .flat_map(|digest| digest.path.match_indices('/').map(|(end, _)| &digest.path[..end]))
        .collect();
    if folders.contains(wanted) {
        return Ok(Some(wanted.to_owned()));
    }
    let inside: Vec<String> = folders.iter().map(|folder| format!("{folder}/context.md")).collect();
    let mut nearest = resolve::meant(wanted, inside.iter().map(String::as_str));
    nearest.iter_mut().for_each(|name| *name = name.trim_end_matches("/context.md").to_owned());
    nearest.dedup();
    Err(Stop::usage(format!("the context tree has no folder `{typed}`")).nearest(nearest))
}
