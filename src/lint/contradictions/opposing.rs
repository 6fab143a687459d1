//! Whether two statements about one subject can hold at once, judged by their words alone.
//!
//! Two statements about one property do not hold at once. About a topic, two short values, or two sentences of one
//! pattern that differ in a few words, say something else; so do a statement and its negation. What only adds a detail,
//! names another case, or is prose on another matter complements. English; knows no
//! units and no synonyms. The constants were chosen on `fixtures/contradictions.txt`.

use std::collections::BTreeSet;

/// A longer statement is prose, in bytes.
const LONGEST: usize = 120;

/// A value has at most so many words.
const VALUE: usize = 3;

/// Two sentences of one pattern differ in at most so many words on either side.
const DIFFERENT: usize = 3;

/// Words that say nothing about the matter.
const STOP: [&str; 45] = [
    "a", "all", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "each", "every", "follow",
    "for", "from", "has", "have", "in", "is", "it", "its", "least", "live", "lives", "may", "must", "of",
    "on", "or", "our", "per", "run", "should", "that", "the", "they", "this", "to", "use", "uses", "we",
    "will", "with",
];

const NEGATIONS: [&str; 7] = ["not", "never", "no", "cannot", "without", "don't", "isn't"];

/// Words of which only one can hold.
const OPPOSITES: [(&str, &str); 16] = [
    ("always", "never"),
    ("allowed", "forbidden"),
    ("enabled", "disabled"),
    ("on", "off"),
    ("yes", "no"),
    ("true", "false"),
    ("required", "optional"),
    ("mandatory", "optional"),
    ("public", "private"),
    ("synchronous", "asynchronous"),
    ("manual", "automatic"),
    ("mutable", "immutable"),
    ("strict", "lenient"),
    ("sync", "async"),
    ("open", "closed"),
    ("supported", "unsupported"),
];

/// Words that name the case of which a statement speaks: with another case both may hold.
const CASES: [&str; 58] = [
    "admin",
    "admins",
    "after",
    "android",
    "backend",
    "before",
    "ci",
    "client",
    "default",
    "desktop",
    "dev",
    "development",
    "external",
    "first",
    "formerly",
    "frontend",
    "guest",
    "guests",
    "input",
    "integration",
    "internal",
    "ios",
    "last",
    "legacy",
    "linux",
    "local",
    "locally",
    "macos",
    "max",
    "maximum",
    "members",
    "min",
    "minimum",
    "mobile",
    "new",
    "old",
    "output",
    "previously",
    "prod",
    "production",
    "read",
    "reads",
    "request",
    "response",
    "second",
    "secondary",
    "server",
    "since",
    "staging",
    "test",
    "tests",
    "unit",
    "until",
    "users",
    "weekdays",
    "weekends",
    "windows",
    "writes",
];

/// Whether statements in normal form, about a subject in normal form, contradict each other.
pub(super) fn oppose(subject: &str, one: &str, other: &str) -> bool {
    let is_prose = one.len() > LONGEST || other.len() > LONGEST;
    if is_prose && !is_property(subject) {
        return false;
    }
    let (a, b) = (words(one), words(other));
    let (only_a, only_b) = (without(&a, &b), without(&b, &a));
    let shared = a.len() - only_a.len();
    let is_case = |word: &&&str| CASES.contains(*word);
    let opposite = is_opposite(&only_a, &only_b) || is_opposite(&only_b, &only_a);
    if is_negated(&only_a) != is_negated(&only_b) || opposite {
        return only_a.len().max(only_b.len()) <= DIFFERENT && (opposite || shared > 0);
    }
    if only_a.is_empty() || only_b.is_empty() || only_a.iter().chain(&only_b).any(|word| is_case(&word)) {
        return false;
    }
    if is_property(subject) && is_single(one) && is_single(other) {
        return true;
    }
    if is_act(&only_a) && is_act(&only_b) {
        return false;
    }
    let is_pattern = shared * 2 >= a.len().min(b.len()) && only_a.len().max(only_b.len()) <= DIFFERENT;
    let has_numbers = has_number(&only_a) && has_number(&only_b);
    let are_values = a.len().max(b.len()) <= VALUE && is_value(one) && is_value(other);
    if shared > 0 && is_pattern {
        return has_numbers || !begins_otherwise(&a, &b, one, other);
    }
    are_values && (has_numbers || !is_plural(subject))
}

/// The words that say something, each once.
fn words(statement: &str) -> BTreeSet<&str> {
    let is_inside =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '\'' | '+' | '#' | '_' | '/' | '%');
    statement
        .split(|c| !is_inside(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '%')))
        .filter(|word| !word.is_empty() && !STOP.contains(word))
        .collect()
}

fn without<'a>(words: &BTreeSet<&'a str>, others: &BTreeSet<&str>) -> Vec<&'a str> {
    words.iter().filter(|word| !others.contains(*word)).copied().collect()
}

fn is_negated(words: &[&str]) -> bool {
    words.iter().any(|word| NEGATIONS.contains(word))
}

fn is_opposite(words: &[&str], others: &[&str]) -> bool {
    OPPOSITES.iter().any(|(one, other)| words.contains(one) && others.contains(other))
}

fn has_number(words: &[&str]) -> bool {
    const SMALL: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()) || SMALL.contains(word))
}

/// Whether something is done, which may be done beside something else: `stored`, `signed`.
fn is_act(words: &[&str]) -> bool {
    words.iter().any(|word| word.len() > 4 && word.ends_with("ed"))
}

/// Whether a subject of several words names one property, such as `token lifetime`, which has one value. A single word
/// is often a topic, such as `billing`, of which much can be said.
fn is_property(subject: &str) -> bool {
    subject.split(' ').count() > 1 && !is_plural(subject)
}

fn is_single(statement: &str) -> bool {
    !statement.contains([',', ';']) && !statement.contains(" and ") && !statement.starts_with("see ")
}

/// Whether a statement names one value: no list, no sentence about several things, no reference.
fn is_value(statement: &str) -> bool {
    is_single(statement) && !statement.contains(" are ")
}

fn is_plural(subject: &str) -> bool {
    subject.ends_with('s') && !["ss", "us", "is"].iter().any(|end| subject.ends_with(end))
}

/// Whether two sentences are about different things: their first words differ.
fn begins_otherwise(a: &BTreeSet<&str>, b: &BTreeSet<&str>, one: &str, other: &str) -> bool {
    let first = |words: &BTreeSet<&str>, statement: &str| {
        statement.split(' ').find(|word| words.contains(word)).map(str::to_owned)
    };
    a.len().max(b.len()) > VALUE && first(a, one) != first(b, other)
}
