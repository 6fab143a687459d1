//! Apply decisions to the tree in memory: each as a whole or not at all, none to a file that is not as the plan saw it.

use super::effects::{DecisionWork, Effect};
use super::row::{Phase, Row, RowStatus, Survival};
use super::setting::{Decided, Decider, DreamContext, Halt, Item, RemovalLimits};
use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::curate::Sketch;
use brv_engine::dream::DreamRemovals;
use brv_engine::open::state::KeptEntry;
use brv_engine::write::landing::Note;
use brv_git::Scope;
use brv_text::curate;
use brv_text::dream::{Action, Candidate, Meant, Plan};
use std::collections::{BTreeMap, BTreeSet};

/// From this many entries on, a dream removes at most [`SHARE`] percent of them, and so do all dreams of 30 days.
const FEW: usize = 10;
const SHARE: usize = 30;

/// How many of these entries a dream may remove; `None`: all, as they are so few.
///
/// # Errors
/// The history cannot be read.
pub fn most_removed(scope: &Scope, entries: usize, now: i64) -> Result<Option<RemovalLimits>, Stop> {
    if entries < FEW {
        return Ok(None);
    }
    let lately = DreamRemovals::recent(scope, now)?.left(entries, SHARE);
    Ok(Some(RemovalLimits { at_once: entries * SHARE / 100, lately }))
}

/// The tree after a dream, and what is to be remembered.
pub struct Applied<'a> {
    pub rows: Vec<Row>,
    pub sketch: Sketch<'a>,
    /// The notes about each path.
    pub notes: BTreeMap<TreePath, Note>,
    pub survival: Survival,
    /// Merged entries, each source with its target.
    pub merged: Vec<(TreePath, TreePath)>,
    pub kept: BTreeMap<String, KeptEntry>,
    /// Pairs of versions that were decided about.
    pub decided: Vec<[String; 2]>,
    pub halted: Option<Halt>,
    taken: BTreeSet<TreePath>,
    removed: usize,
}

/// Apply decisions in order. A row that stands in for a decision is passed on.
///
/// # Errors
/// The tree cannot be read.
pub fn apply<'a>(setting: &DreamContext<'_, 'a>, items: &[Item]) -> Result<Applied<'a>, Stop> {
    let opened = setting.parts.opened;
    let view = setting.ground.view(&opened.scope);
    let mut applied = Applied {
        rows: Vec::with_capacity(items.len()),
        sketch: Sketch::of(opened, view, setting.parts.clock.seconds()),
        notes: BTreeMap::new(),
        survival: Survival::default(),
        merged: Vec::new(),
        kept: BTreeMap::new(),
        decided: Vec::new(),
        halted: None,
        taken: BTreeSet::new(),
        removed: 0,
    };
    for item in items {
        let row = match item {
            Err(row) => Row::clone(row),
            Ok(decided) => {
                applied.halted = applied.halted.or_else(|| (setting.halt)());
                let row = begun(setting.plan, decided);
                match applied.halted {
                    Some(halt) => row.with_outcome(RowStatus::Deferred, halt.words()),
                    None => applied.one(setting, decided, row)?,
                }
            }
        };
        applied.rows.push(row);
    }
    Ok(applied)
}

fn begun(plan: &Plan, decided: &Decided) -> Row {
    let Decided { decision, meant, .. } = decided;
    let row = Row::of(&decision.candidate, phase(plan, &decision.candidate), Some(decision.action));
    let inputs = inputs(plan, decided).into_iter().map(|path| path.to_string());
    let output = match meant {
        Meant::Merge { target: path, .. }
        | Meant::Update { path }
        | Meant::Create { path }
        | Meant::MergeInto { target: path, .. } => Some(path.to_string()),
        _ => None,
    };
    Row {
        inputs: inputs.collect(),
        output,
        confidence: decision.confidence,
        reason: decision.reason.clone(),
        ..row
    }
}

/// The phase that a candidate belongs to.
pub fn phase(plan: &Plan, candidate: &str) -> Option<Phase> {
    plan.candidate(candidate).map(|candidate| match candidate {
        Candidate::Cluster(_) => Phase::Consolidate,
        Candidate::Pattern(_) => Phase::Synthesize,
        Candidate::Weak(_) => Phase::Prune,
    })
}

