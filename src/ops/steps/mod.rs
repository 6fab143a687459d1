//! What commands share. Steps take parts, never the context.

pub mod adoption;
pub mod advance;
pub mod changes;
pub mod entry_name;
pub mod host;
pub mod incoming;
pub mod knowledge;
pub mod manner;
pub mod named;
pub mod names;
pub mod naming;
pub mod outgoing;
pub mod push_choice;
pub mod recovery;
pub mod references;
pub mod refresh;
pub mod remote_choice;
pub mod remote_failure;
pub mod revisions;
pub mod sought;
pub mod staging;
pub mod state;
pub mod survey;
pub mod tidying;
pub mod twins;
pub mod upstream;
