//! JSON for a finding: part of several commands' data.

use super::text;
use crate::lint::secrets;
use crate::ops::steps::checking::{Found, Standing};
use schemars::JsonSchema;
use serde::Serialize;

/// Something wrong or suspicious in a file. Paths are relative to the tree.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Finding {
    /// `BRV001` to `BRV016`; `brv help check` lists them.
    pub rule: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The path of the file; `.` for the tree as a whole.
    pub path: String,
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What it is about, where the rule knows a name for it: a subject, a link, a character, a kind of secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What is wrong. A secret is shown as `****`.
    pub message: String,
    /// 16 hexadecimal digits that stay the same on every machine, and while the lines around it move.
    pub fingerprint: String,
    /// `present`; `corrected` if only an older commit of the range has it.
    pub standing: &'static str,
    /// The oldest commit of the range that has it, if it was found in a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What `brv vc check --fix` would do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Finding {
    /// Whether only an older commit of the range has it.
    pub fn is_corrected(&self) -> bool {
        self.standing == word(Standing::Corrected)
    }
}

impl From<&Found> for Finding {
    fn from(found: &Found) -> Self {
        let finding = &found.finding;
        Self {
            rule: finding.rule.id(),
            severity: found.severity.word(),
            path: secrets::masked(&text(&finding.path)).into_owned(),
            line: finding.line,
            column: finding.column,
            subject: finding.subject.clone(),
            message: finding.message.clone(),
            fingerprint: finding.fingerprint.to_string(),
            standing: word(found.standing),
            commit: found.commit.map(|commit| commit.to_string()),
            fix: finding.fix.clone().filter(|_| found.standing == Standing::Present),
        }
    }
}

const fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Present => "present",
        Standing::Corrected => "corrected",
    }
}
