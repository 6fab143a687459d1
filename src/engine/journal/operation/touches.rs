//! The parts of a tree that an operation changes. A part that is not named is never written, neither by the command nor
//! by recovery after a crash.

/// A part of a tree that an operation may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreePart {
    /// Files of the work tree: those that differ between the two snapshots.
    Files,
    /// Entries of the index: those that the operation lists, or, if it lists none, those of the files.
    Index,
    References,
    /// The files in which git keeps a merge or a squash in progress.
    MergeState,
}

impl TreePart {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Files, "files"),
        (Self::Index, "index"),
        (Self::References, "references"),
        (Self::MergeState, "merge-state"),
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touches(u8);

impl Touches {
    pub const fn contains(self, part: TreePart) -> bool {
        self.0 & part.bit() != 0
    }

    /// The words of the trailer, in a fixed order: `files index`.
    pub(in crate::journal) fn words(self) -> String {
        let named = TreePart::ALL.iter().filter(|(part, _)| self.contains(*part));
        named.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    }

    pub(in crate::journal) fn parse(words: &str) -> Option<Self> {
        let part = |word: &str| TreePart::ALL.iter().find(|(_, name)| *name == word).map(|(part, _)| *part);
        words.split_whitespace().map(part).collect()
    }

    /// Parse the single word that earlier versions used; `lists` says whether the operation lists index entries.
    pub(in crate::journal) fn of_earlier(word: &str, lists: bool) -> Option<Self> {
        let own = if lists { &[TreePart::Index, TreePart::MergeState][..] } else { &[] };
        let named: &[TreePart] = match word {
            "files" => &[TreePart::Files, TreePart::Index, TreePart::References],
            "work-tree" => &[TreePart::Files],
            "history" => &[TreePart::References],
            "conflict" | "merge-end" => &[TreePart::Files, TreePart::Index, TreePart::MergeState],
            "state" => &[TreePart::Files, TreePart::References],
            _ => return None,
        };
        Some(named.iter().chain(own).copied().collect())
    }
}

impl FromIterator<TreePart> for Touches {
    fn from_iter<T: IntoIterator<Item = TreePart>>(parts: T) -> Self {
        Self(parts.into_iter().fold(0, |set, part| set | part.bit()))
    }
}

impl<const N: usize> From<[TreePart; N]> for Touches {
    fn from(parts: [TreePart; N]) -> Self {
        parts.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_reads_back_and_an_unknown_word_is_no_set() {
        for bits in 0..16 {
            let set: Touches =
                TreePart::ALL.iter().map(|(part, _)| *part).filter(|part| bits & part.bit() != 0).collect();
            assert_eq!(Touches::parse(&set.words()), Some(set));
        }
        assert_eq!(Touches::parse("files state"), None);
    }

    #[test]
    fn the_words_of_earlier_versions_name_the_parts_that_they_meant() {
        let parts = |word, lists| Touches::of_earlier(word, lists).unwrap().words();
        assert_eq!(parts("files", false), "files index references");
        assert_eq!(parts("work-tree", false), "files");
        assert_eq!(parts("work-tree", true), "files index merge-state");
        assert_eq!(parts("history", false), "references");
        assert_eq!(parts("state", false), "files references");
        assert_eq!(parts("state", true), "files index references merge-state");
        assert_eq!(parts("merge-end", false), "files index merge-state");
        assert_eq!(Touches::of_earlier("everything", true), None);
    }
}
