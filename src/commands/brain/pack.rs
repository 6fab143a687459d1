//! Cut passages for a task: one of each entry first, then more of the same. The better an entry fits, the longer is its passage.

use brv_engine::query::{self, MOST_OF_ENTRY};
use brv_search::Weights;
use brv_text::brain::Passage;
use brv_text::doc::{self, Document};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The longest passage of an entry that is worth much less than the best one, in characters. The best one has up to
/// [`MOST_OF_ENTRY`]. On 20 tasks with documentation 800 tokens hold .82 of the needed entries so, and .65 if all passages may
/// have 600 characters.
const SHORTEST: usize = 160;

/// The least that an entry is worth of the best one for a passage.
const LEAST: f64 = 0.4;

/// How many passages an entry has at most.
const MOST_OF_ONE: usize = 4;

/// What a passage costs beside its path and text, in characters: fences, and the line where it begins.
const AROUND: usize = 24;

/// What may be shown: an entry without its Highlights and Rules, or an item of these.
pub(super) struct PackCandidate<'h> {
    /// The path of its entry.
    pub path: &'h str,
    pub document: &'h Document,
    /// The line of the item in its file, counted from 1; `None` of an entry.
    pub item: Option<usize>,
    /// How well it fits the task and stands in the tree; comparable within one task only.
    pub worth: f64,
    /// The branch that its commit was made on, if known; `None` if the commit is on a branch.
    pub unmerged: Option<Option<String>>,
}

impl PackCandidate<'_> {
    /// Whether subjects of its entry are disputed.
    pub fn is_disputed(&self) -> bool {
        doc::may_dispute(self.document.as_bytes()) && !doc::disputes(self.document).is_empty()
    }
}

/// What was taken of the entries.
struct BrainPack<'p> {
    weights: &'p Weights,
    /// The worth of the best.
    most: f64,
    /// The characters that are left.
    left: usize,
    /// For each entry what is shown or is a candidate by itself, in bytes of its body.
    taken: BTreeMap<&'p str, Vec<Range<usize>>>,
    passages: Vec<Passage>,
}

/// The passages of these candidates, which are in order, for about so many tokens.
pub(super) fn passages<'p>(
    candidates: &'p [PackCandidate<'p>],
    weights: &'p Weights,
    tokens: u64,
) -> Vec<Passage> {
    let most = candidates.iter().map(|one| one.worth).fold(0.0, f64::max);
    // some more than fit: a short one may go where a long one does not
    let left = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(5);
    let mut pack = BrainPack { weights, most, left, taken: BTreeMap::new(), passages: Vec::new() };
    let worthy: Vec<&PackCandidate<'_>> = candidates.iter().filter(|one| one.worth >= LEAST * most).collect();
    let (mut firsts, mut entries) = (BTreeSet::new(), BTreeSet::new());
    for (at, one) in worthy.iter().enumerate() {
        if !entries.contains(one.path) && pack.add(one) {
            entries.insert(one.path);
            firsts.insert(at);
        }
    }
    for round in 1..MOST_OF_ONE {
        for (at, one) in worthy.iter().enumerate() {
            // an item has one passage
            if one.item.is_none() || round == 1 && !firsts.contains(&at) {
                pack.add(one);
            }
        }
    }
    pack.passages
}

impl<'p> BrainPack<'p> {
    /// Add a passage of a candidate; whether it has one more.
    fn add(&mut self, one: &PackCandidate<'p>) -> bool {
        if self.left == 0 {
            return false;
        }
        let Some((line, text)) = self.cut(one) else { return false };
        self.left = self.left.saturating_sub(AROUND + one.path.len() + text.chars().count());
        let (path, is_disputed, unmerged) = (one.path.to_owned(), one.is_disputed(), one.unmerged.clone());
        self.passages.push(Passage { path, line, text, is_disputed, unmerged, ..Passage::default() });
        true
    }

    /// The next passage of a candidate, and its first line.
    fn cut(&mut self, one: &PackCandidate<'p>) -> Option<(usize, String)> {
        let room = length(one.worth / self.most);
        let document = one.document;
        if let Some(line) = one.item {
            let lines = query::item_lines(document, line, self.weights, room)?;
            return Some((line, lines.text));
        }
        let taken = self.taken.entry(one.path).or_insert_with(|| spans_of_items(document));
        let (lines, span) = query::lines_beside(document, self.weights, room, taken)?;
        let is_first = self.passages.iter().all(|passage| passage.path != one.path);
        taken.push(span);
        (is_first || self.weights.worth(&lines.counts) > 0.0).then_some((lines.line, lines.text))
    }
}

