//! What kind of statement it is: by its prefix, its category, its entry, else by its words.

use super::kind::EntryKind;
use crate::doc::Category;
use crate::doc::item::Prefix;
use crate::judge;

/// The kinds of statements, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementKind {
    Warning,
    /// More than one claim about a subject.
    Disputed,
    /// A way that was tried or weighed, and is not to be taken.
    Rejected,
    Decision,
    Rule,
    Limit,
    Trap,
    Effect,
    Note,
}

impl StatementKind {
    pub const ALL: [Self; 9] = [
        Self::Warning,
        Self::Disputed,
        Self::Rejected,
        Self::Decision,
        Self::Rule,
        Self::Limit,
        Self::Trap,
        Self::Effect,
        Self::Note,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Disputed => "disputed",
            Self::Rejected => "rejected",
            Self::Decision => "decision",
            Self::Rule => "rule",
            Self::Limit => "limit",
            Self::Trap => "trap",
            Self::Effect => "effect",
            Self::Note => "note",
        }
    }

    /// How much it counts, in tenths.
    pub const fn tenths(self) -> u32 {
        match self {
            Self::Warning => 13,
            Self::Disputed => 12,
            Self::Rejected => 11,
            Self::Decision | Self::Rule | Self::Limit => 10,
            Self::Trap | Self::Effect => 7,
            Self::Note => 6,
        }
    }

    /// Whether it says what to do or not to do.
    pub const fn is_binding(self) -> bool {
        matches!(
            self,
            Self::Warning | Self::Disputed | Self::Rejected | Self::Decision | Self::Rule | Self::Limit
        )
    }

    /// By what is written beside the statement: its prefix, its category, else by its entry.
    pub fn written(
        prefix: Option<Prefix>,
        category: Option<Category>,
        entry: Option<EntryKind>,
    ) -> Option<Self> {
        let by_prefix = prefix.map(|prefix| match prefix {
            Prefix::Decision => Self::Decision,
            Prefix::Rule => Self::Rule,
            Prefix::Limit => Self::Limit,
            Prefix::Warning => Self::Warning,
            Prefix::Rejected => Self::Rejected,
        });
        let by_category = match category {
            Some(Category::Convention) => Some(Self::Rule),
            Some(Category::Environment) => Some(Self::Limit),
            _ => None,
        };
        let by_entry = || match entry {
            Some(EntryKind::Decision) => Some(Self::Decision),
            Some(EntryKind::Convention) => Some(Self::Rule),
            Some(EntryKind::Bug) => Some(Self::Trap),
            _ => None,
        };
        by_prefix.or(by_category).or_else(by_entry)
    }

    /// By its words.
    pub const fn of_words(kind: judge::NoteKind) -> Self {
        match kind {
            judge::NoteKind::Decision => Self::Decision,
            judge::NoteKind::Rule => Self::Rule,
            judge::NoteKind::Limit => Self::Limit,
            judge::NoteKind::Warning => Self::Warning,
            judge::NoteKind::Rejected => Self::Rejected,
            judge::NoteKind::Trap => Self::Trap,
            judge::NoteKind::Effect => Self::Effect,
            judge::NoteKind::Note => Self::Note,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_counts_before_the_category_and_that_before_the_entry() {
        let all = |prefix, category, entry| StatementKind::written(prefix, category, entry);
        let (rejected, environment) = (Some(Prefix::Rejected), Some(Category::Environment));
        assert_eq!(all(rejected, environment, Some(EntryKind::Decision)), Some(StatementKind::Rejected));
        assert_eq!(all(None, environment, Some(EntryKind::Decision)), Some(StatementKind::Limit));
        let project = Some(Category::Project);
        assert_eq!(all(None, project, Some(EntryKind::Decision)), Some(StatementKind::Decision));
        assert_eq!(all(None, project, Some(EntryKind::Bug)), Some(StatementKind::Trap));
        assert_eq!(all(None, None, Some(EntryKind::Architecture)), None);
    }
}
