//! The model of the user's settings, for a command that asks one.

mod answers;
mod plain;

pub use answers::{AnswerPrompt, Answers, CachedAnswer, folder, overview_of};
pub use plain::{plain_line, start_of};

use crate::Stop;
use crate::agents::model::{Error, Model};
use crate::open::context::Context;
use brv_git as git;

/// The model; `None` if the user set none.
pub fn of(cx: &Context<'_>) -> Option<Model> {
    // the settings of a project never name a model
    Model::of(&cx.config.model, &cx.environment, git::interrupt())
}

/// The model for what nobody waits for: none unless `model.background` is set.
pub fn in_background(cx: &Context<'_>) -> Option<Model> {
    of(cx).filter(|_| cx.config.model.background.value)
}

/// The model that a command cannot do without.
///
/// # Errors
/// None is set.
pub fn needed(cx: &Context<'_>) -> Result<Model, Stop> {
    of(cx).ok_or_else(|| {
        Stop::from(Error::Unset)
            .hint("set `model.url` and `model.name`, or `model.command`: `brv help models`")
    })
}
