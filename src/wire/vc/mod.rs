//! JSON of `brv vc`: a file for each command.

pub(super) mod check;

pub use check::{
    BrokenLink, ChangedLines, Check, Cited, Consequences, EntryCounts, FactCounts, Fixed, FixedFile, Flagged,
    MAX_BYTES as MAX_CHECK_BYTES, Source, Tokens, Verdict,
};
