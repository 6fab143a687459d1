//! Dream: gather what may belong together or has become weak, and apply what was decided about it.
//!
//! What is decided is decided without any lock; it is applied under it, in memory and then at once, as one operation and
//! one commit. Each file must be as the plan saw it.

mod ages;
mod applying;
mod asking;
mod basis;
mod branch;
mod captured;
mod composing;
mod effects;
mod evidence;
mod excerpt;
mod ground;
mod landing;
mod memory;
mod merging;
mod outcome;
mod patterns;
mod plan_id;
mod reverted;
mod row;
mod run;
mod searching;
mod setting;
mod weak;

pub use asking::Decisive;
pub use ground::{DreamPlace, Ground};
pub use outcome::{DreamStatus, DreamSummary, Outcome};
pub use row::{Facts, Phase, Row, RowStatus, Survival};
pub use run::{Gates, LIMIT, Request, Writer, fresh_id, plan, run};
pub use setting::Halt;

use brv_engine::journal::DreamId;
use brv_git::CommitId;

/// How many files a candidate has at most.
const FILES: usize = 8;

/// The most candidates of consolidate that may be asked for.
const MOST_CANDIDATES: usize = 500;

/// A dream: its name, and the commit that it begins with.
#[derive(Debug, Clone, Copy)]
pub struct DreamStart {
    pub id: DreamId,
    pub base: Option<CommitId>,
}