/// The files that a decision is about.
pub fn inputs(plan: &Plan, decided: &Decided) -> Vec<TreePath> {
    match &decided.meant {
        Meant::Merge { target, sources } => [target].into_iter().chain(sources).cloned().collect(),
        Meant::Update { path } | Meant::Archive { path } | Meant::Keep { path } => vec![path.clone()],
        Meant::CrossReference { path, related } => {
            let named = related.iter().filter_map(|path| TreePath::parse(path.as_bytes()).ok());
            let named: Vec<TreePath> = named.filter(|named| !path.contains(named)).collect();
            [&path[..], &named[..]].concat()
        }
        Meant::MergeInto { source, .. } => vec![source.clone()],
        Meant::Create { .. } | Meant::Skip => match plan.candidate(&decided.decision.candidate) {
            Some(Candidate::Cluster(cluster)) => cluster.files.iter().map(|file| file.path.clone()).collect(),
            Some(Candidate::Pattern(pattern)) => pattern.entries.iter().map(|one| one.path.clone()).collect(),
            _ => Vec::new(),
        },
    }
}

/// The files that a decision keeps from other decisions: those that it changes.
fn own(plan: &Plan, decided: &Decided, paths: &[TreePath]) -> Vec<TreePath> {
    match &decided.meant {
        Meant::Create { path } => vec![path.clone()],
        Meant::CrossReference { path, .. } => path.clone(),
        // that there is no pattern says nothing about the entries themselves
        Meant::Skip if matches!(plan.candidate(&decided.decision.candidate), Some(Candidate::Pattern(_))) => {
            Vec::new()
        }
        _ => paths.to_vec(),
    }
}

impl<'a> Applied<'a> {
    fn one(&mut self, setting: &DreamContext<'_, 'a>, decided: &Decided, row: Row) -> Result<Row, Stop> {
        if let Some(why) = &decided.hindrance {
            return Ok(row.with_outcome(RowStatus::Skipped, why.clone()));
        }
        let paths = inputs(setting.plan, decided);
        if let Some(row) = self.hindered(setting, decided, &paths, &row)? {
            return Ok(row);
        }
        match &decided.meant {
            Meant::Skip => {
                self.note_pairs(setting.plan, &paths);
                if let Some(Candidate::Weak(weak)) = setting.plan.candidate(&decided.decision.candidate) {
                    self.keep(setting, &weak.path);
                }
                Ok(Row { status: RowStatus::Skipped, ..row })
            }
            Meant::Keep { path } => {
                self.keep(setting, path);
                Ok(self.taking((setting.plan, decided), &paths, Row { status: RowStatus::Applied, ..row }))
            }
            Meant::MergeInto { source, target } => {
                if !self.sketch.view.is_there(target) || target.kind() != PathKind::Entry || target == source
                {
                    return Ok(
                        row.with_outcome(RowStatus::Refused, format!("there is no other entry `{target}`"))
                    );
                }
                Ok(self.taking((setting.plan, decided), &paths, Row { status: RowStatus::Applied, ..row }))
            }
            _ => self.written(setting, decided, (paths, row)),
        }
    }

    /// Remember that an entry stays as it is.
    fn keep(&mut self, setting: &DreamContext<'_, '_>, path: &TreePath) {
        let blob = setting.ground.entries.get(path).map(ToString::to_string).unwrap_or_default();
        let importance = setting.signals.of(path).importance;
        self.kept.insert(path.to_string(), KeptEntry { blob, importance });
    }

    fn taking(&mut self, (plan, decided): (&Plan, &Decided), paths: &[TreePath], row: Row) -> Row {
        self.taken.extend(own(plan, decided, paths));
        row
    }

    /// Why a decision is not applied, whatever it would do.
    fn hindered(
        &self,
        setting: &DreamContext<'_, '_>,
        decided: &Decided,
        paths: &[TreePath],
        row: &Row,
    ) -> Result<Option<Row>, Stop> {
        let own = own(setting.plan, decided, paths);
        let ended = |status, message: String| Ok(Some(row.clone().with_outcome(status, message)));
        if let Some(path) = own.iter().find(|path| self.taken.contains(*path)) {
            return ended(RowStatus::Deferred, format!("another decision is about `{path}`"));
        }
        let is_disturbed = |path: &&TreePath| setting.disturbed.iter().any(|other| other == path.as_bytes());
        if let Some(path) = own.iter().find(is_disturbed) {
            return ended(RowStatus::Refused, format!("`{path}` was changed at the same time"));
        }
        let planned = setting.plan.files();
        for path in &own {
            let Some(expected) = planned.get(path) else { continue };
            let now = self.sketch.view.read(path)?.as_deref().map(ContentId::of);
            let before = setting.ground.entries.get(path);
            if now != Some(*expected) && before == Some(expected) {
                return ended(RowStatus::Deferred, format!("another decision changed `{path}`"));
            }
            if now != Some(*expected) || before.is_none() {
                return ended(RowStatus::Refused, format!("`{path}` is not as the plan shows it"));
            }
        }
        let going = match &decided.meant {
            Meant::Merge { sources, .. } => sources.len(),
            Meant::Archive { .. } => 1,
            _ => 0,
        };
        let Some(most) = setting.most_removed.filter(|_| going > 0) else { return Ok(None) };
        if self.removed + going > most.at_once {
            return ended(RowStatus::Deferred, format!("one dream removes at most {SHARE} % of the entries"));
        }
        if self.removed + going > most.lately {
            let message = format!("dreams remove at most {SHARE} % of the entries in 30 days");
            return ended(RowStatus::Deferred, message);
        }
        Ok(None)
    }

