//! Which commits count as reviewed by others, since a remote has them.
//!
//! A branch that is there to be reviewed does not count: what it has is published once another branch has it. It is
//! `dream/…`, or a commit of its own says that it was made for it, whatever was committed on top.

use crate::Stop;
use crate::read::history::provenance::{BRANCH, Trailers};
use brv_git as git;
use brv_git::push::KnownRef;
use brv_git::remotes::{self, RemoteName};
use brv_git::{CommitId, Head, Scope, history, refs};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashSet;
use std::ops::ControlFlow;

const HEADS: &[u8] = b"refs/heads/";
/// Branches that everything comes to in the end: they are there for no review.
const MAIN: [&[u8]; 2] = [b"main", b"master"];
/// The most commits that are looked at to see which branch they were made for, newest first.
const LOOKED_AT: usize = 10_000;

/// What the remote of the current branch has, as far as is known here; without an upstream, what any remote has.
pub fn commits(scope: &Scope, head: &Head) -> Result<Vec<CommitId>, Stop> {
    let upstream = tracked_by(scope, head)?;
    let mut known: Vec<CommitId> = upstream.iter().filter_map(|(_, tip)| *tip).collect();
    let folder = upstream.map_or_else(String::new, |(remote, _)| format!("{remote}/"));
    known.extend(PublishedRefs::tracked(scope, &folder)?.published(scope)?);
    known.sort_unstable();
    known.dedup();
    Ok(known)
}

/// The remote of the current branch, and the commit that its upstream has, as far as is known here; `None` without an
/// upstream, or with one that is not a branch of a named remote.
pub fn tracked_by(scope: &Scope, head: &Head) -> Result<Option<(String, Option<CommitId>)>, Stop> {
    let Some(branch) = head.short_branch() else { return Ok(None) };
    let Some(upstream) = remotes::upstream(scope, &branch)? else { return Ok(None) };
    let Some(tracking) = upstream.tracking else { return Ok(None) };
    match tracking.starts_with(b"refs/remotes/") && RemoteName::parse(&upstream.remote).is_ok() {
        true => Ok(Some((upstream.remote, refs::commit(scope, tracking.as_bstr())?))),
        false => Ok(None),
    }
}

/// What a remote has: its branches, and its other references, which are never for review.
pub struct PublishedRefs {
    all: Vec<(BString, CommitId)>,
    others: Vec<CommitId>,
    /// The branches that commits were made for, merged since or not.
    named: HashSet<BString>,
}

impl PublishedRefs {
    /// Those with tracking refs in this folder below `refs/remotes/` (`origin/`).
    fn tracked(scope: &Scope, folder: &str) -> Result<Self, git::Error> {
        let prefix = format!("refs/remotes/{folder}");
        let short = |name: &BString| -> BString {
            let rest = name.strip_prefix(prefix.as_bytes()).unwrap_or(name);
            // without an upstream the name of the remote stands in front
            match folder {
                "" => rest.splitn_str(2, "/").nth(1).unwrap_or(rest).into(),
                _ => rest.into(),
            }
        };
        let all = refs::commits(scope, &prefix)?;
        let all = all.iter().map(|(name, commit)| (short(name), *commit));
        // a remote's `HEAD` is another name of one of its branches
        Self::of(scope, all.filter(|(name, _)| name != "HEAD").collect(), Vec::new())
    }

    /// The refs of a remote that was asked.
    pub fn of_remote(scope: &Scope, known: &[KnownRef]) -> Result<Self, git::Error> {
        let (mut all, mut others) = (Vec::new(), Vec::new());
        for KnownRef { name, commit } in known {
            match name.strip_prefix(HEADS) {
                Some(branch) => all.push((branch.into(), *commit)),
                None if name.starts_with(b"refs/") => others.push(*commit),
                None => {}
            }
        }
        Self::of(scope, all, others)
    }

    fn of(scope: &Scope, all: Vec<(BString, CommitId)>, others: Vec<CommitId>) -> Result<Self, git::Error> {
        let is_main = |name: &BString| MAIN.contains(&name.as_slice());
        let tips = |of_main: bool| {
            all.iter().filter(move |(name, _)| is_main(name) == of_main).map(|(_, tip)| *tip).collect()
        };
        let named = made_for(scope, tips(false), tips(true))?;
        Ok(Self { all, others, named })
    }

    /// The commits of the references that count.
    pub fn published(&self, scope: &Scope) -> Result<Vec<CommitId>, git::Error> {
        let mut commits = self.others.clone();
        for (name, tip) in &self.all {
            if !self.is_for_review(scope, name.as_bstr(), *tip)? {
                commits.push(*tip);
            }
        }
        commits.sort_unstable();
        commits.dedup();
        Ok(commits)
    }

    /// Whether a ref of the remote is a branch for review, if it has this commit.
    pub fn is_destination_for_review(
        &self,
        scope: &Scope,
        name: &BStr,
        tip: CommitId,
    ) -> Result<bool, git::Error> {
        name.strip_prefix(HEADS).map_or(Ok(false), |branch| self.is_for_review(scope, branch.as_bstr(), tip))
    }

    /// `dream/…`, or the branch that a commit of its own was made for: one that no branch has that is surely for no
    /// review.
    fn is_for_review(&self, scope: &Scope, branch: &BStr, tip: CommitId) -> Result<bool, git::Error> {
        if is_dream(branch) || MAIN.contains(&branch.as_bytes()) {
            return Ok(is_dream(branch));
        }
        let is_here = self.all.iter().any(|(name, commit)| name == branch && *commit == tip);
        if is_here && !self.named.contains(branch) {
            return Ok(false);
        }
        let is_settled = |name: &BString| {
            name != branch && !is_dream(name.as_bstr()) && !self.named.contains(name.as_bstr())
        };
        let settled = self.all.iter().filter(|(name, _)| is_settled(name)).map(|(_, commit)| *commit);
        Ok(made_for(scope, vec![tip], settled.collect())?.contains(branch))
    }
}

fn is_dream(branch: &BStr) -> bool {
    branch.starts_with(b"dream/")
}

/// The branches that the commits between were made for.
fn made_for(
    scope: &Scope,
    tips: Vec<CommitId>,
    hidden: Vec<CommitId>,
) -> Result<HashSet<BString>, git::Error> {
    let range = history::Range { tips, hidden, ..history::Range::default() };
    let (mut named, mut left) = (HashSet::new(), LOOKED_AT);
    history::walk(scope, &range, |walked| {
        let message = &walked.commit.message;
        if message.contains_str(BRANCH) {
            named.extend(Trailers::of(message).get(BRANCH).map(BString::from));
        }
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(named)
}
