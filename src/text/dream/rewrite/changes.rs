//! What of a rewrite the grounds say otherwise: a negation that came or went, the opposite of a word, another value, or a
//! name in the place of another one.
//!
//! Only a statement that is near to one of the grounds can be compared with it. A statement in entirely different words
//! goes unnoticed.

use super::super::tokens::{Sort, Token};
use super::clauses::Clause;
use super::grounds::{Grounds, is_claim};
use super::opposites::OPPOSITES;
use super::pieces::RewritePieceKind;
use super::saying::Saying;
use super::stemmed::StemSet;

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
    if is_turned(one, grounds) || denial(one, grounds) || flipped(one, grounds) || opposite(one, grounds) {
        return Some(&one.piece.text);
    }
    let found = other_value(one, grounds).or_else(|| other_alias(one, grounds));
    found.or_else(|| swapped(one, grounds, is_english)).map(|token| token.text.as_str())
}

fn share(words: &StemSet, other: &StemSet, grounds: &Grounds) -> f64 {
    let all: f64 = words.iter().map(|word| grounds.weight(*word)).sum();
    let common: f64 = words.intersection(other).map(|word| grounds.weight(*word)).sum();
    if all > 0.0 { common / all } else { 0.0 }
}

/// Whether a ground has the words of the statement with two of them in other places, or one turned, and none has it as it is.
fn is_turned(one: &Saying, grounds: &Grounds) -> bool {
    let prose = || {
        grounds.sayings().filter(|other| other.is_statement() && other.piece.kind != RewritePieceKind::Code)
    };
    prose().any(|other| one.is_turn_of(other)) && !prose().any(|other| one.is_same_as(other))
}

