//! JSON of `brv tree`: folders and entries with their titles and summaries.

use crate::ops::tree::{self, Node, Outcome};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.tree/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Tree {
    /// With `--at`: the commit that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The folder that is listed; empty for the root.
    pub path: String,
    /// The title of its `context.md`.
    pub title: Option<String>,
    /// The summary of its `context.md`.
    pub summary: Option<String>,
    /// Number of entries in and below it.
    pub entries: usize,
    /// Number of folders directly in it.
    pub folders: usize,
    /// Number of levels that are listed.
    pub depth: usize,
    /// Number of levels that exist.
    #[serde(skip)]
    pub deepest: usize,
    /// Whether all levels are listed.
    pub complete: bool,
    /// Folders and entries: the entries of a folder before its subfolders, and a folder before its content.
    pub rows: Vec<Row>,
}

/// A folder or an entry.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Row {
    /// A folder.
    Folder {
        /// Its path.
        path: String,
        /// Its level: 1 if it is directly in the listed folder.
        level: usize,
        /// The title of its `context.md`.
        title: Option<String>,
        /// The summary of its `context.md`.
        summary: Option<String>,
        /// Number of entries in and below it.
        entries: usize,
    },
    /// An entry.
    Entry {
        /// Its path.
        path: String,
        /// Its level: 1 if it is directly in the listed folder.
        level: usize,
        /// The title in its frontmatter.
        title: Option<String>,
        /// Its summary.
        summary: Option<String>,
        /// Its status: `open`, `done`, `superseded` or `deprecated`.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
        /// Estimated tokens: characters divided by four.
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
