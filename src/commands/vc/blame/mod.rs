//! `brv vc blame`: show who wrote each line of a file, or who stated what about a subject.

mod outcome;
mod sources;

pub use outcome::{BlamedCommit, BlamedFact, BlamedLine, BlamedSource, BlamedStatement, Outcome};
use sources::StatementSource;

use brv_base::fs;
use brv_base::nearest::nearest;
use brv_engine::Stop;
use brv_engine::journal::{self, Listed, OperationKind, Record, RefMove};
use brv_engine::open::context::Context;
use brv_engine::open::naming::revisions::{self, Revision};
use brv_engine::read::history::fact_history::{self, FactStart, FactVersion};
use brv_engine::read::history::line_ranges;
use brv_engine::read::history::provenance::Provenance;
use brv_git as git;
use brv_git::blame::{self, BlameSubject, Hunk};
use brv_git::commit::Commit;
use brv_git::lineage::Lineage;
use brv_git::{CommitId, Scope, merge_state, revision};
use brv_text::doc::Document;
use brv_text::stale::cited_paths;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// An optional revision, then the path, as typed before `--`. Without a revision: the file on disk.
    pub arguments: Vec<String>,
    /// The path, as typed after `--`.
    pub paths: Vec<String>,
    pub what: BlameTarget,
}

/// The part of a file to blame.
#[derive(Debug, Clone)]
pub enum BlameTarget {
    /// These lines; empty: all.
    Lines(Vec<String>),
    /// What the file states about a subject.
    Fact(String),
}

impl Default for BlameTarget {
    fn default() -> Self {
        Self::Lines(Vec::new())
    }
}

/// The lines, or the claims about a subject.
#[derive(Debug)]
enum BlameAnswer {
    Lines {
        /// All lines of the file, with their line endings.
        lines: Vec<BString>,
        /// The requested hunks, sorted.
        hunks: Vec<Hunk>,
    },
    /// The claims about a subject.
    Fact {
        subject: String,
        /// The current claims.
        current: Vec<BlamedClaim>,
        /// The earlier claims, newest first.
        earlier: Vec<BlamedClaim>,
    },
}

/// A statement, and where it comes from.
#[derive(Debug)]
struct BlamedClaim {
    /// Its line number, from 1; of a current one.
    line: Option<usize>,
    stated: FactVersion,
    /// The commit of the code that it was learned from, by the trailer of its commit or by the journal.
    source: Option<StatementSource>,
}

/// A commit, and where it comes from.
#[derive(Debug)]
struct BlameOrigin {
    commit: Commit,
    short: String,
    /// From its trailers, or from the operation that made it here.
    provenance: Provenance,
    /// The commit of the code that its trailer names.
    source: Option<StatementSource>,
}

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let arguments = revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths)
        .map_err(revisions::behind_dashes)?;
    let not_one_path = || Stop::usage("expected one path and at most one revision");
    let revision = match arguments.revisions[..] {
        [] => None,
        [Revision::Single(id)] => Some(id),
        _ => return Err(not_one_path()),
    };
    let [path] = &arguments.paths[..] else { return Err(not_one_path()) };
    let path = path.as_bstr().to_owned();
    let version = match revision {
        Some(commit) => {
            let place = arguments.typed.first().map_or_else(String::new, |typed| format!("`{typed}`"));
            let found = blame::recorded(scope, commit, path.as_bstr())?;
            found.ok_or_else(|| no_file(&path, place))?
        }
        None => on_disk(scope, path.as_bstr(), &options.what)?,
    };
    let (mut answer, listed) = match &options.what {
        BlameTarget::Lines(typed) => (lines(scope, &version, typed)?, Vec::new()),
        BlameTarget::Fact(subject) => {
            (fact(scope, revision, &path, &version, subject)?, journal::list(scope)?)
        }
    };
    let mut commits = origins(scope, &answer, &listed)?;
    let cited = cited_paths(&Document::parse(&version.bytes[..]));
    sources::resolve((&opened, &cx.cwd), (&listed, &cited), &mut answer, &mut commits)?;
    Ok(Outcome::new(&path, revision, answer, commits, cx.clock.seconds()))
}

/// `place`: `HEAD`, or the revision as it was typed.
fn no_file(path: &BString, place: String) -> Stop {
    Stop::usage(format!("there is no file `{path}` in {place}"))
}

