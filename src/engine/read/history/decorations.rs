//! The names of commits: branches, tags, `HEAD`.

use brv_git as git;
use brv_git::{CommitId, Scope};
use bstr::ByteSlice;
use std::collections::HashMap;

/// A name that points to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// `HEAD` itself, detached.
    Head,
    /// The branch that `HEAD` is on.
    CurrentBranch(String),
    Branch(String),
    RemoteBranch(String),
    Tag(String),
}

/// The names by commit: `HEAD` first, then branches, remote branches and tags.
pub fn pointing(scope: &Scope) -> Result<HashMap<CommitId, Vec<Name>>, git::Error> {
    let mut names: HashMap<CommitId, Vec<Name>> = HashMap::new();
    let head = scope.head()?;
    let current = head.short_branch();
    if let (Some(commit), None) = (head.commit(), &current) {
        names.entry(commit).or_default().push(Name::Head);
    }
    if let (Some(commit), Some(branch)) = (head.commit(), &current) {
        names.entry(commit).or_default().push(Name::CurrentBranch(branch.clone()));
    }
    type Make = fn(String) -> Name;
    let kinds: [(&str, Make); 3] =
        [("refs/heads/", Name::Branch), ("refs/remotes/", Name::RemoteBranch), ("refs/tags/", Name::Tag)];
    for (prefix, make) in kinds {
        for (full, commit) in git::refs::commits(scope, prefix)? {
            let short = full.strip_prefix(prefix.as_bytes()).unwrap_or(&full).to_str_lossy().into_owned();
            let is_current = prefix == "refs/heads/" && current.as_ref() == Some(&short);
            if !is_current && !short.ends_with("/HEAD") {
                names.entry(commit).or_default().push(make(short));
            }
        }
    }
    Ok(names)
}
