//! What a rewrite may stand on: the entries of its candidate, the code that they cite, and the evidence that it quotes.

use super::super::tokens::{Sort, Token, tokens};
use super::pieces::{RewritePieceKind, pieces};
use super::saying::{Saying, has_part};
use super::statements::DocumentStatements;
use crate::curate;
use crate::doc::Document;
use crate::words::stems::Stems;
use brv_base::english::list;
use std::collections::{BTreeMap, BTreeSet};

/// What a rewrite may stand on, ready to be looked up in.
pub struct Grounds {
    /// What the entries say, and the lines of all else.
    pub told: Vec<DocumentStatements>,
    /// The code and the quotes as written.
    news: String,
    /// All of it as written, and in lower case.
    whole: String,
    lower: String,
    /// The words of it, and each two in a row, in lower case, as one word without marks: `nodejs` for `Node.js`,
    /// `cloudwatch` for `Cloud Watch`.
    joined: BTreeSet<String>,
    /// The numbers and dates of it, in the form in which they are compared.
    keys: BTreeSet<String>,
    facts: curate::Grounds,
    /// In how many statements each word stands.
    counts: BTreeMap<u64, usize>,
}

impl Grounds {
    /// The grounds of these entries, and of texts that are none: code and quotes.
    pub fn of(entries: &[&Document], texts: &[&str], stems: &mut Stems) -> Self {
        let mut told: Vec<DocumentStatements> =
            entries.iter().map(|one| DocumentStatements::of(one, pieces(one), stems)).collect();
        let lines = |text: &&str| {
            Document::parse(text.lines().map(|line| format!("{}\n\n", line.trim())).collect::<String>())
        };
        // code may be prose, such as a note in a fence
        let codes =
            told.iter().flat_map(|one| &one.sayings).filter(|one| one.piece.kind == RewritePieceKind::Code);
        let codes: Vec<String> = codes.map(|one| one.piece.text.clone()).collect();
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        for text in texts.iter().chain(&codes).map(lines) {
            told.push(DocumentStatements::of(&text, pieces(&text), stems));
        }
        let all = entries.iter().map(|one| one.text()).chain(texts.iter().copied());
        let whole = all.collect::<Vec<_>>().join("\n");
        let keys = whole.lines().flat_map(tokens).chain(told.iter().flat_map(|one| one.tokens().cloned()));
        let keys = keys.map(|token| token.key).collect();
        let facts = curate::Grounds::of([whole.as_str()]);
        let mut counts = BTreeMap::new();
        let statements = told.iter().flat_map(|one| &one.sayings).filter(|one| one.is_statement());
        statements.flat_map(|one| &one.words).for_each(|word| *counts.entry(*word).or_default() += 1);
        let joined = joined(&whole);
        Self { joined, counts, news: texts.join("\n"), lower: whole.to_lowercase(), told, keys, facts, whole }
    }

    pub fn sayings(&self) -> impl Iterator<Item = &Saying> {
        self.told.iter().flat_map(|told| &told.sayings)
    }

    /// How much a word tells: the less, the more statements have it.
    pub fn weight(&self, word: u64) -> f64 {
        1.0 / self.counts.get(&word).copied().unwrap_or(1).max(1) as f64
    }

    /// The numbers in paragraphs and items that have a name of the code.
    pub fn numbers_beside(&self, name: &Token) -> Vec<&Token> {
        let mut found = Vec::new();
        for told in &self.told {
            let blocks: BTreeSet<(usize, usize)> = told
                .sayings
                .iter()
                .filter(|one| one.has_token(name))
                .map(|one| (one.piece.block, one.piece.bytes.start))
                .collect();
            let is_in = |one: &&Saying| {
                blocks
                    .iter()
                    .any(|(block, start)| one.piece.block == *block || one.piece.bytes.start == *start)
            };
            let numbers = told.sayings.iter().filter(is_in).flat_map(|one| &one.tokens);
            found.extend(numbers.filter(|token| token.key.starts_with(|c: char| c.is_ascii_digit())));
        }
        found
    }

    /// The word in the form in which words are compared.
    pub fn stem(&self, word: &str) -> u64 {
        brv_base::content::fnv(crate::words::stems::stem(word).bytes())
    }

    /// Whether code or a quote has the token.
    pub fn is_news(&self, token: &Token) -> bool {
        has_part(&self.news.to_lowercase(), &token.key.to_lowercase())
            || self.news.lines().flat_map(tokens).any(|other| other.key == token.key)
    }

    /// Whether all lines of a code block stand there.
    pub fn has_lines(&self, code: &str) -> bool {
        code.lines().all(|line| self.whole.contains(line.trim()))
    }

    /// Whether a paragraph or item has the token.
    pub fn stands_around(&self, one: &Saying, token: &Token) -> bool {
        let told = self.told.iter().find(|told| told.sayings.iter().any(|other| std::ptr::eq(other, one)));
        told.is_some_and(|told| {
            let mut block = told.sayings.iter().filter(|other| {
                other.piece.block == one.piece.block
                    || one.piece.headings.last().is_some_and(|heading| {
                        other.piece.kind == RewritePieceKind::Heading
                            && other.piece.headings.last() == Some(heading)
                    })
            });
            block.any(|other| other.has_token(token))
        })
    }

