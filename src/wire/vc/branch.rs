//! JSON of `brv vc branch`.

use brv_commands::vc::branch::{self, At, Changed, Listed, Place};
use brv_engine::open::naming::branches::short;
use brv_engine::open::naming::upstream::Upstream;
use brv_engine::outcome::bytes::text;
use brv_engine::write::written::Logged;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.branch/1`: the requested list, or what changed.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Branches {
    /// The branches, if listed: ordered by name, with remote-tracking branches last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<Vec<Branch>>,
    /// The detached `HEAD`, if branches were listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detached: Option<Detached>,
    /// With `--show-current`: the current branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// The branch that was created or moved, and its commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<Tip>,
    /// The branch that was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<Renamed>,
    /// The branches that were deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<Gone>,
    /// The branch whose upstream was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<Follows>,
    /// The branch whose upstream was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfollowed: Option<String>,
    /// The operation, and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
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

/// A branch and its commit.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Tip {
    /// Its name: `main`
    pub name: String,
    /// Its commit.
    pub commit: String,
}

/// A renamed branch.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Renamed {
    /// The old name.
    pub before: String,
    /// The new name.
    pub after: String,
}

/// A deleted branch.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Gone {
    /// Its name.
    pub name: String,
    /// The short id of its commit, or the name of the reference that it was a symbolic ref to.
    pub was: String,
    /// Whether its commits are in its upstream, but not in `HEAD`.
    pub ahead_of_head: bool,
}

/// A branch and its new upstream.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Follows {
    /// The branch: `main`
    pub branch: String,
    /// The upstream: `origin/main`
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
        let tip = |(name, commit): &(String, brv_git::CommitId)| Tip {
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
            upstream: listed.upstream.clone(),
            stands_for: listed.stands_for.as_ref().map(|name| text(name)),
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
