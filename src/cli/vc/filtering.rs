//! The flags by which `vc branch` and `vc tag` list only what leads to some commits.

use crate::ops::vc::branch::Filter;
use clap::Args;

/// What is listed, by the commits it leads to.
#[derive(Debug, Args)]
pub struct Filtering {
    /// List only those whose commits REV has
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    merged: Option<String>,
    /// List only those with commits that REV does not have
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    no_merged: Option<String>,
    /// List only those that have the commit
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD")]
    contains: Option<String>,
    /// List only those that do not have the commit
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD")]
    no_contains: Option<String>,
}

impl Filtering {
    /// As `ops` has it; all of them hold.
    #[must_use]
    pub fn filters(&self) -> Vec<Filter> {
        [
            self.merged.clone().map(Filter::Merged),
            self.no_merged.clone().map(Filter::NotMerged),
            self.contains.clone().map(Filter::Contains),
            self.no_contains.clone().map(Filter::NotContains),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
