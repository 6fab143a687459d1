//! All that a text says, and whether it says what another one says.

use super::super::cases::CASES;
use super::super::tokens::{Token, is_other_script, tokens};
use super::pieces::{RewritePiece, RewritePieceKind};
use super::saying::Saying;
use super::stemmed::{StemSet, words};
use crate::doc::{Document, is_same_subject};
use crate::words::stems::Stems;
use brv_base::english::list;
use std::collections::BTreeMap;

/// Words with which a heading restricts its section, beside those of [`CASES`].
static STATES: list::Set = list::Set::of_words(include_str!("lists/states.txt"));

/// Two texts with more pairs of statements than this are compared word by word only.
const MOST_PAIRS: usize = 4_000_000;

/// So many sentences in a row may say together what one said.
const MOST: usize = 2;

/// The share of the words of headings and labels that must stand around what says a statement below them.
const AROUND: f64 = 0.5;

/// All that a document says.
pub struct DocumentStatements {
    pub sayings: Vec<Saying>,
    /// The words of its title and body.
    pub words: StemSet,
    pub title: StemSet,
    /// The tokens of its title.
    titles: Vec<Token>,
    /// The words of its headings.
    headings: StemSet,
    /// Words that restrict the section below a heading with them.
    restricting: StemSet,
    /// In how many statements each word stands.
    counts: BTreeMap<u64, usize>,
}

impl DocumentStatements {
    pub fn of(document: &Document, pieces: Vec<RewritePiece>, stems: &mut Stems) -> Self {
        let title = document.meta().title.or_else(|| {
            let title = pieces.iter().find(|piece| piece.kind == RewritePieceKind::Title);
            title.map(|piece| piece.text.clone())
        });
        let head = pieces
            .iter()
            .filter(|piece| piece.kind == RewritePieceKind::Title)
            .map(|piece| piece.text.as_str());
        let titles = title.as_deref().map(tokens).unwrap_or_default();
        let title = words(&title.as_deref().into_iter().chain(head).collect::<Vec<_>>().join(" "), stems);
        let mut all = title.clone();
        let mut sayings: Vec<Saying> = pieces.into_iter().map(|piece| Saying::of(piece, stems)).collect();
        sayings.iter().for_each(|one| all.extend(&one.words));
        for block in sayings.chunk_by_mut(|one, next| one.piece.block == next.piece.block) {
            let around: StemSet = block.iter().flat_map(|one| &one.words).copied().collect();
            block.iter_mut().for_each(|one| one.around.clone_from(&around));
        }
        let restricting = words(&CASES.iter().chain(STATES.iter()).collect::<Vec<_>>().join(" "), stems);
        let headings = sayings.iter().filter(|one| one.piece.kind == RewritePieceKind::Heading);
        let headings = headings.flat_map(|one| &one.words).copied().collect();
        let mut counts = BTreeMap::new();
        let statements = sayings.iter().filter(|one| one.is_statement());
        statements.flat_map(|one| &one.words).for_each(|word| *counts.entry(*word).or_default() += 1);
        Self { sayings, words: all, title, titles, headings, restricting, counts }
    }

    /// The words of these texts that this one does not have.
    pub fn foreign<'t>(&self, others: impl IntoIterator<Item = &'t Self>) -> StemSet {
        others
            .into_iter()
            .flat_map(|other| &other.words)
            .filter(|word| !self.words.contains(word))
            .copied()
            .collect()
    }

    /// Whether a statement of `from` is said here, where it stands there. `foreign` are words that only other texts have:
    /// below a heading with one of them it is said of something else.
    pub fn says(&self, one: &Saying, (from, foreign): (&Self, &StemSet)) -> bool {
        if self.sayings.len() * from.sayings.len() > MOST_PAIRS {
            return self.sayings.iter().any(|other| one.stands_as(other));
        }
        let fits = |other: &&Saying| other.is_statement() && self.fits(one, other, (from, foreign));
        match &one.piece.kind {
            RewritePieceKind::Code => self.sayings.iter().filter(fits).any(|other| one.is_code_in(other)),
            RewritePieceKind::Fact(fact) => {
                let same = |other: &&Saying| match &other.piece.kind {
                    RewritePieceKind::Fact(own) => match (&fact.subject, &own.subject) {
                        (Some(subject), Some(other)) => is_same_subject(subject, other),
                        (None, None) => true,
                        _ => false,
                    },
                    _ => false,
                };
                self.sayings.iter().filter(same).any(|other| one.is_held_by(&[other], &|_| 1.0))
                    || self.sayings.iter().filter(fits).any(|other| one.is_fact_in(other))
            }
            RewritePieceKind::Title | RewritePieceKind::Heading | RewritePieceKind::Head => true,
            _ => Self::has_sentence(one, &self.sayings.iter().filter(fits).collect::<Vec<_>>(), from),
        }
    }

    pub fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.titles.iter().chain(self.sayings.iter().flat_map(|one| &one.tokens))
    }

    /// Whether it has a date, number, name or code anywhere, its title included.
    pub fn has_token(&self, token: &Token) -> bool {
        self.titles.iter().any(|title| title.key == token.key)
            || self.sayings.iter().any(|one| one.has_token(token))
    }

    /// Whether that text is under the same headings, or mentions what they name.
    fn fits(&self, one: &Saying, other: &Saying, (from, foreign): (&Self, &StemSet)) -> bool {
        if one.piece.headings == other.piece.headings && one.piece.label == other.piece.label {
            return true;
        }
        let is_restricted = |word: &u64| {
            foreign.contains(word) || from.headings.contains(word) || self.restricting.contains(word)
        };
        let is_own =
            |word: &u64| one.context.contains(word) || one.words.contains(word) || from.title.contains(word);
        if !other.context.iter().filter(|word| is_restricted(word)).all(is_own) {
            return false;
        }
        if one.piece.kind == RewritePieceKind::Code {
            return one.is_below_denial() == other.is_below_denial();
        }
        let is_near = |word: &u64| {
            other.context.contains(word) || other.around.contains(word) || self.title.contains(word)
        };
        let is_named = |word: &&u64| self.words.contains(*word) || self.title.contains(*word);
        let named = one.context.iter().filter(is_named).count();
        named as f64 >= AROUND * one.context.len() as f64
            && one.context.iter().filter(|word| self.restricting.contains(*word)).all(is_near)
    }

    /// Whether a sentence, or two that follow each other, say it.
    fn has_sentence(one: &Saying, fitting: &[&Saying], from: &Self) -> bool {
        let is_strict = one.piece.kind == RewritePieceKind::Rule || is_other_script(&one.piece.text);
        if is_strict {
            return fitting.iter().any(|other| one.is_same_as(other));
        }
        let weigh = |word: &u64| 1.0 / from.counts.get(word).copied().unwrap_or(1).max(1) as f64;
        let has_some = |count: usize| {
            let are_near =
                |some: &&[&Saying]| some.iter().all(|other| other.piece.block == some[0].piece.block);
            fitting.windows(count).filter(are_near).any(|some| one.is_held_by(some, &weigh))
        };
        let most = if one.piece.text.split_whitespace().any(|word| word == "only") { 1 } else { MOST };
        (1..=most).any(has_some)
    }
}
