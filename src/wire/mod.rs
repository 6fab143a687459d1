//! JSON output: the data of commands whose outcome is not its own JSON.
//!
//! Knows the outcomes of [`brv_commands`], not how they are made.
//!
//! Text output is drawn from the same data. Differences of files and entries keep the model of [`brv_text::diff`] beside
//! their JSON form, in fields that are not serialised: the pages for terminals, markdown and HTML draw the model, which has
//! places and words that JSON leaves out.

mod curate;
mod finding;
mod integrated;
mod op;
mod review;
mod undo;
mod vc;

pub use curate::{Applied as CurateApplied, Curate, Left, Section as CurateSection};
pub use finding::Finding;
pub use integrated::{Integrated, Relation};
pub use op::{Foreign, OpDiff, OpShow};
pub use review::{ReviewItem, ReviewReject, ReviewShow};
pub use undo::{Origin as UndoOrigin, Undo, Undone, UndoneSession};
pub use vc::{
    Aborted, Blame, BlamedCommit, BlamedFact, BlamedLine, BlamedSource, BrokenLink, ChangedLines, Changes,
    Check, Cited, Consequences, Diff, Endpoint, EntryCounts, FactCounts, FileDifference, Fixed, FixedFile,
    Flagged, Log, Logged, MAX_CHECK_BYTES, Merge, Pointing, Pull, Sent, Show, ShownCommit, Source, Statement,
    Sync, Tokens, Verdict,
};
