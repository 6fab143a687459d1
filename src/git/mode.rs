//! Whether an operation is carried out or only shown (`--dry-run`).

/// Whether refs, files and settings are written, here or on a remote. A dry run may still fetch objects that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Write,
    /// Nothing is written (`--dry-run`).
    DryRun,
}
