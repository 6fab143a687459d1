//! The two states that a comparison is between, and what they are called.

use brv_git::CommitId;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// One of the program's own words, whoever wrote the JSON.
type ProgramWord = &'static str;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeState {
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

/// One of the two states.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct Endpoint {
    /// `commit`, `index` or `work_tree`.
    #[serde(deserialize_with = "kind")]
    pub kind: ProgramWord,
    /// The commit's id; absent on a branch without commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its name, as given on the command line.
    #[serde(skip)]
    pub name: Option<String>,
}

/// One of the words of [`Endpoint::kind`].
fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let found = String::deserialize(deserializer)?;
    let known = ["commit", "index", "work_tree"].into_iter().find(|kind| *kind == found);
    known.ok_or_else(|| D::Error::custom("unknown kind of state"))
}

impl Endpoint {
    pub fn new(state: TreeState, name: Option<String>) -> Self {
        let (kind, commit) = match state {
            TreeState::Commit(id) => ("commit", id.map(|id| id.to_string())),
            TreeState::Index => ("index", None),
            TreeState::WorkTree => ("work_tree", None),
        };
        Self { kind, commit, name }
    }
}
