//! Why a model gave no answer.

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no model is set")]
    Unset,
    /// The key is missing, or is refused.
    #[error("{0}")]
    Login(String),
    #[error("{0}")]
    Unreachable(String),
    /// It answered, and not what was asked for.
    #[error("the model gave no usable answer: {0}")]
    Invalid(String),
    #[error("{0}")]
    OverBudget(String),
    #[error("interrupted")]
    Interrupted,
}
