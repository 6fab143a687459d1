//! The use cases, one module per command: `Options` in, `Outcome` out, `Error` if the command could not run at all.
//!
//! Conflicts, refusals and rejected pushes are outcomes or errors with data, never text. Nothing is printed here. A
//! command never calls a command; what two of them share is a step in [`steps`].

pub mod archive;
pub mod cause;
pub mod complete;
pub mod config;
pub mod context;
pub mod curate;
pub mod demo;
pub mod derive;
pub mod eval;
pub mod failure;
pub mod init;
pub mod json;
pub mod links;
pub mod merge_driver;
pub mod op;
pub mod output;
pub mod query;
pub mod read;
pub mod search;
pub mod signals;
pub mod status;
pub mod steps;
pub mod stop;
pub mod suggest;
pub mod tree;
pub mod undo;
pub mod vc;

use crate::git;

pub use crate::git::{BrokenRef, BrokenRefs, Fault as RefFault};
pub use crate::git::{Mode, user_setting};
pub use context::{Actor, Audience, BadTimeout, Context, Opened, Preceding, network_limits};
pub use failure::{Fails, FailureKind, Login};
pub use stop::Stop;

/// Which repository owns the branches and merges that a command finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    /// The tree's own repository.
    Tree,
    /// The host repository that the tree is a folder of: the user moves and ends them with git.
    Host,
}

impl Keeper {
    /// The keeper of a scope.
    #[must_use]
    pub fn of(scope: &git::Scope) -> Self {
        if scope.prefix().is_empty() { Self::Tree } else { Self::Host }
    }
}
