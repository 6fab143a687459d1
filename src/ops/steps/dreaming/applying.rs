//! Apply decisions to the tree in memory: each as a whole or not at all, none to a file that is not as the plan saw it.

use super::Error;
use super::composing::{Text, dated, plain};
use super::ground::{Ground, Place};
use super::row::{Facts, Phase, Row, RowStatus, Survival};
use crate::content::ContentId;
use crate::curation::{self, Code, Kind as Verb, Operation, Refused};
use crate::doc::{self, ArchiveRecord, Document};
use crate::lifecycle::Maturity;
use crate::ops::context::Parts;
use crate::ops::steps::archived;
use crate::ops::steps::curating::{Done, Sketch, Stopped};
use crate::ops::steps::landing::Note;
use crate::ops::steps::signals::Signals;
use crate::path::{Kind, TreePath};
use crate::state::KeptEntry;
use crate::tidy::{Action, Candidate, Decision, Meant, Plan, survival};
use bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// From this many entries on, a dream removes at most [`SHARE`] percent of them.
const FEW: usize = 10;
const SHARE: usize = 30;

/// Below this confidence, a decision is reviewed.
const SURE: f64 = 0.7;

/// A decision that fits the plan.
#[derive(Debug, Clone)]
pub struct Decided {
    pub decision: Decision,
    pub meant: Meant,
    /// Why nothing is to be done all the same.
    pub hindrance: Option<String>,
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    /// A writer: an agent, a person, a model.
    Writer,
    /// Nobody: only what is certain is done, so nothing may be lost and nothing disputed.
    Certainty,
}

/// Why a dream ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// Its time is up.
    Time,
    Cancelled,
}

impl Halt {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Time => "the time of the dream was up",
            Self::Cancelled => "the dream was cancelled",
        }
    }
}

/// What all decisions of one dream share.
pub struct Setting<'s, 'a> {
    pub parts: Parts<'a>,
    pub plan: &'s Plan,
    pub ground: &'s Ground,
    pub signals: &'s Signals,
    pub decider: Decider,
    /// The files that another program changed while the dream was written.
    pub disturbed: &'s BTreeSet<BString>,
    /// Whether the dream is to end now.
    pub halt: &'s dyn Fn() -> Option<Halt>,
    /// Whether entries that a person did not review yet are marked for it.
    pub reviews: bool,
}

/// The tree after a dream, and what is to be remembered.
pub struct Applied<'a> {
    pub rows: Vec<Row>,
    pub sketch: Sketch<'a>,
    /// What is said about each path.
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
pub fn apply<'a>(setting: &Setting<'_, 'a>, items: &[Result<Decided, Row>]) -> Result<Applied<'a>, Error> {
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
            Err(row) => row.clone(),
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
        Meant::Create { .. } => Vec::new(),
        Meant::Skip => match plan.candidate(&decided.decision.candidate) {
            Some(Candidate::Cluster(cluster)) => cluster.files.iter().map(|file| file.path.clone()).collect(),
            _ => Vec::new(),
        },
    }
}

/// The files that a decision keeps from other decisions: those that it changes.
fn own(decided: &Decided, paths: &[TreePath]) -> Vec<TreePath> {
    match &decided.meant {
        Meant::Create { path } => vec![path.clone()],
        Meant::CrossReference { path, .. } => path.clone(),
        _ => paths.to_vec(),
    }
}

/// What a decision did to the tree.
#[derive(Default)]
struct Effect {
    done: Vec<Done>,
    /// Why to review it.
    why: Vec<&'static str>,
    /// What the history says of it.
    words: String,
    dropped: Vec<String>,
    facts: Facts,
}

