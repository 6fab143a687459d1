//! JSON of `brv vc`: a file for each command.

pub(super) mod blame;
pub(super) mod check;
pub(super) mod diff;
pub(super) mod log;
pub(super) mod merge;
pub(super) mod pull;
pub(super) mod show;
pub(super) mod sync;

pub use blame::{
    Blame, Fact as BlamedFact, Line as BlamedLine, Origin as BlamedCommit, Source as BlamedSource, Statement,
};
pub use check::{
    BrokenLink, ChangedLines, Check, Cited, Consequences, EntryCounts, FactCounts, Fixed, FixedFile, Flagged,
    MAX_BYTES as MAX_CHECK_BYTES, Source, Tokens, Verdict,
};
pub use diff::{Diff, Endpoint, FileDifference};
pub use log::{Changes, Commit as ShownCommit, Log, Logged, Name as Pointing};
pub use merge::{Aborted, Merge};
pub use pull::Pull;
pub use show::Show;
pub use sync::{Sent, Sync};
