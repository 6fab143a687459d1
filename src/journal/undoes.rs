//! Which operation another takes back, and how much of it.

use super::OperationId;

/// What an operation takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undoes {
    /// The operation that is taken back.
    pub operation: OperationId,
    /// How much of it.
    pub extent: Extent,
}

/// How much of an operation is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it: it counts as undone.
    Whole,
    /// Some of its files.
    Part,
}

impl Undoes {
    pub(super) fn to_line(&self) -> String {
        match self.extent {
            Extent::Whole => self.operation.to_string(),
            Extent::Part => format!("{} part", self.operation),
        }
    }

    pub(super) fn parse(line: &str) -> Option<Self> {
        let (id, extent) = match line.strip_suffix(" part") {
            Some(id) => (id, Extent::Part),
            None => (line, Extent::Whole),
        };
        Some(Self { operation: OperationId::parse(id)?, extent })
    }
}
