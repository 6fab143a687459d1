//! The freshness of an entry, as every reading surface has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// What became of the code that an entry cites, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FreshnessState")]
pub enum State {
    /// No cited file differs.
    Fresh,
    /// The code of then, or the host, is not known here.
    Unknown,
    /// A cited file differs, but nothing that the entry names in it.
    Touched,
    /// A name of the entry is gone from a cited file, or a line that introduces it is.
    Changed,
    /// A cited file is gone.
    Gone,
}

impl State {
    /// Whether somebody should look at the entry again.
    pub const fn is_stale(self) -> bool {
        matches!(self, Self::Changed | Self::Gone)
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Unknown => "unknown",
            Self::Touched => "touched",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }
}

/// How the commit that an entry is compared with was found, if not from what was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BaseBy {
    /// The newest commit of the code that is not younger than the line.
    Time,
}

/// Whether the code that an entry cites is still as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Freshness {
    /// The worst state of its files.
    pub state: State,
    /// The commit of the code that the entry was compared with, where it decided the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// How that commit was found, if it was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_by: Option<BaseBy>,
    /// The files that it cites, by path.
    pub files: Vec<CitedFile>,
}

/// A file of the code that an entry cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CitedFile {
    /// Its path in the repository of the code, as cited.
    pub path: String,
    /// What became of it.
    pub state: State,
    /// The names of the entry that are gone from it, or of which a line that introduces them is.
    pub names: Vec<String>,
    /// The commit that changed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Where it is today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

impl Freshness {
    /// Of an entry about which nothing can be said.
    pub const fn unknown() -> Self {
        Self { state: State::Unknown, base: None, base_by: None, files: Vec::new() }
    }

    /// What a reader is told of a stale entry: `changed since 3f2a91c: MAX_RETRIES in src/retry.rs`, `gone since 3f2a91c: a.rs
    /// (now b.rs)`.
    pub fn line(&self) -> Option<String> {
        if !self.state.is_stale() {
            return None;
        }
        let mut line = self.state.word().to_owned();
        if let Some(base) = &self.base {
            let _ = write!(line, " since {}", &base[..base.len().min(7)]);
        }
        let files = self.files.iter().filter(|file| file.state == self.state);
        let told: Vec<String> = files.map(CitedFile::told).collect();
        let _ = write!(line, ": {}", told.join(", "));
        Some(line)
    }
}

impl CitedFile {
    fn told(&self) -> String {
        let now = self.moved_to.as_ref().map(|path| format!(" (now {path})")).unwrap_or_default();
        match self.names.is_empty() {
            true => format!("{}{now}", self.path),
            false => format!("{} in {}{now}", self.names.join(", "), self.path),
        }
    }
}
