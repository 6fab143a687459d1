//! How much of an entry changed, for summaries.

use super::{How, Knowledge};
use crate::diff::LineKind;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub facts: Count,
    /// Sections whose heading was added, removed or changed.
    pub sections: Count,
    pub blocks: Count,
    /// Fields other than times.
    pub fields: Count,
}

/// The counts for one kind of element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Only on the side after.
    pub added: usize,
    /// Only on the side before.
    pub removed: usize,
    pub changed: usize,
    pub moved: usize,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.added += other.added;
        self.removed += other.removed;
        self.changed += other.changed;
        self.moved += other.moved;
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.facts += other.facts;
        self.sections += other.sections;
        self.blocks += other.blocks;
        self.fields += other.fields;
    }
}

impl Count {
    pub fn is_empty(self) -> bool {
        self == Count::default()
    }

    const fn add(&mut self, change: How) {
        match change {
            How::Kept => {}
            How::Added => self.added += 1,
            How::Removed => self.removed += 1,
            How::Changed | How::Renamed => self.changed += 1,
            How::Moved => self.moved += 1,
        }
    }
}

impl Knowledge {
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for field in self.telling_fields() {
            match field.side() {
                LineKind::Added => counts.fields.added += 1,
                LineKind::Removed => counts.fields.removed += 1,
                LineKind::Context => counts.fields.changed += 1,
            }
        }
        // what another entry has now, or had before, is neither lost nor new
        let own = self.facts.iter().filter(|fact| fact.elsewhere.is_none());
        own.for_each(|fact| counts.facts.add(fact.change));
        for section in &self.sections {
            counts.sections.add(section.change);
            section.blocks.iter().for_each(|block| counts.blocks.add(block.change));
        }
        counts
    }
}
