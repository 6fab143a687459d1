//! Whether something is done or only told.
//!
//! Knows nothing of what it is.

/// Whether refs, files and settings are written, here or on a remote. A dry run may fetch objects, without which nothing
/// could be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// It is.
    #[default]
    Write,
    /// It is only told what would be (`--dry-run`).
    DryRun,
}
