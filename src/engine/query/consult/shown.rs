//! The pieces of entries that a model was shown, under their numbers.

use crate::agents::model::fence::fenced;
use crate::query::QuerySource;

/// A piece of an entry, and what is cited if the answer rests on it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownPiece {
    pub source: QuerySource,
    /// The content of the entry.
    pub id: String,
    pub text: String,
}

/// The pieces in the order of their numbers, which begin with 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shown(Vec<ShownPiece>);

impl Shown {
    /// Show a piece: its number, which is that of before if it was shown already.
    pub fn add(&mut self, piece: ShownPiece) -> usize {
        let is_same = |one: &ShownPiece| {
            (&one.source.path, one.source.line, &one.text)
                == (&piece.source.path, piece.source.line, &piece.text)
        };
        match self.0.iter().position(is_same) {
            Some(at) => at + 1,
            None => {
                self.0.push(piece);
                self.0.len()
            }
        }
    }

    /// The largest number.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, number: usize) -> Option<&ShownPiece> {
        self.0.get(number.checked_sub(1)?)
    }

    /// Whether a piece of this entry was shown.
    pub fn has(&self, path: &str) -> bool {
        self.0.iter().any(|piece| piece.source.path == path)
    }

    /// A piece as the model reads it.
    pub fn text(&self, number: usize) -> String {
        let Some(ShownPiece { source, text, .. }) = self.get(number) else { return String::new() };
        let disputed = if source.disputed { "\n(facts of this entry are disputed)" } else { "" };
        fenced(
            &format!("Passage {number}"),
            &format!("{}:{}\n{}{disputed}\n\n{text}", source.path, source.line, source.title),
        )
    }

    /// All pieces.
    pub fn texts(&self) -> String {
        let texts: Vec<String> = (1..=self.len()).map(|number| self.text(number)).collect();
        texts.join("\n")
    }
}
