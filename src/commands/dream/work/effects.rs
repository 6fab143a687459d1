//! What a decision does to the files, why a person must look at it, and what it drops.

use super::basis::doubted;
use super::composing::Text;
use super::ground::DreamPlace;
use super::row::Facts;
use super::setting::{Decided, DreamContext};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::curate::{Done, Sketch, Stopped};
use brv_engine::read::archive;
use brv_text::curate::{self, Code, CurateKind as Verb, Operation, Refused};
use brv_text::doc::{self, ArchiveRecord, Document};
use brv_text::dream::{Candidate, Meant, survival};
use brv_text::lifecycle::Maturity;

/// Below this confidence, a decision is reviewed.
const SURE: f64 = 0.7;

/// What a decision did to the tree.
#[derive(Default)]
pub struct Effect {
    pub done: Vec<Done>,
    /// Why to review it.
    pub why: Vec<&'static str>,
    /// What the history says about it.
    pub words: String,
    pub dropped: Vec<String>,
    pub facts: Facts,
    /// What is to be known of it.
    pub message: Option<String>,
}

/// One decision that changes files, while it is applied.
pub struct DecisionWork<'w, 'a> {
    pub sketch: &'w mut Sketch<'a>,
    pub setting: &'w DreamContext<'w, 'a>,
    pub decided: &'w Decided,
    /// Why the decision is left to a later dream, or to a writer, though nothing is wrong with it.
    pub left: &'w mut Option<String>,
}

impl DecisionWork<'_, '_> {
    /// `None`: nothing changes.
    pub fn carry_out(&mut self) -> Result<Option<Effect>, Stopped> {
        let decided = self.decided;
        match &decided.meant {
            Meant::Merge { target, sources } => self.merge(target, sources).map(Some),
            Meant::Update { path } => self.update(path),
            Meant::CrossReference { path, related } => self.cross_reference(path, related),
            Meant::Create { path } => self.create(path).map(Some),
            Meant::Archive { path } => self.archive(path).map(Some),
            Meant::Skip | Meant::Keep { .. } | Meant::MergeInto { .. } => Ok(None),
        }
    }

    pub(super) fn read(&self, path: &TreePath) -> Result<Document, Stopped> {
        let bytes = self.sketch.view.read(path)?;
        let missing = || Refused::new(Code::NotFound, format!("there is no entry `{path}`"));
        Ok(Document::parse(bytes.ok_or_else(missing)?))
    }

    /// Leave the decision alone, and what it did so far undone.
    pub(super) fn leave(&mut self, why: impl Into<String>) -> Stopped {
        let why = why.into();
        *self.left = Some(why.clone());
        Refused::new(Code::Conflict, why).into()
    }

    pub(super) fn reason(&self) -> &str {
        &self.decided.decision.reason
    }

    fn update(&mut self, path: &TreePath) -> Result<Option<Effect>, Stopped> {
        let before = self.read(path)?;
        let text = Text::of(&self.decided.decision);
        let done = self.sketch.step(&text.operation(Verb::Update, path, Some(&before), self.reason()))?;
        let after = self.read(path)?;
        if after.as_bytes() == before.as_bytes() {
            return Ok(None);
        }
        let survived = survival(&[&before], &after);
        let doubts = doubted(self.setting, self.decided)?;
        let mut why: Vec<&'static str> = done.review.iter().map(|why| why.as_str()).collect();
        why.extend(doubts.why);
        why.extend(self.unsure());
        why.extend(self.settled(path));
        let words = format!("Updated {path} — {}", self.reason());
        let facts = Facts {
            before: survived.facts_before,
            after: survived.facts_after,
            dropped: survived.facts_before - survived.facts_after,
        };
        let dropped = survived.dropped;
        let message = doubts.message;
        Ok(Some(Effect { done: vec![done], why: distinct(why), words, dropped, facts, message }))
    }

    /// Add relations, and nothing else: the entries get no younger by it.
    fn cross_reference(&mut self, paths: &[TreePath], related: &[String]) -> Result<Option<Effect>, Stopped> {
        let mut effect = Effect::default();
        let mut linked = Vec::new();
        for path in paths {
            let others: Vec<&str> =
                related.iter().map(String::as_str).filter(|other| *other != path.as_str()).collect();
            if let Some(missing) = others.iter().find(|other| !self.sketch.view.leads(other)) {
                return Err(Refused::new(Code::NotFound, format!("`{missing}` is not an entry")).into());
            }
            let before = self.read(path)?;
            let Some(bytes) = curate::with_relations(before.into_bytes(), &others)? else { continue };
            self.sketch.view.set(path, Some(bytes))?;
            effect.done.push(Done::changed(path, self.reason()));
            effect.why.extend(self.settled(path));
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
        if done.file != *path {
            return Err(Refused::new(Code::Invalid, format!("write the path as `{}`", done.file)).into());
        }
        self.sketch.view.set(path, Some(rendered.into_bytes()))?;
        let doubts = doubted(self.setting, self.decided)?;
        let why = doubts.why.into_iter().chain(self.unsure()).collect();
        let words = format!("Generated cross-domain synthesis: {}", title.unwrap_or_default());
        Ok(Effect { done: vec![done], why, words, message: doubts.message, ..Effect::default() })
    }

    fn archive(&mut self, path: &TreePath) -> Result<Effect, Stopped> {
        let committed = &self.setting.ground.committed;
        let refused = |message: String| Refused::new(Code::Invalid, message);
        if self.setting.ground.place == DreamPlace::Disk
            && let Some(why) = committed.hinders(path)
        {
            return Err(refused(format!("`{path}` stays: {}", why.words())).into());
        }
        if committed.is_unpublished(path) {
            let why = archive::Why::Unpublished.words();
            return Err(refused(format!("`{path}` stays: {why}")).into());
        }
        let before = self.read(path)?;
        let overview = archive::overview_of(path);
        let importance = (self.setting.signals.of(path).importance * 100.0).round() / 100.0;
        let blob = ContentId::of(before.as_bytes());
        let at = self.setting.parts.clock.seconds();
        let record = ArchiveRecord { name: path.file_name().to_owned(), blob, importance, at };
        let old = self.sketch.view.read(&overview)?;
        let new = doc::add_archive_records(old.as_deref(), &[record]).map_err(Refused::from)?;
        self.sketch.view.set(&overview, Some(new))?;
        self.sketch.view.set(path, None)?;
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
    pub(super) fn settled(&self, path: &TreePath) -> Option<&'static str> {
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

/// `a, b and c`
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Each word once, in order.
pub(super) fn distinct(words: Vec<&'static str>) -> Vec<&'static str> {
    let mut distinct = Vec::with_capacity(words.len());
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct
}