    /// A decision that changes files.
    fn written(
        &mut self,
        setting: &DreamContext<'_, 'a>,
        decided: &Decided,
        (paths, row): (Vec<TreePath>, Row),
    ) -> Result<Row, Stop> {
        let mut left = None;
        let work =
            |sketch: &mut Sketch<'a>| DecisionWork { sketch, setting, decided, left: &mut left }.carry_out();
        let effect = self.sketch.together(work)?;
        let is_sure = setting.decider == Decider::Certainty;
        let effect = match effect {
            Ok(Some(effect)) => effect,
            Ok(None) => return Ok(row.with_outcome(RowStatus::Skipped, "nothing changes")),
            // what cannot be done without a writer is nobody's fault
            Err(refused) if is_sure => return Ok(row.with_outcome(RowStatus::Skipped, refused.message)),
            Err(refused) if left.is_some() => {
                return Ok(row.with_outcome(RowStatus::Deferred, refused.message));
            }
            Err(refused) => return Ok(row.with_outcome(RowStatus::Refused, refused.message)),
        };
        self.note_pairs(setting.plan, &paths);
        match &decided.meant {
            Meant::Merge { target, sources } => {
                self.removed += sources.len();
                self.merged.extend(sources.iter().map(|source| (source.clone(), target.clone())));
            }
            Meant::Archive { path } => {
                self.removed += 1;
                // if it is there again as it was, somebody took that back
                self.keep(setting, path);
            }
            _ => {}
        }
        self.survival.facts.before += effect.facts.before;
        self.survival.facts.after += effect.facts.after;
        self.survival.facts.dropped += effect.facts.dropped;
        let is_of_model = setting.decider == Decider::Model && decided.decision.markdown.is_some();
        let why = is_of_model.then_some(curate::Why::Model.as_str()).into_iter();
        let why = why.chain(effect.why.iter().copied()).filter(|_| setting.reviews).collect::<Vec<_>>();
        self.say(&effect, (&row, &why));
        let row = Row {
            needs_review: !why.is_empty(),
            status: RowStatus::Applied,
            dropped: effect.dropped,
            message: effect.message,
            ..row
        };
        Ok(self.taking((setting.plan, decided), &paths, row))
    }

    /// Say about each file that changed what the dream did. The file that the decision is about is marked for review.
    fn say(&mut self, effect: &Effect, (row, why): (&Row, &[&'static str])) {
        let action = row.action.map(Action::word).unwrap_or_default();
        let phase = row.phase.map_or("", Phase::word);
        let reason = format!("[dream/{phase}] {action} {}", effect.words);
        for done in &effect.done {
            for path in done.files() {
                let review = (path == &done.file && !why.is_empty()).then(|| why.join(", "));
                let note = self.notes.entry(path.clone()).or_insert_with(|| Note {
                    path: path.as_str().into(),
                    reason: reason.clone(),
                    review: None,
                });
                if !note.reason.contains(&reason) {
                    note.reason = format!("{}; {reason}", note.reason);
                }
                note.review = note.review.take().or(review);
            }
        }
    }

    /// Remember that these files, as they are, were decided about.
    fn note_pairs(&mut self, plan: &Plan, paths: &[TreePath]) {
        let planned = plan.files();
        let blobs: Vec<String> =
            paths.iter().filter_map(|path| planned.get(path)).map(ToString::to_string).collect();
        for (at, one) in blobs.iter().enumerate() {
            self.decided.extend(blobs[at + 1..].iter().map(|other| [one.clone(), other.clone()]));
        }
    }
}
