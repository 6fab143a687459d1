//! What a MERGE does: the text of the decider, with what it lacks of the entries; without such a text the entries joined.

use super::basis::{Doubts, doubted};
use super::composing::{Text, dated, plain};
use super::effects::{DecisionWork, Effect, distinct, listed};
use super::row::Facts;
use super::setting::Decider;
use brv_base::path::TreePath;
use brv_engine::curate::{Done, Stopped};
use brv_text::curate::{self, CurateKind as Verb, Operation, Refused, Setting, Sides};
use brv_text::doc::{self, Document};
use brv_text::dream::{FactSurvival, below_title, lacking, lost_fields, survival, unknown_names, unsaid};

/// A MERGE with a text must not make the entry larger than all entries that it is made of, by more than this share.
const MOST: f64 = 1.2;

/// The fields that only a merged entry has.
const OF_MERGES: [&str; 2] = ["consolidated_at", "consolidated_from"];

impl DecisionWork<'_, '_> {
    pub(super) fn merge(&mut self, target: &TreePath, sources: &[TreePath]) -> Result<Effect, Stopped> {
        let mut inputs = vec![self.read(target)?];
        for source in sources {
            inputs.push(self.read(source)?);
        }
        let inputs: Vec<&Document> = inputs.iter().collect();
        let text = Text::of(&self.decided.decision);
        if text.body.is_some() {
            self.write_over(target, (&text, &sources[0]), &inputs)?;
        }
        let mut done = Vec::new();
        for (at, source) in sources.iter().enumerate() {
            let rest = match text.body.is_some() {
                true => self.lacking(target, at + 1, &inputs)?,
                false => unsaid(inputs[at + 1], &self.read(target)?),
            };
            self.sketch.view.set(source, Some(rest))?;
            let operation = match at + 1 == sources.len() {
                // the fields of the decider stand for all of them
                true => Operation {
                    parts: Vec::new(),
                    replace: false,
                    ..text.operation(Verb::Merge, target, Some(inputs[0]), self.reason())
                },
                false => plain(Verb::Merge, target, self.reason()),
            };
            done.push(self.sketch.step(&Operation { source: Some(source.to_string()), ..operation })?);
        }
        let turned = done.iter().flat_map(|done| &done.turned);
        if let Some(path) = turned.into_iter().find(|path| self.setting.ground.is_unfinished(path)) {
            let message = format!("`{path}` links to it, and has uncommitted changes");
            return Err(self.leave(message));
        }
        let after = self.read(target)?;
        let bytes = dated(after.into_bytes(), &inputs)?;
        let after = Document::parse(bytes.clone());
        if text.body.is_some() {
            within_size(&after, &inputs)?;
        }
        self.sketch.view.set(target, Some(bytes))?;
        let survived = self.survived(&inputs, &after)?;
        let doubts = doubted(self.setting, self.decided)?;
        Ok(self.merged((target, sources), done, (survived, doubts)))
    }

    /// Give the target the text of the decider, and what this lacks of what stood there.
    fn write_over(
        &mut self,
        target: &TreePath,
        (text, source): (&Text, &TreePath),
        inputs: &[&Document],
    ) -> Result<(), Stopped> {
        let drop = self.decided.decision.drop.as_deref().unwrap_or_default();
        if let Some(unknown) = unknown_names(drop, inputs).first() {
            let message =
                format!("`drop` names `{unknown}`, which is neither a sentence nor a subject of the entries");
            return Err(Refused::invalid(message).into());
        }
        self.sketch.step(&text.operation(Verb::Update, target, Some(inputs[0]), self.reason()))?;
        let rest = self.lacking(target, 0, inputs)?;
        if Document::parse(&rest[..]).body().trim().is_empty() {
            return Ok(());
        }
        // as if it came from the first source: what stood in the target is joined with its new text in the same way
        let current = self.read(target)?.into_bytes();
        let operation =
            Operation { source: Some(source.to_string()), ..plain(Verb::Merge, target, self.reason()) };
        let sides = Sides {
            path: target,
            by_title: false,
            current: Some(&current),
            base: None,
            source: Some((source, &rest)),
        };
        let setting = Setting { now: self.setting.parts.clock.seconds(), leads: &|_| true };
        let joined = curate::apply(&operation, &sides, &setting)?;
        Ok(self.sketch.view.set(target, joined.bytes)?)
    }

    /// What of this input the target does not say by now, below the title of the target.
    fn lacking(&self, target: &TreePath, at: usize, inputs: &[&Document]) -> Result<Vec<u8>, Stopped> {
        let drop = self.decided.decision.drop.as_deref().unwrap_or_default();
        let others: Vec<&Document> =
            inputs.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, input)| *input).collect();
        let written = self.read(target)?;
        Ok(below_title(lacking(inputs[at], &written, &others, drop), &written))
    }

    /// What the entry has of its inputs. Without a writer nothing may be lost, and nothing become disputed.
    fn survived(&mut self, inputs: &[&Document], after: &Document) -> Result<FactSurvival, Stopped> {
        let mut survived = survival(inputs, after);
        if self.setting.decider == Decider::Certainty {
            let known = inputs[0].meta().disputed;
            let is_new = |subject: &String| !known.contains(subject);
            let is_disputed = doc::disputes(after).into_iter().any(|one| is_new(&one.subject));
            if is_disputed || !survived.dropped.is_empty() {
                return Err(self.leave("no writer"));
            }
        }
        let drop = self.decided.decision.drop.iter().flatten();
        let untold = drop.filter(|name| !survived.dropped.iter().any(|told| told.contains(name.as_str())));
        let untold: Vec<String> = untold.cloned().collect();
        survived.dropped.extend(untold);
        survived.dropped.extend(lost_fields(&inputs[1..], after));
        Ok(survived)
    }

    fn merged(
        &self,
        (target, sources): (&TreePath, &[TreePath]),
        done: Vec<Done>,
        (survived, doubts): (FactSurvival, Doubts),
    ) -> Effect {
        let mut why: Vec<&'static str> = [&["merged"], &doubts.why[..]].concat();
        let reviews = done.iter().flat_map(|done| &done.review).map(|why| why.as_str());
        why.extend(reviews.filter(|one| *one != "merged" && *one != "fact_removed"));
        if survived.facts_after < survived.facts_before {
            why.push("fact_removed");
        }
        why.extend([target].into_iter().chain(sources).filter_map(|path| self.settled(path)));
        let all: Vec<String> = [target].into_iter().chain(sources).map(ToString::to_string).collect();
        let words = format!("Merged {} — {}", listed(&all), self.reason());
        let facts = Facts {
            before: survived.facts_before,
            after: survived.facts_after,
            dropped: survived.facts_before - survived.facts_after,
        };
        let (dropped, message) = (survived.dropped, doubts.message);
        Effect { done, why: distinct(why), words, dropped, facts, message }
    }
}

/// Refuse a text that stands beside the sentence that it should replace.
fn within_size(after: &Document, inputs: &[&Document]) -> Result<(), Refused> {
    let mut own = after.clone();
    for field in OF_MERGES {
        let _ = own.remove_field(field)?;
    }
    let (size, all) =
        (own.as_bytes().len(), inputs.iter().map(|input| input.as_bytes().len()).sum::<usize>());
    if size as f64 <= MOST * all as f64 {
        return Ok(());
    }
    let message = format!(
        "adds_nothing: with what the text lacks, the entry would have {size} bytes, and the entries have {all}: say \
         what they say, or name in `drop` what is to go"
    );
    Err(Refused::invalid(message))
}
