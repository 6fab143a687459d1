//! What of a rewrite the grounds say otherwise: a negation that came or went, the opposite of a word, another value, or a
//! name in the place of another one.
//!
//! Only a statement that is near to one of the grounds can be compared with it. What is told in quite other words is not
//! noticed.

use super::super::tokens::{Sort, Token};
use super::grounds::{Grounds, is_claim};
use super::pieces::Kind;
use super::saying::{Saying, Words};

/// From this share of its words on, the rare ones above all, a statement is near to another one; from the lower one on it is if
/// but one word is left aside. These shares are the best on the rewrites of `fixtures/rewrites`.
const NEAR: f64 = 0.6;
const ALIKE: f64 = 0.5;

/// A clause is there if so much of it is, and unheard of if no more is than this.
const ALL: f64 = 0.75;
const UNHEARD: f64 = 0.35;

/// A clause or statement with fewer words says too little to be compared.
const FEWEST: usize = 3;

/// A name stands in the place of another one if the statements that have it are less near than this share of the nearest.
const LONE: f64 = 0.7;

/// What of a statement is otherwise in the grounds: one of its tokens, or all of it.
pub fn changed<'o>(one: &'o Saying, grounds: &Grounds, is_english: bool) -> Option<&'o str> {
    if denial(one, grounds) || flipped(one, grounds) || opposite(one, grounds) {
        return Some(&one.piece.text);
    }
    other_value(one, grounds).or_else(|| swapped(one, grounds, is_english)).map(|token| token.text.as_str())
}

fn share(words: &Words, other: &Words, grounds: &Grounds) -> f64 {
    let all: f64 = words.iter().map(|word| grounds.weight(*word)).sum();
    let common: f64 = words.intersection(other).map(|word| grounds.weight(*word)).sum();
    if all > 0.0 { common / all } else { 0.0 }
}

/// Whether a ground says what the statement denies, or denies what it says.
fn denial(one: &Saying, grounds: &Grounds) -> bool {
    if one.piece.kind == Kind::Label {
        return false;
    }
    let prose = || grounds.sayings().filter(|other| other.piece.kind != Kind::Code);
    let most = |shares: &mut dyn Iterator<Item = f64>| shares.fold(0.0, f64::max);
    let said = |words: &Words| {
        most(
            &mut prose().filter(|other| !other.is_wary).map(|other| share(words, &other.affirmed(), grounds)),
        )
    };
    for clause in one.negated.iter().filter(|clause| clause.len() >= FEWEST) {
        let denied = |other: &Saying| {
            let wary = other.is_wary.then(|| share(clause, &other.words, grounds));
            let clauses = other
                .negated
                .iter()
                .map(|own| share(clause, &own.union(&other.context).copied().collect(), grounds));
            most(&mut clauses.chain(wary))
        };
        let denied = most(&mut prose().map(denied));
        if denied < UNHEARD && said(clause) >= NEAR {
            return true;
        }
    }
    if one.is_wary || !one.negated.is_empty() {
        return false;
    }
    let affirmed = one.affirmed();
    let is_denied = |clause: &&Words| {
        clause.len() >= FEWEST && share(clause, &affirmed, grounds) >= ALL && said(clause) < NEAR
    };
    prose().flat_map(|other| &other.negated).any(|clause| is_denied(&clause))
}

/// Whether the statement that it is made from denies something, and it does not.
fn flipped(one: &Saying, grounds: &Grounds) -> bool {
    if one.piece.kind == Kind::Label || one.words.len() < FEWEST || one.is_wary || !one.negated.is_empty() {
        return false;
    }
    let is_copy = |other: &Saying| {
        share(&other.words, &one.words, grounds) >= NEAR
            && other.negated.iter().any(|clause| share(clause, &one.words, grounds) >= NEAR)
    };
    let (mut turned, mut same): (f64, f64) = (0.0, 0.0);
    for other in grounds.sayings().filter(|other| other.is_statement() && other.piece.kind != Kind::Code) {
        let forth = share(&one.words, &other.words, grounds);
        match other.negated.is_empty() {
            true => same = same.max(forth),
            false if is_copy(other) => turned = turned.max(forth),
            false => {}
        }
    }
    turned >= NEAR && same < turned
}

