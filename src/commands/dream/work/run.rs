//! A whole dream: gates, lock, evidence, decisions, and what is left of it: an operation, a log, the state.

use super::ages::Ages;
use super::applying::{apply, inputs, most_removed, phase};
use super::asking::{Decisive, ModelDecisions};
use super::branch;
use super::evidence::{Gathered, gather, is_open};
use super::ground::DreamPlace;
use super::landing::{Landed, land};
use super::outcome::{DreamStatus, DreamSummary, Outcome};
use super::row::{Phase, Row, RowStatus};
use super::setting::{Decided, Decider, DreamContext, Halt, Item};
use super::{DreamStart, captured};
use super::{plan_id, weak};
use brv_base::clock::format_utc;
use brv_base::path::TreePath;
use brv_engine::dream::{self, Closed, Lock, PendingMerge, Trigger};
use brv_engine::jobs::Store;
use brv_engine::journal::DreamId;
use brv_engine::open::context::Parts;
use brv_engine::open::naming::branches::BranchName;
use brv_engine::open::state::{DreamHandover, Open, SuggestedMerge};
use brv_engine::write::landing::{self as files, Saved};
use brv_engine::write::operation;
use brv_engine::write::overriding::{Allowed, Guard};
use brv_engine::{FailureKind, Mode, Stop};
use brv_git::history::revision::abbreviated;
use brv_text::dream::{Action, Certain, Decision, DreamDecisions, Meant, Plan, Weak, certain, fits};
use bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// How many candidates of consolidate a plan has, unless the caller says so.
pub const LIMIT: usize = 50;

/// Whether the gates of time, activity and queue hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gates {
    #[default]
    Hold,
    /// They are passed over (`--force`).
    Open,
}

/// Who decides about what is not certain.
#[derive(Default)]
pub enum Writer {
    /// Nobody: only what is certain is done.
    #[default]
    Nobody,
    /// These decisions are about a plan that is kept.
    Written(DreamDecisions),
    /// A model, about the plan that is made now.
    Model(Box<Decisive>),
}

/// What to dream.
pub struct Request<'r> {
    pub gates: Gates,
    pub mode: Mode,
    /// The branch that gets the commit, as typed, or empty for the dream's own; `None`: the current one.
    pub branch: Option<&'r str>,
    pub writer: Writer,
    pub trigger: Trigger,
    /// The job that asks, and the name that its dream has.
    pub job: Option<(i64, DreamId)>,
    /// How many candidates of consolidate there are at most.
    pub limit: usize,
    /// The guards that a person overrides.
    pub allowed: &'r Allowed,
    /// Whether the dream is to end now.
    pub halt: &'r dyn Fn() -> Option<Halt>,
}

/// The plan, unless another dream runs. Nothing is written: from its name it can be computed again.
///
/// # Errors
/// The tree cannot be read.
pub fn plan(parts: Parts<'_>, request: &Request<'_>) -> Result<Result<Plan, Closed>, Stop> {
    if let Some(holder) = Lock::holder(parts.opened)? {
        return Ok(Err(Closed::by(holder)));
    }
    files::commit_mode(&parts)?;
    let place = if request.branch.is_some() { DreamPlace::Branch } else { DreamPlace::Disk };
    Ok(Ok(gather(&parts, (begin(parts, request)?, place), request.limit)?.plan))
}

/// Dream.
///
/// # Errors
/// Decisions about an unknown plan; the disk or git. What was applied before stays, and the log says so.
pub fn run(parts: Parts<'_>, request: &Request<'_>) -> Result<Outcome, Stop> {
    if let Some(closed) = closed(parts, request)? {
        return Ok(Outcome::skipped(closed));
    }
    let place = place(parts, request)?;
    let _lock = match request.mode {
        Mode::DryRun => None,
        Mode::Write => match Lock::take(parts.opened, parts.clock)? {
            Ok(lock) => Some(lock),
            Err(pid) => return Ok(Outcome::skipped(Closed::by(pid))),
        },
    };
    let started = parts.clock.seconds();
    let gathered = match &request.writer {
        Writer::Written(decisions) => again(parts, decisions, place)?,
        Writer::Nobody | Writer::Model(_) => gather(&parts, (begin(parts, request)?, place), request.limit)?,
    };
    let dreaming = Dreaming { parts, request, gathered, started };
    dreaming.run()
}

