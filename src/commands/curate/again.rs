//! `brv curate --commit --again`: what earlier rules filed is filed anew by those of today, and goes then.
//!
//! The commits of the code are written down before anything changes, under the name of the session that all operations have; the
//! entries go in its last commit. A run that was killed is gone on with by the next one.

use super::history::{self, CuratedCommits, HostHistory};
use super::taking::{AgainResult, Options, Outcome, all_of, session};
use crate::commits::again::{Anew, KeptEntryReason, Stays, folders};
use crate::commits::aside::{REASON, removal};
use crate::commits::{Aside, Authors, Intake, Route};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form};
use brv_base::path::TreePath;
use brv_engine::curate;
use brv_engine::jobs::{Store, Verdict};
use brv_engine::open::context::{Actor, Context, Opened, Parts};
use brv_engine::read::history::source::Reading;
use brv_engine::{FailureKind, Mode, Stop};
use brv_git::{CommitId, revision};
use brv_text::commits::RULES_VERSION;
use brv_text::curate::{Read, Why as Review};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

/// A run that is not at its end.
#[derive(Debug, Serialize, Deserialize)]
struct Begun {
    format: u32,
    session: String,
    /// The range, as typed.
    range: Option<String>,
    /// The commits of the code that are taken in.
    sources: Vec<String>,
}

const FORMAT: u32 = 1;

impl Begun {
    fn file(opened: &Opened) -> Result<PathBuf, Stop> {
        Ok(opened.places.private()?.join("again.json"))
    }

    fn read(opened: &Opened) -> Result<Option<Self>, Stop> {
        let bytes = fs::read_shipped(&Self::file(opened)?, Form::Json)?;
        let begun = bytes.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        Ok(begun.filter(|begun| begun.format == FORMAT))
    }

    fn write(&self, opened: &Opened) -> Result<(), Stop> {
        let bytes = serde_json::to_vec(self)
            .map_err(|error| Stop::new(FailureKind::Failed, format!("the session: {error}")))?;
        Ok(fs::replace(&Self::file(opened)?, &bytes, Durability::Now)?)
    }
}

/// File anew what earlier rules filed. What stops in the middle is returned beside what was done until then.
pub(super) fn take(
    cx: &Context<'_>,
    (opened, store): (&Opened, &Store),
    history: HostHistory,
    options: &Options,
) -> Result<(Outcome, Option<Stop>), Stop> {
    if !opened.scope.prefix().is_empty() {
        let message = "the tree is a folder of the code's repository: its people commit it, so that no commit tells which entries rules wrote";
        return Err(Stop::new(FailureKind::Refused, message));
    }
    let begun = Begun::read(opened)?;
    let (begun, history) = resumed(cx, opened, (begun, history), options)?;
    let typed = options.range.clone().or_else(|| begun.as_ref()?.range.clone());
    let range: Option<HashSet<CommitId>> = typed.is_some().then(|| history.commits.iter().copied().collect());
    let anew = Anew::of((opened, store, &history.host), range.as_ref())?;
    let run = CurationRun { cx, opened, store, history, mode: options.mode, anew };
    let (all, new, known) = run.commits(begun.as_ref())?;
    let mut outcome = Outcome::default();
    outcome.counts.known = known;
    let mut told = AgainResult { kept: run.anew.kept.clone(), ..AgainResult::default() };
    if new.is_empty() && run.anew.goes.is_empty() && begun.is_none() {
        outcome.again = Some(told);
        return Ok((outcome.counted(), None));
    }
    let begun = Begun {
        format: FORMAT,
        session: begun.map_or_else(|| session(cx), |begun| begun.session),
        range: typed,
        sources: all.iter().map(ToString::to_string).collect(),
    };
    if options.mode == Mode::Write {
        begun.write(opened)?;
    }
    told.session = Some(begun.session.clone());
    let stop = run.file((&begun, &all, new), &mut outcome, &mut told)?;
    outcome.again = Some(told);
    Ok((outcome.counted(), stop))
}

/// What was begun goes on with its own range.
fn resumed(
    cx: &Context<'_>,
    opened: &Opened,
    (begun, history): (Option<Begun>, HostHistory),
    options: &Options,
) -> Result<(Option<Begun>, HostHistory), Stop> {
    let Some(begun) = begun else { return Ok((None, history)) };
    match (&options.range, &begun.range) {
        (None, Some(range)) => {
            let history = history::of(cx, opened, range)?;
            Ok((Some(begun), history))
        }
        (Some(asked), own) if own.as_ref() != Some(asked) => {
            let own = own.as_deref().map(|range| format!(" {range}")).unwrap_or_default();
            let message = "an earlier `--again` with other commits was stopped in the middle";
            let hint = format!("`brv curate --commit{own} --again` ends it");
            Err(Stop::new(FailureKind::Refused, message).hint(hint))
        }
        _ => Ok((Some(begun), history)),
    }
}

struct CurationRun<'r> {
    cx: &'r Context<'r>,
    opened: &'r Opened,
    store: &'r Store,
    history: HostHistory,
    mode: Mode,
    anew: Anew,
}

