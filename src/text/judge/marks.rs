//! What the lists found in a sentence.

/// A list, or a shape of a sentence, that counts for its weight, its lead or its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    /// A reason, a purpose, a consequence.
    Reason,
    /// A rule or a limit.
    Strong,
    /// A weaker one.
    Rule,
    /// A way that was weighed or not taken.
    Reject,
    /// What goes, or went, wrong.
    Trap,
    /// A measured effect.
    Effect,
    /// Holds for a version or a system only.
    Platform,
    /// Holds under a condition.
    Condition,
    /// Names something of the code.
    Name,
    /// Begins like the subject of a commit.
    Step,
    /// What somebody will do, or did in another patch.
    Plan,
    /// Thanks, links, references.
    Noise,
    /// Not sure.
    Doubt,
    /// First person, where there is no doubt.
    First,
    /// About tests, or how it was tested.
    Test,
    /// Ends with `?`.
    Question,
    /// Ends with `:`.
    Colon,
    /// Has the address of a page.
    Link,
    /// Tells of the state before the commit: previously, used to, the old.
    Earlier,
    /// A decision, by the list of kinds.
    Decision,
    /// A limit, by the list of kinds.
    Limit,
    /// What holds for a platform.
    Holds,
    /// A rule, by the list of kinds.
    Order,
    /// Tells of the past.
    Past,
}

/// A set of [`Mark`]s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SentenceMarks(u32);

impl SentenceMarks {
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub fn has(self, mark: Mark) -> bool {
        self.0 & (1 << mark as u8) != 0
    }

    pub fn has_any(self, marks: &[Mark]) -> bool {
        marks.iter().any(|mark| self.has(*mark))
    }

    pub(super) fn set(&mut self, mark: Mark, is_set: bool) {
        self.0 = self.0 & !(1 << mark as u8) | u32::from(is_set) << mark as u8;
    }
}
