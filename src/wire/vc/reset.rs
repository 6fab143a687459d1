//! JSON of `brv vc reset`.

use super::restore::Restore;
use brv_commands::vc::reset;
use brv_engine::outcome::bytes::text;
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.reset/1`: the moved branch, or the unstaged paths.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Reset {
    /// The branch was moved to a commit.
    Commit(ResetCommit),
    /// Paths in the index were restored from a commit.
    Paths(Restore),
}

/// A branch that was moved to a commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ResetCommit {
    /// `soft`, `mixed` or `hard`.
    pub mode: &'static str,
    /// Its old commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its new commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The first line of the new commit's message.
    pub subject: String,
    /// Number of files written or removed.
    pub files: usize,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
}

impl From<&reset::Outcome> for Reset {
    fn from(outcome: &reset::Outcome) -> Self {
        match outcome {
            reset::Outcome::Commit(moved) => Self::Commit(ResetCommit {
                mode: match moved.extent {
                    reset::Extent::Soft => "soft",
                    reset::Extent::Mixed => "mixed",
                    reset::Extent::Hard => "hard",
                },
                before: moved.before.map(|id| id.to_string()),
                after: moved.after.map(|id| id.to_string()),
                subject: text(&moved.subject),
                files: moved.files,
                written: Written::from(&moved.written),
            }),
            reset::Outcome::Paths(restored) => Self::Paths(Restore::from(restored)),
        }
    }
}

impl Reset {
    /// Effects on files, and the operation.
    pub const fn written(&self) -> &Written {
        match self {
            Self::Commit(moved) => &moved.written,
            Self::Paths(restored) => &restored.written,
        }
    }
}
