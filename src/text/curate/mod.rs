//! Curate: read a list of operations, find the files they name, and apply each to the bytes of its entry.
//!
//! Pure: takes bytes, the time and answers about the tree as arguments, and returns bytes. One operation that is wrong
//! fails alone, with a [`Code`] for programs and a message for people. Does not know the repository, the disk, signals,
//! or in which commit the result goes.

mod apply;
pub mod compacting;
mod grounding;
mod input;
mod invalid;
mod json;
#[cfg(test)]
mod laws;
mod list;
mod names;
mod operation;
mod place;

pub use apply::{
    Act, Applied, Fate, SectionOutcome, Setting, Sides, Why, apply, with_distinct_relations, with_relations,
};
pub use grounding::{Grounds, unsupported};
pub use input::{CurateKind, OperationInput, Operations, OperationsObject, Remove};
pub(crate) use json::Json;
pub use list::{MAX_INPUT_BYTES, NotAList, read};
pub use names::slug;
pub(crate) use operation::distinct_lines;
pub use operation::{IntakeFiling, MAX_CONTENT, MOST_KEYWORDS, Operation, Parts, Read};
pub use place::{CurateTarget, TreeNames, locate, locate_source};

/// Why an operation failed, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The operation itself is wrong, or names what cannot be read.
    Invalid,
    /// ADD of an entry that is there.
    Exists,
    /// The entry, its source, or a part to remove is not there.
    NotFound,
    /// The entry is not the version that `expect` names.
    Changed,
    /// A person must decide between this change and another one.
    Conflict,
    /// Too much content.
    OverLimit,
    Blocked,
    /// The folder is below a subtopic.
    TooDeep,
}

impl Code {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Exists => "exists",
            Self::NotFound => "not_found",
            Self::Changed => "changed",
            Self::Conflict => "conflict",
            Self::OverLimit => "over_limit",
            Self::Blocked => "blocked",
            Self::TooDeep => "too_deep",
        }
    }
}

/// An operation that was not applied. Nothing of it is in the tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// Why, for programs.
    pub code: Code,
    /// Why, for people.
    pub message: String,
}

impl Refused {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message)
    }
}
