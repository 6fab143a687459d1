//! The use cases, one module per command: options in, an outcome out, an error if the command could not run. Nothing is
//! printed here. What a person must decide, and what a remote rejected, is an outcome with data; a refusal by a guard is
//! an outcome or an error.
//!
//! A command never calls a command: what two of them share is a step in [`steps`]. Below the steps are [`context`] (the
//! tree, the settings, the clock and the progress of one call), [`cause`] (the failures that all commands share) and
//! [`failure`] (the kind of a failure). This file holds what more than one command has in its options or its outcome.

pub mod agent_hook;
pub mod archive;
pub mod brain;
pub mod cause;
pub mod complete;
pub mod config;
pub mod connectors;
pub mod context;
pub mod curate;
pub mod demo;
pub mod derive;
pub mod dream;
pub mod eval;
pub mod failure;
pub mod hooks;
pub mod init;
pub mod jobs;
pub mod json;
pub mod links;
pub mod merge_driver;
pub mod model;
pub mod op;
pub mod prime;
pub mod query;

pub mod read;
pub mod review;
pub mod search;
pub mod signals;
pub mod stale;
pub mod status;
pub mod steps;
pub mod stop;
pub mod suggest;
pub mod tree;
pub mod undo;
pub mod vc;
pub mod watch;
pub mod work;

use brv_git as git;

pub use brv_git::{BrokenRef, BrokenRefs, Fault as RefFault};
pub use brv_git::{Interrupt, Mode, user_setting};
pub use context::{Actor, Audience, BadTimeout, Context, Opened, Preceding, has_tree, network_limits};
pub use failure::{Fails, FailureKind, Login};
pub use stop::Stop;

/// Which repository owns the branches and merges that a command finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    Tree,
    /// The host repository that the tree is a folder of: the user moves and ends them with git.
    Host,
}

impl Keeper {
    pub fn of(scope: &git::Scope) -> Self {
        if scope.prefix().is_empty() { Self::Tree } else { Self::Host }
    }
}
