//! All tests that see brv from outside: one binary, so that it links once. Programs, repositories and servers are real.
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
mod alternates;
mod alternation;
mod commit;
mod concurrency;
mod demo;
mod derive;
mod diff;
mod fetch;
mod harmless;
mod help;
mod histories;
mod hostile;
mod init;
mod journal;
mod lab;
mod layers;
mod log;
mod network;
mod pull;
mod push;
mod readme;
mod reflog;
mod repositories;
mod screen;
mod servers;
mod settings;
mod shallow;
mod share;
mod status;
mod usage;