/// Words of which one says the opposite of the other.
const OPPOSITES: [(&str, &str); 27] = [
    ("true", "false"),
    ("on", "off"),
    ("open", "closed"),
    ("enabled", "disabled"),
    ("enables", "disables"),
    ("before", "after"),
    ("always", "never"),
    ("first", "last"),
    ("minimum", "maximum"),
    ("least", "most"),
    ("increases", "decreases"),
    ("above", "below"),
    ("allowed", "forbidden"),
    ("accepts", "rejects"),
    ("accepted", "rejected"),
    ("required", "optional"),
    ("include", "exclude"),
    ("included", "excluded"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("public", "private"),
    ("newest", "oldest"),
    ("more", "less"),
    ("adds", "removes"),
    ("added", "removed"),
    ("safe", "unsafe"),
    ("ascending", "descending"),
];

/// Whether the statement has the opposite of a word where the grounds have that word.
fn opposite(one: &Saying, grounds: &Grounds) -> bool {
    let has = |saying: &Saying, word: &str| {
        saying.piece.text.split(|c: char| !c.is_alphanumeric()).any(|own| own.eq_ignore_ascii_case(word))
    };
    let prose = || grounds.sayings().filter(|other| other.is_statement() && other.piece.kind != Kind::Code);
    let is_turned = |own: &str, other: &str| {
        if !has(one, own) || has(one, other) {
            return false;
        }
        let rest: Words = one.words.iter().filter(|word| **word != grounds.stem(own)).copied().collect();
        let best = |wanted: &dyn Fn(&Saying) -> bool| {
            let shares =
                prose().filter(|other| wanted(other)).map(|other| share(&rest, &other.words, grounds));
            shares.fold(0.0, f64::max)
        };
        let turned = best(&|saying| has(saying, other) && !has(saying, own));
        turned >= ALIKE
            && best(&|saying| has(saying, own)) < turned
            && best(&|saying| !has(saying, other)) < turned
    };
    one.words.len() >= 2 && OPPOSITES.iter().any(|(a, b)| is_turned(a, b) || is_turned(b, a))
}

/// A token that stands where the grounds have another one.
fn swapped<'o>(one: &'o Saying, grounds: &Grounds, is_english: bool) -> Option<&'o Token> {
    let fitting: Vec<(&Saying, Words)> = grounds
        .sayings()
        .filter(|other| other.is_statement() && other.piece.kind != Kind::Code)
        .map(|other| (other, other.words.union(&other.context).copied().collect()))
        .collect();
    // what is new is not swapped
    if one.tokens.iter().any(|token| grounds.is_news(token)) {
        return None;
    }
    let is_lone = |(token, own): &(&Token, &Words)| {
        let rest: Words = one.words.difference(own).copied().collect();
        if rest.len() < 2 || token.key.contains(char::is_whitespace) || !is_claim(token, is_english) {
            return false;
        }
        let shares = || fitting.iter().map(|(other, words)| (share(&rest, words, grounds), *other));
        let Some((best, other)) = shares().max_by(|one, other| one.0.total_cmp(&other.0)) else {
            return false;
        };
        let back = share(other.rest(), &one.words, grounds);
        if best < NEAR || back < NEAR || other.has_token(token) {
            return false;
        }
        let has_other = other.tokens.iter().any(|other| are_alike(other, token) && !one.has_token(other));
        let mine = shares().filter(|(_, other)| grounds.stands_around(other, token)).map(|(share, _)| share);
        has_other && mine.fold(0.0, f64::max) < best * LONE
    };
    let found = one.tokens.iter().zip(&one.of_tokens).find(is_lone);
    found.map(|(token, _)| token)
}

/// A number beside a name of the code that the grounds have with another number, and never with this one.
fn other_value<'o>(one: &'o Saying, grounds: &Grounds) -> Option<&'o Token> {
    let is_number = |token: &&Token| is_value(token);
    let is_name = |token: &&Token| {
        token.sort == Sort::Code && !is_value(token) && !token.key.contains(char::is_whitespace)
    };
    let names: Vec<&Token> = one.tokens.iter().filter(is_name).collect();
    let is_other = |token: &&Token| {
        let beside = |name: &&Token| grounds.numbers_beside(name);
        let known: Vec<Vec<&Token>> =
            names.iter().map(beside).filter(|numbers| !numbers.is_empty()).collect();
        let has = |numbers: &Vec<&Token>| numbers.iter().any(|number| number.key == token.key);
        !known.is_empty() && !known.iter().any(has) && !grounds.is_news(token)
    };
    one.tokens.iter().filter(is_number).find(is_other)
}

/// Whether a code span is a number: `300e3`.
fn is_value(token: &Token) -> bool {
    token.sort == Sort::Code
        && token.text.starts_with('`')
        && token.key.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether one token may stand in the place of the other.
fn are_alike(one: &Token, other: &Token) -> bool {
    const VALUES: [&str; 3] = ["true", "false", "null"];
    let is_number =
        |token: &Token| token.sort != Sort::Name && token.key.starts_with(|c: char| c.is_ascii_digit());
    let is_value = |token: &Token| VALUES.contains(&token.key.as_str());
    let look = |token: &Token| {
        (is_number(token), is_value(token), token.key.starts_with('-'), token.sort == Sort::Name)
    };
    look(one) == look(other)
}
