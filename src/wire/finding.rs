//! What is wrong in a file, as the data of several commands has it.

use super::text;
use crate::ops::steps::work_tree::flaws::Flaw;
use schemars::JsonSchema;
use serde::Serialize;

/// A place in a file, and what is wrong there. Paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Finding {
    /// `BRV001`: conflict markers; `BRV003`: frontmatter that is not valid, or sets a key twice.
    pub rule: &'static str,
    /// `error`
    severity: &'static str,
    /// Which file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong, in words.
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
