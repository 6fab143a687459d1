//! JSON of `brv vc show`.

use super::diff::FileDifference;
use super::log::Commit;
use brv_commands::vc::show::Outcome;
use brv_engine::outcome::bytes::{Bytes, utf8};
use brv_engine::read::history::knowledge::Told;
use brv_text::diff::knowledge::Entry;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.show/1`
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Show {
    /// A commit with its changes compared to its first parent.
    Commit {
        /// The commit.
        commit: Box<Commit>,
        /// The files it changes.
        files: Vec<FileDifference>,
        /// Its changes by meaning: fields, facts and sections; absent with `--stat` and the name flags.
        #[serde(skip_serializing_if = "Option::is_none")]
        entries: Option<Vec<Entry>>,
        /// The shortest unambiguous forms of its parents' ids.
        #[serde(skip)]
        parents: Vec<String>,
        /// Its exact changes.
        #[serde(skip)]
        told: Told,
    },
    /// An annotated tag.
    Tag {
        /// Headers and message.
        text: Bytes,
        /// The tagged object.
        target: Box<Show>,
    },
    /// A file in a revision.
    File {
        /// Its size in bytes.
        size: usize,
        /// Its text; `null` if it is not UTF-8.
        #[serde(serialize_with = "utf8")]
        #[schemars(with = "Option<String>")]
        text: Bytes,
    },
    /// A folder in a revision.
    Folder {
        /// The names in it; folders end with a slash.
        names: Vec<Bytes>,
        /// The folder as named on the command line.
        #[serde(skip)]
        name: String,
    },
}

impl Show {
    /// The data; `with_lines`: changed lines too.
    pub fn new(outcome: Outcome, with_lines: bool) -> Self {
        match outcome {
            Outcome::Commit(shown) => Self::Commit {
                commit: Box::new(Commit::new(&shown.commit, &shown.names)),
                files: shown.files.iter().map(|file| FileDifference::new(file, with_lines)).collect(),
                entries: with_lines.then(|| shown.entries.clone()),
                parents: shown.parents,
                told: Told { files: shown.files, entries: shown.entries },
            },
            Outcome::Tag { text, target } => {
                Self::Tag { text: Bytes::from(&text), target: Box::new(Self::new(*target, with_lines)) }
            }
            Outcome::File { bytes } => Self::File { size: bytes.len(), text: bytes.into() },
            Outcome::Folder { name, names } => Self::Folder { names: Bytes::of(&names), name },
        }
    }
}
