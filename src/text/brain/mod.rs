//! The brain: which entries an agent should know at the start of a session, in which order, and the document that fits a
//! budget of tokens. Pure: entries come in as digests, time and signals as arguments.

mod choice;
mod consolidate;
mod detail;
mod digest;
mod document;
pub mod for_files;
mod hash;
mod head;
mod kind;
mod layer;
mod left;
mod lines;
mod month;
mod one_line;
mod outcome;
mod place;
pub mod prime;
mod remarks;
mod room;
mod rows;
mod said;
mod score;
mod sections;
mod seen;
mod shelf;
mod statement;
#[cfg(test)]
mod statement_tests;
mod tail;
#[cfg(test)]
mod tests;
mod tree;

pub use consolidate::{Compared, stand_ins};
pub use detail::EntryDetail;
pub use digest::{BrainEntry, Digest, DigestContent, SKETCH};
pub use document::{BrainPlan, Drawn, TAIL, draw};
pub use hash::{HashedEntry, hash};
pub use kind::EntryKind;
pub use left::Left;
pub use month::Month;
pub use outcome::{
    BrainLayer, EntryExplanation, FolderNode, Item, LastChange, Needed, Outcome, Since, SinceComment, Stale,
};
pub use place::{EntrySignals, Placed, key, newest, order};
pub use remarks::{OpenRemark, remarks};
pub use room::tokens;
pub use rows::{Rows, StatementRow};
pub use said::StatementKind;
pub use score::importance;
pub use shelf::{LayerText, ShelfItem, Sources};
pub use statement::{Statement, statements};
pub use tail::{BrainTask, MOST_OF_TASK, Passage};
pub use tree::tree;

/// What changed, in at most so many tokens.
pub fn since_text(since: &Since, most: u64) -> String {
    tail::since(since, room::chars(most))
}

/// The budgets in tokens: of the whole document, and of the layers 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budgets {
    pub total: u64,
    pub layers: [u64; 3],
}

impl Budgets {
    /// As the sources have them.
    pub const DEFAULT: Self = Self { total: 6_000, layers: [500, 1_500, 2_000] };

    /// No layer has more than the whole.
    pub fn capped(self) -> Self {
        Self { layers: self.layers.map(|layer| layer.min(self.total)), ..self }
    }
}

impl Default for Budgets {
    fn default() -> Self {
        Self::DEFAULT
    }
}
