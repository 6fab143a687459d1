//! Talking to remotes: the connection and its limits, who we are, and fetch, push and clone over it.
//!
//! `transport` opens a conversation of any kind; `network` holds what callers decide about all of them.

mod advertised;
pub mod clone;
mod connection_errors;
mod credentials;
mod daemon;
pub mod fetch;
mod http;
mod local;
mod meter;
mod missing_objects;
pub mod network;
mod packing;
mod panics;
pub mod push;
mod ssh;
mod subprocess;
pub(in crate::git) mod timeouts;
mod transport;
