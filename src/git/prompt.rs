//! Whether the user may be asked for missing input: passwords, passphrases.

/// Whether a user is at a terminal and may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prompt {
    /// No: missing input is an error.
    #[default]
    Never,
    Terminal,
}
