//! How two statements about one subject stand to each other, their prefixes and marks considered.
//!
//! `decision:`, `rule:` and `limit:` tell the kind of a statement and are not part of what it says; `rejected:` is, and
//! so is a mark. Does not judge whether two statements can both hold: that is [`super::opposing`].

use super::statement::Statement;
use crate::doc::item::{Prefix, stated};
use crate::doc::normal;

/// How one statement stands to another about the same subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They say the same, perhaps in two spellings.
    Same,
    /// One rejects what the other states.
    Contrary,
    /// Both answer the question, each in its own words: the newer one may take the place of the older one.
    Rivals,
    /// Neither says something about the other: one is marked, or rejects another way. Both stay.
    Apart,
}

/// What a statement says, as far as it is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NormalStatement {
    pub is_rejected: bool,
    /// In normal form, without the prefixes that only tell a kind.
    pub words: Box<str>,
}

impl NormalStatement {
    /// `None` for a statement with a mark: it holds no longer.
    pub fn of(statement: &str) -> Option<Self> {
        let stated = stated(statement);
        let text = match stated.prefix {
            Some(Prefix::Warning) => normal(statement),
            _ => normal(stated.text),
        };
        let words = text.trim_end_matches('.').into();
        let is_rejected = stated.prefix == Some(Prefix::Rejected);
        stated.mark.is_none().then_some(Self { is_rejected, words })
    }
}

/// How two statements about one subject stand to each other.
pub fn relation(one: &str, other: &str) -> Relation {
    let (Some(first), Some(second)) = (NormalStatement::of(one), NormalStatement::of(other)) else {
        return if normal(one) == normal(other) { Relation::Same } else { Relation::Apart };
    };
    let is_same = same_words(&first.words, &second.words);
    match (first.is_rejected, second.is_rejected) {
        (true, true) | (false, false) if is_same => Relation::Same,
        (false, false) => Relation::Rivals,
        (true, true) => Relation::Apart,
        _ if is_same => Relation::Contrary,
        _ => Relation::Apart,
    }
}

/// Whether two texts in normal form are one in two spellings.
pub(super) fn same_words(one: &str, other: &str) -> bool {
    one == other || Statement::of(one).is_same(&Statement::of(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_that_tell_a_kind_say_nothing_and_a_rejection_says_the_contrary() {
        for (one, other, expected) in [
            ("decision: redis", "Redis.", Relation::Same),
            ("rule: 60 s", "limit: 1 minute", Relation::Same),
            ("rejected: redis", "Rejected: Redis", Relation::Same),
            ("rejected: redis", "decision: redis", Relation::Contrary),
            ("rejected: 60 s", "1 minute", Relation::Contrary),
            ("redis", "decision: memcached", Relation::Rivals),
            ("rejected: redis", "memcached", Relation::Apart),
            ("rejected: redis", "rejected: memcached", Relation::Apart),
            ("reverted 2026-02-04: redis", "redis", Relation::Apart),
            ("reverted 2026-02-04: redis", "memcached", Relation::Apart),
            ("superseded 2026-02-04: redis", "rejected: redis", Relation::Apart),
            ("reverted 2026-02-04: redis", "Reverted 2026-02-04: redis", Relation::Same),
        ] {
            assert_eq!(relation(one, other), expected, "{one} ~ {other}");
            assert_eq!(relation(other, one), expected, "{other} ~ {one}");
        }
        assert_ne!(relation("warning: redis", "redis"), Relation::Same, "who warns says something else");
    }
}