/// The gate that is closed.
fn closed(parts: Parts<'_>, request: &Request<'_>) -> Result<Option<Closed>, Stop> {
    // whoever decides has looked at the plan
    if request.gates == Gates::Hold && !matches!(request.writer, Writer::Written(_)) {
        let asking = request.job.map(|(job, _)| job);
        if let Some(closed) = dream::pass(parts.opened, parts.clock, asking)? {
            return Ok(Some(closed));
        }
    }
    Ok(Lock::holder(parts.opened)?.map(Closed::by))
}

/// Where the dream is applied. A merge or rebase in progress holds up the commit of one on the current branch.
fn place(parts: Parts<'_>, request: &Request<'_>) -> Result<DreamPlace, Stop> {
    if request.mode == Mode::Write {
        operation::recover(parts)?;
    }
    if request.branch.is_some() {
        branch::start(&parts)?;
        return Ok(DreamPlace::Branch);
    }
    files::commit_mode(&parts)?;
    Ok(DreamPlace::Disk)
}

/// A new dream. No two of this clone have one name.
fn begin(parts: Parts<'_>, request: &Request<'_>) -> Result<DreamStart, Stop> {
    let base = parts.scope().head()?.commit();
    if let Some((_, id)) = request.job {
        return Ok(DreamStart { id, base });
    }
    Ok(DreamStart { id: fresh_id(parts)?, base })
}

/// The name of a dream that begins now.
pub fn fresh_id(parts: Parts<'_>) -> Result<DreamId, Stop> {
    let mut at = u64::try_from(parts.clock.now().timestamp_millis()).unwrap_or_default();
    loop {
        let id = DreamId::at(at);
        if dream::read_log(parts.opened, id)?.is_none() {
            return Ok(id);
        }
        at += 1;
    }
}

/// The plan that decisions are about, computed again: a candidate with a file that changed since is no longer in it.
fn again(parts: Parts<'_>, decisions: &DreamDecisions, place: DreamPlace) -> Result<Gathered, Stop> {
    let hint = "`brv dream --plan` makes one";
    let unknown = || Stop::usage(format!("`{}` is not a plan of this clone", decisions.plan)).hint(hint);
    let (id, limit, base) = plan_id::parse(&decisions.plan).ok_or_else(unknown)?;
    // another dream may have taken its name meanwhile
    let id = if dream::read_log(parts.opened, id)?.is_none() { id } else { fresh_id(parts)? };
    let base = match base {
        "0" => None,
        base => Some(abbreviated(parts.scope(), base)?.ok_or_else(unknown)?),
    };
    let mut gathered = gather(&parts, (DreamStart { id, base }, place), limit)?;
    gathered.plan.id.clone_from(&decisions.plan);
    let names = || decisions.decisions.iter().filter_map(|one| Some(one.as_ref().ok()?.candidate.as_str()));
    gathered.plan.rename(names());
    let missing: Vec<&str> = names().filter(|name| gathered.plan.candidate(name).is_none()).collect();
    let ages = Ages::of(parts.scope(), &gathered.ground, parts.clock.seconds())?;
    let known = (&gathered.ground, &ages, &gathered.signals);
    gathered.plan.prune.extend(weak::shown(parts.opened, known, &missing)?);
    Ok(gathered)
}

/// Why a model was not asked about every candidate.
#[derive(Default)]
struct Early {
    halted: Option<Halt>,
    failed: Option<Stop>,
}

impl Early {
    fn of(asked: ModelDecisions) -> Self {
        Self { halted: asked.halted, failed: asked.failed }
    }
}

struct Dreaming<'a, 'r> {
    parts: Parts<'a>,
    request: &'r Request<'r>,
    gathered: Gathered,
    started: i64,
}

