//! What became of hooks.

use crate::hooks::lines::Hook;
use schemars::JsonSchema;
use serde::Serialize;

/// What became of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Added,
    Updated,
    Removed,
    Kept,
}

/// A hook as it is now, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    #[serde(flatten)]
    pub hook: Hook,
    pub change: Change,
}

/// `brv.hooks.install/1` and `brv.hooks.uninstall/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HookChanges")]
pub struct Changes {
    /// All hooks, the host's first.
    pub hooks: Vec<Changed>,
}

impl Change {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Removed => "removed",
            Self::Kept => "kept",
        }
    }
}
