//! The order of what a question finds, by its words and by its meaning.

use brv_search::Hit;

/// What the likeness of the meaning counts beside the score by words, of 1. Of 321 questions about two trees of documentation
/// the right entry came first for .73 at 0.4 and 0.5, for .71 at 0.3, and for .63 by words alone.
const WEIGHT: f64 = 0.5;

/// What the second passage of an entry counts in its likeness, of 1: .73 of those questions at 0.25, .72 at 0.
const SECOND: f64 = 0.25;

/// How like a question an entry is, by the likeness of each of its passages; `None` without one.
pub(super) fn likeness(passages: impl Iterator<Item = f64>) -> Option<f64> {
    let mut passages: Vec<f64> = passages.collect();
    passages.sort_by(|one, other| other.total_cmp(one));
    let first = *passages.first()?;
    let second = passages.get(1).copied().unwrap_or(first);
    Some(SECOND.mul_add(second, (1.0 - SECOND) * first))
}

/// How like a question hits are by their meaning, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct HitLikeness {
    of: Vec<Option<f64>>,
    mean: f64,
}

impl HitLikeness {
    /// The likeness of hits; a hit whose text may not be sent (`None`) counts as the mean of the others. `None` if
    /// that is so of all.
    pub(super) fn of(of: Vec<Option<f64>>) -> Option<Self> {
        let known: Vec<f64> = of.iter().flatten().copied().collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        (!known.is_empty()).then_some(Self { of, mean })
    }

    /// What a hit is worth by its words, 0 to 1, and by its meaning.
    pub fn mixed(&self, at: usize, words: f64) -> f64 {
        let likeness = self.of.get(at).copied().flatten().unwrap_or(self.mean);
        WEIGHT.mul_add(likeness, (1.0 - WEIGHT) * words)
    }
}

/// Give the first hits a score that has both, and put them into its order. Those that stand first whatever their score keep
/// their places. How many hits that were.
pub(super) fn reorder(hits: &mut [Hit], likeness: &HitLikeness) -> usize {
    let count = hits.len().min(likeness.of.len());
    for (at, hit) in hits[..count].iter_mut().enumerate() {
        hit.score = likeness.mixed(at, hit.score);
    }
    let rest = hits[..count].iter().take_while(|hit| hit.is_first).count();
    // equal ones stay as they are
    hits[rest..count].sort_by(|one, other| other.score.total_cmp(&one.score));
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::path::TreePath;
    use brv_search::{HitKind, Searched};

    fn hit(path: &str, score: f64, is_first: bool) -> Hit {
        Hit {
            path: TreePath::parse(path.as_bytes()).unwrap(),
            kind: HitKind::File(Searched::Entry),
            score,
            relevance: score,
            ratio: score,
            standing: None,
            passage: None,
            passage_share: 0.0,
            passage_lead: 0.0,
            is_best: false,
            is_first,
            is_quoted: false,
            words: Vec::new(),
            terms: Vec::new(),
        }
    }

    fn order(hits: &[(&str, f64, bool)], likeness: &[Option<f64>]) -> String {
        let mut hits: Vec<Hit> = hits.iter().map(|(path, score, first)| hit(path, *score, *first)).collect();
        if let Some(likeness) = HitLikeness::of(likeness.to_vec()) {
            assert_eq!(reorder(&mut hits, &likeness), hits.len());
        }
        hits.iter().map(|hit| hit.path.as_str().trim_end_matches(".md")).collect()
    }

    #[test]
    fn words_and_meaning_count_and_what_stands_first_stays() {
        let hits = [("a.md", 0.8, false), ("b.md", 0.7, false), ("c.md", 0.2, false)];
        assert_eq!(order(&hits, &[Some(0.1), Some(0.6), Some(0.6)]), "bac");
        assert_eq!(order(&hits, &[Some(0.5), Some(0.5), Some(0.5)]), "abc");
        assert_eq!(order(&hits, &[None, None, None]), "abc");
        let hits = [("a.md", 0.3, true), ("b.md", 0.7, false), ("c.md", 0.6, false)];
        assert_eq!(order(&hits, &[Some(0.0), Some(0.0), Some(0.9)]), "acb");
    }

    #[test]
    fn what_may_not_be_sent_is_neither_raised_nor_lowered() {
        let hits = [("a.md", 0.8, false), ("b.md", 0.7, false), ("c.md", 0.6, false)];
        assert_eq!(order(&hits, &[Some(0.4), None, Some(0.4)]), "abc");
        assert_eq!(order(&hits, &[Some(0.1), None, Some(0.7)]), "cba");
    }

    #[test]
    fn a_second_passage_counts_a_little() {
        assert_eq!(likeness([].into_iter()), None);
        assert_eq!(likeness([0.5].into_iter()), Some(0.5));
        assert_eq!(likeness([0.1, 0.5, 0.3].into_iter()), Some(0.45));
    }
}
