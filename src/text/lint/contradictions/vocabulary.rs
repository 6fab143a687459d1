//! The English words that the rule knows.

use brv_base::english::list;

/// Words that say nothing about the matter.
static STOP: list::Set = list::Set::of_words(include_str!("lists/stop_words.txt"));

/// Words that say how much or how long, not of what.
pub(super) static BOUNDS: list::Set = list::Set::of_words(include_str!("lists/bounds.txt"));

static NEGATIONS: list::Set = list::Set::of_words(include_str!("lists/negations.txt"));

/// Pairs of words; only one can hold.
static OPPOSITES: list::Rows<2> = list::Rows::of(include_str!("lists/opposites.txt"));

/// What makes a word its own opposite.
const UN: [&str; 5] = ["un", "in", "im", "dis", "non"];

/// Words that name the case that a statement is about: with another case both may hold.
pub(super) static CASES: list::Set = list::Set::of_words(include_str!("lists/cases.txt"));

/// Words that name a case only beside another one of them: `client` and `server`, `before` and `after`.
pub(super) static SIDES: list::Set = list::Set::of_words(include_str!("lists/sides.txt"));

/// Words that say what happens to a thing, not which thing it is.
pub(super) static VERBS: list::Set = list::Set::of_words(include_str!("lists/verbs.txt"));

/// Words of a bound from above, and from below.
pub(super) static UPPER: list::Set = list::Set::of_words(include_str!("lists/upper_bounds.txt"));
pub(super) static LOWER: list::Set = list::Set::of_words(include_str!("lists/lower_bounds.txt"));

/// Words that set two ranges apart: `within a region`, `across regions`.
pub(super) const INSIDE: [&str; 3] = ["within", "inside", "in"];
pub(super) const OUTSIDE: [&str; 4] = ["across", "outside", "beyond", "between"];

/// Words around the main words of a sentence.
pub(super) static ARTICLES: list::Set = list::Set::of_words(include_str!("lists/articles.txt"));

/// Words that begin a condition.
pub(super) static CONDITIONS: list::Set = list::Set::of_words(include_str!("lists/conditions.txt"));

/// Words in front of the object of a sentence, which is what it says.
pub(super) static OBJECT: list::Set = list::Set::of_words(include_str!("lists/before_objects.txt"));

/// What has one name.
pub(super) static PROPERTIES: list::Set = list::Set::of_words(include_str!("lists/properties.txt"));

/// Participles that do not end in `ed`.
static PARTICIPLES: list::Set = list::Set::of_words(include_str!("lists/participles.txt"));

/// What is itself an amount, at the end of a subject: `login grace`, `upload limit`.
pub(super) static MEASURED: list::Set = list::Set::of_words(include_str!("lists/measured.txt"));

/// Whether a word says nothing about the matter.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(word)
}

pub(super) fn is_opposite(one: &str, other: &str) -> bool {
    let listed = |one: &str, other: &str| OPPOSITES.iter().any(|pair| pair == [one, other]);
    let is_un = |one: &str, other: &str| {
        one.len() > 3
            && UN
                .iter()
                .any(|un| other.strip_prefix(un).is_some_and(|rest| rest.trim_start_matches('-') == one))
    };
    listed(one, other) || listed(other, one) || is_un(one, other) || is_un(other, one)
}

/// Whether something is done, which may be done beside something else: `stored`, `signed`.
pub(super) fn is_participle(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") || PARTICIPLES.contains(word)
}

pub(super) fn is_adjective(word: &str) -> bool {
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    word.len() > 4 && ends(&["al", "ive", "ous", "less", "ful", "ic", "ed"])
        || word.len() > 6 && ends(&["able", "ible", "ally"])
}

pub(super) fn is_plural(subject: &str) -> bool {
    subject.ends_with('s') && !["ss", "us", "is", "as"].iter().any(|end| subject.ends_with(end))
}
