//! The kind of a note, from its lead sentence.

use super::marks::{Mark, SentenceMarks};
use crate::doc::item::Prefix;

/// What a note is, as JSON names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
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

impl NoteKind {
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
pub fn kind(marks: SentenceMarks) -> NoteKind {
    let is_past = marks.has(Mark::Past);
    let is_limit = marks.has(Mark::Limit) || marks.has(Mark::Platform) && marks.has(Mark::Holds);
    if marks.has(Mark::Decision) && (marks.has(Mark::Reason) || !is_past) {
        NoteKind::Decision
    } else if is_limit && !is_past {
        NoteKind::Limit
    } else if marks.has(Mark::Order) && !is_past {
        NoteKind::Rule
    } else if marks.has(Mark::Trap) {
        NoteKind::Trap
    } else if marks.has(Mark::Effect) {
        NoteKind::Effect
    } else {
        NoteKind::Note
    }
}

#[cfg(test)]
mod tests {
    use super::super::weigh;
    use super::*;

    #[test]
    fn the_first_kind_that_fits_is_taken() {
        for (sentence, expected) in [
            ("We decided to keep it.", NoteKind::Decision),
            ("We were told; it was rejected.", NoteKind::Note),
            ("It was rejected because of `x`.", NoteKind::Decision),
            ("At most five are read.", NoteKind::Limit),
            ("It was at most five.", NoteKind::Note),
            ("This works only on Windows.", NoteKind::Limit),
            ("Windows has two of them.", NoteKind::Note),
            ("Do not call it twice.", NoteKind::Rule),
            ("It must be `was` here.", NoteKind::Rule),
            ("It did not hang when we had to.", NoteKind::Trap),
            ("It is 20% smaller.", NoteKind::Effect),
        ] {
            assert_eq!(kind(weigh(sentence).marks), expected, "{sentence}");
        }
    }

    #[test]
    fn kinds_have_the_names_of_the_format() {
        assert_eq!([NoteKind::Warning, NoteKind::Rejected].map(NoteKind::as_str), ["warning", "rejected"]);
    }
}
