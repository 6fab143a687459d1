//! A link as it is shown: the file that contains it, and what is at its target.

use super::references::{LinkTarget, Reference};
use brv_base::path::TreePath;
use brv_text::doc::LinkKind;
use schemars::JsonSchema;
use serde::Serialize;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Link {
    /// The file that contains it.
    pub from: TreePath,
    /// The title of that file, for an incoming link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `related` in frontmatter, `@path` under `Relations`, or a markdown link.
    pub form: LinkKind,
    /// The target as written.
    pub written: String,
    /// Its line, from 1; `null` in frontmatter.
    pub line: Option<usize>,
    /// The path of the target; `null` if it is outside the tree.
    pub to: Option<String>,
    /// What is at the target.
    pub state: LinkTargetState,
    /// Whether the entry at the other end has disputed subjects.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disputed: bool,
    /// Suggested targets, for a broken link.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

/// What is at the target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "State")]
#[serde(rename_all = "snake_case")]
pub enum LinkTargetState {
    /// An entry.
    Entry,
    /// A folder, or its `context.md`.
    Folder,
    /// A file that is not an entry.
    Other,
    /// A derived file, which may be missing elsewhere; `to` is its source.
    Derived,
    /// An archived entry: `brv archive show` prints it.
    Archived,
    /// Nothing.
    Missing,
    /// A path outside the tree.
    Outside,
}

impl Link {
    pub fn new(from: &TreePath, reference: Reference) -> Self {
        Self {
            from: from.clone(),
            title: None,
            form: reference.kind,
            written: reference.written,
            line: reference.line,
            to: reference.target.path().map(str::to_owned),
            state: match reference.target {
                LinkTarget::Entry(_) => LinkTargetState::Entry,
                LinkTarget::Folder(_) => LinkTargetState::Folder,
                LinkTarget::Other(_) => LinkTargetState::Other,
                LinkTarget::Derived(_) => LinkTargetState::Derived,
                LinkTarget::Archived(_) => LinkTargetState::Archived,
                LinkTarget::Missing(_) => LinkTargetState::Missing,
                LinkTarget::Outside => LinkTargetState::Outside,
            },
            disputed: false,
            nearest: Vec::new(),
        }
    }
}
