//! `brv brain`: what an agent should know at the start of a session, within a budget of tokens.

pub mod file;
pub mod for_files;

use crate::ops::{Context, Stop};

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

/// The document, and warnings.
///
/// # Errors
/// An unknown folder; the disk or git.
pub fn run(_cx: &Context<'_>, _options: &Options) -> Result<(Outcome, Vec<String>), Stop> {
    Err(Stop::usage("not available yet"))
}
