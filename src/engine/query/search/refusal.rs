//! Why a search or a query fails.

use super::{Error, Unaskable};
use crate::outcome::cause::{Cause, caused};
use crate::{Fails, FailureKind};

/// Why there are no results, and no answer.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Unaskable(#[from] Unaskable),
    #[error(transparent)]
    Search(#[from] Error),
}

impl Fails for Refusal {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Unaskable(_) => FailureKind::Usage,
            Self::Search(error) => error.kind(),
        }
    }
}

caused!(Refusal);
