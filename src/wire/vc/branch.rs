//! The data of `brv vc branch`.

use crate::ops::steps::naming::branches::short;
use crate::ops::steps::remotes::upstream;
use crate::ops::vc::branch::{self, At, Changed, Listed, Place};
use crate::wire::text;
use crate::wire::written::Logged;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.branch/1`: what was asked for, or what changed.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Branches {
    /// The branches, where they were asked for: in order of name, those of remotes behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<Vec<Branch>>,
    /// Where `HEAD` is, if it is on no branch and branches were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detached: Option<Detached>,
    /// The branch that `HEAD` is on, with `--show-current`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// The branch that is new or moved, and its commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<Tip>,
    /// The branch that has another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<Renamed>,
    /// Branches that are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<Gone>,
    /// The branch that follows another one now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<Follows>,
    /// The branch that follows none any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfollowed: Option<String>,
    /// The rest.
    #[serde(flatten)]
    pub written: Logged,
}

/// A branch.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Branch {
    /// `main`, `origin/main`
    pub name: String,
    /// `refs/heads/main`
    #[serde(rename = "ref")]
    pub full: String,
    /// Where it leads.
    pub commit: String,
    /// The first line of that commit's message.
    pub subject: String,
    /// Whether `HEAD` is on it.
    pub current: bool,
    /// The other work tree that has it checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_out_in: Option<String>,
    /// What it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
    /// The full name of the reference that it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
}

/// What a branch follows.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Upstream {
    /// `origin/main`
    pub name: String,
    /// Commits that it does not have; absent where it is not known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<usize>,
    /// Commits that it has alone; absent where it is not known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<usize>,
}

/// A `HEAD` that is on no branch.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Detached {
    /// Where it is.
    pub commit: String,
    /// The first line of that commit's message.
    pub subject: String,
    /// What it was switched to, as it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Whether it is still there.
    pub at: bool,
}

/// A branch and its commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Tip {
    /// `main`
    pub name: String,
    /// Where it is.
    pub commit: String,
}

/// A branch with another name.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Renamed {
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

/// A branch that is gone.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Gone {
    /// What it was called.
    pub name: String,
    /// The commit where it was, in short, or the name of the reference that it stood for.
    pub was: String,
    /// What it followed has its commits, but `HEAD` does not.
    pub ahead_of_head: bool,
}

/// A branch that follows another one.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Follows {
    /// `main`
    pub branch: String,
    /// `origin/main`
    pub upstream: String,
}

impl From<&branch::Outcome> for Branches {
    fn from(outcome: &branch::Outcome) -> Self {
        match outcome {
            branch::Outcome::Listed { branches, detached } => Self {
                branches: Some(branches.iter().map(Branch::from).collect()),
                detached: detached.as_ref().map(Detached::from),
                ..Self::default()
            },
            branch::Outcome::Current(current) => Self { current: current.clone(), ..Self::default() },
            branch::Outcome::Changed(changed) => (&**changed).into(),
        }
    }
}

impl From<&Changed> for Branches {
    fn from(changed: &Changed) -> Self {
        let tip = |(name, commit): &(String, crate::git::CommitId)| Tip {
            name: name.clone(),
            commit: commit.to_string(),
        };
        Self {
            made: changed.made.as_ref().map(tip),
            renamed: changed.renamed.clone().map(|(before, after)| Renamed { before, after }),
            deleted: changed
                .deleted
                .iter()
                .map(|gone| Gone {
                    name: gone.name.clone(),
                    was: text(&gone.was),
                    ahead_of_head: gone.is_ahead_of_head,
                })
                .collect(),
            follows: changed.follows.clone().map(|(branch, upstream)| Follows { branch, upstream }),
            unfollowed: changed.unfollowed.clone(),
            written: Logged::from(&changed.written),
            ..Self::default()
        }
    }
}

impl From<&Listed> for Branch {
    fn from(listed: &Listed) -> Self {
        Self {
            name: short(listed.full.as_bstr()),
            full: text(&listed.full),
            commit: listed.commit.to_string(),
            subject: text(&listed.subject),
            current: listed.place == Place::Here,
            checked_out_in: match &listed.place {
                Place::Elsewhere(place) => Some(place.to_string_lossy().into_owned()),
                Place::Here | Place::Nowhere => None,
            },
            upstream: listed.upstream.as_ref().map(Upstream::from),
            stands_for: listed.stands_for.as_ref().map(|name| text(name)),
        }
    }
}

impl From<&upstream::Upstream> for Upstream {
    fn from(upstream: &upstream::Upstream) -> Self {
        Self {
            name: upstream.name.clone(),
            ahead: upstream.distance.as_ref().map(|distance| distance.ahead),
            behind: upstream.distance.as_ref().map(|distance| distance.behind),
        }
    }
}

impl From<&At> for Detached {
    fn from(at: &At) -> Self {
        Self {
            commit: at.commit.to_string(),
            subject: text(&at.subject),
            from: at.from.clone(),
            at: at.is_there,
        }
    }
}
