//! `brv archive show`: an archived entry in full, with its stub.

use crate::ops::FailureKind;
use crate::ops::cause::{Cause, caused};
use crate::ops::context::Context;
use crate::ops::steps::archived::{self, Item};

/// What to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The path that the entry had, or the path of its stub or full copy, as typed.
    pub name: String,
}

/// What was found.
#[derive(Debug)]
pub struct Outcome {
    /// The archived entry; of several versions the one archived last.
    pub item: Item,
    /// Its stub.
    pub stub: Option<Vec<u8>>,
    /// Its bytes; `None` if they are not in this clone.
    pub content: Option<Vec<u8>>,
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum Error {
    #[error("`{name}` is not archived")]
    NotArchived { name: String, is_there: bool, is_malformed: bool },
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::NotArchived { .. } => FailureKind::Failed,
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Show an archived entry.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let inventory = archived::inventory(&opened)?;
    let sought = archived::Sought::of(scope, &cx.cwd, &options.name);
    let Some(item) = inventory.find(&sought) else {
        return Err(Error::NotArchived {
            name: options.name.clone(),
            is_there: sought.is_there(scope)?,
            is_malformed: inventory.is_malformed(&sought),
        });
    };
    Ok(Outcome { stub: item.stub_text(scope)?, content: item.content(scope)?, item: item.clone() })
}
