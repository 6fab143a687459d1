//! Bring items into order: own score, best piece, folder, neighbours, date.
//!
//! An item without a word of the question is not a candidate, however good its neighbours are.

use super::super::disk::table::ItemTable;
use super::super::item::{ItemRole, Searched};
use super::super::question::Question;
use super::super::text::dates;
use super::super::view::{IndexView, NOTHING};
use super::evidence::Evidence;
use crate::constants as c;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    pub item: u32,
    /// Its score; comparable within one question only.
    pub score: f64,
}

pub struct Scores {
    /// Each item with a score, in the order of paths.
    pub items: Vec<Scored>,
    /// How many items have the question as their title; if none has, how many have its words, and no others.
    pub exact: usize,
}

/// The score of every item that has a word of the question, or a date that matches. The items in `titled`, which have the
/// question as their title, score higher than all others.
pub fn scores(
    view: &IndexView,
    question: &Question,
    evidence: &Evidence,
    (titled, each): (&[u32], Each),
) -> Scores {
    let piece = if each == Each::ForTask { c::TASK_PIECE } else { c::PIECE };
    let all = 1_u64.checked_shl(question.words.len() as u32).map_or(u64::MAX, |bit| bit - 1);
    let may_be_exact = titled.is_empty() && !question.words.is_empty();
    let mut scores = Scores { items: Vec::new(), exact: titled.len() };
    for item in 0..view.len() as u32 {
        let at = item as usize;
        let mut score = 0.0;
        if evidence.has[at] != 0 {
            score = piece * best_piece(view, evidence, item).score + f64::from(evidence.item[at]);
            score += match each {
                Each::ForTask => c::TASK_TITLE * named(view, evidence, item),
                Each::File | Each::Highlight => {
                    let folder = f64::from(evidence.folder[view.folder[at] as usize]);
                    c::FOLDER * folder + neighbours(view, evidence, item)
                }
            };
            if is_overview(view, item) {
                score *= c::OVERVIEW;
            }
        }
        if !question.dates.is_empty() {
            score += date(view, question, item) * c::DATE * evidence.most;
        }
        if may_be_exact && evidence.title[at] == all && is_whole_title(view, question, item) {
            // a title with an error of typing, or with a synonym, is nearly as good
            let credit = evidence.least_credit(item);
            scores.exact += usize::from(credit >= 1.0);
            score += credit * evidence.most;
        }
        if score > 0.0 || titled.binary_search(&item).is_ok() {
            scores.items.push(Scored { item, score });
        }
    }
    let most = scores.items.iter().map(|one| one.score).fold(evidence.most.max(1.0), f64::max);
    for item in titled {
        if let Ok(at) = scores.items.binary_search_by_key(item, |one| one.item) {
            scores.items[at].score += most;
        }
    }
    scores
}

/// Order the first of sorted items anew by what one passage of each has of the question with the title, and by how much
/// of its title the question has. Their scores grow by that, so that they stay before all others.
pub fn reconsider(view: &IndexView, evidence: &Evidence, items: &mut [Scored]) {
    let asked = evidence.asked().max(1e-9);
    for one in items.iter_mut() {
        let passage = evidence.weight(one.item, evidence.best_words(view, one.item)) / asked;
        let (segment, at) = view.place(one.item);
        let own = f64::from(evidence.title[one.item as usize].count_ones());
        let title = (own / f64::from(segment.table.title_terms(at).max(1))).min(1.0);
        one.score += evidence.most * (c::PASSAGE_FIRST * passage + c::TITLE_FIRST * title);
    }
    best_first(items, items.len());
}

/// Whether an item is the overview of its folder.
pub fn is_overview(view: &IndexView, item: u32) -> bool {
    let (segment, at) = view.place(item);
    segment.table.kind(at) == Searched::Overview
}

/// What is one hit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Each {
    /// A file.
    #[default]
    File,
    /// An item of Highlights or Rules; of what else is in a file, the file.
    Highlight,
    /// The same for a task: its text is long and about several things, so that an item counts by what it says and is called,
    /// and not by its folder and neighbours.
    ForTask,
}

impl Each {
    /// Whether each item of Highlights and Rules is a hit of its own.
    pub const fn is_single(self) -> bool {
        matches!(self, Self::Highlight | Self::ForTask)
    }
}

/// Take the marked highlights out of items, which are in the order of their numbers; where these are hits, entries that say
/// nothing else, too.
pub fn take_marked(view: &IndexView, items: &mut Vec<Scored>, each: Each) -> Vec<Scored> {
    let is_marked = |role: ItemRole| role.is_marked() && (each.is_single() || !role.is_file());
    let (marked, live) = items.iter().copied().partition(|one| is_marked(view.role(one.item)));
    *items = live;
    marked
}

