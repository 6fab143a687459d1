//! Which commits of the code stand today for those that knowledge was learned from: by all that this clone remembers
//! and the tree tells. [`moves`] reports the results to other clones.

pub mod moves;

use crate::journal::SourceCommit;
use crate::open::context::Opened;
use crate::open::hosting::Host;
use crate::open::hosting::current_commit::{By, CurrentCommit, Past, Request, standings};
use brv_git as git;
use brv_git::{CommitId, revision};
use moves::Moves;
use std::collections::BTreeSet;

/// A commit that was recorded, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub source: SourceCommit,
    /// When it was recorded, in seconds since 1970.
    pub since: i64,
    /// What it is called, as far as that was recorded.
    pub subject: Option<String>,
    /// Files of the code that the knowledge is about.
    pub files: BTreeSet<String>,
}

impl Recorded {
    /// A source commit about which no more is known.
    pub const fn of(source: SourceCommit, since: i64) -> Self {
        Self { source, since, subject: None, files: BTreeSet::new() }
    }
}

/// The standing of each of these, in their order.
///
/// # Errors
/// A history that cannot be read.
pub fn standings_of(
    opened: &Opened,
    host: &Host,
    all: &[Recorded],
) -> Result<Vec<CurrentCommit>, git::Error> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let commits: Vec<CommitId> = all.iter().map(|one| one.source.commit).collect();
    let mut is_whole = true;
    for commit in &commits {
        is_whole = is_whole && revision::is_commit(&host.scope, *commit)?;
    }
    // where all are here, the history of the tree need not be read
    let moves = if is_whole { Moves::default() } else { Moves::of(opened)? };
    let request = |(one, past): (&Recorded, Past)| Request {
        recorded: one.source,
        since: one.since,
        past,
        told: moves.told(one.source.commit),
        subject: one.subject.clone(),
        files: one.files.clone(),
    };
    let requests: Vec<Request> = all.iter().zip(Past::remembered(opened, &commits)).map(request).collect();
    let found = standings(host, &requests)?;
    let seen =
        commits.into_iter().zip(&found).filter_map(|(old, standing)| match (standing.commit, standing.by) {
            (Some(new), By::Map | By::Patch | By::Squash) => Some((old, new)),
            _ => None,
        });
    moves::note(opened, seen);
    Ok(found)
}