/// The file on disk, on top of the staged version. What was curated in a folder of the code's repository is not tracked
/// before its people commit it, and has facts nevertheless.
fn on_disk(scope: &Scope, path: &BStr, what: &BlameTarget) -> Result<BlameSubject, Stop> {
    let head = scope.head()?;
    let unborn = || {
        let branch = head.short_branch().unwrap_or_default();
        Stop::failed(format!("the branch `{branch}` has no commits yet"))
    };
    let tip = head.commit().ok_or_else(unborn)?;
    let mut heads = vec![tip];
    heads.extend(merge_state::read(scope)?.into_iter().flat_map(|merge| merge.heads));
    let missing = || no_file(&path.to_owned(), "HEAD".into());
    let root = scope.root();
    let bytes = fs::read_below(&root, &fs::below(&root, path)?)?.ok_or_else(missing)?;
    let index = git::index::read(scope)?;
    let untracked =
        matches!(what, BlameTarget::Fact(_)).then(|| BlameSubject::untracked(path, bytes.clone()));
    blame::on_disk(scope, &heads, &index, path, bytes)?.or(untracked).ok_or_else(missing)
}

fn lines(scope: &Scope, subject: &BlameSubject, typed: &[String]) -> Result<BlameAnswer, Stop> {
    let lines: Vec<BString> = subject.bytes.lines_with_terminator().map(BString::from).collect();
    let chosen = line_ranges::chosen(typed, &lines)?;
    Ok(BlameAnswer::Lines { hunks: blame::blame(scope, subject, &chosen)?, lines })
}

fn fact(
    scope: &Scope,
    revision: Option<CommitId>,
    path: &BString,
    version: &BlameSubject,
    subject: &str,
) -> Result<BlameAnswer, Stop> {
    let stated = fact_history::statements(version.bytes.clone(), subject);
    let start = match revision {
        Some(commit) => {
            let file = Lineage::new(scope)?.file(commit, path.as_bstr())?;
            FactStart::Commit(commit, file.ok_or_else(|| no_file(path, commit.to_string()))?)
        }
        None => {
            let statements = stated.iter().map(|(_, statement)| statement.clone()).collect();
            FactStart::Disk(path.clone(), statements, version.versions_before().to_vec())
        }
    };
    let mut found = fact_history::trace(scope, subject, start)?;
    let mut current = Vec::new();
    let mut origins: HashMap<String, FactVersion> = HashMap::new();
    for (line, statement) in stated {
        if let Some(at) = found.iter().position(|one| one.statement == statement)
            && !origins.contains_key(&statement)
        {
            origins.insert(statement.clone(), found.remove(at));
        }
        let claim =
            |stated: &FactVersion| BlamedClaim { line: Some(line), stated: stated.clone(), source: None };
        current.extend(origins.get(&statement).map(claim));
    }
    if current.is_empty() && found.is_empty() {
        let subjects = fact_history::subjects(version.bytes.clone());
        let nearest = nearest(subject, subjects.iter().map(String::as_str));
        let stop = Stop::usage(format!("`{path}` has never stated anything about `{subject}`"));
        return Err(stop.hinting(nearest.map(|nearest| format!("perhaps `{nearest}`"))));
    }
    let claim = |stated| BlamedClaim { line: None, stated, source: None };
    Ok(BlameAnswer::Fact {
        subject: subject.to_owned(),
        current,
        earlier: found.into_iter().map(claim).collect(),
    })
}

fn origins(
    scope: &Scope,
    answer: &BlameAnswer,
    listed: &[Listed],
) -> Result<HashMap<CommitId, BlameOrigin>, Stop> {
    let named: Vec<(CommitId, &BString)> = match answer {
        BlameAnswer::Lines { hunks, .. } => {
            hunks.iter().filter_map(|hunk| Some((hunk.commit?, &hunk.path))).collect()
        }
        BlameAnswer::Fact { current, earlier, .. } => {
            let all = current.iter().chain(earlier).map(|claim| &claim.stated);
            all.filter_map(|stated| Some((stated.commit?, &stated.path))).collect()
        }
    };
    let operations = operations(listed);
    let shorten = revision::shortener(scope);
    let mut origins = HashMap::new();
    for (id, path) in named {
        if origins.contains_key(&id) {
            continue;
        }
        let commit = git::history::read(scope, id)?;
        let mut provenance = Provenance::of(&commit, Some(&path.to_str_lossy()));
        if let Some(record) = operations.get(&id) {
            provenance.complete(record);
        }
        origins.insert(id, BlameOrigin { short: shorten(id.into())?, provenance, commit, source: None });
    }
    Ok(origins)
}

/// The operations that made commits here, by commit.
fn operations(listed: &[Listed]) -> HashMap<CommitId, &Record> {
    let mut made = HashMap::new();
    // an operation that this version cannot read is skipped; the newest one that made a commit comes last
    for record in listed.iter().rev().filter_map(|one| one.record.as_ref().ok()) {
        if matches!(record.kind, OperationKind::Commit | OperationKind::Revert) {
            made.extend(record.moves.iter().filter_map(RefMove::new_commit).map(|id| (id, record)));
        }
    }
    made
}
