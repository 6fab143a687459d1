//! The commit of the code that knowledge comes from, as trailers have it: its id, and its patch id if that is known.

use brv_git::{CommitId, PatchId};
use std::fmt;

/// How many hexadecimal digits an id has.
const DIGITS: usize = 40;

/// A commit of the code: `<40 hex digits> [<40 hex digits>]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceCommit {
    pub commit: CommitId,
    /// The name of what it changes, by which it is recognised after a rewrite.
    pub patch: Option<PatchId>,
}

impl SourceCommit {
    /// The name of the trailer.
    pub const TRAILER: &str = "Brv-Source-Commit";

    /// Read the value of the trailer; `None` if it has another form.
    pub fn parse(value: &str) -> Option<Self> {
        let (commit, patch) = Self::words(value);
        Some(Self { commit: CommitId::from_hex(commit).filter(|_| commit.len() == DIGITS)?, patch })
    }

    /// The commit as a trailer names it, however that is, and the patch id behind it.
    pub fn words(value: &str) -> (&str, Option<PatchId>) {
        let split = value.split_once(' ').and_then(|(commit, patch)| {
            let is_whole = patch.len() == DIGITS && !commit.is_empty();
            Some((commit, PatchId::from_hex(patch).filter(|_| is_whole)?))
        });
        split.map_or((value, None), |(commit, patch)| (commit, Some(patch)))
    }
}

impl fmt::Display for SourceCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.commit.fmt(f)?;
        self.patch.map_or(Ok(()), |patch| write!(f, " {patch}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_commit_reads_back_and_nothing_else_does() {
        let (commit, patch) = ("1".repeat(40), "a".repeat(40));
        for value in [commit.clone(), format!("{commit} {patch}")] {
            assert_eq!(SourceCommit::parse(&value).unwrap().to_string(), value);
        }
        let longer = format!("{commit}1");
        for wrong in
            ["", "1234abc", "the code", " ", &longer, &format!("{commit} {patch} x"), &format!("{commit} x")]
        {
            assert_eq!(SourceCommit::parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(SourceCommit::words("1234abc"), ("1234abc", None));
        assert_eq!(SourceCommit::words("see v1"), ("see v1", None));
        assert_eq!(SourceCommit::words(&format!("1234abc {patch}")), ("1234abc", PatchId::from_hex(&patch)));
    }
}
