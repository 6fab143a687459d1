//! Consult the user's model about a question that the search does not answer: once over passages (tier 3), then, if that
//! is allowed and gave no answer, with tools that read the tree (tier 4).
//!
//! A model never gets what is withheld from agents, whoever asks: it can be steered as an agent can. Whatever goes wrong,
//! the reply stays what the search made of it.

mod library;
mod looking;
mod prefetch;

pub use library::Library;

use crate::answer::consult::{self, Ending, Shown, Verdict};
use crate::answer::{By, NOT_COVERED, Outcome, Reply, Unanswered};
use crate::model::{Error, Model};
use crate::ops::steps::searching::{Asked, Question, last_changes_on_disk};
use looking::Looking;

/// A reply after a model was consulted, if it was.
pub struct Consulted {
    pub reply: Reply,
    /// Whether the same question may get it again: not if the model failed, or if something was withheld from it that may
    /// be accepted meanwhile.
    pub may_be_kept: bool,
}

/// Ask the model about a question if the search has no answer, but something for it to read: passages, or, where it may
/// look for more, entries that are near.
///
/// # Errors
/// [`Error::Interrupted`] only.
pub fn consult(
    library: &mut Library<'_, '_>,
    model: &mut Model,
    question: &Question<'_>,
    (asked, reply): (&Asked, Reply),
) -> Result<Consulted, Error> {
    let may_look = question.most_tier > 3;
    let has_passages = reply.outcome.by == By::Passages;
    if !has_passages && !(may_look && !reply.outcome.nearest.is_empty()) {
        return Ok(Consulted { reply, may_be_kept: true });
    }
    let shown = prefetch::shown(library, asked, &reply);
    let mut looking = Looking { library, model, shown, steps: Vec::new() };
    let ended = match looking.shown.is_empty() {
        true => None,
        false => Some(ending(&mut looking, question.text, has_passages, may_look)),
    };
    let Looking { shown, steps, .. } = looking;
    let mut reply = reply;
    let mut may_be_kept = library.withheld() == 0;
    match ended {
        None => {
            let is_withheld = library.withheld() > 0 || reply.outcome.withheld > 0;
            reply.unanswered = is_withheld.then_some(Unanswered::Withheld);
            return Ok(Consulted { reply, may_be_kept });
        }
        Some(Err(Error::Interrupted)) => return Err(Error::Interrupted),
        Some(Err(error)) => {
            may_be_kept = false;
            reply.unanswered = Some(Unanswered::Failed(error.to_string()));
        }
        Some(Ok((tier, ending))) => decide(library, question, (tier, ending), &shown, &mut reply),
    }
    // why there is no answer is not kept
    may_be_kept &= reply.unanswered.is_none();
    reply.outcome.model = Some(model.spent());
    reply.of_model = model.take_warnings();
    if let Some(explained) = &mut reply.outcome.explain {
        explained.steps = steps;
    }
    Ok(Consulted { reply, may_be_kept })
}

/// What the model says in the end, and in which tier.
fn ending(
    looking: &mut Looking<'_, '_, '_>,
    question: &str,
    has_passages: bool,
    may_look: bool,
) -> Result<(u8, Ending), Error> {
    let folders = consult::listing(&looking.library.folders());
    if has_passages {
        let count = looking.shown.len();
        let request = consult::once(question, &looking.shown, &folders);
        let ending = looking.model.ask_for(request, |value| Verdict::read(&value, count))?.ending();
        if !may_look || matches!(ending, Ending::Answer { .. }) {
            return Ok((3, ending));
        }
    }
    let request = consult::searching(question, &looking.shown, &folders);
    Ok((4, looking.look(request)?))
}

/// Make the reply of what the model said.
fn decide(
    library: &Library<'_, '_>,
    question: &Question<'_>,
    (tier, ending): (u8, Ending),
    shown: &Shown,
    reply: &mut Reply,
) {
    let (text, cited) = match ending {
        Ending::Answer { text, cited } => (text, cited),
        Ending::Nothing => return reply.unanswered = Some(Unanswered::Nothing),
        Ending::Uncited => return reply.unanswered = Some(Unanswered::Uncited),
        Ending::NotCovered => {
            empty(reply);
            (reply.outcome.tier, reply.outcome.by, reply.outcome.covered) = (tier, By::None, false);
            reply.outcome.message = Some(NOT_COVERED.into());
            return;
        }
    };
    empty(reply);
    for piece in cited.iter().filter_map(|number| shown.get(*number)) {
        reply.ids.push(piece.id.clone());
        reply.outcome.sources.push(piece.source.clone());
    }
    let by = if tier == 3 { By::Model } else { By::Agent };
    (reply.outcome.tier, reply.outcome.by, reply.outcome.covered) = (tier, by, true);
    (reply.outcome.message, reply.outcome.answer) = (None, Some(text));
    name_origins(library, question, &mut reply.outcome);
}

/// Take out what the search gave.
fn empty(reply: &mut Reply) {
    reply.ids.clear();
    let Outcome { sources, passages, nearest, .. } = &mut reply.outcome;
    sources.clear();
    passages.clear();
    nearest.clear();
}

/// Say who changed the cited entries last, where that is not known yet. What cannot be found out is left open.
fn name_origins(library: &Library<'_, '_>, question: &Question<'_>, outcome: &mut Outcome) {
    if !question.origins.are_named() {
        return;
    }
    let open = outcome.sources.iter().filter(|source| source.commit.is_none());
    let found = last_changes_on_disk(library.opened, open.map(|source| source.path.as_str()), None);
    let found = found.unwrap_or_default();
    for source in outcome.sources.iter_mut().filter(|source| source.commit.is_none()) {
        let Some(origin) = found.get(&source.path) else { continue };
        source.actor = Some(origin.actor.as_ref().unwrap_or(&origin.author).clone());
        source.commit = Some(origin.commit.clone());
    }
}
