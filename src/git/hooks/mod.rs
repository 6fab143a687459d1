//! git's hooks of a repository: where git looks for them, who rules them, and brv's line in their files or in the
//! repository's settings.
//!
//! Knows which events brv listens to, not what it does at them.

pub mod configured;
mod files;
mod managers;
mod place;
pub mod script;

pub use files::{HookFile, Obstacle};
pub use managers::Manager;
pub use place::{HookLocation, Ruler, place};

use std::fmt;

/// An event at which git runs brv.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    PostCommit,
    PostRewrite,
    PostMerge,
    PostCheckout,
    PrePush,
}

/// The repository whose event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookRepository {
    /// The repository of the code.
    Host,
    /// The tree's own repository.
    Tree,
}

impl Event {
    /// All, the host's first.
    pub const ALL: [Self; 5] =
        [Self::PostCommit, Self::PostRewrite, Self::PostMerge, Self::PostCheckout, Self::PrePush];

    /// git's name for it, which is also the name of the hook's file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PostCommit => "post-commit",
            Self::PostRewrite => "post-rewrite",
            Self::PostMerge => "post-merge",
            Self::PostCheckout => "post-checkout",
            Self::PrePush => "pre-push",
        }
    }

    pub const fn home(self) -> HookRepository {
        match self {
            Self::PostCommit | Self::PostRewrite => HookRepository::Host,
            Self::PostMerge | Self::PostCheckout | Self::PrePush => HookRepository::Tree,
        }
    }

    /// The events of one repository.
    pub fn of(home: HookRepository) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |event| event.home() == home)
    }

    /// Whether git feeds the hook's standard input.
    pub const fn reads_input(self) -> bool {
        matches!(self, Self::PostRewrite | Self::PrePush)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

brv_base::json_text!(Event);
