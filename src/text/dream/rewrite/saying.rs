//! When a statement of one text counts as said by another: in its own words there, or by a sentence with all that it
//! claims.
//!
//! A sentence says another one if it has each number, name, code, path and negation of it, and enough of its words. It
//! must stand under the same headings, or speak of what they name itself. Wording may change.

use super::super::negations::has_negation;
use super::super::tokens::{Sort, Token, tokens};
use super::super::words_of::words_of;
use super::clauses::{Clause, is_wary, negated};
use super::pieces::{RewritePiece, RewritePieceKind};
use super::stemmed::{StemSet, words};
use super::turned::{Word, are_turned, in_order};
use crate::doc::{is_same_subject, normal};
use crate::words::is_unspaced;
use crate::words::stems::Stems;
use brv_base::english::list;

/// A sentence with this share of the words of another one says it, by how many claims of it there are, all of which it has:
/// one that claims nothing must say more of it. Measured on the rewrites of `fixtures/rewrites`.
const SHARES: [f64; 4] = [0.6, 0.5, 0.4, 0.34];

/// A sentence with fewer words than this that leads to another place says little else.
const FEW: usize = 12;

/// The share for a sentence that leads to another place that the other sentence leads to as well.
const LEADS: f64 = 0.2;

/// A sentence of so few words says another thing with one other word.
const SHORT: usize = 4;

/// What the share grows by for a short sentence, and where it takes two sentences; and the part of it that one of these must
/// have alone.
const FURTHER: f64 = 0.15;
const MAIN: f64 = 0.85;

/// A sentence with a colon restricts what follows if it has no more words than this: `**Staging:**`.
const LABEL: usize = 3;

/// The share of the words of a negated clause that must stand in a negated clause.
const NEGATED: f64 = 0.6;

/// A statement, ready to be compared.
pub struct Saying {
    pub piece: RewritePiece,
    /// In the form in which sentences are compared.
    exact: String,
    order: Vec<Word>,
    pub words: StemSet,
    pub tokens: Vec<Token>,
    /// The words of each of them.
    pub of_tokens: Vec<StemSet>,
    /// The clauses that negate; all of it below a label that does.
    pub negated: Vec<Clause>,
    /// The words of its headings and of its label.
    pub context: StemSet,
    /// The words of its paragraph or item.
    pub around: StemSet,
    /// The words beside those of its tokens.
    rest: StemSet,
    /// Whether a word of it denies something without a negation.
    pub is_wary: bool,
}

/// Headings that name the form of what follows, not what it is about.
static FORMS: list::Set = list::Set::of_lines(include_str!("lists/form_headings.txt"));

/// The tokens of a piece, and the places that its links lead to.
fn tokens_of(piece: &RewritePiece) -> Vec<Token> {
    let link = |target: &String| Token { sort: Sort::Code, key: target.clone(), text: target.clone() };
    piece.text.lines().flat_map(tokens).chain(piece.links.iter().map(link)).collect()
}

impl Saying {
    pub fn of(piece: RewritePiece, stems: &mut Stems) -> Self {
        let own = words(&piece.text, stems);
        let label = piece.label.as_deref().unwrap_or_default();
        let headings = piece.headings.iter().filter(|heading| !FORMS.contains(heading));
        let mut context = words(&headings.map(String::as_str).collect::<Vec<_>>().join(" "), stems);
        let is_table = piece.kind == RewritePieceKind::Row;
        let about = words(label, stems);
        if !is_table && about.len() <= LABEL {
            context.extend(about);
        }
        let negated = match !is_table && has_negation(label) {
            true => vec![Clause::below_denial(own.clone())],
            false => negated(&piece.text, stems),
        };
        let tokens = tokens_of(&piece);
        let of_tokens: Vec<StemSet> = tokens.iter().map(|token| words(&token.text, stems)).collect();
        let claimed: StemSet = of_tokens.iter().flatten().copied().collect();
        Self {
            exact: words_of(&piece.text),
            order: in_order(&piece.text),
            rest: own.difference(&claimed).copied().collect(),
            tokens,
            of_tokens,
            context,
            is_wary: is_wary(&piece.text) || is_wary(label),
            words: own,
            around: StemSet::new(),
            negated,
            piece,
        }
    }

    pub const fn rest(&self) -> &StemSet {
        &self.rest
    }

    /// The words that no clause with a negation has.
    pub fn affirmed(&self) -> StemSet {
        self.words
            .iter()
            .filter(|word| !self.negated.iter().any(|clause| clause.words.contains(*word)))
            .copied()
            .collect()
    }

    pub fn is_statement(&self) -> bool {
        !matches!(
            self.piece.kind,
            RewritePieceKind::Title | RewritePieceKind::Heading | RewritePieceKind::Head
        )
    }

