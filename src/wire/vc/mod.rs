//! JSON of `brv vc`: a file for each command.

pub(super) mod check;
pub(super) mod merge;
pub(super) mod pull;
pub(super) mod sync;

pub use check::{
    BrokenLink, ChangedLines, Check, Cited, Consequences, EntryCounts, FactCounts, Fixed, FixedFile, Flagged,
    MAX_BYTES as MAX_CHECK_BYTES, Source, Tokens, Verdict,
};
pub use merge::{Aborted, Merge};
pub use pull::Pull;
pub use sync::{Sent, Sync};
