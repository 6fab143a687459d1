//! Network: connections to remotes and their limits, credentials, and fetch, push and clone.
//!
//! `transport` opens a conversation of any kind; `network` holds the options and errors that all of them share.

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
pub mod offered;
mod packing;
mod panics;
pub mod push;
mod ssh;
mod subprocess;
pub(crate) mod timeouts;
mod transport;