/// The items of Highlights and Rules are candidates by themselves.
fn spans_of_items(document: &Document) -> Vec<Range<usize>> {
    document.items().into_iter().map(|item| item.span).collect()
}

/// How long the passage of an entry may be that is worth this share of the best one, in characters.
fn length(share: f64) -> usize {
    let share = share.clamp(0.0, 1.0);
    // from 0 to 600; multiplications alone, so that it is equal on every machine
    let most = (MOST_OF_ENTRY as f64 * share * share * share) as usize;
    most.max(SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> Weights {
        Weights::new(["gate", "retri", "port"].map(|stem| (vec![stem.to_owned()], 1.0)))
    }

    /// The paths and texts of the passages of entries with these texts and worths.
    fn packed(entries: &[(&str, &str, f64)], tokens: u64) -> Vec<(String, String)> {
        let documents: Vec<Document> = entries.iter().map(|(_, text, _)| Document::parse(*text)).collect();
        let rows = entries.iter().zip(&documents);
        let candidates: Vec<PackCandidate<'_>> = rows
            .flat_map(|((path, _, worth), document)| {
                let one = PackCandidate { path, document, item: None, worth: *worth, unmerged: None };
                let items = document.items().into_iter().map(|item| {
                    let line = document.line_of_body(item.span.start);
                    PackCandidate { path, document, item: Some(line), worth: worth * 0.9, unmerged: None }
                });
                std::iter::once(one).chain(items).collect::<Vec<_>>()
            })
            .collect();
        let found = passages(&candidates, &weights(), tokens);
        found.into_iter().map(|one| (one.path, one.text)).collect()
    }

    fn long(word: &str) -> String {
        let paragraph = |at: usize| format!("The {word} of number {at} {}.\n\n", "is as it is ".repeat(14));
        format!("# T\n\n{}", (0..9).map(paragraph).collect::<String>())
    }

    #[test]
    fn each_entry_comes_once_before_any_comes_again_and_what_fits_badly_not_at_all() {
        let (gate, port) = (long("gate"), long("port"));
        let all = packed(&[("a.md", &gate, 1.0), ("b.md", &port, 0.6), ("c.md", &gate, 0.3)], 1_800);
        let paths: Vec<&str> = all.iter().map(|(path, _)| path.as_str()).collect();
        // then nothing of the first is left
        assert_eq!(paths, ["a.md", "b.md", "a.md", "b.md", "a.md", "b.md", "b.md"]);
        let mut texts: Vec<&String> = all.iter().map(|(_, text)| text).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), all.len(), "no text occurs twice");
        assert!(all[0].1.starts_with("# T\n\nThe gate of number "), "{}", all[0].1);
    }

    #[test]
    fn the_best_may_have_600_characters_and_others_fewer() {
        let gate = long("gate");
        let all = packed(&[("a.md", &gate, 1.0), ("b.md", &gate, 0.9), ("c.md", &gate, 0.5)], 500);
        let lengths: Vec<usize> = all.iter().map(|(_, text)| text.chars().count()).collect();
        assert!((400..=600).contains(&lengths[0]) && (200..=438).contains(&lengths[1]), "{lengths:?}");
        assert!(lengths[2] <= SHORTEST, "{lengths:?}");
        assert_eq!([length(1.0), length(0.9), length(0.1), length(7.0)], [600, 437, SHORTEST, 600]);
        assert_eq!(packed(&[("a.md", &gate, 1.0), ("b.md", &gate, 0.9)], 0), []);
        assert_eq!(packed(&[], 800), []);
    }

    #[test]
    fn an_item_stands_by_itself_and_in_no_passage_of_its_entry() {
        let text = "# T\n\nThe gate retries.\n\n## Narrative\n### Highlights\n- **Gate**: it opens (2026-01)\n- **Port**: who knows? (2026-01)\n";
        let all = packed(&[("a.md", text, 1.0)], 800);
        let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["# T\n\nThe gate retries.", "Gate: it opens (2026-01)"]);
    }
}
