//! The sources of statements: the commit of the code that each was learned from, as the trailer of its commit or the journal
//! has it, and the commit that stands for it today.

use super::{Answer, Claim, Error, Origin};
use crate::git::trees::{self, Found};
use crate::git::{CommitId, PatchId, Scope, revision};
use crate::journal::{Kind, Listed, Record, SourceCommit, undone};
use crate::ops::context::Opened;
use crate::ops::steps::history::fact_history::{self, Stated};
use crate::ops::steps::hosting::Host;
use crate::ops::steps::hosting::standing::{Past, Request, Standing, standings};
use bstr::ByteSlice as _;
use std::collections::HashMap;
use std::path::Path;

/// The commit that a statement was learned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name as it was recorded: an id, if it is one.
    pub recorded: String,
    /// The one that stands for it today.
    pub standing: Standing,
}

/// What is known of a source, before it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    /// As in [`Source`].
    recorded: String,
    patch: Option<PatchId>,
    /// When it was recorded.
    since: i64,
}

/// Look up the sources of statements and of the commits that made them.
pub(super) fn resolve(
    (opened, cwd): (&Opened, &Path),
    listed: &[Listed],
    answer: &mut Answer,
    origins: &mut HashMap<CommitId, Origin>,
) -> Result<(), Error> {
    let Answer::Fact { subject, current, earlier } = answer else { return Ok(()) };
    let mut claims: Vec<&mut Claim> = current.iter_mut().chain(earlier).collect();
    let scope = &opened.scope;
    let curations = curations(scope, listed);
    let of_origins: HashMap<CommitId, Known> =
        origins.iter().filter_map(|(id, origin)| Some((*id, of_commit(origin)?))).collect();
    let mut of_claims = Vec::with_capacity(claims.len());
    for Claim { stated, .. } in claims.iter().map(|claim| &**claim) {
        let own = stated.commit.and_then(|id| of_origins.get(&id)).cloned();
        let until =
            stated.commit.and_then(|id| origins.get(&id)).map(|origin| origin.commit.committer.seconds);
        of_claims.push(match own {
            Some(own) => Some(own),
            None => of_curation(scope, &curations, (subject, stated), until)?,
        });
    }
    let all: Vec<&Known> = of_origins.values().chain(of_claims.iter().flatten()).collect();
    let sources = sources((opened, cwd), &all)?;
    let source =
        |known: &Known| sources.iter().zip(&all).find(|(_, one)| **one == known).map(|(one, _)| one.clone());
    for (claim, known) in claims.iter_mut().zip(&of_claims) {
        claim.source = known.as_ref().and_then(source);
    }
    for (id, origin) in origins {
        origin.source = of_origins.get(id).and_then(source);
    }
    Ok(())
}

/// The source that the trailer of a commit names.
fn of_commit(origin: &Origin) -> Option<Known> {
    let recorded = origin.provenance.source_commit.clone()?;
    let patch = origin.provenance.source_patch;
    // a commit that was rebased or cherry-picked keeps the time of its author
    let since = origin.commit.committer.seconds.min(origin.commit.author.seconds);
    Some(Known { recorded, patch, since })
}

/// The operations of this tree that have a source, the newest first, except those that were undone.
fn curations<'l>(scope: &Scope, listed: &'l [Listed]) -> Vec<(&'l Record, SourceCommit)> {
    let undone = undone(listed);
    let known = listed.iter().filter(|one| !undone.contains_key(&one.id));
    known
        .filter_map(|one| one.record.as_ref().ok())
        .filter(|record| record.kind == Kind::Curate && record.is_of(scope))
        .filter_map(|record| Some((record, record.source_commit?)))
        .collect()
}

/// The source of the newest of these operations, up to a time, that made a statement.
fn of_curation(
    scope: &Scope,
    curations: &[(&Record, SourceCommit)],
    (subject, stated): (&str, &Stated),
    until: Option<i64>,
) -> Result<Option<Known>, Error> {
    let states = |commit| -> Result<bool, Error> {
        let found = trees::find(scope, scope.tree_of(commit)?, stated.path.as_bstr())?;
        let Some(Found::File(version)) = found else { return Ok(false) };
        let mut all = fact_history::statements(trees::blob(scope, version.id)?, subject).into_iter();
        Ok(all.any(|(_, statement)| statement == stated.statement))
    };
    for (record, source) in curations {
        if until.is_some_and(|until| record.seconds > until) {
            continue;
        }
        if states(record.after)? && !states(record.before)? {
            let recorded = source.commit.to_string();
            return Ok(Some(Known { recorded, patch: source.patch, since: record.seconds }));
        }
    }
    Ok(None)
}

/// The sources, each with the commit that stands for it. Without a host that brv can open, all are unknown.
fn sources((opened, cwd): (&Opened, &Path), all: &[&Known]) -> Result<Vec<Source>, Error> {
    let unknown = |known: &Known| Source { recorded: known.recorded.clone(), standing: Standing::UNKNOWN };
    let mut sources: Vec<Source> = all.iter().map(|known| unknown(known)).collect();
    if all.is_empty() {
        return Ok(sources);
    }
    let Ok(Some(host)) = Host::of(opened, cwd) else { return Ok(sources) };
    let mut named = Vec::new();
    for (at, known) in all.iter().enumerate() {
        let commit = match SourceCommit::parse(&known.recorded) {
            Some(source) => Some(source.commit),
            None => revision::abbreviated(&host.scope, &known.recorded)?,
        };
        named.extend(commit.map(|commit| (at, SourceCommit { commit, patch: known.patch }, known.since)));
    }
    let commits: Vec<CommitId> = named.iter().map(|(_, source, _)| source.commit).collect();
    let pasts = Past::remembered(opened, &commits);
    let sought: Vec<Request> = named
        .iter()
        .zip(pasts)
        .map(|((_, recorded, since), past)| Request { recorded: *recorded, since: *since, past })
        .collect();
    for ((at, ..), standing) in named.iter().zip(standings(&host, &sought)?) {
        sources[*at].standing = standing;
    }
    Ok(sources)
}
