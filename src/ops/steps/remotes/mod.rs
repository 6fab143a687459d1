//! Remotes: choose the remote, fetch, check incoming files, check and push outgoing commits.

pub mod case_collisions;
pub mod failure;
pub mod fetch_options;
pub mod followed;
pub mod host;
pub mod incoming;
pub mod own_files;
pub mod push_choice;
pub mod queue;
pub mod remote_choice;
pub mod retry;
pub mod sending;
pub mod upstream;
