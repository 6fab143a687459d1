//! `brv hooks`: the hooks through which git tells brv what happened.
//!
//! The host repository reports commits, the tree's own repository merges, switches and pushes. Each of the two has a
//! file for each event, or settings that git runs beside the files.

pub mod changes;
pub mod install;
pub mod lines;
pub mod run;
pub mod status;
pub mod test;
mod tree;
pub mod uninstall;

pub use crate::hooks::lines::{Hook, HookLineState, HookOwner, Way};
pub use brv_git::hooks::Event;
pub use brv_git::hooks::script::HookLines;
pub use changes::{ChangedHook, HookChange, HookChanges};
