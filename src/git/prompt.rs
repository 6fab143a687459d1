//! Whether people may be asked for what is missing: passwords, passphrases.

/// Whether someone sits at a terminal and may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prompt {
    /// No: an answer that is missing is an error.
    #[default]
    Never,
    /// Yes.
    Terminal,
}
