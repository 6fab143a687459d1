//! A commit of the host, as its message and the names of its files show it.

use brv_engine::open::hosting::Host;
use brv_git as git;
use brv_git::Signature;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, patch_id};
use brv_text::commits::{self, CommitDescription, Reading, Reverted};
use bstr::ByteSlice as _;

/// The most files of one commit that are looked at.
const MOST_FILES: usize = 10_000;

/// What a commit says and changes.
#[derive(Debug, Clone)]
pub struct HostCommit {
    pub id: CommitId,
    /// The first paragraph of its message, on one line.
    pub subject: String,
    /// The message after its first paragraph.
    pub body: String,
    pub author: Signature,
    /// When the commit was made, in seconds since 1970.
    pub committed: i64,
    pub files: Vec<ChangedFile>,
    pub parents: usize,
}

/// A file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    /// `A`, `M` or `D`
    pub status: char,
}

impl HostCommit {
    pub fn read(host: &Host, id: CommitId) -> Result<Self, git::Error> {
        let commit = git::commit::read(&host.scope, id)?;
        let message = commit.message.to_str_lossy();
        let (subject, body) = split(&message);
        Ok(Self {
            id,
            subject,
            body,
            files: files(host, id)?,
            parents: commit.parents.len(),
            committed: commit.committer.seconds,
            author: commit.author,
        })
    }

    /// What it teaches. `prefix` is the folder of the tree, if the tree is a folder of the host.
    pub fn reading(&self, prefix: &str) -> Reading {
        let files: Vec<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        commits::read(&CommitDescription {
            subject: &self.subject,
            body: &self.body,
            author: &self.author.name.to_str_lossy(),
            address: &self.author.email.to_str_lossy(),
            files: &files,
            parents: self.parents,
            in_repo_tree: Some(prefix).filter(|prefix| !prefix.is_empty()),
        })
    }

    /// The files that it changed outside of this folder, which is that of the tree; `""`: all.
    pub fn code_files<'c>(&'c self, tree: &'c str) -> impl Iterator<Item = &'c str> {
        let is_below = move |path: &str| {
            !tree.is_empty() && path.strip_prefix(tree).is_some_and(|rest| rest.starts_with('/'))
        };
        self.files.iter().map(|file| file.path.as_str()).filter(move |path| !is_below(path))
    }

    /// The commits that it takes back; none of a merge.
    pub fn reverts(&self) -> Vec<Reverted> {
        if self.parents > 1 { Vec::new() } else { commits::reverts(&self.subject, &self.body) }
    }

    /// The start of its id, as people write it.
    pub fn short(&self) -> String {
        self.id.to_string().chars().take(9).collect()
    }
}

/// The files that a commit changed; none of a merge.
fn files(host: &Host, id: CommitId) -> Result<Vec<ChangedFile>, git::Error> {
    let Some([before, after]) = patch_id::sides(&host.scope, id)? else { return Ok(Vec::new()) };
    let changes = trees::diff(&host.scope, before, after, Renames::Ignore)?;
    let file = |change: trees::Change| ChangedFile {
        path: change.path.to_str_lossy().into_owned(),
        status: match (change.before, change.after) {
            (None, _) => 'A',
            (_, None) => 'D',
            _ => 'M',
        },
    };
    Ok(changes.into_iter().take(MOST_FILES).map(file).collect())
}

/// The first paragraph of a message, on one line, and the rest.
fn split(message: &str) -> (String, String) {
    let message = message.replace("\r\n", "\n");
    let message = message.trim_start_matches('\n');
    let mut subject = Vec::new();
    let mut rest = message;
    while let Some((line, after)) = rest.split_once('\n').or((!rest.is_empty()).then_some((rest, ""))) {
        rest = after;
        if line.trim().is_empty() {
            break;
        }
        subject.push(line.trim());
    }
    (subject.join(" "), rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_the_first_paragraph_on_one_line() {
        let said = |message: &str| split(message);
        assert_eq!(said("a\nb\n\nc\n\nd\n"), ("a b".into(), "c\n\nd\n".into()));
        assert_eq!(said("\n\na"), ("a".into(), String::new()));
        assert_eq!(said("a\r\n\r\nb\r\n"), ("a".into(), "b\n".into()));
        assert_eq!(said(""), (String::new(), String::new()));
    }
}
