//! What `fetch` and `pull` may be told about fetching in the same way.
//!
//! Words only: the meaning is in `ops`.

use crate::cli::format::above_zero;
use crate::ops::vc::fetch::{Depth, Manner, Prune, Tags};
use clap::Args;
use std::num::NonZeroU32;

/// The arguments that say what comes along.
#[derive(Debug, Args)]
pub struct Fetching {
    /// Delete refs of branches that are gone at the remote
    #[arg(short, long, overrides_with = "no_prune")]
    prune: bool,
    /// Keep them, whatever the settings say
    #[arg(long, overrides_with = "prune")]
    no_prune: bool,
    /// Fetch all tags
    #[arg(short, long, overrides_with = "no_tags")]
    tags: bool,
    /// Fetch no tags
    #[arg(long, overrides_with = "tags")]
    no_tags: bool,
    /// Fetch so many commits from each tip, and end the history there
    #[arg(long, value_name = "N", value_parser = above_zero::<NonZeroU32>, allow_negative_numbers = true, conflicts_with_all = ["deepen", "unshallow"])]
    depth: Option<NonZeroU32>,
    /// Fetch so many commits more, from where the history ends
    #[arg(long, value_name = "N", value_parser = above_zero::<NonZeroU32>, allow_negative_numbers = true, conflicts_with = "unshallow")]
    deepen: Option<NonZeroU32>,
    /// Fetch all the history that is missing
    #[arg(long)]
    unshallow: bool,
}

impl Fetching {
    /// As `ops` has it.
    #[must_use]
    pub const fn manner(&self) -> Manner {
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
        Manner { prune, tags, depth }
    }
}