/// Leave of each file its best item only, or its highlights singly: then without the rest of the file if that has
/// nothing of the question in its own text, and is not in `titled`. The items are in the order of their numbers.
pub fn keep_of_files(
    view: &IndexView,
    evidence: &Evidence,
    items: &mut Vec<Scored>,
    each: Each,
    titled: &[u32],
) {
    let mut kept: Vec<Scored> = Vec::with_capacity(items.len());
    for of_file in items.chunk_by(|one, other| is_of_one_file(view, one.item, other.item)) {
        let [first, rest @ ..] = of_file else { continue };
        let best = || of_file.iter().copied().reduce(|a, b| if b.score > a.score { b } else { a });
        match each {
            Each::File => kept.extend(best()),
            Each::Highlight | Each::ForTask => {
                let is_titled = titled.binary_search(&first.item).is_ok();
                let says = rest.is_empty()
                    || is_titled
                    || !view.role(first.item).is_file()
                    || best_shown(view, evidence, first.item).score > 0.0;
                kept.extend(says.then_some(*first));
                kept.extend(rest);
            }
        }
    }
    *items = kept;
}

/// Whether two items are of one file: nearly always they are in two, and stand apart.
pub fn is_of_one_file(view: &IndexView, one: u32, other: u32) -> bool {
    let is_file = |item: u32| view.role(item).is_file();
    !(is_file(one) && is_file(other)) && view.path(one) == view.path(other)
}

/// The idf of the words of the question in its title, over the number of the title's words: how much of what it is called is
/// asked for.
fn named(view: &IndexView, evidence: &Evidence, item: u32) -> f64 {
    let (segment, at) = view.place(item);
    let bits = evidence.title[item as usize];
    let words = evidence.words.iter().enumerate().filter(|(word, _)| bits >> word & 1 == 1);
    let sum: f64 = words.map(|(_, word)| word.credit * word.idf).sum();
    sum / f64::from(segment.table.title_terms(at).max(1))
}

/// What the items before and after it in its folder say.
fn neighbours(view: &IndexView, evidence: &Evidence, item: u32) -> f64 {
    let mut score = 0.0;
    let mean = view.piece_words * view.pieces as f64 / view.items.max(1) as f64;
    // what is long says by itself what it is about
    let near = (c::SHORT / mean.max(1.0)).clamp(c::NEIGHBOURS_LEAST, 1.0);
    for next in [&view.previous, &view.next] {
        let mut place = item;
        for weight in c::NEIGHBOURS {
            place = next[place as usize];
            if place == NOTHING {
                break;
            }
            score += near * weight * f64::from(evidence.item[place as usize]);
        }
    }
    score
}

#[derive(Debug, Clone, Copy)]
pub struct Best {
    pub piece: usize,
    pub score: f64,
    /// The score of the second best piece of the item.
    pub second: f64,
}

/// The best piece of an item; the first one if none has a score.
pub fn best_piece(view: &IndexView, evidence: &Evidence, item: u32) -> Best {
    best_of(view, evidence, item, &|_, _| true)
}

/// The best piece of an item that may be shown; the first such one if none has a score, or the first one at all.
pub fn best_shown(view: &IndexView, evidence: &Evidence, item: u32) -> Best {
    best_of(view, evidence, item, &|table, piece| !table.is_concept(piece))
}

fn best_of(
    view: &IndexView,
    evidence: &Evidence,
    item: u32,
    counts: &dyn Fn(&ItemTable, usize) -> bool,
) -> Best {
    let place = view.places[item as usize];
    let scores = &evidence.piece[place.segment as usize];
    let table = &view.segments[place.segment as usize].table;
    let range = table.pieces_of(place.item as usize);
    let first = range.clone().find(|piece| counts(table, *piece)).unwrap_or(range.start);
    let (mut piece, mut best, mut second) = (first, 0.0_f32, 0.0_f32);
    for at in range.filter(|piece| counts(table, *piece)) {
        if scores[at] > best {
            second = best;
            (piece, best) = (at, scores[at]);
        } else if scores[at] > second {
            second = scores[at];
        }
    }
    Best { piece, score: best.into(), second: second.into() }
}

fn date(view: &IndexView, question: &Question, item: u32) -> f64 {
    let (segment, at) = view.place(item);
    let Some(day) = segment.table.day(at) else { return 0.0 };
    question.dates.iter().map(|asked| dates::likeness(asked, day, c::DATE_NEAR)).fold(0.0, f64::max)
}

fn is_whole_title(view: &IndexView, question: &Question, item: u32) -> bool {
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
