//! Consult the user's model about a question that the search does not answer: once over passages (tier 3), then, if that
//! is allowed and gave no answer, with tools that read the tree (tier 4).
//!
//! A model never gets what is withheld from agents, whoever asks: it can be steered as an agent can. Whatever goes wrong,
//! the reply stays what the search made of it.

mod agent;
mod library;
mod prefetch;

pub use library::Library;

use agent::Agent;
use brv_engine::agents::model::{Error, Model};
use brv_engine::query::consult::{self, ModelVerdict, Shown, Worth};
use brv_engine::query::search::{Asked, ReplyRequest, last_changes_on_disk};
use brv_engine::query::{By, NOT_COVERED, Outcome, Reply, Unanswered};

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
    question: &ReplyRequest<'_>,
    (asked, reply): (&Asked, Reply),
) -> Result<Consulted, Error> {
    let may_look = question.most_tier > 3;
    let has_passages = reply.outcome.by == By::Passages;
    let has_near = may_look && !reply.outcome.nearest.is_empty();
    if !has_passages && !has_near {
        return Ok(Consulted { reply, may_be_kept: true });
    }
    let shown = prefetch::shown(library, asked, &reply);
    let mut agent = Agent { library, model, shown, steps: Vec::new() };
    let ended = match agent.shown.is_empty() {
        true => None,
        false => Some(ask(&mut agent, question.text, has_passages, may_look)),
    };
    let Agent { shown, steps, .. } = agent;
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
        Some(Ok((tier, worth))) => decide(library, question, (tier, worth), &shown, &mut reply),
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
fn ask(
    agent: &mut Agent<'_, '_, '_>,
    question: &str,
    has_passages: bool,
    may_look: bool,
) -> Result<(u8, Worth), Error> {
    let folders = consult::listing(&agent.library.folders());
    if has_passages {
        let count = agent.shown.len();
        let request = consult::once(question, &agent.shown, &folders);
        let worth = agent.model.ask_for(request, |value| ModelVerdict::read(&value, count))?.worth();
        if !may_look || matches!(worth, Worth::Answer { .. }) {
            return Ok((3, worth));
        }
    }
    let request = consult::searching(question, &agent.shown, &folders);
    Ok((4, agent.look(request)?))
}

/// Make the reply of what the model said.
fn decide(
    library: &Library<'_, '_>,
    question: &ReplyRequest<'_>,
    (tier, worth): (u8, Worth),
    shown: &Shown,
    reply: &mut Reply,
) {
    let (text, cited) = match worth {
        Worth::Answer { text, cited } => (text, cited),
        Worth::Nothing => return reply.unanswered = Some(Unanswered::Nothing),
        Worth::Uncited => return reply.unanswered = Some(Unanswered::Uncited),
        Worth::NotCovered => {
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
fn name_origins(library: &Library<'_, '_>, question: &ReplyRequest<'_>, outcome: &mut Outcome) {
    if !question.origins.are_named() {
        return;
    }
    let open = outcome.sources.iter().filter(|source| source.commit.is_none());
    let found = last_changes_on_disk(library.opened, open.map(|source| source.path.as_str()), None);
    let found = found.unwrap_or_default();
    for source in outcome.sources.iter_mut().filter(|source| source.commit.is_none()) {
        let Some(origin) = found.get(&source.path) else { continue };
        source.actor = Some(origin.who().to_owned());
        source.commit = Some(origin.commit.clone());
    }
}
