//! The work tree and the index: status, staging, restoring, switching.

pub mod adoption;
pub mod hard_reset;
pub mod on_disk;
pub mod ongoing;
pub mod restoring;
pub mod staging;
pub mod state;
pub mod switching;
