//! All tests that see brv from outside: one binary, so that it links once. Programs, repositories and servers are real.
#![allow(clippy::disallowed_methods, reason = "tests start programs and write files")]

#[macro_use]
mod env;
mod diff;
mod histories;
mod hostile;
mod init;
mod journal;
mod lab;
mod layers;
mod log;
mod network;
mod pull;
mod screen;
mod servers;
mod status;
mod usage;
