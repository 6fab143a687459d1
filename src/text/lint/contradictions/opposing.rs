//! Whether two statements about one subject can hold at once, judged by their words alone.
//!
//! They contradict each other only if they answer the same question: a statement and its negation, two amounts of one
//! measure, two names of one kind, two sentences that differ in the object of one verb, two short names of a property.
//! What only adds a detail, speaks of another property or names another case complements. English; knows no synonyms.
//! The rule was chosen on the half `dev` of `fixtures/claims.txt`.

use super::measures;
use super::names::{self, Names};
use super::pair::Pair;
use super::parts::words;
use super::statement::Statement;
use super::vocabulary::{is_negation, is_opposite, is_stop};

/// A longer statement is prose, in bytes.
const LONGEST: usize = 160;

/// A statement and its negation differ in at most so many other words.
const NEGATED: usize = 3;

/// Two statements with opposite words differ in at most so many other words on either side.
const OPPOSED: usize = 2;

/// Whether statements in normal form, about a subject in normal form, contradict each other.
pub(super) fn oppose(subject: &str, one: &str, other: &str) -> bool {
    if one.len() > LONGEST || other.len() > LONGEST {
        return false;
    }
    let pair = Pair::of(subject, [one, other]);
    if pair.sides[0].is_same(&pair.sides[1]) || pair.names_cases() || pair.has_keys() {
        return false;
    }
    if measures::fit(&pair) {
        return false;
    }
    if is_negated(&pair) || is_opposed(&pair) {
        return true;
    }
    if let Some(differ) = measures::differ(&pair) {
        return differ;
    }
    match names::compared(&pair) {
        Names::Differ => true,
        Names::Agree => false,
        _ if pair.adds_only() => false,
        Names::Unlike => names::have_other_object(&pair),
        Names::Unknown => names::have_other_object(&pair) || names::are_other_names(&pair),
    }
}

/// Whether one is the other with a negation.
fn is_negated(pair: &Pair<'_>) -> bool {
    let [one, other] = pair.only.each_ref().map(|words| words.iter().any(|word| is_negation(word)));
    let (first, second) = (pair.rest(0).len(), pair.rest(1).len());
    one != other && first.min(second) == 0 && first.max(second) <= NEGATED && !pair.common.is_empty()
}

/// Whether they begin with opposite words, or differ in such words and little else.
fn is_opposed(pair: &Pair<'_>) -> bool {
    let [one, other] = pair.sides.each_ref().map(lead);
    let (first, second) = (pair.rest(0).len(), pair.rest(1).len());
    let is_short = !pair.shared.is_empty() || first + second <= OPPOSED;
    let is_near = first.max(second) <= OPPOSED && is_short;
    let mut pairs = pair.only[0].iter().flat_map(|one| pair.only[1].iter().map(move |other| (one, other)));
    one.zip(other)
        .is_some_and(|(one, other)| is_opposite(one, other) && !pair.have_other_things(&[one, other]))
        || is_near
            && pairs.any(|(one, other)| is_opposite(one, other) && !pair.have_other_things(&[one, other]))
}

/// The first word that says something.
fn lead(statement: &Statement) -> Option<&str> {
    words(&statement.parts).find(|word| !is_stop(word) || matches!(*word, "on" | "always"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::normal;
    use proptest::prelude::*;

    #[track_caller]
    fn answers(subject: &str, one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(normal);
        let found = oppose(subject, &one, &other);
        assert_eq!(found, oppose(subject, &other, &one), "the order of {one} ~ {other} says nothing");
        found
    }

    #[test]
    fn each_way_to_contradict_has_its_case_and_its_limit() {
        for (subject, one, other) in [
            ("lists", "Lists are cached", "Lists are not cached"),
            ("archives", "kept after the run", "removed once they are sent"),
            ("upload limit", "10 MB", "25 MB"),
            ("line length", "lines may have 100 characters", "the maximum line length is 88"),
            ("message broker", "Kafka carries the events", "events go through RabbitMQ"),
            ("indentation", "tabs", "four spaces"),
            ("rate", "60 requests/min", "100 requests per second"),
            ("log output", "goes to stdout", "goes to stderr"),
            ("tokens", "signed with RS256", "signed with PS384"),
            ("test runner", "nextest", "libtest"),
            ("node version", "20.11", "20.12"),
            ("Kubernetes version", "1.29.2", "1.29.3"),
            ("owner of billing", "payments team", "platform team"),
        ] {
            assert!(answers(subject, one, other), "{subject}: {one} ~ {other}");
        }
        for (subject, one, other) in [
            ("lists", "Lists are cached", "Lists are paged"),
            ("archives", "kept for a week", "written at night"),
            ("upload limit", "10 MB", "checked in the proxy"),
            ("rate", "60 requests/min", "1 request per second"),
            ("log output", "goes to stdout", "is JSON"),
            ("tokens", "signed with RS256", "stored in cookies"),
            ("test runner", "nextest", "started by make"),
            ("owners", "payments team", "platform team"),
            ("versions", "1.2: until May", "1.3: until June"),
            ("database", "PostgreSQL 16", "Postgres 16"),
            ("node version", "20", "20.11"),
            ("Kubernetes version", "1.29", "1.29.3"),
            ("timeout", "5 s for reads", "30 s for writes"),
            ("upload limit", "images may have 5 MB", "videos may have 200 MB"),
            ("memory limit", "512 MB", "0.5 GB"),
            ("auth tokens", "expire after 15 minutes", "refresh tokens expire after 30 days"),
            ("bundle size", "below 250 kB", "190 kB after gzip"),
            ("passwords", "at least 12 characters", "must not exceed 128 characters"),
            ("retention", "audit logs are kept", "debug logs are deleted"),
            ("event order", "guaranteed within a partition", "not guaranteed across partitions"),
            ("naming", "modules use snake_case", "components use PascalCase"),
        ] {
            assert!(!answers(subject, one, other), "{subject}: {one} ~ {other}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn a_statement_never_contradicts_itself_and_no_order_matters(
            [one, other] in prop::array::uniform2("([a-c]|not|no|[0-9]{1,2}|min|s|per|with|in|,|:|[ -~]|\\PC){0,8}")
        ) {
            prop_assert!(!oppose("a port", &one, &one));
            prop_assert_eq!(oppose("a port", &one, &other), oppose("a port", &other, &one));
        }
    }
}
