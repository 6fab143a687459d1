//! What commands share: the blocks that they are built of.
//!
//! A part of `brv`, without promises.
//!
//! A block takes the parts it needs, never the whole context. The engine must never know a command, and prints nothing.
//! From the bottom:
//!
//! | room | knows |
//! |---|---|
//! | [`journal`] | operations: begin, publish, recover; what undo reads |
//! | [`agents`] | the settings files of coding agents; asking a language model, within bounds |
//! | [`outcome`] | how a command ends: why it failed, how it stops, values that several JSON outputs share |
//! | [`open`] | the context, the tree and its state, the names that users type, the repository of the code |
//! | [`derive`](mod@derive) | derived files on disk: which are out of date, and making them again |
//! | [`read`] | what changed and who changed it, archived entries, links, entries about code that has changed |
//! | [`jobs`] | the queue, and the one worker that empties it |
//! | [`review`] | changes that wait for review; what came from elsewhere and is withheld from agents |
//! | [`query`] | the tiers of `brv query`: which answer, from which hits; searching the tree |
//! | [`write`](mod@write) | one operation over files, index, refs and settings; committing changed files; what may be written |
//! | [`dream`] | which dreams there were, their files, and the gates of the next one |
//! | [`merge`] | merging trees, and integrating another history |
//! | [`vc`] | checks, the work tree, remotes, suggestions for mistyped names |
//! | [`curate`] | applying operations of curation |

pub mod agents;
pub mod curate;
pub mod derive;
pub mod dream;
pub mod jobs;
pub mod journal;
pub mod merge;
pub mod open;
pub mod outcome;
pub mod query;
pub mod read;
pub mod review;
pub mod vc;
pub mod write;

pub use brv_git::{BrokenRef, BrokenRefs, RefFault};
pub use brv_git::{Interrupt, Mode, heard_interrupt, user_setting};
pub use open::context::{
    Actor, Audience, BadTimeout, CallDoor, Context, Keeper, Opened, Preceding, has_tree, network_limits,
};
pub use open::state::{Extent as StateExtent, FORMAT as STATE_FORMAT, Inherited};
pub use outcome::failure::{Fails, FailureKind, Login};
pub use outcome::stop::{OrStop, Stop};

#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
