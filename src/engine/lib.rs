//! What commands share: the blocks that they are built of. A block takes the parts it needs, never the whole context.
//!
//! | room | knows |
//! |---|---|
//! | [`journal`] | operations: begin, publish, recover |
//! | [`tree`] | the layout of `.brv/`, the curated files on disk |
//! | [`state`] | what is remembered beside the tree, in one SQLite file |
//! | [`model`] | asking a language model, within bounds |
//! | [`query`] | the tiers of `brv query`: which answer, from which hits; pure |
//! | [`connectors`] | the settings files of coding agents: what brv has in them, spliced in and out; pure |
//! | [`cause`], [`failure`], [`stop`] | why a command could not run |
//! | [`context`] | what every command gets |
//! | [`jobs`] | queue jobs, and see to it that a worker does them |
//! | [`printed`] | read back the JSON that a command printed elsewhere |
//! | [`survey`], [`signals`], [`reconcile`], [`overriding`] | look at the tree, remember the use of entries, merge trees, override guards |
//! | [`naming`], [`refresh`] | parse the names that users type, regenerate derived files |
//! | [`policy`], [`history`] | decide which files go to the disk, tell what changed |
//! | [`hosting`] | find the repository of the code, and the commits that stand today for earlier ones |
//! | [`stale`] | tell whether the code that entries cite is still as it was |
//! | [`archive`] | find what is archived |
//! | [`links`] | find links, and repoint them |
//! | [`review`] | find the changes that wait for review |
//! | [`trust`] | decide what came from elsewhere and is withheld from agents |
//! | [`check`], [`search`] | check content by the rules, search the tree |
//! | [`writing`] | carry out an operation |
//! | [`landing`], [`merging`] | commit changed files, integrate another history |
//! | [`curate`] | apply operations of curation |
//! | [`models`] | find the model of the user's settings |
//! | [`dream`] | which dreams there were, their files, and the gates of the next one |
//! | [`work_tree`] | stage, restore, switch, reset |
//! | [`remotes`] | fetch and push |
//! | [`suggest`] | suggest the name that was probably meant |

pub mod journal;

pub mod agents;
#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
pub mod curate;
pub mod derive;
pub mod dream;
pub mod jobs;
pub mod merge;
pub mod open;
pub mod outcome;
pub mod query;
pub mod read;
pub mod review;
pub mod vc;
pub mod write;

pub use brv_git::{BrokenRef, BrokenRefs, Fault as RefFault};
pub use brv_git::{Interrupt, Mode, user_setting};
pub use open::context::{
    Actor, Audience, BadTimeout, Context, Keeper, Opened, Preceding, has_tree, network_limits,
};
pub use outcome::failure::{Fails, FailureKind, Login};
pub use outcome::stop::Stop;