    /// Whether a date, number, name, path or code occurs in any form.
    pub fn has(&self, token: &Token) -> bool {
        match token.sort {
            Sort::Date | Sort::Number => {
                // `ten times` are `10 runs`
                self.keys.contains(&token.key)
                    || self.facts.has_amounts(&token.text)
                    || token.times().is_some_and(|number| self.keys.contains(number))
            }
            Sort::Code => self.has_code(&token.key) || !token.text.starts_with('`') && self.has_name(token),
            Sort::Name => self.has_name(token),
        }
    }

    /// Whether a name occurs, in one word or two, or all parts of it with a capital: `Rust-based`.
    fn has_name(&self, token: &Token) -> bool {
        let is_known = |name: &str| {
            has_part(&self.lower, &name.to_lowercase())
                || self.facts.has_word_of(name)
                || name.chars().all(char::is_alphanumeric) && self.joined.contains(&name.to_lowercase())
        };
        let mut parts = token
            .text
            .trim_end_matches(['s', '\'', '’'])
            .split('-')
            .filter(|part| part.contains(char::is_uppercase))
            .peekable();
        is_known(&token.text)
            || has_part(&self.lower, &token.key.to_lowercase())
            || token.sort == Sort::Name && parts.peek().is_some() && parts.all(is_known)
    }

    /// Whether a code span occurs, or each word and flag of it.
    fn has_code(&self, code: &str) -> bool {
        let code = code.strip_suffix("'s").or_else(|| code.strip_suffix("’s")).unwrap_or(code);
        let is_between = |c: char| c.is_whitespace() || "()[]{}<>,;:='\"|".contains(c);
        let plain = |part: &str| {
            part.trim_end_matches(['.', '!', '?', '*'])
                .trim_start_matches("../")
                .trim_start_matches("./")
                .trim_start_matches('/')
                .to_owned()
        };
        let mut parts = code.split(is_between).map(plain).filter(|part| part.contains(char::is_alphanumeric));
        let address = code.split_once("://").and_then(|(_, rest)| Some(rest.split_once('/')?.1));
        let is_known = |path: &str| path.contains('/') && self.has_part(path.trim_end_matches('/'));
        self.has_part(code)
            || address.is_some_and(is_known)
            || parts.all(|part| self.has_part(&part) || self.has_number(&part))
    }

    /// Whether code occurs verbatim; a flag with nothing before it.
    fn has_part(&self, part: &str) -> bool {
        if !part.starts_with('-') {
            return has_part(&self.whole, part) && (!part.contains('-') || self.has_whole(part));
        }
        self.whole.match_indices(part).any(|(at, _)| {
            let is_inside = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
            let around = [self.whole[..at].chars().next_back(), self.whole[at + part.len()..].chars().next()];
            !around.iter().flatten().any(|c| is_inside(*c))
        })
    }

    /// Whether a name with hyphens occurs, not only within a longer one.
    fn has_whole(&self, part: &str) -> bool {
        let goes_on = |beside: &mut dyn Iterator<Item = char>| {
            beside.next() == Some('-') && beside.next().is_some_and(char::is_alphanumeric)
        };
        self.whole.match_indices(part).any(|(at, _)| {
            let (before, after) = (&self.whole[..at], &self.whole[at + part.len()..]);
            !goes_on(&mut before.chars().rev()) && !goes_on(&mut after.chars())
        })
    }

    fn has_number(&self, part: &str) -> bool {
        part.starts_with(|c: char| c.is_ascii_digit()) && self.facts.has_amounts(part)
    }
}

fn joined(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let bare = |word: &str| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let words: Vec<String> = lower.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let pairs = words.windows(2).map(|pair| pair.concat());
    words.iter().cloned().chain(pairs).collect()
}

/// Abbreviations that name nothing.
const NAMELESS: [&str; 5] = ["tl;dr", "fyi", "nb", "ok", "n/a"];

/// Function words of English that no other language with the Latin script has.
static ENGLISH: list::Set = list::Set::of_words(include_str!("lists/english.txt"));

/// In an English text at least one of so many words is one of them.
const ONE_OF: usize = 12;

/// Whether a text is English, where a capital inside a sentence makes a name.
pub fn is_english(text: &str) -> bool {
    let (mut all, mut found) = (0, 0);
    for word in text.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic)) {
        all += 1;
        found += usize::from(ENGLISH.contains(&word.to_lowercase()));
    }
    found > 0 && found * ONE_OF >= all
}

/// Whether a token claims something: a capital makes a name in English only, unless all letters are capitals.
pub fn is_claim(token: &Token, is_english: bool) -> bool {
    let is_acronym = || token.text.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    token.sort != Sort::Name || (is_english || is_acronym()) && !NAMELESS.contains(&token.key.as_str())
}
