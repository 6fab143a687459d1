//! A search: the request, and the hits.

use super::disk::table::Passage;
use super::item::Searched;
use super::rank::order::Each;
use super::rank::relevance::Features;
use super::weights::Weights;
use crate::constants as c;
use brv_base::path::TreePath;

/// A part of the index on disk turned out to be damaged: build the index anew.
#[derive(Debug, thiserror::Error)]
#[error("the search index is damaged: {0}")]
pub struct Damaged(#[from] std::io::Error);

pub struct SearchQuery<'a> {
    /// The question: words, `"phrases"`, `tag:name`. Everything else is text.
    pub text: &'a str,
    /// The largest number of hits.
    pub limit: usize,
    /// Only what is in this folder or below it.
    pub scope: Option<&'a str>,
    /// Only files with such a path; what the others say counts for their folders and neighbours.
    pub only: Option<&'a dyn Fn(&str) -> bool>,
    /// Whether folders are found by their names, too.
    pub folders: bool,
    pub each: Each,
    /// What is known of an entry or overview, by its path and the time of the last change that it tells, beside its text; `None` counts as nothing for it. Called for
    /// every item whose text may bring it among the hits, which can be thousands.
    pub standing: &'a dyn Fn(&str, Option<i64>) -> Option<EntryStanding>,
    /// Reads a file as it is now, to look for phrases.
    pub read: &'a dyn Fn(&TreePath) -> Option<Vec<u8>>,
}

/// What beside its text speaks for an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryStanding {
    /// 0 to 100.
    pub importance: f64,
    /// 0 to 1.
    pub recency: f64,
    /// The factor of its maturity: 1.0, 1.08 or 1.15.
    pub boost: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HitKind {
    File(Searched),
    /// A folder, by its name.
    Folder,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The path of the file or folder.
    pub path: TreePath,
    pub kind: HitKind,
    /// The compound score by which hits are ordered: (0.6 relevance + 0.25 importance/100 + 0.15 recency) × boost.
    pub score: f64,
    /// The relevance of the text alone, 0 to 1.
    pub relevance: f64,
    /// Its score by its text as a share of the best possible one, 0 to 1; 0 of a folder. For long texts, where no entry
    /// has much of the text, it says more than relevance.
    pub ratio: f64,
    /// What was known of it; `None` for stubs and folders.
    pub standing: Option<EntryStanding>,
    /// The piece that matches best; a folder has none.
    pub passage: Option<Passage>,
    /// The share of the question's weight (idf) that this piece has by itself, 0 to 1.
    pub passage_share: f64,
    /// By how much it leads the item's next piece, as a share of its own score, 0 to 1.
    pub passage_lead: f64,
    /// Whether its text matches best of all, whatever its place.
    pub is_best: bool,
    /// Whether it stands before others whatever their scores: it has the question as its title, or what that quotes.
    pub is_first: bool,
    /// Whether it has one of [`SearchResults::anchors`].
    pub is_quoted: bool,
    /// The words of the question that it has, in lower case as asked.
    pub words: Vec<String>,
    /// The terms that stand for those words: their stems, or words near to them.
    pub terms: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchResults {
    /// The hits: those with the question as their title first, then in the order of their scores; of equal ones the
    /// earlier path first. Highlights that were reverted or superseded come last.
    pub hits: Vec<Hit>,
    /// The items that match. With phrases only those that were looked at.
    pub total: usize,
    /// The relevance of the item whose text matches best, whatever its place in `hits`.
    pub relevance: f64,
    /// By how much the second best matching item is less relevant.
    pub gap: f64,
    pub(super) is_tie: bool,
    /// The file whose text, or whose highlight, matches best.
    pub best: Option<TreePath>,
    /// Words of the question, with four letters or more, that no item has.
    pub unmatched: Vec<String>,
    /// The parts of the question that no item has, in its order and spelling: words, and identifiers as a whole. Words
    /// of everyday speech are none.
    pub missing: Vec<String>,
    /// Whether no item has the `"phrases"` of the question, which then count as text.
    pub without_phrases: bool,
    pub features: Features,
    /// The words of the question, to weigh the lines of the hits.
    pub weights: Weights,
    /// Identifiers, error codes, flags, paths and quoted phrases of the question that stand exactly in one of the hits.
    pub anchors: Vec<String>,
}

impl SearchResults {
    /// Whether the question is inside the scope of what is stored.
    pub fn is_covered(&self) -> bool {
        self.relevance >= c::COVERS || !self.anchors.is_empty()
    }

    /// Whether the best item may be given as the answer.
    pub fn is_direct(&self) -> bool {
        self.is_covered()
            && (self.relevance >= c::SURE || (self.relevance >= c::DIRECT && self.gap >= c::GAP))
    }

    /// Whether the first two answer with equal right.
    pub const fn is_tie(&self) -> bool {
        self.is_tie
    }

    /// How many of the hits, the most relevant first, belong to the answer.
    pub fn belongs(&self) -> usize {
        self.hits.iter().filter(|hit| hit.relevance >= c::COVERS).count()
    }
}
