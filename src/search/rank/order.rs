//! Bring items into order: own score, best piece, folder, neighbours, date.

use super::super::question::Question;
use super::super::text::dates;
use super::super::view::{NOTHING, View};
use super::constants as c;
use super::evidence::Evidence;

/// An item with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Its number in the view.
    pub item: u32,
    /// Its score; comparable within one question only.
    pub score: f64,
}

/// The scores of all items.
pub struct Scores {
    /// Each item with a score, in the order of paths.
    pub items: Vec<Scored>,
    /// How many items have the question's words, and no others, as their title.
    pub exact: usize,
}

/// The score of every item that has one.
pub fn scores(view: &View<'_>, question: &Question, evidence: &Evidence) -> Scores {
    let all = 1_u64.checked_shl(question.words.len() as u32).map_or(u64::MAX, |bit| bit - 1);
    let may_be_exact = !question.words.is_empty() && evidence.words.iter().all(|word| word.items > 0);
    let mut scores = Scores { items: Vec::new(), exact: 0 };
    for item in 0..view.len() as u32 {
        let at = item as usize;
        let own = own(view, evidence, item);
        let mut score = own + c::FOLDER * f64::from(evidence.folder[view.folder[at] as usize]);
        for next in [&view.previous, &view.next] {
            let mut place = item;
            for weight in c::NEIGHBOURS {
                place = next[place as usize];
                if place == NOTHING {
                    break;
                }
                score += weight * f64::from(evidence.item[place as usize]);
            }
        }
        if own <= 0.0 {
            score *= c::BORROWED;
        }
        if !question.dates.is_empty() {
            score += date(view, question, item) * c::DATE * evidence.most;
        }
        if may_be_exact && evidence.title[at] == all && is_whole_title(view, question, item) {
            scores.exact += 1;
            score += evidence.most;
        }
        if score > 0.0 {
            scores.items.push(Scored { item, score });
        }
    }
    scores
}

/// The score of an item by its own text.
fn own(view: &View<'_>, evidence: &Evidence, item: u32) -> f64 {
    let score = f64::from(evidence.item[item as usize]);
    if evidence.has[item as usize] == 0 {
        return 0.0;
    }
    c::PIECE * best_piece(view, evidence, item).1 + score
}

/// The best piece of an item, by its number in the segment, with its score; the first if none has one.
pub fn best_piece(view: &View<'_>, evidence: &Evidence, item: u32) -> (usize, f64) {
    let place = view.places[item as usize];
    let scores = &evidence.piece[place.segment as usize];
    let range = view.segments[place.segment as usize].table.pieces_of(place.item as usize);
    let mut best = (range.start, 0.0_f32);
    for piece in range {
        if scores[piece] > best.1 {
            best = (piece, scores[piece]);
        }
    }
    (best.0, best.1.into())
}

fn date(view: &View<'_>, question: &Question, item: u32) -> f64 {
    let (segment, at) = view.place(item);
    let Some(day) = segment.table.day(at) else { return 0.0 };
    question.dates.iter().map(|asked| dates::likeness(asked, day, c::DATE_NEAR)).fold(0.0, f64::max)
}

fn is_whole_title(view: &View<'_>, question: &Question, item: u32) -> bool {
    let (segment, at) = view.place(item);
    usize::from(segment.table.title_terms(at)) == question.words.len()
}

/// Sort the best `count` to the front, best first; of equal scores the earlier path.
pub fn best_first(items: &mut [Scored], count: usize) {
    let order = |a: &Scored, b: &Scored| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item));
    if count < items.len() && count > 0 {
        items.select_nth_unstable_by(count - 1, order);
    }
    let count = count.min(items.len());
    items[..count].sort_unstable_by(order);
}
