//! JSON for an error in a file: part of several commands' data.

use super::text;
use crate::ops::steps::work_tree::flaws::Flaw;
use schemars::JsonSchema;
use serde::Serialize;

/// An error in a file. Paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Finding {
    /// `BRV001`: conflict markers; `BRV003`: invalid frontmatter, or a duplicate key in it.
    pub rule: &'static str,
    /// Always `error`.
    severity: &'static str,
    /// The path of the file.
    pub path: String,
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl From<&Flaw> for Finding {
    fn from(flaw: &Flaw) -> Self {
        Self {
            rule: flaw.fault.rule.id(),
            severity: "error",
            path: text(&flaw.path),
            line: flaw.fault.line,
            column: flaw.fault.column,
            message: flaw.fault.message.clone(),
        }
    }
}
