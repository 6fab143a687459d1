//! Fetch flags shared by `fetch` and `pull`.
//!
//! Only the flags: what they do is in [`brv_commands::vc::fetch`].

use crate::cli::format::above_zero;
use brv_commands::vc::fetch::{Depth, FetchOptions, Prune, Tags};
use clap::Args;
use std::num::NonZeroU32;

/// The flags that choose what is fetched.
#[derive(Debug, Args)]
pub struct Fetching {
    /// Delete remote-tracking branches that no longer exist at the remote
    #[arg(short, long, overrides_with = "no_prune")]
    prune: bool,
    /// Do not prune, whatever the settings say
    #[arg(long, overrides_with = "prune")]
    no_prune: bool,
    /// Fetch all tags
    #[arg(short, long, overrides_with = "no_tags")]
    tags: bool,
    /// Fetch no tags
    #[arg(long, overrides_with = "tags")]
    no_tags: bool,
    /// Limit the history to N commits from each branch tip
    #[arg(long, value_name = "N", value_parser = above_zero::<NonZeroU32>, allow_negative_numbers = true, conflicts_with_all = ["deepen", "unshallow"])]
    depth: Option<NonZeroU32>,
    /// Fetch N more commits from where the shallow history ends
    #[arg(long, value_name = "N", value_parser = above_zero::<NonZeroU32>, allow_negative_numbers = true, conflicts_with = "unshallow")]
    deepen: Option<NonZeroU32>,
    /// Fetch all missing history
    #[arg(long)]
    unshallow: bool,
}

impl Fetching {
    /// Convert to the type that the command takes.
    pub const fn manner(&self) -> FetchOptions {
        let prune = match (self.prune, self.no_prune) {
            (true, _) => Prune::Delete,
            (_, true) => Prune::Keep,
            _ => Prune::Configured,
        };
        let tags = match (self.tags, self.no_tags) {
            (true, _) => Tags::All,
            (_, true) => Tags::None,
            _ => Tags::Configured,
        };
        let depth = match (self.depth, self.deepen) {
            (Some(commits), _) => Depth::Of(commits),
            (_, Some(commits)) => Depth::Deepen(commits),
            _ if self.unshallow => Depth::Full,
            _ => Depth::Unchanged,
        };
        FetchOptions { prune, tags, depth }
    }
}
