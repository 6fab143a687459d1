//! Words that several commands say in the same way.

use super::Exit;
use super::Failure;
use crate::ops::steps::disputes::Disputed;
use crate::ops::steps::refresh;
use crate::ops::steps::tidying::Tidying;
use crate::ops::steps::under_way::{InProgress, Kind};
use crate::say::escape::escape_line;
use crate::wire::{Change, Finding, Recovered, Refused, Resolution, What};
use std::path::Path;

/// `1 file`, `3 files`
#[must_use]
pub fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// What was put right before the command itself ran.
#[must_use]
pub fn recovery(recovered: Option<&Recovered>) -> Vec<String> {
    let Some(recovered) = recovered else { return Vec::new() };
    let way = match recovered.resolution {
        Resolution::Finished => "was finished",
        Resolution::PutOnRecord => "is left as it is, because HEAD has moved since",
    };
    let mut words = vec![format!("an interrupted `{}` {way}", recovered.kind)];
    let alone =
        |path: &String| format!("`{}` was edited since then and is left alone", escape_line(path.as_bytes()));
    words.extend(recovered.left_alone.iter().map(alone));
    words.extend(recovered.blocked.iter().map(|path| blocked(path.as_bytes())));
    words
}

/// That a file is missing, and why.
#[must_use]
pub fn blocked(path: &[u8]) -> String {
    let path = escape_line(path);
    format!(
        "`{path}` is not there: other files stand in its way; once they are moved, `brv vc restore` brings it"
    )
}

/// What a failed or partial refresh leaves to say. It undoes nothing: the next command goes on from there.
#[must_use]
pub fn derived(derived: Option<&Result<refresh::Outcome, refresh::Error>>) -> Vec<String> {
    match derived {
        Some(Err(error)) => {
            let failure = Failure::because(Exit::Failed, error);
            vec![format!("the derived files were not all made again: {}", failure.message)]
        }
        Some(Ok(done)) => done
            .kept
            .iter()
            .map(|file| {
                format!("`{}` has the name of a derived file, but brv did not write it as it is", file.path)
            })
            .collect(),
        None => Vec::new(),
    }
}

/// What there is to do when many objects are loose.
#[must_use]
pub fn tidying(tidying: Tidying) -> Option<&'static str> {
    (tidying == Tidying::Due).then_some("brv vc gc")
}

/// A path of this machine, relative to `folder` when it is below.
#[must_use]
pub fn place(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

/// A line for each file that was left out.
pub fn refusals(refused: &[Refused]) -> impl Iterator<Item = String> {
    refused.iter().map(|file| format!("`{}`: {}", escape_line(file.path.as_bytes()), file.reason))
}

/// `Rebase of topic onto 1a2b3c4`
#[must_use]
pub fn in_progress(what: &InProgress) -> String {
    let commit = |word: &str| what.commit.map_or_else(String::new, |id| format!(" {word} {}", id.prefix(7)));
    let branch = |word: &str| what.branch.as_ref().map_or_else(String::new, |name| format!(" {word} {name}"));
    match what.kind {
        Kind::Merge => format!("Merge{}", commit("of")),
        Kind::Rebase => format!("Rebase{}{}", branch("of"), commit("onto")),
        Kind::Am => "`git am`".to_owned(),
        Kind::CherryPick => format!("Cherry-pick{}", commit("of")),
        Kind::Revert => format!("Revert{}", commit("of")),
        Kind::Bisect => format!("Bisect{}", branch("started on")),
    }
}

/// A word of a command as a shell reads it: in quotes where it has to be.
#[must_use]
pub fn typed(word: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "-_./@:+%,=".contains(char);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A line for each place that a push would stop at, and one for those that are too many to be named.
pub fn findings(findings: &[Finding]) -> impl Iterator<Item = String> {
    const NAMED: usize = 10;
    let line = |one: &Finding| {
        let (path, message) = (escape_line(one.path.as_bytes()), escape_line(one.message.as_bytes()));
        format!("{path}:{}:{}: {} {message}; a push stops at it", one.line, one.column, one.rule)
    };
    let more = findings.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {} more that a push stops at", many(more, "place", "places")));
    findings.iter().take(NAMED).map(line).chain(more)
}

/// `3 subjects in 2 entries`
#[must_use]
pub fn disputed(entries: &[Disputed]) -> String {
    let subjects = entries.iter().map(|entry| entry.disputes.len()).sum();
    format!("{} in {}", many(subjects, "subject", "subjects"), many(entries.len(), "entry", "entries"))
}

/// `3 files changed: 1 added, 2 modified`
#[must_use]
pub fn changes(changes: &[Change]) -> String {
    let kinds = [
        (What::Added, "added"),
        (What::Modified, "modified"),
        (What::Renamed, "renamed"),
        (What::TypeChanged, "of another type"),
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

/// What is done when the host's remote is elsewhere now.
#[must_use]
pub fn moved_host(remote: &str, url: &str) -> String {
    let (remote, url) = (escape_line(remote.as_bytes()), escape_line(url.as_bytes()));
    format!(
        "the host repository's remote is now at {url}: `brv vc remote set-url {remote} --host` follows it"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_a_shell_would_read_otherwise_is_quoted() {
        assert_eq!(typed("origin/tokens-2"), "origin/tokens-2");
        assert_eq!(typed("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(typed(""), "''");
    }

    #[test]
    fn changes_are_counted_by_kind() {
        let change = |what| Change { path: "a".into(), renamed_from: None, change: what };
        assert_eq!(changes(&[]), "0 files changed");
        assert_eq!(
            changes(&[change(What::Modified), change(What::Added), change(What::Modified)]),
            "3 files changed: 1 added, 2 modified"
        );
    }

    #[test]
    fn a_recovered_command_and_the_files_it_left_are_named() {
        let recovered = Recovered {
            operation: "1".into(),
            kind: "pull",
            resolution: Resolution::Finished,
            left_alone: vec!["a\n.md".into()],
            blocked: vec!["b.md".into()],
        };
        assert_eq!(
            recovery(Some(&recovered)),
            [
                "an interrupted `pull` was finished",
                "`a\\n.md` was edited since then and is left alone",
                "`b.md` is not there: other files stand in its way; once they are moved, `brv vc restore` brings it",
            ]
        );
    }
}
