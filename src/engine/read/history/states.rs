//! The two states that a comparison is between, and what they are called.

use brv_git::CommitId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A commit; `None` on an unborn branch.
    Commit(Option<CommitId>),
    Index,
    WorkTree,
}

/// The names of the two states, if they were typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Names {
    /// From revisions as typed: an omitted end of a range is `HEAD`.
    pub fn of(typed: &[String]) -> Self {
        let name = |text: &str| Some(if text.is_empty() { "HEAD" } else { text }.to_owned());
        match typed {
            [] => Self::default(),
            [one] => match (one.split_once("..."), one.split_once("..")) {
                (Some((_, after)), _) => Self { before: None, after: name(after) },
                (None, Some((before, after))) => Self { before: name(before), after: name(after) },
                (None, None) => Self { before: name(one), after: None },
            },
            [before, after, ..] => Self { before: name(before), after: name(after) },
        }
    }
}
