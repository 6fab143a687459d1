//! Count changed lines.

use super::{FileDiff, LineKind};
use std::ops::AddAssign;

/// Counts of changed lines.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::compare;

    #[test]
    fn added_and_removed_lines_are_counted() {
        let diff = compare(b"a\nb\nc\n", b"a\nx\ny\nc\nd\n", 3);
        assert_eq!(stat(&diff), Stat { added: 3, removed: 1 });
    }
}
