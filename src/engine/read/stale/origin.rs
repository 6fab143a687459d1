//! Where a line comes from.

use serde::{Deserialize, Serialize};

/// The commit of the tree that last changed a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineOrigin {
    pub commit: String,
    /// When it was made, in seconds since 1970: a commit that was rebased keeps the time of its author.
    pub seconds: i64,
    pub told: LineEvidence,
}

/// What tells for which commit of the code a line was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineEvidence {
    /// Nothing but the time: it was committed by plain git.
    Time,
    /// The commit that it was learned from, as the trailer names it, and what that is called.
    Source { recorded: String, subject: Option<String> },
    /// The head of the code then, as the trailer names it.
    Head(String),
    /// It is new in a merge: the lines that its sides have in its place.
    Sides(Vec<LineOrigin>),
}

impl LineOrigin {
    /// It, and the origins on the sides of a merge.
    pub fn all(&self) -> Vec<&Self> {
        let sides: &[Self] = if let LineEvidence::Sides(sides) = &self.told { sides } else { &[] };
        std::iter::once(self).chain(sides.iter().flat_map(Self::all)).collect()
    }
}
