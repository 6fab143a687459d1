//! Building blocks that commands share. A step takes the parts it needs, never the whole context.
//!
//! Imports run one way: each line uses only those above it.
//!
//! | steps | what they do |
//! |---|---|
//! | [`jobs`] | queue jobs, and see to it that a worker does them |
//! | [`printed`] | read back the JSON that a command printed elsewhere |
//! | [`survey`], [`signals`], [`reconcile`], [`overriding`] | look at the tree, remember the use of entries, merge trees, override guards |
//! | [`naming`], [`refresh`] | parse the names that users type, regenerate derived files |
//! | [`policy`], [`history`] | decide which files go to the disk, tell what changed |
//! | [`hooks`] | read, write and remove the lines of git's hooks that call brv |
//! | [`connecting`] | find the files of coding agents, and put brv into them |
//! | [`hosting`] | find the repository of the code, and the commits that stand today for earlier ones |
//! | [`freshness`] | tell whether the code that entries cite is still as it was |
//! | [`archived`] | find what is archived |
//! | [`links`] | find links, and repoint them |
//! | [`reviewing`] | find the changes that wait for review |
//! | [`trust`] | decide what came from elsewhere and is withheld from agents |
//! | [`checking`], [`searching`] | check content by the rules, search the tree |
//! | [`digests`], [`sources`] | keep of each entry what places it in the brain, and which files of the code it learned from |
//! | [`writing`] | carry out an operation |
//! | [`landing`], [`merging`] | commit changed files, integrate another history |
//! | [`curating`] | apply operations of curation |
//! | [`models`], [`proposing`] | find the model of the user's settings, have it propose operations of curation |
//! | [`dreams`] | which dreams there were, their files, and the gates of the next one |
//! | [`dreaming`] | gather what a dream looks at, and apply what was decided |
//! | [`intake`] | take in what commits of the host teach |
//! | [`work_tree`] | stage, restore, switch, reset |
//! | [`remotes`], [`undoing`] | fetch and push, undo operations |
//! | [`suggest`] | suggest the name that was probably meant |

pub mod archived;
pub mod checking;
pub mod connecting;
pub mod consulting;
pub mod curating;
pub mod digests;
pub mod dreaming;
pub mod dreams;
pub mod freshness;
pub mod history;
pub mod hooks;
pub mod hosting;
pub mod intake;
pub mod jobs;
pub mod landing;
pub mod links;
pub mod merging;
pub mod models;
pub mod naming;
pub mod overriding;
pub mod plain_clone;
pub mod policy;
pub mod printed;
pub mod proposing;
pub mod reconcile;
pub mod refresh;
pub mod remotes;
pub mod reviewing;
pub mod searching;
pub mod signals;
pub mod sources;
pub mod suggest;
pub mod survey;
pub mod trust;
pub mod undoing;
pub mod work_tree;
pub mod writing;
