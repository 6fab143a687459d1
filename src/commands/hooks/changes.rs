//! What became of hooks.

use crate::hooks::lines::Hook;
use schemars::JsonSchema;
use serde::Serialize;

/// What became of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
#[serde(rename_all = "snake_case")]
pub enum HookChange {
    Added,
    Updated,
    Removed,
    Kept,
}

/// A hook as it is now, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Changed")]
pub struct ChangedHook {
    #[serde(flatten)]
    pub hook: Hook,
    pub change: HookChange,
}

/// `brv.hooks.install/1` and `brv.hooks.uninstall/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HookChanges")]
pub struct HookChanges {
    /// All hooks, the host's first.
    pub hooks: Vec<ChangedHook>,
}

impl HookChange {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Removed => "removed",
            Self::Kept => "kept",
        }
    }
}
