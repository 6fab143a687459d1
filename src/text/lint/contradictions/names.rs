//! Two names for one choice: both of one kind, such as databases, or both the short name of a property.

use super::kinds;
use super::pair::Pair;
use super::parts::{StatementPart, amounts, words};
use super::statement::Statement;
use super::vocabulary::{
    ARTICLES, OBJECT, PROPERTIES, is_adjective, is_negation, is_participle, is_plural, is_stop,
};

/// A name has at most so many words.
const NAME: usize = 3;

/// A sentence around a name, or an object, has at most so many words of its own.
const MOST: usize = 3;

/// What the names in two statements have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Two names of one kind, and little else.
    Differ,
    /// The same name, or two and much else.
    Agree,
    /// Names of different kinds, which do not answer the same question.
    Unlike,
    /// At least one statement has no name of a known kind.
    Unknown,
}

pub(super) fn compared(pair: &Pair<'_>) -> Names {
    let [one, other] = pair.sides.each_ref().map(|side| kinds::of(&text(side)));
    if one.is_empty() || other.is_empty() {
        return Names::Unknown;
    }
    let same = |kind: usize| other.iter().find(|(other, _)| *other == kind).map(|(_, names)| names);
    let both: Vec<_> = one.iter().filter_map(|(kind, names)| Some((names, same(*kind)?))).collect();
    if both.is_empty() {
        return Names::Unlike;
    }
    let differ = both.iter().any(|(one, other)| one.len() == 1 && other.len() == 1 && one != other);
    let is_bare = |side: &Statement| side.all_words().all(|word| !is_stop(word));
    let is_list = is_plural(pair.subject) && pair.common.is_empty() && pair.sides.iter().all(is_bare);
    let named: Vec<&str> = both
        .iter()
        .flat_map(|(one, other)| one.iter().chain(*other))
        .flat_map(|name| kinds::spellings(name))
        .flat_map(|name| name.split(' '))
        .collect();
    let is_plain = |side: usize| {
        let rest: Vec<&str> = pair.rest(side).into_iter().filter(|word| !named.contains(word)).collect();
        rest.len() <= MOST && !rest.iter().any(|word| is_participle(word))
    };
    if differ && !is_list && !pair.have_other_things(&named) && is_plain(0) && is_plain(1) {
        Names::Differ
    } else {
        Names::Agree
    }
}

/// A statement in plain words, in which names are looked for.
fn text(statement: &Statement) -> String {
    let words = statement.parts.iter().map(|part| match part {
        StatementPart::Word(word) => word.clone(),
        StatementPart::Amount(amount) => amount.value.to_string(),
        StatementPart::Break | StatementPart::Colon => ",".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether both are one sentence but for the object behind its verb: `signed with A`, `signed with B`.
pub(super) fn have_other_object(pair: &Pair<'_>) -> bool {
    let [one, other] = pair.sides.each_ref().map(main_words);
    let front = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let back =
        one[front..].iter().rev().zip(other[front..].iter().rev()).take_while(|(one, other)| one == other);
    let back = back.count();
    let middles = [&one[front..one.len() - back], &other[front..other.len() - back]];
    let says = |words: &&[&str]| (1..=MOST).contains(&words.iter().filter(|word| !is_stop(word)).count());
    if !middles.iter().all(says) {
        return false;
    }
    if front == 0 {
        return back > 0 && is_contest(&one, &other);
    }
    match middles.map(|middle| OBJECT.contains(middle[0])) {
        [true, true] => middles[0][0] == middles[1][0],
        // at the beginning it is the setting of a sentence, unless there is nothing else
        [false, false] => {
            let is_short = |side: &Statement| side.is_single() && side.words.len() <= NAME;
            OBJECT.contains(one[front - 1]) && (front > 1 || pair.sides.iter().all(is_short))
        }
        _ => false,
    }
}

/// Two or three words that say which of several it is: `readers go first`, `cursor based`.
fn is_contest(one: &[&str], other: &[&str]) -> bool {
    const WON: [&str; 5] = ["first", "based", "driven", "only", "mode"];
    let is_won = one.last().is_some_and(|last| WON.contains(last));
    is_won && (one.len() == 2 && other.len() == 2 || one.ends_with(&["go", "first"]))
}

/// Whether both are short names of something that exists once: `test runner`, `owner of billing`. A name with a
/// property of its own, such as `EU region` of a provider, names something else.
pub(super) fn are_other_names(pair: &Pair<'_>) -> bool {
    let head = pair.subject.split(" of ").next().unwrap_or(pair.subject);
    let last = head.split([' ', '-', '_']).next_back();
    let is_topic = !kinds::of(pair.subject).is_empty();
    let [one, other] = pair.sides.each_ref().map(|side| main_words(side).pop().filter(is_property));
    last.as_ref().is_some_and(is_property) && !is_topic && one == other && pair.sides.iter().all(is_name)
}

fn is_property(word: &&str) -> bool {
    PROPERTIES.contains(word)
}

fn is_name(statement: &Statement) -> bool {
    let words = main_words(statement);
    let is_plain =
        |word: &&str| !is_participle(word) && !is_adjective(word) && !is_negation(word) && !is_stop(word);
    statement.is_single()
        && amounts(&statement.parts).next().is_none()
        && (1..=NAME).contains(&words.len())
        && words[0] != "see"
        && words.iter().all(is_plain)
}

/// The words in front of the first break, without articles and the like.
fn main_words(statement: &Statement) -> Vec<&str> {
    words(statement.head()).filter(|word| !ARTICLES.contains(word)).collect()
}
