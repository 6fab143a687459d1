//! The kind of a note, from its lead sentence.

use super::marks::{Mark, Marks};
use crate::doc::item::Prefix;

/// What a note is, as JSON names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Decision,
    Rule,
    Limit,
    /// Only by its prefix.
    Warning,
    /// Only by its prefix.
    Rejected,
    Trap,
    Effect,
    Note,
}

impl Kind {
    /// The kind that a prefix names.
    pub const fn of_prefix(prefix: Prefix) -> Self {
        match prefix {
            Prefix::Decision => Self::Decision,
            Prefix::Rule => Self::Rule,
            Prefix::Limit => Self::Limit,
            Prefix::Warning => Self::Warning,
            Prefix::Rejected => Self::Rejected,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Rule => "rule",
            Self::Limit => "limit",
            Self::Warning => "warning",
            Self::Rejected => "rejected",
            Self::Trap => "trap",
            Self::Effect => "effect",
            Self::Note => "note",
        }
    }
}

/// The first kind that fits a sentence. A sentence about the past is neither a limit nor a rule, and a decision only
/// with a reason.
pub fn kind(marks: Marks) -> Kind {
    let is_past = marks.has(Mark::Past);
    let is_limit = marks.has(Mark::Limit) || marks.has(Mark::Platform) && marks.has(Mark::Holds);
    if marks.has(Mark::Decision) && (marks.has(Mark::Reason) || !is_past) {
        Kind::Decision
    } else if is_limit && !is_past {
        Kind::Limit
    } else if marks.has(Mark::Order) && !is_past {
        Kind::Rule
    } else if marks.has(Mark::Trap) {
        Kind::Trap
    } else if marks.has(Mark::Effect) {
        Kind::Effect
    } else {
        Kind::Note
    }
}

#[cfg(test)]
mod tests {
    use super::super::weigh;
    use super::*;

    #[test]
    fn the_first_kind_that_fits_is_taken() {
        for (sentence, expected) in [
            ("We decided to keep it.", Kind::Decision),
            ("We were told; it was rejected.", Kind::Note),
            ("It was rejected because of `x`.", Kind::Decision),
            ("At most five are read.", Kind::Limit),
            ("It was at most five.", Kind::Note),
            ("This works only on Windows.", Kind::Limit),
            ("Windows has two of them.", Kind::Note),
            ("Do not call it twice.", Kind::Rule),
            ("It must be `was` here.", Kind::Rule),
            ("It did not hang when we had to.", Kind::Trap),
            ("It is 20% smaller.", Kind::Effect),
        ] {
            assert_eq!(kind(weigh(sentence).marks), expected, "{sentence}");
        }
    }

    #[test]
    fn kinds_have_the_names_of_the_format() {
        assert_eq!([Kind::Warning, Kind::Rejected].map(Kind::as_str), ["warning", "rejected"]);
    }
}