/// Whether a ground says what the statement denies, or denies what it says.
fn denial(one: &Saying, grounds: &Grounds) -> bool {
    if one.piece.kind == RewritePieceKind::Label {
        return false;
    }
    let prose = || grounds.sayings().filter(|other| other.piece.kind != RewritePieceKind::Code);
    let most = |shares: &mut dyn Iterator<Item = f64>| shares.fold(0.0, f64::max);
    let said = |clause: &Clause| {
        let affirmed = prose().filter(|other| !other.is_wary).map(Saying::affirmed);
        let fitting = affirmed.filter(|affirmed| clause.is_about(affirmed));
        most(&mut fitting.map(|affirmed| share(&clause.words, &affirmed, grounds)))
    };
    for clause in one.negated.iter().filter(|clause| clause.words.len() >= FEWEST) {
        let denied = |other: &Saying| {
            let wary = other.is_wary.then(|| share(&clause.words, &other.words, grounds));
            let clauses = other.negated.iter().map(|own| {
                share(&clause.words, &own.words.union(&other.context).copied().collect(), grounds)
            });
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
    let is_denied = |clause: &&Clause| {
        clause.words.len() >= FEWEST
            && clause.is_about(&affirmed)
            && share(&clause.words, &affirmed, grounds) >= ALL
            && said(clause) < NEAR
    };
    prose().flat_map(|other| &other.negated).any(|clause| is_denied(&clause))
}

/// Whether the statement that it is made from denies something, and it does not.
fn flipped(one: &Saying, grounds: &Grounds) -> bool {
    if one.piece.kind == RewritePieceKind::Label
        || one.words.len() < FEWEST
        || one.is_wary
        || !one.negated.is_empty()
    {
        return false;
    }
    let is_copy = |other: &Saying| {
        share(&other.words, &one.words, grounds) >= NEAR
            && other.negated.iter().any(|clause| {
                clause.is_about(&one.words) && share(&clause.words, &one.words, grounds) >= NEAR
            })
    };
    let (mut turned, mut same): (f64, f64) = (0.0, 0.0);
    for other in
        grounds.sayings().filter(|other| other.is_statement() && other.piece.kind != RewritePieceKind::Code)
    {
        let forth = share(&one.words, &other.words, grounds);
        match other.negated.is_empty() {
            true => same = same.max(forth),
            false if is_copy(other) => turned = turned.max(forth),
            false => {}
        }
    }
    turned >= NEAR && same < turned
}

/// Whether the statement has the opposite of a word where the grounds have that word.
fn opposite(one: &Saying, grounds: &Grounds) -> bool {
    let has = |saying: &Saying, word: &str| {
        saying.piece.text.split(|c: char| !c.is_alphanumeric()).any(|own| own.to_lowercase() == word)
    };
    // `Disabling it` and `with it disabled` are one
    let has_form =
        |saying: &Saying, word: &str| has(saying, word) || saying.words.contains(&grounds.stem(word));
    let prose = || {
        grounds.sayings().filter(|other| other.is_statement() && other.piece.kind != RewritePieceKind::Code)
    };
    // `only these are accepted` says which are rejected
    let is_restricting = one.piece.text.starts_with("Only ");
    let is_turned = |own: &str, other: &str| {
        let is_denied = one.negated.iter().any(|clause| clause.words.contains(&grounds.stem(own)));
        if !has(one, own) || has(one, other) || is_denied || is_restricting {
            return false;
        }
        let rest: StemSet = one.words.iter().filter(|word| **word != grounds.stem(own)).copied().collect();
        let best = |wanted: &dyn Fn(&Saying) -> bool| {
            let shares =
                prose().filter(|other| wanted(other)).map(|other| share(&rest, &other.words, grounds));
            shares.fold(0.0, f64::max)
        };
        let turned = best(&|saying| has(saying, other) && !has_form(saying, own));
        turned >= ALIKE
            && best(&|saying| has_form(saying, own)) < turned
            && best(&|saying| !has(saying, other)) < turned
    };
    one.words.len() >= 2 && OPPOSITES.iter().any(|[a, b]| is_turned(a, b) || is_turned(b, a))
}

/// A token that stands where the grounds have another one.
fn swapped<'o>(one: &'o Saying, grounds: &Grounds, is_english: bool) -> Option<&'o Token> {
    let fitting: Vec<(&Saying, StemSet)> = grounds
        .sayings()
        .filter(|other| other.is_statement() && other.piece.kind != RewritePieceKind::Code)
        .map(|other| (other, other.words.union(&other.context).copied().collect()))
        .collect();
    // what is new is not swapped
    if one.tokens.iter().any(|token| grounds.is_news(token)) {
        return None;
    }
    let is_lone = |(token, own): &(&Token, &StemSet)| {
        let rest: StemSet = one.words.difference(own).copied().collect();
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
        let has = |numbers: &Vec<&Token>| {
            numbers.iter().any(|number| number.key == token.key || token.times() == Some(number.key.as_str()))
        };
        !known.is_empty() && !known.iter().any(has) && !grounds.is_news(token)
    };
    one.tokens.iter().filter(is_number).find(is_other)
}

/// A name of the code with a slash between it and another name for the same, where the grounds have it with a slash beside
/// other names only: `-X`/`--exec` for `-x`/`--exec`.
fn other_alias<'o>(one: &'o Saying, grounds: &Grounds) -> Option<&'o Token> {
    let spans = || one.tokens.iter().filter(|token| token.text.starts_with('`'));
    let is_pair = |a: &Token, b: &Token| one.piece.text.contains(&format!("{}/{}", a.text, b.text));
    let is_paired = |text: &str| {
        let (before, after) = (format!("`/{text}"), format!("{text}/`"));
        grounds.sayings().any(|other| other.piece.text.contains(&before) || other.piece.text.contains(&after))
    };
    let are_together =
        |a: &Token, b: &Token| grounds.sayings().any(|other| other.has_token(a) && other.has_token(b));
    let is_other = |(a, b): &(&Token, &Token)| {
        is_pair(a, b) && is_paired(&a.text) && is_paired(&b.text) && !are_together(a, b)
    };
    spans().zip(spans().skip(1)).find(is_other).map(|(a, _)| a)
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
