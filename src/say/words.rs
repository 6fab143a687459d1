//! Phrases shared by several commands.

use brv_base::escape::escape_line;
use brv_engine::merge::disputes::Disputed;
use brv_engine::outcome::change::{PathChange, What};
use brv_engine::read::history::gc_advice::Tidying;
use brv_engine::vc::work_tree::state::Unfinished;
use std::fmt::Display;
use std::path::Path;

/// `1 file`, `3 files`
pub fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// The command to suggest when many objects are loose.
pub fn tidying(tidying: Tidying) -> Option<&'static str> {
    (tidying == Tidying::Due).then_some("brv vc gc")
}

/// A path of this machine, relative to `folder` when it is below.
pub fn place(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

/// The first seven digits of a commit.
pub fn short(commit: &impl Display) -> String {
    commit.to_string()[..7].to_owned()
}

/// `Rebase of topic onto 1a2b3c4`
pub fn in_progress(what: &Unfinished) -> String {
    let commit =
        |word: &str| what.commit.as_ref().map_or_else(String::new, |id| format!(" {word} {}", short(id)));
    let branch = |word: &str| what.branch.as_ref().map_or_else(String::new, |name| format!(" {word} {name}"));
    match what.kind {
        "merge" => format!("Merge{}", commit("of")),
        "rebase" => format!("Rebase{}{}", branch("of"), commit("onto")),
        "am" => "`git am`".to_owned(),
        "cherry-pick" => format!("Cherry-pick{}", commit("of")),
        "revert" => format!("Revert{}", commit("of")),
        _ => format!("Bisect{}", branch("started on")),
    }
}

/// `3 subjects in 2 entries`
pub fn disputed(entries: &[Disputed]) -> String {
    let subjects = entries.iter().map(|entry| entry.subjects.len()).sum();
    format!("{} in {}", many(subjects, "subject", "subjects"), many(entries.len(), "entry", "entries"))
}

/// `3 files changed: 1 added, 2 modified`
pub fn changes(changes: &[PathChange]) -> String {
    let kinds = [
        (What::Added, "added"),
        (What::Modified, "modified"),
        (What::Renamed, "renamed"),
        (What::TypeChanged, "type changed"),
        (What::Deleted, "deleted"),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .map(|(kind, word)| (changes.iter().filter(|change| change.change == kind).count(), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let files = many(changes.len(), "file", "files");
    if parts.is_empty() {
        format!("{files} changed")
    } else {
        format!("{files} changed: {}", parts.join(", "))
    }
}

/// Which archived entries lose their records with the overviews that have them; `None` if none do.
pub fn archive_records(entries: &[impl Display]) -> Option<String> {
    const SHOWN: usize = 5;
    let name = |path| format!("`{}`", escape_line(format!("{path}").as_bytes()));
    let mut names: Vec<String> = entries.iter().take(SHOWN).map(name).collect();
    if entries.len() > SHOWN {
        names.push(format!("{} more", entries.len() - SHOWN));
    }
    let records = many(entries.len(), "archive record goes", "archive records go");
    let them = if entries.len() == 1 { "it" } else { "them" };
    (!entries.is_empty())
        .then(|| format!("{records} with the overview that has {them}: {}", names.join(", ")))
}

/// The message for a host repository whose remote has a new address.
pub fn moved_host(remote: &str, url: &str) -> String {
    let (remote, url) = (escape_line(remote.as_bytes()), escape_line(url.as_bytes()));
    format!(
        "the project repository's remote is now at {url}: `brv vc remote set-url {remote} --host` uses the new address"
    )
}

/// The short form of an operation's id: its last eight digits.
pub fn short_operation(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted_by_kind() {
        let change = |what| PathChange { path: "a".into(), renamed_from: None, change: what };
        assert_eq!(changes(&[]), "0 files changed");
        assert_eq!(
            changes(&[change(What::Modified), change(What::Added), change(What::Modified)]),
            "3 files changed: 1 added, 2 modified"
        );
    }
}
