//! Count changed lines.

use super::edits::changes;
use super::lines::{binary, lines};
use super::{Equality, FileDiff, LineKind};
use std::ops::AddAssign;

/// How many lines changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stat {
    /// Lines only on the side after.
    pub added: usize,
    /// Lines only on the side before.
    pub removed: usize,
}

impl AddAssign for Stat {
    fn add_assign(&mut self, other: Self) {
        self.added += other.added;
        self.removed += other.removed;
    }
}

/// The counts of one file; binary files count no lines.
pub fn stat(diff: &FileDiff) -> Stat {
    let mut stat = Stat::default();
    for line in diff.hunks().iter().flat_map(|hunk| &hunk.lines) {
        match line.kind {
            LineKind::Added => stat.added += 1,
            LineKind::Removed => stat.removed += 1,
            LineKind::Context => {}
        }
    }
    stat
}

/// How two versions of a file differ, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineCounts {
    Lines(Stat),
    /// A side has a NUL byte.
    Binary(Equality),
}

/// Count what [`super::compare`] finds, without a copy of any line.
pub fn count(before: &[u8], after: &[u8]) -> LineCounts {
    if let Some(equality) = binary(before, after) {
        return LineCounts::Binary(equality);
    }
    let mut stat = Stat::default();
    for change in changes(&lines(before), &lines(after)) {
        stat += Stat { added: change.after.len(), removed: change.before.len() };
    }
    LineCounts::Lines(stat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::compare;
    use proptest::prelude::*;

    #[test]
    fn added_and_removed_lines_are_counted() {
        let diff = compare(b"a\nb\nc\n", b"a\nx\ny\nc\nd\n", 3);
        assert_eq!(stat(&diff), Stat { added: 3, removed: 1 });
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn what_is_counted_is_what_is_compared(before in "([ab\\x00]?\n?){0,12}", after in "([ab]?\n?){0,12}") {
            let [before, after] = [before, after].map(String::into_bytes);
            let diff = compare(&before, &after, 0);
            let expected = match &diff {
                FileDiff::Binary(equality) => LineCounts::Binary(*equality),
                FileDiff::Text(_) => LineCounts::Lines(stat(&diff)),
            };
            prop_assert_eq!(count(&before, &after), expected);
        }
    }
}