impl Dreaming<'_, '_> {
    fn run(self) -> Result<Outcome, Stop> {
        let (parts, request) = (self.parts, self.request);
        let id = self.gathered.dream;
        let name = self.branch(id)?;
        let mut early = Early::default();
        let (decider, items) = match &request.writer {
            Writer::Written(decisions) => (Decider::Writer, self.decided(decisions, &BTreeMap::new())?),
            Writer::Model(model) => {
                let asked = model.ask(&parts, &self.gathered, request.halt)?;
                let items = self.decided(&asked.decisions, &asked.left)?;
                early = Early::of(asked);
                (Decider::Model, items)
            }
            Writer::Nobody => (Decider::Certainty, self.certain()?),
        };
        let model = self.model().map(|model| model.spent().name);
        let most_removed = match request.allowed.lets(Guard::MassDelete) {
            true => None,
            false => {
                let entries = self.gathered.ground.entries.len();
                most_removed(parts.scope(), entries, parts.clock.seconds())?
            }
        };
        let apply = |disturbed: &BTreeSet<BString>| {
            let setting = DreamContext {
                parts,
                plan: &self.gathered.plan,
                ground: &self.gathered.ground,
                signals: &self.gathered.signals,
                decider,
                disturbed,
                halt: request.halt,
                reviews: parts.opened.config.review_enabled.value,
                most_removed,
            };
            apply(&setting, &items)
        };
        let none = BTreeSet::new();
        let landed = match (request.mode, &name) {
            (Mode::DryRun, _) => apply(&none).map(Landed::of),
            (Mode::Write, Some(name)) => {
                let head = branch::start(&parts)?;
                let applied = apply(&none)?;
                branch::land_on_branch(parts, (id, name), (applied, model.as_deref()), &head)
            }
            (Mode::Write, None) => land(parts, (id, model), request.allowed, &apply),
        };
        match landed {
            Ok(landed) => self.ended(id, landed, early),
            Err(stop) => {
                let failed = Outcome {
                    reason: Some(stop.message.clone()),
                    ..Outcome::of(Some(id), DreamStatus::Error)
                };
                if request.mode == Mode::Write {
                    // report the failure itself
                    let _ = self.log(id, &failed);
                }
                Err(stop)
            }
        }
    }

    fn branch(&self, id: DreamId) -> Result<Option<BranchName>, Stop> {
        let own = branch::name_of(id);
        let typed = self.request.branch.map(|typed| if typed.is_empty() { own.as_str() } else { typed });
        typed.map(|typed| branch::named(&self.parts, typed)).transpose()
    }

    /// The model that decides.
    fn model(&self) -> Option<&Decisive> {
        match &self.request.writer {
            Writer::Model(model) => Some(model.as_ref()),
            Writer::Nobody | Writer::Written(_) => None,
        }
    }

    /// The decisions of a writer, and a row for each candidate that has none, with the reason in `left`.
    fn decided(
        &self,
        decisions: &DreamDecisions,
        left: &BTreeMap<String, String>,
    ) -> Result<Vec<Item>, Stop> {
        let plan = &self.gathered.plan;
        let mut items = Vec::new();
        let mut named = BTreeSet::new();
        for read in &decisions.decisions {
            match read {
                Err(refused) => {
                    let candidate = refused.candidate.clone().unwrap_or_default();
                    let row = Row::of(&candidate, phase(plan, &candidate), None);
                    items.push(Err(row.with_outcome(RowStatus::Refused, refused.message.clone()).into()));
                    named.insert(candidate);
                }
                Ok(decision) => {
                    named.insert(decision.candidate.clone());
                    items.push(self.fitting(decision.clone()));
                }
            }
        }
        for candidate in candidates(plan).filter(|candidate| !named.contains(*candidate)) {
            let why = left.get(candidate).map_or("no decision", String::as_str);
            items.push(Err(self.undecided(candidate, why).into()));
        }
        captured::note(&self.parts, &mut items);
        Ok(items)
    }

    fn fitting(&self, decision: Decision) -> Item {
        let plan = &self.gathered.plan;
        match fits(&decision, plan) {
            Ok(meant) => Ok(Decided { decision, meant, hindrance: None }),
            Err(why) => {
                let row =
                    Row::of(&decision.candidate, phase(plan, &decision.candidate), Some(decision.action));
                let row = Row { confidence: decision.confidence, reason: decision.reason, ..row };
                Err(row.with_outcome(RowStatus::Refused, why).into())
            }
        }
    }

    /// What is certain without a writer, and a row for the rest.
    fn certain(&self) -> Result<Vec<Item>, Stop> {
        let plan = &self.gathered.plan;
        let read = |path: &TreePath| self.gathered.ground.document(path).ok().flatten();
        let certain = certain(plan, &read);
        let mut items = Vec::with_capacity(certain.len());
        for (candidate, certain) in certain {
            items.push(match certain {
                Certain::Do(decision) => {
                    self.fitting(decision).and_then(|decided| self.standing(&candidate, decided))
                }
                Certain::NoWriter => Err(self.undecided(&candidate, "no writer").into()),
            });
        }
        Ok(items)
    }

