//! Two statements about one subject: what both say, and what each says alone.

use super::parts::{StatementPart, amounts, stem, words};
use super::statement::Statement;
use super::vocabulary::{
    BOUNDS, CASES, CONDITIONS, INSIDE, OUTSIDE, SIDES, VERBS, is_adjective, is_negation, is_participle,
    is_stop,
};
use std::collections::BTreeSet;

pub(super) struct Pair<'a> {
    pub subject: &'a str,
    /// The stems of the subject's words.
    topic: BTreeSet<String>,
    pub sides: [Statement; 2],
    /// The words of each that the other does not have, in order.
    pub only: [Vec<String>; 2],
    /// The stems that both have.
    pub common: BTreeSet<String>,
    /// The common stems that the subject does not have, and that are not bounds.
    pub shared: BTreeSet<String>,
}

impl<'a> Pair<'a> {
    /// The pair of a subject and two statements in normal form.
    pub fn of(subject: &'a str, statements: [&str; 2]) -> Self {
        let sides = statements.map(Statement::of);
        let topic = Statement::of(subject).words;
        let only = [only(&sides[0], &sides[1]), only(&sides[1], &sides[0])];
        let common: BTreeSet<String> = sides[0].words.intersection(&sides[1].words).cloned().collect();
        let is_bound = |word: &String| BOUNDS.iter().any(|bound| stem(bound) == *word);
        let shared =
            common.iter().filter(|word| !topic.contains(*word) && !is_bound(word)).cloned().collect();
        Self { subject, topic, sides, only, common, shared }
    }

    /// Whether one of them names a case, or both name different ones: with another case both may hold.
    pub fn names_cases(&self) -> bool {
        let has = |list: &[&str], words: &Vec<String>| words.iter().any(|word| list.contains(&word.as_str()));
        let is_case = |word: &String| CASES.contains(word) && !self.topic.contains(&stem(word));
        let [one, other] = self.sides.each_ref().map(scope);
        let are_scoped = !one.is_empty() && !other.is_empty() && one.is_disjoint(&other);
        let [first, second] = self.sides.each_ref().map(condition);
        self.only.iter().any(|words| words.iter().any(is_case))
            || self.only.iter().all(|words| words.iter().any(|word| SIDES.contains(word)))
            || has(&INSIDE, &self.only[0]) && has(&OUTSIDE, &self.only[1])
            || has(&INSIDE, &self.only[1]) && has(&OUTSIDE, &self.only[0])
            || first != second
            || are_scoped
    }

    /// Whether both are items of a list that name what they are about: `1.2: until May`, `id - a number`.
    pub fn has_keys(&self) -> bool {
        let [one, other] = &self.sides;
        let has_key = |side: &Statement| side.parts.get(side.head().len()) == Some(&StatementPart::Colon);
        has_key(one) && has_key(other) && one.head() != other.head()
    }

    /// Whether one says nothing that the other does not say, amounts aside.
    pub fn adds_only(&self) -> bool {
        let adds_nothing = |side: usize| {
            let mut others = amounts(&self.sides[side].parts);
            let has = |amount| amounts(&self.sides[1 - side].parts).any(|other| other.is_comparable(amount));
            self.only[side].iter().all(|word| is_stop(word) || BOUNDS.contains(word)) && others.all(has)
        };
        adds_nothing(0) || adds_nothing(1)
    }

    /// The words that one has alone, and that say something: without bounds, negations and the words of the subject.
    pub fn rest(&self, side: usize) -> Vec<&str> {
        let says = |word: &&str| !is_stop(word) && !is_negation(word) && !self.is_given(word);
        self.only[side].iter().map(String::as_str).filter(says).collect()
    }

    /// Whether each speaks of a thing that the other does not name, these words aside: `audit logs`, `debug logs`. Then
    /// both may hold, whatever the statements are.
    pub fn have_other_things(&self, but: &[&str]) -> bool {
        let is_thing = |word: &&str| {
            !but.contains(word) && !is_participle(word) && !is_adjective(word) && !VERBS.contains(word)
        };
        (0..2).all(|side| self.rest(side).iter().any(is_thing))
    }

    /// Whether one names a neighbour of the subject: `refresh tokens` beside `auth tokens`.
    pub fn has_neighbour(&self) -> bool {
        let Some(last) = self.subject.split([' ', '-', '_']).next_back().map(stem) else { return false };
        let names = |side: usize| {
            let words: Vec<&str> = self.sides[side].all_words().collect();
            let own = self.rest(side);
            words
                .windows(2)
                .any(|pair| stem(pair[1]) == last && own.contains(&pair[0]) && !is_adjective(pair[0]))
        };
        names(0) || names(1)
    }

    /// Whether a word is a bound, or one of the subject.
    pub fn is_given(&self, word: &str) -> bool {
        BOUNDS.contains(word) || self.topic.contains(&stem(word))
    }
}

fn only(own: &Statement, other: &Statement) -> Vec<String> {
    let all: BTreeSet<&str> = other.all_words().collect();
    let is_own = |word: &&str| !all.contains(word) && !other.words.contains(&stem(word));
    own.all_words().filter(is_own).map(str::to_owned).collect()
}

/// The words of a condition: those behind `where`, `if`, `when`.
fn condition(statement: &Statement) -> Vec<&str> {
    statement.all_words().skip_while(|word| !CONDITIONS.contains(word)).collect()
}

/// The words behind `for`, which say of what a statement holds.
fn scope(statement: &Statement) -> BTreeSet<&str> {
    let is_for = |part: &StatementPart| matches!(part, StatementPart::Word(word) if word == "for");
    let Some(at) = statement.parts.iter().position(is_for) else { return BTreeSet::new() };
    let behind = &statement.parts[at + 1..];
    let end = behind
        .iter()
        .position(|part| matches!(part, StatementPart::Break | StatementPart::Colon))
        .unwrap_or(behind.len());
    words(&behind[..end]).filter(|word| !is_stop(word)).collect()
}
