//! Two amounts of one measure; only one can hold: `90 s` and `5 minutes`, `level 3` and `level 19`.

use super::pair::Pair;
use super::parts::{Amount, Measure, amounts, words};
use super::statement::Statement;
use super::vocabulary::{LOWER, MEASURED, UPPER, is_negation, is_participle, is_stop};
use brv_base::english::{Dimension, list};

/// A sentence around an amount has at most so many words of its own, if the other statement is the bare amount.
const MOST: usize = 3;

/// Whether two statements give different amounts of the same thing; `None` if they have no such amounts.
pub(super) fn differ(pair: &Pair<'_>) -> Option<bool> {
    let found = pair.sides.each_ref().map(|side| amounts(side.head()).collect::<Vec<_>>());
    let [one, other] = &found;
    let differs = |own: &&Amount| {
        let mut comparable = other.iter().filter(|it| it.is_comparable(own)).peekable();
        comparable.peek().is_some() && comparable.all(|it| !is_among(it, one))
    };
    if !one.iter().any(differs) {
        return None;
    }
    let rests = [rest(pair, 0), rest(pair, 1)];
    if pair.has_neighbour() {
        return Some(false);
    }
    if rests.iter().all(Vec::is_empty) {
        return Some(true);
    }
    if one.len() != 1 || other.len() != 1 || !pair.shared.is_empty() {
        return Some(false);
    }
    Some(match [is_bare(pair, 0), is_bare(pair, 1)].iter().position(|is_bare| *is_bare) {
        Some(bare) => is_about(&rests[1 - bare], &[one[0], other[0]]),
        None => is_measured(pair.subject) && !pair.have_other_things(&[]),
    })
}

/// Whether one gives a bound and the other, in a sentence of its own, an amount within it; or a lower bound and an upper one.
pub(super) fn fit(pair: &Pair<'_>) -> bool {
    let [one, other] = pair.sides.each_ref().map(|side| amounts(side.head()).collect::<Vec<_>>());
    let ([one], [other]) = (&one[..], &other[..]) else { return false };
    let found = [one, other];
    one.is_comparable(other)
        && (0..2).any(|side| {
            let [bound, value] = [found[side].value, found[1 - side].value];
            match (bounds(&pair.sides[side]), bounds(&pair.sides[1 - side])) {
                ([true, false], [false, true]) => bound <= value,
                ([true, false], [false, false]) => bound <= value && !rest(pair, 1 - side).is_empty(),
                ([false, true], [false, false]) => bound >= value && !rest(pair, 1 - side).is_empty(),
                _ => false,
            }
        })
}

/// Whether a statement gives a lower bound, and whether an upper one.
fn bounds(side: &Statement) -> [bool; 2] {
    let has = |list: &list::Set| words(side.head()).any(|word| list.contains(word));
    let [lower, upper] = [has(&LOWER), has(&UPPER)];
    if words(side.head()).any(is_negation) { [upper, lower] } else { [lower, upper] }
}

fn is_among(amount: &Amount, amounts: &[&Amount]) -> bool {
    // `512 MB` and `0.5 GB`: many count in steps of 1,024 and write the units of 1,000
    let is_step = |other: &Amount| {
        let ratio = amount.value / other.value;
        amount.measure == Measure::Of(Dimension::Data)
            && [ratio, 1.0 / ratio].iter().any(|ratio| (ratio - 1.024).abs() < 1e-9)
    };
    amounts.iter().any(|other| other.is_comparable(amount) && (other.is_same(amount) || is_step(other)))
}

/// The words that one has alone in the part with the amount.
fn rest<'p>(pair: &'p Pair<'_>, side: usize) -> Vec<&'p str> {
    let head: Vec<&str> = words(pair.sides[side].head()).collect();
    pair.rest(side).into_iter().filter(|word| head.contains(word)).collect()
}

/// Whether the amount is all that is stated about the subject.
fn is_bare(pair: &Pair<'_>, side: usize) -> bool {
    words(pair.sides[side].head()).all(|word| is_stop(word) || pair.is_given(word))
}

/// Whether a short sentence gives the amount of the subject itself. What is done after a time, such as `refreshed after
/// 10 minutes`, is another property, while what is done every so often is the same.
fn is_about(rest: &[&str], amounts: &[&Amount]) -> bool {
    let are_periods = amounts.iter().all(|amount| amount.measure == Measure::Period);
    rest.len() <= MOST && (are_periods || !rest.iter().any(|word| is_participle(word)))
}

/// Whether the subject is itself an amount.
fn is_measured(subject: &str) -> bool {
    subject.split(' ').next_back().is_some_and(|last| MEASURED.contains(last))
}
