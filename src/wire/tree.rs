//! The data of `brv tree`: folders and entries with what they are about.

use crate::ops::tree::{self, Node, Outcome};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.tree/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Tree {
    /// With `--at`: the commit whose tree it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Where the rows begin; empty for the root.
    pub path: String,
    /// Of its `context.md`.
    pub title: Option<String>,
    /// What it is for.
    pub summary: Option<String>,
    /// At or below it.
    pub entries: usize,
    /// Directly in it.
    pub folders: usize,
    /// How many levels are shown.
    pub depth: usize,
    /// How many there are.
    #[serde(skip)]
    pub deepest: usize,
    /// Whether that is all there are.
    pub complete: bool,
    /// Entries of a folder before its folders, each folder before what is in it.
    pub rows: Vec<Row>,
}

/// A folder or an entry.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Row {
    /// A folder.
    Folder {
        /// Where it is.
        path: String,
        /// 1 for what is directly in the folder that is shown.
        level: usize,
        /// Of its `context.md`.
        title: Option<String>,
        /// What it is for, as its `context.md` has it.
        summary: Option<String>,
        /// At or below it.
        entries: usize,
    },
    /// An entry.
    Entry {
        /// Where it is.
        path: String,
        /// 1 for what is directly in the folder that is shown.
        level: usize,
        /// Of its frontmatter.
        title: Option<String>,
        /// What it says in short.
        summary: Option<String>,
        /// `open`, `done`, `superseded` or `deprecated`.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
        /// Estimated as characters divided by four.
        tokens: u64,
    },
}

impl From<&Outcome> for Tree {
    fn from(outcome: &Outcome) -> Self {
        Self {
            commit: outcome.commit.map(|id| id.to_string()),
            path: outcome.path.clone(),
            title: outcome.about.title.clone(),
            summary: outcome.about.summary.clone(),
            entries: outcome.entries,
            folders: outcome.folders,
            depth: outcome.depth,
            deepest: outcome.deepest,
            complete: outcome.depth >= outcome.deepest,
            rows: outcome.rows.iter().map(Row::from).collect(),
        }
    }
}

impl From<&tree::Row> for Row {
    fn from(row: &tree::Row) -> Self {
        let (path, level) = (row.path.clone(), row.level);
        let (title, summary) = (row.about.title.clone(), row.about.summary.clone());
        match row.node {
            Node::Folder { entries } => Self::Folder { path, level, title, summary, entries },
            Node::Entry { tokens, status } => {
                let status = status.map(|status| status.as_str());
                Self::Entry { path, level, title, summary, status, tokens }
            }
        }
    }
}
