//! The sources of statements: the commit of the code that each was learned from, as the trailer of its commit or the journal
//! has it, and the commit that stands for it today.

use super::{BlameAnswer, BlameOrigin, BlamedClaim};
use brv_engine::Stop;
use brv_engine::journal::{Listed, SourceCommit};
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_engine::open::hosting::current_commit::CurrentCommit;
use brv_engine::read::history::curations::{self, Curation};
use brv_engine::read::history::fact_history::FactVersion;
use brv_engine::read::history::learned::sources::{Recorded, standings_of};
use brv_engine::read::history::provenance::{SOURCE_SUBJECT, Trailers};
use brv_engine::read::stale::{meanings, project_below};
use brv_git::{CommitId, PatchId, Scope, revision};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// The commit that a statement was learned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatementSource {
    /// Its name as it was recorded: an id, if it is one.
    pub recorded: String,
    /// The one that stands for it today.
    pub standing: CurrentCommit,
}

/// What is known of a source, before it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordedSource {
    /// As in [`StatementSource`].
    recorded: String,
    patch: Option<PatchId>,
    /// When it was recorded.
    since: i64,
    /// What it is called, as far as that was recorded.
    subject: Option<String>,
}

/// Look up the sources of statements and of the commits that made them.
pub(super) fn resolve(
    (opened, cwd): (&Opened, &Path),
    (listed, cited): (&[Listed], &[String]),
    answer: &mut BlameAnswer,
    origins: &mut HashMap<CommitId, BlameOrigin>,
) -> Result<(), Stop> {
    let scope = &opened.scope;
    let (subject, mut claims): (&str, Vec<&mut BlamedClaim>) = match answer {
        BlameAnswer::Fact { subject, current, earlier } => {
            (subject, current.iter_mut().chain(earlier).collect())
        }
        BlameAnswer::Lines { .. } => ("", Vec::new()),
    };
    let curations = curations::standing(scope, listed);
    let of_origins: HashMap<CommitId, RecordedSource> =
        origins.iter().filter_map(|(id, origin)| Some((*id, of_commit(origin)?))).collect();
    let mut of_claims = Vec::with_capacity(claims.len());
    for BlamedClaim { stated, .. } in claims.iter().map(|claim| &**claim) {
        let own = stated.commit.and_then(|id| of_origins.get(&id)).cloned();
        let until =
            stated.commit.and_then(|id| origins.get(&id)).map(|origin| origin.commit.committer.seconds);
        of_claims.push(match own {
            Some(own) => Some(own),
            None => of_curation(scope, &curations, (subject, stated), until)?,
        });
    }
    let all: Vec<&RecordedSource> = of_origins.values().chain(of_claims.iter().flatten()).collect();
    let sources = sources((opened, cwd), &all, cited)?;
    let source = |known: &RecordedSource| {
        sources.iter().zip(&all).find(|(_, one)| **one == known).map(|(one, _)| one.clone())
    };
    for (claim, known) in claims.iter_mut().zip(&of_claims) {
        claim.source = known.as_ref().and_then(source);
    }
    for (id, origin) in origins {
        origin.source = of_origins.get(id).and_then(source);
    }
    Ok(())
}

/// The source that the trailer of a commit names.
fn of_commit(origin: &BlameOrigin) -> Option<RecordedSource> {
    let recorded = origin.provenance.source_commit.clone()?;
    let patch = origin.provenance.source_patch;
    // a commit that was rebased or cherry-picked keeps the time of its author
    let since = origin.commit.committer.seconds.min(origin.commit.author.seconds);
    let subject = Trailers::of(&origin.commit.message).get(SOURCE_SUBJECT).map(str::to_owned);
    Some(RecordedSource { recorded, patch, since, subject })
}

/// The source of the newest of these operations, up to a time, that made a statement.
fn of_curation(
    scope: &Scope,
    curations: &[Curation<'_>],
    about: (&str, &FactVersion),
    until: Option<i64>,
) -> Result<Option<RecordedSource>, Stop> {
    let made = curations::stating(scope, curations, about, until)?;
    Ok(made.map(|(record, source)| RecordedSource {
        recorded: source.commit.to_string(),
        patch: source.patch,
        since: record.seconds,
        subject: None,
    }))
}

/// The sources, each with the commit that stands for it. Without a host that brv can open, all are unknown.
fn sources(
    (opened, cwd): (&Opened, &Path),
    all: &[&RecordedSource],
    cited: &[String],
) -> Result<Vec<StatementSource>, Stop> {
    let unknown = |known: &RecordedSource| StatementSource {
        recorded: known.recorded.clone(),
        standing: CurrentCommit::UNKNOWN,
    };
    let mut sources: Vec<StatementSource> = all.iter().map(|known| unknown(known)).collect();
    if all.is_empty() {
        return Ok(sources);
    }
    let Ok(Some(host)) = Host::of(opened, cwd) else { return Ok(sources) };
    let project = project_below(&host.scope.root(), &opened.places.project);
    let files: BTreeSet<String> = cited.iter().flat_map(|path| meanings(&project, path)).collect();
    let mut named = Vec::new();
    for (at, known) in all.iter().enumerate() {
        let commit = match SourceCommit::parse(&known.recorded) {
            Some(source) => Some(source.commit),
            None => revision::abbreviated(&host.scope, &known.recorded)?,
        };
        let recorded = |commit| Recorded {
            subject: known.subject.clone(),
            files: files.clone(),
            ..Recorded::of(SourceCommit { commit, patch: known.patch }, known.since)
        };
        named.extend(commit.map(|commit| (at, recorded(commit))));
    }
    let (at, named): (Vec<usize>, Vec<Recorded>) = named.into_iter().unzip();
    for (at, standing) in at.into_iter().zip(standings_of(opened, &host, &named)?) {
        sources[at].standing = standing;
    }
    Ok(sources)
}