    /// A decision that nobody took back yet.
    fn standing(&self, candidate: &str, decided: Decided) -> Item {
        let (first, others): (Vec<&TreePath>, Vec<TreePath>) = match &decided.meant {
            Meant::Merge { target, sources } => (vec![target], sources.clone()),
            Meant::CrossReference { path, .. } => {
                (path.iter().collect(), inputs(&self.gathered.plan, &decided))
            }
            _ => return Ok(decided),
        };
        let entries = &self.gathered.ground.entries;
        let is_decided = |one: &TreePath, other: &TreePath| {
            let pair = entries.get(one).zip(entries.get(other));
            one != other && pair.is_some_and(|(one, other)| self.gathered.decided.has(*one, *other))
        };
        match first.iter().any(|one| others.iter().any(|other| is_decided(one, other))) {
            true => Err(self.undecided(candidate, "decided and undone before").into()),
            false => Ok(decided),
        }
    }

    fn undecided(&self, candidate: &str, why: &str) -> Row {
        let plan = &self.gathered.plan;
        let files = files_of(plan, candidate).map(ToString::to_string).collect();
        let row = Row { inputs: files, ..Row::of(candidate, phase(plan, candidate), None) };
        row.with_outcome(RowStatus::Skipped, why)
    }

    fn ended(self, id: DreamId, mut landed: Landed, early: Early) -> Result<Outcome, Stop> {
        // even if nothing was left to do: whoever interrupts learns that the dream is cancelled
        let interrupted = || (self.request.halt)().filter(|halt| *halt == Halt::Cancelled);
        landed.halted = landed.halted.or(early.halted).or_else(interrupted);
        let is_early = landed.halted.is_some() || early.failed.is_some();
        let status = match (self.request.mode, is_early) {
            (Mode::DryRun, _) => DreamStatus::Planned,
            (Mode::Write, true) if !landed.rows.iter().any(is_decided) => DreamStatus::Error,
            (Mode::Write, true) => DreamStatus::Partial,
            (Mode::Write, false) => DreamStatus::Completed,
        };
        let saved = Saved {
            commit: landed.commit,
            uncommitted: landed.uncommitted.clone(),
            differed: Vec::new(),
            written: std::mem::take(&mut landed.written),
        };
        let mut outcome = Outcome {
            saved,
            reason: match (landed.halted, &early.failed) {
                (Some(halt), _) => Some(halt.words().to_owned()),
                (None, failed) => failed.as_ref().map(|stop| stop.message.clone()),
            },
            summary: DreamSummary::of(&landed.rows),
            survival: landed.survival,
            operation: landed.operation.clone(),
            commit: landed.commit,
            branch: landed.branch.clone(),
            uncommitted: landed.uncommitted.iter().map(|one| one.path.to_string()).collect(),
            is_cancelled: landed.halted == Some(Halt::Cancelled),
            operations: landed.rows.clone(),
            candidates: self.left_weak(&landed.rows),
            model: self.model().map(Decisive::spent),
            warnings: self.model().map(Decisive::take_warnings).unwrap_or_default(),
            failed: early.failed,
            ..Outcome::of(Some(id), status)
        };
        if self.request.mode == Mode::Write {
            // what is written stays, even if it cannot be logged
            outcome.unlogged = self.remember(id, &landed, &outcome).err().map(|stop| stop.message);
        }
        Ok(outcome)
    }

    /// The weak entries that nothing was decided about, as there was no writer.
    fn left_weak(&self, rows: &[Row]) -> Vec<Weak> {
        let is_left = |weak: &&Weak| {
            let mut rows = rows.iter().filter(|row| row.candidate == weak.id);
            rows.all(|row| row.action.is_none() && row.status == RowStatus::Skipped)
        };
        match self.request.writer {
            Writer::Nobody => self.gathered.plan.prune.iter().filter(is_left).cloned().collect(),
            Writer::Written(_) | Writer::Model(_) => Vec::new(),
        }
    }

