//! JSON of `brv vc diff`: the changed files.

use brv_commands::vc::diff::{Outcome, State};
use brv_engine::outcome::bytes::Bytes;
pub use brv_engine::outcome::change::FileDifference;
use brv_engine::read::history::knowledge::Told;
use brv_text::diff::knowledge::Entry;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// One of the program's own words, whoever wrote the JSON.
type Word = &'static str;

/// `brv.vc.diff/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Diff {
    /// The state before.
    pub before: Endpoint,
    /// The state after.
    pub after: Endpoint,
    /// The changed files.
    pub files: Vec<FileDifference>,
    /// The changes by meaning: fields, facts and sections; absent with `--stat` and the name flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
    /// Files in conflict.
    pub unmerged: Vec<Bytes>,
    /// For an agent: how many files are left out because nobody here has accepted them.
    #[serde(skip_serializing_if = "brv_engine::outcome::json::is_none")]
    #[schemars(with = "Option<usize>")]
    pub withheld: usize,
    /// The exact changes.
    #[serde(skip)]
    pub told: Told,
}

/// One of the two states.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct Endpoint {
    /// `commit`, `index` or `work_tree`.
    #[serde(deserialize_with = "kind")]
    pub kind: Word,
    /// The commit's id; absent on a branch without commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Its name, as given on the command line.
    #[serde(skip)]
    pub name: Option<String>,
}

impl Diff {
    /// The data; `with_lines`: changed lines too.
    pub fn new(outcome: Outcome, with_lines: bool) -> Self {
        Self {
            before: Endpoint::new(outcome.before, outcome.names.before),
            after: Endpoint::new(outcome.after, outcome.names.after),
            files: outcome.files.iter().map(|file| FileDifference::new(file, with_lines)).collect(),
            entries: with_lines.then(|| outcome.entries.clone()),
            unmerged: Bytes::of(&outcome.unmerged),
            withheld: outcome.withheld,
            told: Told { files: outcome.files, entries: outcome.entries },
        }
    }
}

/// One of the words of [`Endpoint::kind`].
fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let found = String::deserialize(deserializer)?;
    let known = ["commit", "index", "work_tree"].into_iter().find(|kind| *kind == found);
    known.ok_or_else(|| D::Error::custom("unknown kind of state"))
}

impl Endpoint {
    pub(super) fn new(state: State, name: Option<String>) -> Self {
        let (kind, commit) = match state {
            State::Commit(id) => ("commit", id.map(|id| id.to_string())),
            State::Index => ("index", None),
            State::WorkTree => ("work_tree", None),
        };
        Self { kind, commit, name }
    }
}
