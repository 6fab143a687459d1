//! The brain: which entries an agent should know at the start of a session, in which order, and the document that fits a
//! budget of tokens. Pure: entries come in as digests, time and signals as arguments.

mod outcome;

pub use outcome::{Explained, Item, Layer, Node, Outcome, Since};

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
