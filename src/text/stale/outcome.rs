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
    /// The earlier code, or its repository, is not known here.
    Unknown,
    /// A cited file differs, but nothing that the entry names in it.
    Touched,
    /// A name of the entry is gone from a cited file, or the line that defines it changed.
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
    /// The names of the entry that are gone from the file, or whose defining line changed.
    pub names: Vec<String>,
    /// What became of each of these names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<NameChange>>")]
    pub changes: Vec<NameChange>,
    /// The commit that changed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Where it is today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// What became of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FreshnessChangeState")]
pub enum ChangeState {
    /// Nothing in the file introduces it any more.
    Gone,
    /// The line that introduces it, or the text around that, changed.
    Altered,
}

/// What became of a name of the entry in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FreshnessChange")]
pub struct NameChange {
    /// The name, or the path of a file that is gone.
    pub name: String,
    /// Whether it is gone or altered.
    pub state: ChangeState,
    /// The line of the code that was compared: at most 120 characters, secrets as `****`, no control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The line in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The only file of the code that introduces a gone name since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

impl Freshness {
    /// The freshness of an entry about which nothing can be said.
    pub const fn unknown() -> Self {
        Self { state: State::Unknown, base: None, base_by: None, files: Vec::new() }
    }

    /// The line shown for a stale entry: `changed since 3f2a91c: MAX_RETRIES in src/retry.rs`, `changed since 3f2a91c:
    /// slug gone from a.rs (slug now in b.rs)`, `gone since 3f2a91c: a.rs (now b.rs)`.
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
        let path = match &self.moved_to {
            Some(now) => format!("{} (now {now})", self.path),
            None => self.path.clone(),
        };
        if self.names.is_empty() {
            return path;
        }
        let is_gone = |name: &&String| {
            let mut changes = self.changes.iter().filter(|change| change.name == **name).peekable();
            changes.peek().is_some() && changes.all(|change| change.state == ChangeState::Gone)
        };
        let (gone, altered): (Vec<&String>, Vec<&String>) = self.names.iter().partition(is_gone);
        let all = |names: &[&String]| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let mut told = Vec::new();
        if !altered.is_empty() {
            told.push(format!("{} in {path}", all(&altered)));
        }
        if !gone.is_empty() {
            told.push(format!("{} gone from {path}{}", all(&gone), self.moves()));
        }
        told.join(", ")
    }

    /// Where the names are today that another file introduces now: ` (slug now in b.rs)`.
    fn moves(&self) -> String {
        let mut told: Vec<String> = Vec::new();
        for change in &self.changes {
            let Some(path) = &change.moved_to else { continue };
            let move_ = format!("{} now in {path}", change.name);
            if !told.contains(&move_) {
                told.push(move_);
            }
        }
        if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(names: &[(&str, ChangeState, Option<&str>)]) -> CitedFile {
        let change = |(name, state, moved_to): &(&str, ChangeState, Option<&str>)| NameChange {
            name: (*name).to_owned(),
            state: *state,
            before: None,
            after: None,
            moved_to: moved_to.map(str::to_owned),
        };
        let changes: Vec<NameChange> = names.iter().map(change).collect();
        let names = changes.iter().map(|change| change.name.clone()).collect();
        CitedFile { path: "a.rs".into(), state: State::Changed, names, changes, commit: None, moved_to: None }
    }

    #[test]
    fn gone_names_are_told_from_altered_ones() {
        let all = [
            ("A", ChangeState::Altered, None),
            ("B", ChangeState::Gone, Some("b.rs")),
            ("C", ChangeState::Gone, None),
        ];
        assert_eq!(file(&all).told(), "A in a.rs, B, C gone from a.rs (B now in b.rs)");
        assert_eq!(file(&all[..1]).told(), "A in a.rs");
        let moved = CitedFile { moved_to: Some("c.rs".into()), ..file(&all[2..]) };
        assert_eq!(moved.told(), "C gone from a.rs (now c.rs)");
        assert_eq!(file(&[]).told(), "a.rs");
    }
}