    /// Whether both have the same words, and stand below a label that denies, or none of them does.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.exact == other.exact && self.is_below_denial() == other.is_below_denial()
    }

    /// Whether it has the words of the other, but for some that changed places or one that is the opposite: it says something
    /// else.
    pub fn is_turn_of(&self, other: &Self) -> bool {
        let is_row = self.piece.kind == RewritePieceKind::Row;
        (!is_row || self.piece.label == other.piece.label) && are_turned(&self.order, &other.order)
    }

    pub fn is_below_denial(&self) -> bool {
        self.piece.label.as_deref().is_some_and(has_negation)
    }

    /// Whether it occurs word by word, in the same place.
    pub fn stands_as(&self, other: &Self) -> bool {
        (&self.piece.kind, &self.exact, &self.piece.headings, &self.piece.label)
            == (&other.piece.kind, &other.exact, &other.piece.headings, &other.piece.label)
    }

    /// Whether these sentences have all that this one claims, and enough of its words.
    pub fn is_held_by(&self, others: &[&Self], weigh: &dyn Fn(&u64) -> f64) -> bool {
        if others.iter().any(|other| self.is_same_as(other)) {
            return true;
        }
        if others.iter().any(|other| self.is_turn_of(other)) {
            return false;
        }
        let is_question = |one: &Self| one.exact.ends_with('?');
        if is_question(self) != others.iter().any(|other| is_question(other)) {
            return false;
        }
        let has = |token: &Token| others.iter().any(|other| other.has_token(token));
        self.tokens.iter().all(has) && self.has_its_negations(others) && self.has_words(others, weigh)
    }

    /// Whether the others have enough of its words beside its claims, the rare ones above all, and deny none of them.
    fn has_words(&self, others: &[&Self], weigh: &dyn Fn(&u64) -> f64) -> bool {
        let least = match self.leads() {
            true => LEADS,
            false if self.rest.len() <= SHORT => SHARES[self.tokens.len().min(SHARES.len() - 1)] + FURTHER,
            false => SHARES[self.tokens.len().min(SHARES.len() - 1)],
        };
        let denies = |one: &Self, word: &u64| one.negated.iter().any(|clause| clause.words.contains(word));
        let is_denied = |word: &u64| {
            !self.is_wary && !denies(self, word) && others.iter().any(|other| denies(other, word))
        };
        let all: f64 = self.rest.iter().map(weigh).sum();
        let share = |other: &[&Self]| {
            let has = |one: &&Self, word: &u64| one.words.contains(word) || one.context.contains(word);
            let is_said = |word: &&u64| other.iter().any(|one| has(one, word));
            if all > 0.0 { self.rest.iter().filter(is_said).map(weigh).sum::<f64>() / all } else { 1.0 }
        };
        let is_enough = match others {
            [one] => share(&[one]) >= least,
            _ => share(others) >= least + FURTHER && others.iter().any(|one| share(&[one]) >= least * MAIN),
        };
        is_enough && !self.words.iter().any(is_denied)
    }

    /// Whether it leads to another place, and says little else.
    fn leads(&self) -> bool {
        !self.piece.links.is_empty() && self.words.len() < FEW
    }

    fn has_its_negations(&self, others: &[&Self]) -> bool {
        let stands = |clause: &Clause| {
            let least = NEGATED * clause.words.len() as f64;
            let denies = |other: &&Self| {
                !other.negated.is_empty() && clause.words.intersection(&other.words).count() as f64 >= least
            };
            others.iter().any(denies)
        };
        self.negated.iter().all(stands)
    }

    pub fn has_token(&self, token: &Token) -> bool {
        let is_it = |own: &Token| {
            own.key == token.key && (own.sort == token.sort || token.sort == Sort::Name)
                || token.times() == Some(own.key.as_str())
        };
        self.tokens.iter().any(is_it)
            || match token.sort {
                Sort::Date | Sort::Number => false,
                Sort::Code => has_part(&self.piece.text, &token.key),
                Sort::Name => has_part(&self.piece.text.to_lowercase(), &token.key),
            }
    }

    /// Whether a code block has all lines of this one in a row.
    pub fn is_code_in(&self, other: &Self) -> bool {
        let (own, code) = (&self.piece.text, &other.piece.text);
        other.piece.kind == RewritePieceKind::Code && format!("\n{code}\n").contains(&format!("\n{own}\n"))
    }

    /// Whether a text has the subject and the statement of this fact as they are, and negates if it does.
    pub fn is_fact_in(&self, other: &Self) -> bool {
        let RewritePieceKind::Fact(fact) = &self.piece.kind else { return false };
        let text = bare(&other.piece.text);
        let subject = fact.subject.as_deref().map(bare);
        self.negated.is_empty() == other.negated.is_empty()
            && has_part(&text, &bare(&fact.statement))
            && subject.is_none_or(|subject| has_part(&text, &subject))
    }

    /// Whether this is what a decision names: a sentence of it as it is, or the subject of the fact.
    pub fn is_named(&self, name: &str) -> bool {
        let wanted = words_of(name);
        let is_subject = match &self.piece.kind {
            RewritePieceKind::Fact(fact) => {
                fact.subject.as_deref().is_some_and(|subject| is_same_subject(subject, name))
            }
            _ => false,
        };
        is_subject || self.exact == wanted || self.piece.text.trim() == name.trim()
    }
}

/// The text in normal form without marks of form and the full stop at its end.
pub fn bare(text: &str) -> String {
    normal(&text.replace(['*', '_', '`'], "")).trim_end_matches(['.', ' ', '。', '!', '！']).to_owned()
}

/// Whether `text` has `part` with no letter or digit directly beside it.
pub fn has_part(text: &str, part: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let has_edge = |c: Option<char>| c.is_some_and(is_inside);
    let (first, last) = (has_edge(part.chars().next()), has_edge(part.chars().next_back()));
    let is_unspaced = |c: Option<char>| c.is_some_and(is_unspaced);
    !part.is_empty()
        && text.match_indices(part).any(|(at, _)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + part.len()..].chars().next());
            let is_free =
                |edge: bool, beside: Option<char>| !edge || !has_edge(beside) || is_unspaced(beside);
            is_free(first, before) && is_free(last, after)
        })
}
