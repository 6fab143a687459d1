//! Plan new branches: validate the name, choose the start, and choose the upstream.
//!
//! Knows no files; moves no ref itself.

use crate::Stop;
use crate::journal::RefMove;
use crate::outcome::unknown_name::UnknownName;
use brv_git as git;
use brv_git::branch_settings::{self, AutoSetup, Followed};
use brv_git::refs;
use brv_git::revision;
use brv_git::{CommitId, Scope, reflog, remotes, worktrees};
use bstr::{BStr, BString, ByteSlice as _};

/// A name that git accepts for a branch, without `refs/heads/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchName(String);

impl BranchName {
    /// Parse a branch name; `-` and `@{-1}` mean the branch before the last switch.
    ///
    /// # Errors
    /// No branch can have the name, or there was no such branch.
    pub fn parse(scope: &Scope, typed: &str) -> Result<Self, Stop> {
        let name = expand(scope, typed)?;
        match git::is_branch_name(&name) {
            true => Ok(Self(name)),
            false => Err(Stop::usage(format!("`{name}` is not a valid branch name"))),
        }
    }

    /// Without `refs/heads/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `refs/heads/main`
    pub fn full(&self) -> BString {
        format!("refs/heads/{}", self.0).into()
    }
}

impl std::fmt::Display for BranchName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

const LISTED: &str = "`brv vc branch` lists the branches";

/// A branch that is to be new, and exists.
pub fn exists(name: &BranchName) -> Stop {
    Stop::usage(format!("the branch `{name}` already exists")).hint(LISTED)
}

/// There is no such branch.
pub fn absent(name: &str) -> Stop {
    let stop = Stop::usage(format!("there is no branch `{name}`")).hint(LISTED);
    stop.seeking(UnknownName::Revision(name.to_owned()))
}

