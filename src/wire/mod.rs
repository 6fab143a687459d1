//! JSON output: the data of commands whose outcome is not its own JSON.
//!
//! Knows the outcomes of [`brv_commands`], not how they are made.
//!
//! Text output is drawn from the same data. Differences of files and entries keep the model of [`brv_text::diff`] beside
//! their JSON form, in fields that are not serialised: the pages for terminals, markdown and HTML draw the model, which has
//! places and words that JSON leaves out.

mod finding;
mod vc;

pub use finding::Finding;
pub use vc::{
    BrokenLink, ChangedLines, Check, Cited, Consequences, EntryCounts, FactCounts, Fixed, FixedFile, Flagged,
    MAX_CHECK_BYTES, Source, Tokens, Verdict,
};
