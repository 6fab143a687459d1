//! The best candidates by the compound score.

use crate::constants as c;
use crate::request::{EntryStanding, Hit};
use brv_base::path::TreePath;

/// What a folder counts as: neither important nor unimportant, and of no age.
pub const NEUTRAL: EntryStanding = EntryStanding { importance: 50.0, recency: 0.0, boost: 1.0 };

/// The compound score; what has no standing counts by its relevance alone.
pub fn compound(relevance: f64, standing: Option<EntryStanding>) -> f64 {
    let [by_relevance, by_importance, by_recency] = c::COMPOUND;
    let standing = standing.unwrap_or(EntryStanding { importance: 0.0, recency: 0.0, boost: 1.0 });
    let sum = by_relevance * relevance
        + by_importance * standing.importance / 100.0
        + by_recency * standing.recency;
    sum * standing.boost
}

impl Hit {
    /// The compound score that it would have with this relevance.
    pub fn score_at(&self, relevance: f64) -> f64 {
        compound(relevance, self.standing)
    }
}

/// Where a hit is in the view.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    Item(u32),
    Folder(u32),
}

pub struct HitCandidate {
    pub path: TreePath,
    pub at: At,
    pub relevance: f64,
    /// The score by its text; 0 of a folder.
    pub text: f64,
    pub score: f64,
    pub standing: Option<EntryStanding>,
    /// Whether it has the question as its title.
    pub is_titled: bool,
}

/// The best candidates so far: those with the question as their title first, then by score.
pub struct TopHits {
    most: usize,
    best: Vec<HitCandidate>,
}

impl TopHits {
    /// No candidates yet, at most `most` later.
    pub fn new(most: usize) -> Self {
        Self { most, best: Vec::with_capacity(most.min(64)) }
    }

    /// Whether no candidate of at most this score and another title can be among the best any more.
    pub fn is_beyond(&self, score: f64) -> bool {
        let beats = |last: &HitCandidate| last.is_titled || score < last.score;
        self.best.len() >= self.most && self.best.last().is_none_or(beats)
    }

    /// Add a candidate if it is among the best.
    pub fn add(&mut self, candidate: HitCandidate) {
        let is_before = |own: &HitCandidate| {
            let by_title = candidate.is_titled.cmp(&own.is_titled);
            let by_score = candidate.score.total_cmp(&own.score);
            let by_place = || own.path.cmp(&candidate.path).then(own.at.cmp(&candidate.at));
            by_title.then(by_score).then_with(by_place).is_lt()
        };
        let at = self.best.partition_point(is_before);
        if at < self.most {
            self.best.insert(at, candidate);
            self.best.truncate(self.most);
        }
    }

    /// The hits of the candidates, best first.
    pub fn finish(self, hit: impl Fn(HitCandidate) -> Hit) -> Vec<Hit> {
        self.best.into_iter().map(hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_titled_are_before_the_important() {
        let mut hits = TopHits::new(2);
        for (path, score, is_titled) in [("a.md", 0.9, false), ("b.md", 0.5, true), ("c.md", 0.8, false)] {
            assert!(path != "c.md" || hits.is_beyond(score));
            let path = TreePath::parse(path.as_bytes()).unwrap();
            let at = At::Item(0);
            hits.add(HitCandidate { path, at, relevance: 0.5, text: 0.0, score, standing: None, is_titled });
        }
        let order: Vec<&str> = hits.best.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(order, ["b.md", "a.md"]);
        assert!(hits.is_beyond(0.85) && !hits.is_beyond(0.95));
    }
}