/// The branch is the current one.
pub fn is_current(name: &str) -> Stop {
    Stop::refused(format!("the branch `{name}` is checked out here")).hint("switch to another branch first")
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existing {
    /// Keep it, and fail.
    #[default]
    Stays,
    /// Move it; its old position is logged.
    Moves,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Track {
    /// As `branch.autoSetupMerge` says.
    #[default]
    Settings,
    Nothing,
    Start,
    /// The upstream of the branch that it starts from.
    Inherited,
}

#[derive(Debug, Clone)]
pub struct Start {
    pub text: String,
    pub commit: CommitId,
    /// The reference (full name) that was named, if it was one.
    pub reference: Option<BString>,
}

impl Start {
    /// A revision as typed.
    ///
    /// # Errors
    /// There is no such revision, or there was no such branch.
    pub fn at(scope: &Scope, typed: &str) -> Result<Self, Stop> {
        let name = expand(scope, typed)?;
        let commit = revision::commit(scope, &name)?;
        let reference = revision::full_reference(scope, &name).filter(|full| full != "HEAD");
        Ok(Self { text: name, commit, reference })
    }

    /// The commit of `HEAD`. `text` is its name in the reflog.
    ///
    /// # Errors
    /// The branch has no commits.
    pub fn here(scope: &Scope, text: String) -> Result<Self, Stop> {
        let commit = revision::commit(scope, "HEAD")?;
        Ok(Self { text, commit, reference: scope.head()?.branch().map(ToOwned::to_owned) })
    }
}

#[derive(Debug, Clone)]
pub struct Creation {
    pub name: BranchName,
    pub reference: RefMove,
    pub line: String,
    /// The new upstream; `None`: the upstream does not change.
    pub follows: Option<Followed>,
}

/// Check and plan a new branch. The caller checks whether it is the current branch of this work tree.
pub fn creation(
    scope: &Scope,
    name: BranchName,
    start: &Start,
    existing: Existing,
    track: Track,
) -> Result<Creation, Stop> {
    let full = name.full();
    let old = refs::target(scope, full.as_bstr())?;
    if old.is_some() {
        if existing == Existing::Stays {
            return Err(exists(&name));
        }
        refuse_elsewhere(scope, full.as_bstr())?;
    } else {
        refuse_folders(scope, &name, None)?;
    }
    let verb = if old.is_some() { "Reset to" } else { "Created from" };
    Ok(Creation {
        follows: follows(scope, &name, start, track)?,
        reference: RefMove { name: full, old, new: Some(start.commit.into()) },
        line: format!("branch: {verb} {}", start.text),
        name,
    })
}

/// Fail if the branch is checked out in another work tree.
pub fn refuse_elsewhere(scope: &Scope, full: &BStr) -> Result<(), Stop> {
    match worktrees::elsewhere(scope, full)? {
        Some(place) => {
            let (name, place) = (short(full), place.display());
            Err(Stop::refused(format!("the branch `{name}` is checked out in `{place}`")))
        }
        None => Ok(()),
    }
}

/// Fail if a branch other than `leaving` needs the name as a folder, or uses a folder of the name as its own name.
pub fn refuse_folders(scope: &Scope, name: &BranchName, leaving: Option<&BStr>) -> Result<(), Stop> {
    match clashing(scope, "refs/heads/", name.full().as_bstr(), leaving)? {
        Some(other) => {
            let other = short(other.as_bstr());
            Err(Stop::usage(format!("the branch `{name}` cannot be created: the branch `{other}` exists")))
        }
        None => Ok(()),
    }
}

/// The ref below `prefix` (other than `leaving`) that a new ref (full name) would need as a folder, or that needs the
/// new one as a folder.
pub fn clashing(
    scope: &Scope,
    prefix: &str,
    full: &BStr,
    leaving: Option<&BStr>,
) -> Result<Option<BString>, git::Error> {
    let inside =
        |inner: &[u8], outer: &[u8]| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(b"/"));
    let is_in_the_way =
        |other: &BString| Some(other.as_bstr()) != leaving && (inside(other, full) || inside(full, other));
    Ok(refs::names(scope, prefix)?.into_iter().find(is_in_the_way))
}

/// The upstream to set for a branch that names `reference` as its upstream.
///
/// # Errors
/// It is not a branch, or the same one.
pub fn upstream(
    scope: &Scope,
    name: &BranchName,
    reference: Option<&BStr>,
    typed: &str,
) -> Result<Followed, Stop> {
    let not_a_branch = || {
        Stop::usage(format!("`{typed}` is not a branch, so it cannot be an upstream"))
            .hint("`brv vc branch -a` lists the branches that can be tracked")
    };
    let reference = reference.ok_or_else(not_a_branch)?;
    if reference == name.full() {
        return Err(Stop::usage(format!("the branch `{name}` cannot track itself")));
    }
    if reference.starts_with(b"refs/heads/") {
        return Ok(Followed { remote: ".".into(), merge: reference.to_owned() });
    }
    branch_settings::remembered(scope, reference)?.ok_or_else(not_a_branch)
}

fn follows(scope: &Scope, name: &BranchName, start: &Start, track: Track) -> Result<Option<Followed>, Stop> {
    let reference = start.reference.as_ref().map(|name| name.as_bstr());
    let is_remote = reference.is_some_and(|name| name.starts_with(b"refs/remotes/"));
    let is_local = reference.is_some_and(|name| name.starts_with(b"refs/heads/"));
    let setup = match track {
        Track::Nothing => AutoSetup::Never,
        Track::Start => return upstream(scope, name, reference, &start.text).map(Some),
        Track::Inherited => AutoSetup::Inherit,
        Track::Settings => branch_settings::auto_setup(scope)?,
    };
    let theirs = || reference.map_or(Ok(None), |reference| branch_settings::remembered(scope, reference));
    Ok(match setup {
        AutoSetup::Never => None,
        AutoSetup::Remote if is_remote => theirs()?,
        AutoSetup::SameName if is_remote => theirs()?.filter(|followed| followed.merge == name.full()),
        AutoSetup::Always if is_remote || is_local => upstream(scope, name, reference, &start.text).ok(),
        AutoSetup::Inherit if is_local => {
            let of = reference.map(short).unwrap_or_default();
            let theirs = remotes::upstream(scope, &of)?;
            theirs.map(|theirs| Followed { remote: theirs.remote, merge: theirs.merge })
        }
        _ => None,
    })
}

/// `-` and `@{-1}` as the branch (or the commit id) that they mean; anything else unchanged.
pub fn expand(scope: &Scope, typed: &str) -> Result<String, Stop> {
    let inner = if typed == "-" {
        Some("1")
    } else {
        typed.strip_prefix("@{-").and_then(|rest| rest.strip_suffix('}'))
    };
    let Some(back) = inner.and_then(|number| number.parse().ok()) else { return Ok(typed.to_owned()) };
    reflog::previous(scope, back)?
        .ok_or_else(|| Stop::usage(format!("there is no previous branch `{typed}`")))
}

/// The name without `refs/heads/` or `refs/remotes/`.
pub fn short(full: &BStr) -> String {
    let known = ["refs/heads/", "refs/remotes/"];
    let short = known.iter().find_map(|known| full.strip_prefix(known.as_bytes()));
    short.unwrap_or(full).to_str_lossy().into_owned()
}
