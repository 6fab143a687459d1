//! `brv agent-hook HOST`: what a host's hook asks for, and whether the agent gets it.
//!
//! The text itself is that of `brv brain`: a surface runs it between [`begin`] and [`AnswerableCall::claim`]. Nothing here is worth a
//! message: what cannot be read, or is locked for too long, makes the hook silent.

mod call;
mod memory;
pub mod offer;
mod rows;

pub use brv_text::brain::LastChange;
pub use call::{Call, Event, read};

use crate::connectors::agents::{self, ConnectorType, Host};
use brv_engine::open::signals::{self, ServedAnswer};
use brv_engine::{Actor, CallDoor, Context, review};
use memory::{About, AgentMemory};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// `brv.agent-hook/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentHook")]
pub struct Outcome {
    /// What the host is given; `null` if there is nothing to say.
    pub output: Option<Output>,
}

/// What a host reads from its hook, without any other key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentHookOutput")]
pub struct Output {
    /// What is added to the agent's context.
    pub hook_specific_output: AddedContext,
}

/// What is added to the agent's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentHookAdded")]
pub struct AddedContext {
    /// The event that is answered.
    pub hook_event_name: String,
    /// A text that is fenced as data.
    pub additional_context: String,
}

/// What the agent asks for by what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The summary of the project.
    Summary,
    /// A shorter one.
    ShortSummary,
    /// What is known of these files; `session` names who was shown what before.
    Files { files: Vec<PathBuf>, session: String },
}

/// A call that may be answered.
pub struct AnswerableCall<'a> {
    memory: AgentMemory<'a>,
    about: Vec<About>,
    pub asked: Asked,
}

/// Note that a host called. `None`: no such host has hooks.
pub fn note(cx: &Context<'_>, host: &str) -> Option<()> {
    let host = Host::of_id(host).filter(|host| matches!(host, Host::Claude | Host::Codex))?;
    agents::fired(&cx.environment, host, ConnectorType::Hook, cx.clock);
    Some(())
}

/// Find out what the agent asks for. `None`: nothing, or the agent got it already.
pub fn begin<'a>(cx: &'a Context<'_>, call: &Call) -> Option<AnswerableCall<'a>> {
    let opened = cx.keep_open().ok()?;
    let memory = AgentMemory::of(opened, call, cx.clock.seconds());
    memory.follow(&call.event)?;
    let event = call.event.name();
    let about = match &call.event {
        Event::SessionStart { source: what } | Event::SubagentStart { kind: what } => {
            vec![About { event, what: what.clone() }]
        }
        Event::PreToolUse { files } => files.iter().map(|file| About::file(event, file)).collect(),
        Event::PostCompact | Event::PostToolUse | Event::UserPromptSubmit => Vec::new(),
    };
    let about = memory.open(&about)?;
    if about.is_empty() {
        return None;
    }
    let asked = match &call.event {
        Event::SubagentStart { .. } => Asked::ShortSummary,
        Event::PreToolUse { .. } => {
            let files = about.iter().map(|about| PathBuf::from(&about.what)).collect();
            Asked::Files { files, session: memory.epoch()? }
        }
        _ => Asked::Summary,
    };
    Some(AnswerableCall { memory, about, asked })
}

/// Note what the agent was given, by its host's hook and in its host's session, after it was said.
pub fn note_given(cx: &Context<'_>, (host, call): (&str, &Call), given: ServedAnswer) {
    let Ok(opened) = cx.keep_open() else { return };
    let name = cx.actor.name.clone().or_else(|| Some(host.to_owned()));
    let actor = Actor { name, session: Some(call.session.clone()), door: None };
    let actor = actor.through(CallDoor::Hook, &cx.environment);
    let given = ServedAnswer { command: "agent-hook", ..given };
    let _ = signals::note_served(opened, &actor, &given, cx.clock.seconds());
}

/// The comments that wait for an answer, between markers, for an agent that begins. `None`: there are none.
pub fn comments(cx: &Context<'_>, asked: &Asked) -> Option<String> {
    if *asked != Asked::Summary {
        return None;
    }
    review::unanswered(cx.keep_open().ok()?)
}

impl AnswerableCall<'_> {
    /// Whether the agent gets this document now: no other process delivered it, and it has news.
    pub fn claim(&self, document: &str) -> bool {
        self.memory.claim(&self.about, document).unwrap_or(false)
    }
}
