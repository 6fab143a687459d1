//! Filter flags of `vc branch` and `vc tag`: list only refs that contain, or are merged into, some commit.

use brv_commands::vc::branch::Filter;
use clap::Args;

/// The filter flags.
#[derive(Debug, Args)]
pub struct Filtering {
    /// List only those merged into REV
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    merged: Option<String>,
    /// List only those not merged into REV
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    no_merged: Option<String>,
    /// List only those that contain the commit
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD")]
    contains: Option<String>,
    /// List only those that do not contain the commit
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD")]
    no_contains: Option<String>,
}

impl Filtering {
    /// Convert to the type that the command takes; a ref must match all filters.
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