impl<'a> Applied<'a> {
    fn one(&mut self, setting: &Setting<'_, 'a>, decided: &Decided, row: Row) -> Result<Row, Error> {
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
                Ok(self.taking(decided, &paths, Row { status: RowStatus::Applied, ..row }))
            }
            Meant::MergeInto { source, target } => {
                if !self.sketch.view.is_there(target) || target.kind() != Kind::Entry || target == source {
                    return Ok(
                        row.with_outcome(RowStatus::Refused, format!("there is no other entry `{target}`"))
                    );
                }
                Ok(self.taking(decided, &paths, Row { status: RowStatus::Applied, ..row }))
            }
            _ => self.written(setting, decided, (paths, row)),
        }
    }

    /// Remember that an entry stays as it is.
    fn keep(&mut self, setting: &Setting<'_, '_>, path: &TreePath) {
        let blob = setting.ground.entries.get(path).map(ToString::to_string).unwrap_or_default();
        let importance = setting.signals.of(path).importance;
        self.kept.insert(path.to_string(), KeptEntry { blob, importance });
    }

    fn taking(&mut self, decided: &Decided, paths: &[TreePath], row: Row) -> Row {
        self.taken.extend(own(decided, paths));
        row
    }

    /// Why a decision is not applied, whatever it would do.
    fn hindered(
        &self,
        setting: &Setting<'_, '_>,
        decided: &Decided,
        paths: &[TreePath],
        row: &Row,
    ) -> Result<Option<Row>, Error> {
        let own = own(decided, paths);
        let refused = |status, message: String| Ok(Some(row.clone().with_outcome(status, message)));
        if let Some(path) = own.iter().find(|path| self.taken.contains(*path)) {
            return refused(RowStatus::Deferred, format!("another decision is about `{path}`"));
        }
        let is_disturbed = |path: &&TreePath| setting.disturbed.iter().any(|other| other == path.as_bytes());
        if let Some(path) = own.iter().find(is_disturbed) {
            return refused(RowStatus::Refused, format!("`{path}` was changed at the same time"));
        }
        let planned = setting.plan.files();
        for path in &own {
            let Some(expected) = planned.get(path) else { continue };
            let now = self.sketch.view.read(path)?;
            if now.as_deref().map(ContentId::of) != Some(*expected)
                || !setting.ground.entries.contains_key(path)
            {
                return refused(RowStatus::Refused, format!("`{path}` is not as the plan shows it"));
            }
        }
        let going = match &decided.meant {
            Meant::Merge { sources, .. } => sources.len(),
            Meant::Archive { .. } => 1,
            _ => 0,
        };
        let all = setting.ground.entries.len();
        if going > 0 && all >= FEW && (self.removed + going) * 100 > all * SHARE {
            return refused(
                RowStatus::Deferred,
                format!("one dream removes at most {SHARE} % of the entries"),
            );
        }
        Ok(None)
    }

    /// A decision that changes files.
    fn written(
        &mut self,
        setting: &Setting<'_, 'a>,
        decided: &Decided,
        (paths, row): (Vec<TreePath>, Row),
    ) -> Result<Row, Error> {
        let effect = self.sketch.together(|sketch| Work { sketch, setting, decided }.carry_out())?;
        let effect = match effect {
            Ok(Some(effect)) => effect,
            Ok(None) => return Ok(row.with_outcome(RowStatus::Skipped, "nothing changes")),
            Err(refused) if refused.code == UNCERTAIN => {
                return Ok(row.with_outcome(RowStatus::Skipped, refused.message));
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
        self.survival.facts.dropped += effect.dropped.len();
        let why = if setting.reviews { effect.why.clone() } else { Vec::new() };
        self.say(&effect, (&row, &why));
        let row =
            Row { needs_review: !why.is_empty(), status: RowStatus::Applied, dropped: effect.dropped, ..row };
        Ok(self.taking(decided, &paths, row))
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

/// The code of a refusal that is only for want of a writer.
const UNCERTAIN: Code = Code::Conflict;

/// One decision that changes files, while it is applied.
struct Work<'w, 'a> {
    sketch: &'w mut Sketch<'a>,
    setting: &'w Setting<'w, 'a>,
    decided: &'w Decided,
}

impl Work<'_, '_> {
    /// `None`: nothing changes.
    fn carry_out(&mut self) -> Result<Option<Effect>, Stopped> {
        let decided = self.decided;
        match &decided.meant {
            Meant::Merge { target, sources } => self.merge(target, sources).map(Some),
            Meant::Update { path } => self.update(path).map(Some),
            Meant::CrossReference { path, related } => self.cross_reference(path, related),
            Meant::Create { path } => self.create(path).map(Some),
            Meant::Archive { path } => self.archive(path).map(Some),
            Meant::Skip | Meant::Keep { .. } | Meant::MergeInto { .. } => Ok(None),
        }
    }

    fn read(&self, path: &TreePath) -> Result<Document, Stopped> {
        let bytes = self.sketch.view.read(path).map_err(stopped)?;
        let missing = || Refused::new(Code::NotFound, format!("there is no entry `{path}`"));
        Ok(Document::parse(bytes.ok_or_else(missing)?))
    }

    fn reason(&self) -> &str {
        &self.decided.decision.reason
    }

    fn merge(&mut self, target: &TreePath, sources: &[TreePath]) -> Result<Effect, Stopped> {
        let before = self.read(target)?;
        let mut inputs = vec![before.clone()];
        for source in sources {
            inputs.push(self.read(source)?);
        }
        let text = Text::of(&self.decided.decision);
        let mut done = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            // the text of the decider stands for all of them
            let operation = match at + 1 == sources.len() {
                true => text.operation(Verb::Merge, target, Some(&before), self.reason()),
                false => plain(Verb::Merge, target, self.reason()),
            };
            done.push(self.sketch.step(&Operation { source: Some(source.to_string()), ..operation })?);
        }
        let inputs: Vec<&Document> = inputs.iter().collect();
        let after = self.read(target)?;
        let bytes = dated(after.into_bytes(), &inputs)?;
        let after = Document::parse(bytes.clone());
        self.sketch.view.set(target, Some(bytes)).map_err(stopped)?;
        let survived = survival(&inputs, &after);
        if self.setting.decider == Decider::Certainty {
            let is_new = |subject: &String| !before.meta().disputed.contains(subject);
            let is_disputed = doc::disputes(&after).into_iter().any(|one| is_new(&one.subject));
            if is_disputed || !survived.dropped.is_empty() {
                return Err(Refused::new(UNCERTAIN, "no writer").into());
            }
        }
        let mut why: Vec<&'static str> = vec!["merged"];
        let reviews = done.iter().flat_map(|done| &done.review).map(|why| why.as_str());
        why.extend(reviews.filter(|one| *one != "merged" && *one != "fact_removed"));
        if survived.facts_after < survived.facts_before {
            why.push("fact_removed");
        }
        why.extend([target].into_iter().chain(sources).filter_map(|path| self.settled(path)));
        let all: Vec<String> = [target].into_iter().chain(sources).map(ToString::to_string).collect();
        let words = format!("Merged {} — {}", listed(&all), self.reason());
        let facts = Facts { before: survived.facts_before, after: survived.facts_after, dropped: 0 };
        Ok(Effect { done, why: distinct(why), words, dropped: survived.dropped, facts })
    }

    fn update(&mut self, path: &TreePath) -> Result<Effect, Stopped> {
        let before = self.read(path)?;
        let text = Text::of(&self.decided.decision);
        let done = self.sketch.step(&text.operation(Verb::Update, path, Some(&before), self.reason()))?;
        let survived = survival(&[&before], &self.read(path)?);
        let mut why: Vec<&'static str> = done.review.iter().map(|why| why.as_str()).collect();
        why.extend(self.unsure());
        why.extend(self.settled(path));
        let words = format!("Updated {path} — {}", self.reason());
        let facts = Facts { before: survived.facts_before, after: survived.facts_after, dropped: 0 };
        Ok(Effect { done: vec![done], why: distinct(why), words, dropped: survived.dropped, facts })
    }

    /// Add relations, and nothing else: the entries get no younger by it.
    fn cross_reference(&mut self, paths: &[TreePath], related: &[String]) -> Result<Option<Effect>, Stopped> {
        let mut effect = Effect::default();
        let mut linked = Vec::new();
        for path in paths {
            let others: Vec<&str> =
                related.iter().map(String::as_str).filter(|other| *other != path.as_str()).collect();
            if let Some(missing) = others.iter().find(|other| !self.sketch.view.leads(other)) {
                return Err(Refused::new(Code::NotFound, format!("`{missing}` leads to no entry")).into());
            }
            let before = self.read(path)?;
            let Some(bytes) = curation::with_relations(before.into_bytes(), &others)? else { continue };
            self.sketch.view.set(path, Some(bytes)).map_err(stopped)?;
            effect.done.push(Done::changed(path, self.reason()));
            // links to an entry that is settled are reviewed, as the seed has it
            effect.why.extend(self.settled(path).filter(|why| *why == "core"));
            linked.push(path.to_string());
        }
        let ends = related.iter().filter(|path| !linked.contains(*path)).cloned();
        let all: Vec<String> = linked.iter().cloned().chain(ends).collect();
        effect.words = format!("Linked {} — {}", listed(&all), self.reason());
        effect.why = distinct(std::mem::take(&mut effect.why));
        Ok((!linked.is_empty()).then_some(effect))
    }

    fn create(&mut self, path: &TreePath) -> Result<Effect, Stopped> {
        let decision = &self.decided.decision;
        let text = Text::of(decision);
        let sources = match self.setting.plan.candidate(&decision.candidate) {
            _ if decision.sources.is_some() => decision.sources.clone().unwrap_or_default(),
            Some(Candidate::Pattern(pattern)) => {
                pattern.summaries.iter().map(|one| one.path.clone()).collect()
            }
            _ => Vec::new(),
        };
        let now = self.setting.parts.clock.seconds();
        let rendered = text.synthesis(path, &sources, decision.confidence, now);
        let operation = text.operation(Verb::Add, path, None, self.reason());
        // named by its file, the title is the one of the text
        let title = Document::parse(rendered.as_str()).meta().title;
        let done = self.sketch.step(&Operation { title: title.clone(), ..operation })?;
        self.sketch.view.set(path, Some(rendered.into_bytes())).map_err(stopped)?;
        let why = self.unsure().into_iter().collect();
        let words = format!("Generated cross-domain synthesis: {}", title.unwrap_or_default());
        Ok(Effect { done: vec![done], why, words, ..Effect::default() })
    }

    fn archive(&mut self, path: &TreePath) -> Result<Effect, Stopped> {
        let committed = &self.setting.ground.committed;
        let refused = |message: String| Refused::new(Code::Invalid, message);
        if self.setting.ground.place == Place::Disk
            && let Some(why) = committed.hinders(path)
        {
            return Err(refused(format!("`{path}` stays: {}", why.words())).into());
        }
        if committed.is_unpublished(path) {
            let why = archived::Why::Unpublished.words();
            return Err(refused(format!("`{path}` stays: {why}")).into());
        }
        let before = self.read(path)?;
        let overview = archived::overview_of(path);
        let importance = (self.setting.signals.of(path).importance * 100.0).round() / 100.0;
        let blob = ContentId::of(before.as_bytes());
        let at = self.setting.parts.clock.seconds();
        let record = ArchiveRecord { name: path.file_name().to_owned(), blob, importance, at };
        let old = self.sketch.view.read(&overview).map_err(stopped)?;
        let new = doc::add_archive_records(old.as_deref(), &[record]).map_err(Refused::from)?;
        self.sketch.view.set(&overview, Some(new)).map_err(stopped)?;
        self.sketch.view.set(path, None).map_err(stopped)?;
        let mut done = Done::changed(path, self.reason());
        done.turned = vec![overview];
        let why = ["archived"].into_iter().chain(self.settled(path)).collect();
        let words = format!("Archived {path} — {}", self.reason());
        Ok(Effect { done: vec![done], why: distinct(why), words, ..Effect::default() })
    }

    /// Whether the decider was not sure enough.
    fn unsure(&self) -> Option<&'static str> {
        self.decided.decision.confidence.is_none_or(|confidence| confidence < SURE).then_some("confidence")
    }

    /// Whether an entry is settled: core by its signals here, or pinned, which counts as core.
    fn settled(&self, path: &TreePath) -> Option<&'static str> {
        let is_pinned = || {
            let read = self.setting.ground.document(path).ok().flatten();
            read.is_some_and(|document| document.meta().pinned)
        };
        match self.setting.signals.of(path).maturity {
            Maturity::Core => Some("core"),
            _ if is_pinned() => Some("pinned"),
            _ => None,
        }
    }
}

fn stopped(cause: crate::ops::cause::Cause) -> Stopped {
    Stopped::Failed(cause.into())
}

/// `a, b and c`
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Each word once, in order.
fn distinct(words: Vec<&'static str>) -> Vec<&'static str> {
    let mut distinct = Vec::with_capacity(words.len());
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct
}
