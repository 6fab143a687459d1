//! Listing branches.

use super::{Error, Outcome};
use brv_engine::open::naming::branches::short;
use brv_engine::open::naming::ref_filter::{self, Judge};
use brv_engine::open::naming::upstream::{self, Upstream};
use brv_git as git;
use brv_git::refs::{self, Target};
use brv_git::revision;
use brv_git::{CommitId, Head, Scope, history, reflog, worktrees};
use bstr::{BString, ByteSlice as _};
use std::path::PathBuf;

pub use ref_filter::Filter;

#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub kinds: Kinds,
    /// Only names that match one of these patterns (`*`, `?`, `[`); empty: all.
    pub patterns: Vec<String>,
    /// Only branches that match all of these.
    pub filters: Vec<Filter>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kinds {
    #[default]
    Local,
    Remembered,
    All,
}

#[derive(Debug, Clone)]
pub struct Listed {
    /// `refs/heads/main`
    pub full: BString,
    pub commit: CommitId,
    pub subject: BString,
    /// Where it is checked out.
    pub place: Place,
    pub upstream: Option<Upstream>,
    /// The full name of the reference that it is a symbolic reference to.
    pub stands_for: Option<BString>,
}

/// Where a branch is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In no work tree.
    Nowhere,
    /// In this work tree.
    Here,
    /// In another work tree.
    Elsewhere(PathBuf),
}

/// A detached `HEAD`.
#[derive(Debug, Clone)]
pub struct At {
    pub commit: CommitId,
    pub subject: BString,
    /// What it was switched to: a name that still exists, or the abbreviated commit.
    pub from: Option<String>,
    /// Whether `HEAD` is still at that commit.
    pub is_there: bool,
}

pub(super) fn run(scope: &Scope, listing: &Listing) -> Result<Outcome, Error> {
    let filters = Judge::of(scope, &listing.filters)?;
    let head = scope.head()?;
    let prefixes: &[&str] = match listing.kinds {
        Kinds::Local => &["refs/heads/"],
        Kinds::Remembered => &["refs/remotes/"],
        Kinds::All => &["refs/heads/", "refs/remotes/"],
    };
    let mut branches = Vec::new();
    for prefix in prefixes {
        for (full, commit) in refs::commits(scope, prefix)? {
            let name = full.strip_prefix(prefix.as_bytes()).unwrap_or(&full).as_bstr();
            if ref_filter::fits(&listing.patterns, name) && filters.pass(scope, commit)? {
                branches.push(listed(scope, &head, full, commit)?);
            }
        }
    }
    let detached = match head {
        Head::Detached { commit }
            if listing.kinds != Kinds::Remembered
                && listing.patterns.is_empty()
                && filters.pass(scope, commit)? =>
        {
            Some(at(scope, commit)?)
        }
        _ => None,
    };
    Ok(Outcome::Listed { branches, detached })
}

fn listed(scope: &Scope, head: &Head, full: BString, commit: CommitId) -> Result<Listed, Error> {
    let stands_for = match refs::target(scope, full.as_bstr())? {
        Some(Target::Symbolic(name)) => Some(name),
        _ => None,
    };
    let is_local = full.starts_with(b"refs/heads/");
    let place = match worktrees::elsewhere(scope, full.as_bstr())
        .map_err(brv_engine::open::naming::branches::Error::from)?
    {
        _ if head.branch().is_some_and(|branch| branch == full) => Place::Here,
        Some(place) if is_local => Place::Elsewhere(place),
        _ => Place::Nowhere,
    };
    let upstream = match is_local {
        true => upstream::of_branch(scope, &short(full.as_bstr()), Some(commit))?,
        false => None,
    };
    Ok(Listed { subject: subject(scope, commit)?, full, commit, place, upstream, stands_for })
}

fn at(scope: &Scope, commit: CommitId) -> Result<At, Error> {
    let last = reflog::last_switch(scope)?;
    let is_there = last.as_ref().is_some_and(|(_, id)| *id == Some(commit));
    let from = last.and_then(|(name, id)| match revision::full_reference(scope, &name) {
        Some(_) => Some(name),
        None => id.map(|id| id.prefix(7)),
    });
    Ok(At { commit, subject: subject(scope, commit)?, from, is_there })
}

fn subject(scope: &Scope, commit: CommitId) -> Result<BString, git::Error> {
    Ok(history::read(scope, commit)?.subject().to_owned())
}
