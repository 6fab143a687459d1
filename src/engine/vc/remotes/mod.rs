//! Remotes: choose the remote, fetch, check and push outgoing commits.

pub mod failure;
pub mod fetch_options;
pub mod followed;
pub mod host;
pub mod listed;
pub mod push_choice;
pub mod queue;
pub mod remote_choice;
pub mod retry;
pub mod sending;
pub mod transfer;
