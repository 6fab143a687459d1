//! What commands share. Steps take parts, never the context.

pub mod adoption;
pub mod advance;
pub mod changes;
pub mod host;
pub mod incoming;
pub mod manner;
pub mod names;
pub mod naming;
pub mod outgoing;
pub mod recovery;
pub mod refresh;
pub mod remote_choice;
pub mod remote_failure;
pub mod revisions;
pub mod staging;
pub mod survey;
pub mod twins;
pub mod upstream;
