//! All tests that use brv from outside: one binary, so that it links once. Programs, repositories and servers are real.
#![cfg_attr(not(unix), allow(dead_code, reason = "what only tests of Unix use"))]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests start programs, write files, say what they skip, and may panic"
)]

#[macro_use]
mod env;
mod add;
mod adoption;
mod agent_hook;
mod alternates;
mod alternation;
mod amend;
mod analysed;
mod archive;
mod at;
mod blame;
mod brain;
mod branch;
mod broken_refs;
mod bytes;
mod callers;
mod check;
mod clones;
mod commit;
mod commits;
mod completions;
mod concurrency;
mod config;
mod connectors;
mod credentials;
mod curate;
mod curate_model;
mod cuts;
mod dashes;
mod demo;
mod derive;
mod derive_model;
mod described;
mod diff;
mod diff_page;
mod disputed;
mod distance;
mod dream;
mod dream_model;
#[cfg(unix)]
mod editor;
#[cfg(target_os = "linux")]
mod faults;
mod fetch;
mod flags;
mod flaws;
mod foreign;
#[cfg(target_os = "linux")]
mod full_disk;
mod fuzzed;
mod gate;
mod gc;
mod git_parity;
mod golden;
mod guards;
#[cfg(target_os = "linux")]
mod halfway;
mod harmless;
mod help;
mod hints;
mod histories;
#[cfg(unix)]
mod hooks;
mod host_remote;
mod hostile;
mod hostile_server;
mod in_progress;
mod in_repo;
mod index;
mod init;
mod interrupts;
mod journal;
mod kept;
mod kinds;
mod knowledge;
mod lab;
mod layers;
#[cfg(unix)]
mod linked;
mod links;
mod load;
mod log;
mod manual;
mod mcp;
mod measured;
mod merge;
mod merge_bad_input;
mod merge_cases;
mod merge_driver;
mod merge_markdown;
mod merge_oracle;
mod misbehave;
mod models;
mod mv;
mod named_secrets;
mod netrc;
mod network;
mod old_commits;
mod old_state;
mod overall;
mod packaged;
mod packs;
mod patience;
mod picture;
mod prime;
mod protocol_zero;
mod provenance;
#[cfg(unix)]
mod published;
mod pull;
mod push;
mod push_answers;
mod push_rules;
mod query_model;
mod races;
mod read;
mod readme;
mod recipe;
mod reflog;
mod renames;
mod repair;
mod repositories;
mod reset;
mod resolve;
mod restore;
mod revert;
mod review;
mod rm;
mod sarif;
mod scenes;
mod schema;
mod screen;
mod scripted;
mod search;
mod served;
mod servers;
mod settings;
mod shallow;
mod share;
mod shared_cache;
mod shipped;
mod signals;
mod signing;
mod sparse;
mod stale;
mod stale_measured;
mod status;
mod switch;
mod switches;
mod sync;
mod tag;
mod team;
mod team_of_dreamers;
mod technical;
mod terminal;
mod tree;
mod troubleshooting;
mod trust;
mod ui;
mod undo;
mod undo_kinds;
mod undo_law;
mod undo_model;
mod undo_session;
mod undo_shared;
mod usage;
#[cfg(unix)]
mod versions;
mod withheld;
#[cfg(unix)]
mod workflow;

// the entries that the benchmarks use
#[path = "../bench/corpus.rs"]
#[allow(dead_code, reason = "the tests use a part of it")]
mod corpus;
#[path = "../bench/words.rs"]
mod words;
// the seed of random cases is that of the library's own laws
#[path = "../cases.rs"]
mod cases;
