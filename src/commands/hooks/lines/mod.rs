//! The hooks of the two repositories that call brv: what each has for each event, and how that is written and removed.

pub mod overview;
pub mod refusal;
pub mod site;

use brv_git::hooks::Event;
use schemars::JsonSchema;
use serde::Serialize;

/// What a repository has for one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hook {
    /// git's name for it, such as `post-commit`.
    pub event: Event,
    /// Whose event it is.
    #[serde(rename = "where")]
    pub home: HookOwner,
    /// How git calls brv.
    pub via: Way,
    pub state: HookLineState,
    /// The file in which that stands, or would stand.
    pub file: String,
    /// Why brv leaves a foreign one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Whose event it is: that of the host repository, or of the tree's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Home")]
#[serde(rename_all = "snake_case")]
pub enum HookOwner {
    Host,
    Tree,
}

/// Where git's call of brv is: in the hook's file, or in the repository's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    File,
    Config,
}

/// Whether brv's line is there; `foreign` if it is not and brv would not write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "State")]
#[serde(rename_all = "snake_case")]
pub enum HookLineState {
    Installed,
    Absent,
    Outdated,
    Foreign,
}

impl HookOwner {
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

impl HookLineState {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Absent => "absent",
            Self::Outdated => "outdated",
            Self::Foreign => "foreign",
        }
    }
}