    /// Write the log, and what the next dream must know. A dream on a branch counts once it is merged: of it only the log
    /// is written.
    fn remember(&self, id: DreamId, landed: &Landed, outcome: &Outcome) -> Result<(), Stop> {
        let opened = self.parts.opened;
        let plan = &self.gathered.plan;
        let store = Store::of(opened)?;
        let is_on_branch = self.request.branch.is_some();
        let mut open: BTreeMap<String, Open> =
            self.gathered.unseen.iter().map(|path| (path.to_string(), Open::Unseen)).collect();
        for row in landed.rows.iter().filter(|row| !is_decided(row)) {
            let files = files_of(plan, &row.candidate).map(|path| (path.to_string(), Open::Undecided));
            open.extend(files.filter(|_| row.phase == Some(Phase::Consolidate)));
        }
        let leaving = DreamHandover {
            dream: id.to_string(),
            kept: landed.kept.clone(),
            decided: landed.decided.clone(),
            open,
        };
        self.log(id, outcome)?;
        store.with(|state| state.note_merges(&suggested_merges(id, &landed.rows)))?;
        // one that ended before anything was decided is not a dream
        if !is_on_branch && outcome.status != DreamStatus::Error {
            store.with(|state| state.note_dream(&leaving))?;
            let mut state = dream::read_state(opened)?;
            // a suggestion is taken up by a decision about both entries, and waits for one until then
            state.pending_merges.retain(|merge| self.is_left_open(merge, landed));
            dream::write_state(opened, &state)?;
        }
        dream::settle(opened)
    }

    /// Whether nothing was decided about the entries of a suggested merge.
    fn is_left_open(&self, merge: &PendingMerge, landed: &Landed) -> bool {
        let Gathered { plan, ground, decided, .. } = &self.gathered;
        let Some((source, target)) = merge.paths().filter(|_| is_open(merge, ground, decided)) else {
            return false;
        };
        let shows = |row: &Row, path: &TreePath| files_of(plan, &row.candidate).any(|file| file == path);
        let mut rows = landed.rows.iter().filter(|row| is_decided(row));
        !rows.any(|row| shows(row, &source) && shows(row, &target))
    }

    fn log(&self, id: DreamId, outcome: &Outcome) -> Result<(), Stop> {
        let head = self.parts.scope().head()?.commit();
        let mut log = serde_json::to_value(outcome)
            .map_err(|error| Stop::new(FailureKind::Failed, error.to_string()))?;
        if let Some(fields) = log.as_object_mut() {
            fields.insert("started_at".to_owned(), format_utc(self.started).into());
            fields.insert("completed_at".to_owned(), format_utc(self.parts.clock.seconds()).into());
            let trigger = serde_json::to_value(self.request.trigger).unwrap_or_default();
            fields.insert("trigger".to_owned(), trigger);
            fields.insert("on_branch".to_owned(), self.request.branch.is_some().into());
            let head = outcome.commit.filter(|_| outcome.branch.is_none()).or(head);
            fields.insert("head".to_owned(), head.map(|head| head.to_string()).into());
        }
        dream::write_log(self.parts.opened, id, log)
    }
}

/// The candidates of a plan, in the order in which they are decided.
fn candidates(plan: &Plan) -> impl Iterator<Item = &str> {
    let consolidate = plan.consolidate.iter().map(|one| one.id.as_str());
    let synthesize = plan.synthesize.iter().map(|one| one.id.as_str());
    consolidate.chain(synthesize).chain(plan.prune.iter().map(|one| one.id.as_str()))
}

/// The files of a candidate.
fn files_of<'p>(plan: &'p Plan, candidate: &str) -> impl Iterator<Item = &'p TreePath> {
    let cluster = plan.consolidate.iter().find(|one| one.id == candidate);
    let weak = plan.prune.iter().find(|one| one.id == candidate);
    let files = cluster.into_iter().flat_map(|cluster| cluster.files.iter().map(|file| &file.path));
    let pattern = plan.synthesize.iter().find(|one| one.id == candidate);
    let named = pattern.into_iter().flat_map(|pattern| pattern.entries.iter().map(|one| &one.path));
    files.chain(weak.map(|weak| &weak.path)).chain(named)
}

/// Whether a decision about the candidate of a row was made and holds.
fn is_decided(row: &Row) -> bool {
    row.status == RowStatus::Applied || row.action == Some(Action::Skip) && row.status == RowStatus::Skipped
}

/// The merges that a dream suggests to the next one.
fn suggested_merges(dream: DreamId, rows: &[Row]) -> Vec<SuggestedMerge> {
    let suggests = |row: &&Row| row.action == Some(Action::MergeInto) && row.status == RowStatus::Applied;
    let merge = |row: &Row| {
        let (source, target) = (row.inputs.first()?.clone(), row.output.clone()?);
        Some(SuggestedMerge { source, target, dream: dream.to_string() })
    };
    rows.iter().filter(suggests).filter_map(merge).collect()
}
