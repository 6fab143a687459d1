//! `brv hooks`: the hooks through which git tells brv what happened.
//!
//! The host repository reports commits, the tree's own repository merges, switches and pushes. Each of the two has a
//! file for each event, or settings that git runs beside the files.

pub mod install;
mod refusal;
mod site;
pub mod status;
pub mod test;
pub mod uninstall;

pub use crate::git::hooks::Event;

use schemars::JsonSchema;
use serde::Serialize;

/// What a repository has for one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hook {
    /// git's name for it, such as `post-commit`.
    pub event: Event,
    /// Whose event it is.
    #[serde(rename = "where")]
    pub home: Home,
    /// How git is told to run brv.
    pub via: Way,
    pub state: State,
    /// The file in which that stands, or would stand.
    pub file: String,
}

/// Whose event it is: that of the host repository, or of the tree's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Home {
    Host,
    Tree,
}

/// How git is told to run brv: by the hook's file, or by the repository's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    File,
    Config,
}

/// Whether brv's line is there; `foreign` if it is not and brv would not write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Installed,
    Absent,
    Outdated,
    Foreign,
}

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

impl Home {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Tree => "tree",
        }
    }
}

impl Way {
    pub const fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Config => "config",
        }
    }
}

impl State {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Absent => "absent",
            Self::Outdated => "outdated",
            Self::Foreign => "foreign",
        }
    }
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