impl CurationRun<'_> {
    /// All commits of the run, the oldest first; those that are still to be taken in; and how many others of the range are known.
    fn commits(&self, begun: Option<&Begun>) -> Result<(Vec<CommitId>, Vec<CommitId>, usize), Stop> {
        let mut all = self.anew.takes.clone();
        let scope = &self.history.host.scope;
        for id in begun.iter().flat_map(|begun| &begun.sources).filter_map(|id| CommitId::from_hex(id)) {
            if !self.anew.stays.contains(&id) && revision::is_commit(scope, id)? {
                all.insert(id);
            }
        }
        let known = CuratedCommits::of(self.opened, self.store)?;
        let mut others = 0;
        for id in self.history.commits.iter().filter(|id| !self.anew.takes.contains(id)) {
            match self.anew.stays.contains(id) || known.has(*id)? {
                true => others += 1,
                false => drop(all.insert(*id)),
            }
        }
        let all = history::ordered(scope, &all)?;
        let (filed, new): (Vec<CommitId>, Vec<CommitId>) =
            all.iter().partition(|id| self.anew.filed.contains(id));
        Ok((all, new, others + filed.len()))
    }

    /// Take the commits in, and remove what is filed then.
    fn file(
        &self,
        (begun, all, new): (&Begun, &[CommitId], Vec<CommitId>),
        outcome: &mut Outcome,
        told: &mut AgainResult,
    ) -> Result<Option<Stop>, Stop> {
        let (cx, host) = (self.cx, &self.history.host);
        let actor = Actor { session: Some(begun.session.clone()), ..cx.actor.clone() };
        let parts = Parts { actor: &actor, ..cx.parts(self.opened) };
        let authors = Authors::of(host);
        let goes = self.anew.goes.iter().map(|(path, (blob, _))| (path.clone(), *blob));
        let aside = Aside::of(goes.collect());
        let (mode, route) = (self.mode, Route::Import);
        let intake =
            Intake { parts, host, authors: &authors, mode, route, placing: None, aside: Some(&aside) };
        let by = (self.store, self.history.branch.as_deref());
        let stop = all_of(&intake, by, (all, new), outcome)?;
        if stop.is_some() {
            return Ok(stop);
        }
        let decided = [Some(Verdict::Curated), Some(Verdict::Declined)];
        let undecided: HashSet<CommitId> = outcome
            .commits
            .iter()
            .filter(|job| !decided.contains(&job.outcome))
            .filter_map(|job| CommitId::from_hex(job.commit.as_deref()?))
            .collect();
        self.remove(parts, (&aside, &undecided), (begun, told))?;
        if undecided.is_empty() && self.mode == Mode::Write {
            fs::remove_file(&Begun::file(self.opened)?)?;
        }
        Ok(None)
    }

    /// Remove the entries whose commits are all decided, with the overviews of folders that are empty then.
    fn remove(
        &self,
        parts: Parts<'_>,
        (aside, undecided): (&Aside, &HashSet<CommitId>),
        (begun, told): (&Begun, &mut AgainResult),
    ) -> Result<(), Stop> {
        let mut goes: BTreeMap<TreePath, ContentId> = BTreeMap::new();
        for (path, (_, sources)) in &self.anew.goes {
            let Some(blob) = aside.blob(path) else { continue };
            match sources.is_disjoint(undecided) {
                true => drop(goes.insert(path.clone(), blob)),
                false => {
                    told.kept.push(Stays { path: path.to_string(), why: KeptEntryReason::SourceNotFiled })
                }
            }
        }
        if goes.is_empty() {
            return Ok(());
        }
        let renewed: BTreeSet<TreePath> = goes.keys().cloned().collect();
        let overviews = self.emptied(&renewed)?;
        let count = many(goes.len(), "entry", "entries");
        let subject = format!("curate: remove {count} of earlier rules, filed again by today's");
        let options = curate::Options {
            operations: removals(&overviews, &goes, &begun.session),
            mode: self.mode,
            subject: Some(subject),
            rules: Some(RULES_VERSION),
            review: Some(Review::Again),
            renewed: renewed.iter().chain(overviews.iter().map(|(path, _)| path)).cloned().collect(),
            ..curate::Options::default()
        };
        let outcome = curate::curate(parts, &options)?;
        let paths = options.operations.iter().filter_map(|read| read.path.clone());
        for (path, one) in paths.zip(&outcome.applied) {
            match one.result {
                Ok(_) => told.removed.push(path),
                Err(_) => told.kept.push(Stays { path, why: KeptEntryReason::Changed }),
            }
        }
        told.removed.sort();
        told.kept.sort_by(|one, other| one.path.cmp(&other.path));
        told.operation = outcome.written.operation.map(|id| id.to_string());
        Ok(())
    }

    /// The overviews that nobody edited of folders in which nothing else is left, the deepest first.
    fn emptied(&self, goes: &BTreeSet<TreePath>) -> Result<Vec<(TreePath, ContentId)>, Stop> {
        let reading = Reading::on_disk(self.opened.scope.root());
        let mut left = reading.curated_paths(self.opened)?;
        left.retain(|path| !goes.contains(path));
        let mut found = Vec::new();
        for folder in folders(goes) {
            let Ok(path) = TreePath::parse(format!("{folder}/context.md").as_bytes()) else { continue };
            let Some(blob) = self.anew.overviews.get(&path) else { continue };
            let is_inside = |other: &&TreePath| {
                other.as_str().strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
            };
            if left.iter().filter(is_inside).all(|other| *other == path) {
                left.retain(|other| *other != path);
                found.push((path, *blob));
            }
        }
        Ok(found)
    }
}

/// The operations that remove these files; the last one says for all of them why.
fn removals(
    overviews: &[(TreePath, ContentId)],
    goes: &BTreeMap<TreePath, ContentId>,
    session: &str,
) -> Vec<Read> {
    let count = many(goes.len(), "entry", "entries");
    let whole = format!(
        "removed {count} of earlier rules, and filed their commits again; `brv undo --session {session}` undoes all of it"
    );
    let mut operations: Vec<Read> =
        overviews.iter().map(|(path, blob)| removal((path, *blob), REASON)).collect();
    for (at, (path, blob)) in goes.iter().enumerate() {
        let reason = if at + 1 == goes.len() { &whole } else { REASON };
        operations.push(removal((path, *blob), reason));
    }
    operations
}

fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
