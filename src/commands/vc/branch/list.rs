//! Listing branches.

use super::Outcome;
use brv_engine::Stop;
use brv_engine::open::naming::branches::short;
use brv_engine::open::naming::ref_filter::{self, RefMatcher};
use brv_engine::open::naming::upstream::{self, Upstream};
use brv_engine::outcome::bytes::text;
use brv_git::refs::{self, Target};
use brv_git::revision;
use brv_git::{CommitId, Head, Scope, history, reflog, worktrees};
use bstr::{BStr, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

pub use ref_filter::Filter;

#[derive(Debug, Clone, Default)]
pub struct BranchListing {
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

/// A branch.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Branch {
    /// Its name: `main`, `origin/main`
    pub name: String,
    /// Its full name: `refs/heads/main`
    #[serde(rename = "ref")]
    pub full: String,
    /// Its commit.
    pub commit: String,
    /// The first line of the commit's message.
    pub subject: String,
    /// Whether it is the current branch.
    pub current: bool,
    /// The other work tree that has it checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_out_in: Option<String>,
    /// Its upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// The full name of the reference that it is a symbolic ref to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
}

/// A detached `HEAD`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Detached {
    /// Its commit.
    pub commit: String,
    /// The first line of the commit's message.
    pub subject: String,
    /// What it was switched to, as named then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether `HEAD` is still at that commit.
    pub at: bool,
}

pub(super) fn run(scope: &Scope, listing: &BranchListing) -> Result<Outcome, Stop> {
    let filters = RefMatcher::of(scope, &listing.filters)?;
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
                branches.push(listed(scope, &head, full.as_bstr(), commit)?);
            }
        }
    }
    let detached = match head {
        Head::Detached { commit }
            if listing.kinds != Kinds::Remembered
                && listing.patterns.is_empty()
                && filters.pass(scope, commit)? =>
        {
            Some(detached(scope, commit)?)
        }
        _ => None,
    };
    Ok(Outcome { branches: Some(branches), detached, ..Outcome::default() })
}

fn listed(scope: &Scope, head: &Head, full: &BStr, commit: CommitId) -> Result<Branch, Stop> {
    let stands_for = match refs::target(scope, full)? {
        Some(Target::Symbolic(name)) => Some(text(&name)),
        _ => None,
    };
    let is_local = full.starts_with(b"refs/heads/");
    let current = head.branch().is_some_and(|branch| branch == full);
    let elsewhere = worktrees::elsewhere(scope, full)?.filter(|_| is_local && !current);
    let upstream = match is_local {
        true => upstream::of_branch(scope, &short(full), Some(commit))?,
        false => None,
    };
    Ok(Branch {
        name: short(full),
        full: text(full),
        commit: commit.to_string(),
        subject: subject(scope, commit)?,
        current,
        checked_out_in: elsewhere.map(|place| place.to_string_lossy().into_owned()),
        upstream,
        stands_for,
    })
}

fn detached(scope: &Scope, commit: CommitId) -> Result<Detached, Stop> {
    let last = reflog::last_switch(scope)?;
    let at = last.as_ref().is_some_and(|(_, id)| *id == Some(commit));
    // a name that still exists, or the abbreviated commit
    let from = last.and_then(|(name, id)| match revision::full_reference(scope, &name) {
        Some(_) => Some(name),
        None => id.map(|id| id.prefix(7)),
    });
    Ok(Detached { commit: commit.to_string(), subject: subject(scope, commit)?, from, at })
}

fn subject(scope: &Scope, commit: CommitId) -> Result<String, Stop> {
    Ok(text(history::read(scope, commit)?.subject()))
}
