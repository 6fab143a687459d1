//! Who wrote the entries that an agent is told about.

use crate::ops::context::Opened;
use crate::ops::steps::searching;
use std::collections::BTreeMap;

/// The last change of some entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The entries, sorted.
    pub paths: Vec<String>,
    /// `None`: they have changes that are not committed.
    pub change: Option<Change>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    pub author: String,
    /// The agent that acted for the author.
    pub actor: Option<String>,
    pub commit: String,
}

/// The last changes of entries; those of one commit together.
pub fn of(opened: &Opened, paths: &[String]) -> Vec<Origin> {
    let all = paths.iter().map(String::as_str);
    let mut found = searching::last_changes_on_disk(opened, all, None).unwrap_or_default();
    let mut grouped: BTreeMap<Option<Change>, Vec<String>> = BTreeMap::new();
    for path in paths {
        let change = found.remove(path.as_str()).map(|origin| Change {
            author: origin.author,
            actor: origin.actor,
            commit: origin.commit,
        });
        grouped.entry(change).or_default().push(path.clone());
    }
    let origin = |(change, mut paths): (Option<Change>, Vec<String>)| {
        paths.sort_unstable();
        paths.dedup();
        Origin { paths, change }
    };
    let mut all: Vec<Origin> = grouped.into_iter().map(origin).collect();
    all.sort_by(|one, other| one.paths.cmp(&other.paths));
    all
}
