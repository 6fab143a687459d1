//! The commands: options in, an outcome out.
//!
//! A part of `brv`, without promises.
//!
//! There is a file or a folder per command, with its options, its outcome and what only it needs; `commits` reads the commits that
//! `curate` and `work` file. Another command may use only what `tests/it/layers.rs` lists as open. A command must never
//! know a terminal, a protocol or a flag.

pub mod agent_hook;
pub mod archive;
pub mod brain;
pub mod commits;
pub mod complete;
pub mod config;
pub mod connectors;
pub mod curate;
pub mod demo;
pub mod derive;
pub mod dream;
pub mod eval;
pub mod hooks;
pub mod index;
pub mod init;
pub mod jobs;
pub mod links;
pub mod merge_driver;
pub mod model;
pub mod op;
pub mod prime;
pub mod query;
pub mod read;
pub mod review;
pub mod search;
pub mod served;
pub mod signals;
pub mod stale;
pub mod status;
pub mod suggest;
pub mod tree;
pub mod ui;
pub mod undo;
pub mod vc;
pub mod version;
pub mod watch;
pub mod work;
