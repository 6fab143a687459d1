//! A statement as what it says: its words evened out in spelling, and its amounts in one unit.
//!
//! `60 s` and `1 minute`, `UUIDv7` and `UUID v7`, `per minute` and `/min` become the same. English. Does not compare two
//! statements.

use super::amounts::parts;
use super::parts::{StatementPart, stem, words};
use super::tokens::tokens;
use super::vocabulary::is_stop;
use std::collections::BTreeSet;

/// A statement, parsed.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub parts: Vec<StatementPart>,
    /// The words that say something, cut to their stems.
    pub words: BTreeSet<String>,
}

impl Statement {
    /// The parts of a statement in normal form.
    pub fn of(text: &str) -> Self {
        let parts = parts(&tokens(text));
        let words = words(&parts).filter(|word| !is_stop(word)).map(stem).collect();
        Self { words, parts }
    }

    /// The part before the first break.
    pub fn head(&self) -> &[StatementPart] {
        let end =
            self.parts.iter().position(|part| matches!(part, StatementPart::Break | StatementPart::Colon));
        &self.parts[..end.unwrap_or(self.parts.len())]
    }

    /// Whether both are one statement in two spellings, punctuation aside.
    pub fn is_same(&self, other: &Self) -> bool {
        let says = |part: &&StatementPart| !matches!(part, StatementPart::Break | StatementPart::Colon);
        let (one, other) = (self.parts.iter().filter(says), other.parts.iter().filter(says));
        one.clone().count() == other.clone().count() && one.zip(other).all(|(one, other)| one.is_same(other))
    }

    /// The words, in order.
    pub fn all_words(&self) -> impl Iterator<Item = &str> {
        words(&self.parts)
    }

    /// Whether it is one phrase without punctuation inside.
    pub fn is_single(&self) -> bool {
        self.head().len() == self.parts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_and_spelling_are_evened_out() {
        for (one, other) in [
            ("60 s", "1 minute"),
            ("90 seconds", "1 min 30 s"),
            ("half an hour", "30 minutes"),
            ("an hour and a half", "90 minutes"),
            ("quarter of an hour", "900 s"),
            ("12 hours", "720 minutes"),
            ("weekly", "every 7 days"),
            ("once a minute", "every 60 s"),
            ("uuidv7", "uuid v7"),
            ("sha-256", "`sha256`"),
            ("utf8", "utf-8"),
            ("100 requests per minute", "100 requests/min"),
            ("100 requests a minute", "6,000 requests per hour"),
            ("8 mib", "8192 kib"),
            ("10 %", "10 percent"),
            ("three retries", "3 retries."),
            ("midnight", "0:00"),
            ("rust 1.63", "rust 1.63.0"),
            ("one month", "30 days"),
        ] {
            assert!(Statement::of(one).is_same(&Statement::of(other)), "{one} ~ {other}");
        }
        for (one, other) in [
            ("60 s", "60 ms"),
            ("every 5 minutes", "5 minutes"),
            ("uuid v4", "uuid v7"),
            ("1 mb", "1 mib"),
            ("1.2.3", "1.2.4"),
            ("on", "off"),
            ("always on", "on"),
            ("at least 3", "at most 3"),
            ("30 items per page", "30 items per minute"),
        ] {
            assert!(!Statement::of(one).is_same(&Statement::of(other)), "{one} ~ {other}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn any_text_says_the_same_as_itself(
            text in "\\PC{0,40}|[ -~`\u{e9}\u{4e00}\u{0}]{0,40}|[0-9.,:/v%–()~ -]{0,16}|(half |a |per |1 |s |min |not |x, )*",
        ) {
            let statement = Statement::of(&text);
            prop_assert!(statement.is_same(&statement));
        }
    }
}
