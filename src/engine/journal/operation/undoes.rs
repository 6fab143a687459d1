//! Which operations an undo reverts, and how much of each.

use crate::journal::OperationId;

/// An operation that an undo reverts, and the extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undoes {
    pub operation: OperationId,
    pub extent: Extent,
}

/// How much of an operation is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The whole operation: it counts as undone.
    Whole,
    Part,
}

impl Undoes {
    /// The value of a trailer.
    pub fn to_line(&self) -> String {
        match self.extent {
            Extent::Whole => self.operation.to_string(),
            Extent::Part => format!("{} part", self.operation),
        }
    }

    /// Read the value of a trailer.
    pub fn parse(line: &str) -> Option<Self> {
        let (id, extent) = match line.strip_suffix(" part") {
            Some(id) => (id, Extent::Part),
            None => (line, Extent::Whole),
        };
        Some(Self { operation: OperationId::parse(id)?, extent })
    }
}
