//! Whether all that one entry says stands in another one, where and in the order in which it says it.

use super::negations::has_negation;
use super::pieces::{BodyPiece, PieceForm, Pieces};
use crate::words::share;
use brv_base::english::list;
use std::collections::{BTreeSet, HashMap};

/// Two pieces with at least this share of the words of the shorter one in common make a claim about the same thing.
const ALIKE: f64 = 0.5;

/// Words that withdraw or doubt the text beside them, in English and German.
static WITHDRAWN: list::Set = list::Set::of_words(include_str!("lists/withdrawn.txt"));
static WITHDRAWING: list::Set = list::Set::of_lines(include_str!("lists/withdrawing.txt"));

/// The share of the words of the source that stand in the target, 0 to 1, if the rest are additions that are like none of it,
/// and if nothing in the target forbids, doubts or withdraws what both say. `facts`: those of the target, each as the set of
/// its words.
///
/// The order of bullets, and of sections, is not part of what they say unless a word or a number says so.
pub(super) fn same_pieces(source: &Pieces, target: &Pieces, facts: &[BTreeSet<u64>]) -> Option<f64> {
    let sections = sections(source, target)?;
    let content: Vec<BTreeSet<u64>> =
        target.all.iter().map(BodyPiece::content).chain(facts.iter().cloned()).collect();
    let mut used = vec![false; target.all.len()];
    let mut next: HashMap<usize, usize> = HashMap::new();
    let (mut said, mut all) = (0, 0);
    let (mut last, mut is_in_order) = (0, true);
    for piece in &source.all {
        let section = sections[piece.section];
        let size = piece.words.split_whitespace().count();
        all += size;
        let from = if piece.is_ordered { next.get(&section).copied().unwrap_or(0) } else { 0 };
        let is_it = |at: &usize| {
            let other = &target.all[*at];
            !used[*at] && other.section == section && piece.is_said_by(other)
        };
        if let Some(at) = (from..target.all.len()).find(is_it) {
            used[at] = true;
            is_in_order &= at >= last;
            last = at;
            said += size;
            if piece.is_ordered || target.all[at].is_ordered {
                next.insert(section, at + 1);
            }
            continue;
        }
        let words = piece.content();
        if words.is_empty()
            || piece.form == PieceForm::Code
            || content.iter().any(|other| are_alike(&words, other))
        {
            return None;
        }
    }
    // what is added is joined by blocks, which would bring the order of the source along
    let is_whole = said == all || is_in_order;
    (is_whole && !is_withdrawn(target, &used)).then(|| share(said, all))
}

/// For each section of the source the first of the target with the same headings; `None` where one is missing, or where they
/// stand in another order and that says something.
fn sections(source: &Pieces, target: &Pieces) -> Option<Vec<usize>> {
    let place = |section: &Vec<String>| target.sections.iter().position(|other| other == section);
    let places: Vec<usize> = source.sections.iter().map(place).collect::<Option<_>>()?;
    let is_free = !source.is_numbered() && !target.is_numbered();
    (is_free || places.is_sorted()).then_some(places)
}

/// Whether a piece of the target that the source lacks takes back, doubts or forbids what both say: words of withdrawal or
/// doubt anywhere, a question, a label or a negation that leads to it, or a sentence that refers to it (`withdrew that`).
fn is_withdrawn(target: &Pieces, used: &[bool]) -> bool {
    let own = target.all.iter().enumerate().filter(|(at, _)| !used[*at]);
    own.into_iter().any(|(at, piece)| {
        let next = target.all.get(at + 1).filter(|next| next.section == piece.section && used[at + 1]);
        let leads = |next: &BodyPiece| {
            piece.is_label
                || piece.words.ends_with(" ?")
                || piece.form == PieceForm::Prose
                    && next.form != PieceForm::Prose
                    && has_negation(&piece.words)
        };
        let is_beside = || {
            let before = at.checked_sub(1).filter(|before| used[*before]).map(|before| &target.all[before]);
            before.into_iter().chain(next).any(|beside| beside.section == piece.section)
        };
        withdraws(&piece.words) || next.is_some_and(leads) || refers(&piece.words) && is_beside()
    })
}

/// Words that refer to the text beside them, in English and German.
static REFERRING: list::Set = list::Set::of_words(include_str!("lists/referring.txt"));

fn refers(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| REFERRING.contains(&word.to_lowercase()))
}

fn withdraws(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| WITHDRAWN.contains(word)) || WITHDRAWING.iter().any(|phrase| lower.contains(phrase))
}

/// Whether most words of the shorter of two pieces stand in the other.
fn are_alike(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> bool {
    let fewest = one.len().min(other.len());
    fewest > 0 && one.intersection(other).count() as f64 >= ALIKE * fewest as f64
}
