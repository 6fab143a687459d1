//! `brv review --enable`, `brv review --disable`: whether risky changes are marked for review.

use brv_base::config::{self, ConfigLayer, Key};
use brv_engine::open::context::Context;
use brv_engine::review;
use brv_engine::{FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// `brv.review.switch/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewSwitch")]
pub struct Outcome {
    /// Whether changes are marked from now on.
    pub enabled: bool,
    /// The user's settings, where it was written.
    pub file: PathBuf,
    /// Whether something else than these settings decides: an environment variable, or the team's `brv.yaml`.
    pub overruled: bool,
}

/// Write the setting into the user's file. What is marked already stays marked.
///
/// # Errors
/// An agent turns it off; the system has no place for such a file, or it cannot be changed.
pub fn run(cx: &Context<'_>, enabled: bool) -> Result<Outcome, Stop> {
    if !enabled && cx.is_by_agent() {
        let message = "only a person may turn off that changes wait for review";
        return Err(Stop::new(FailureKind::Refused, message).hint("ask a person to decide that"));
    }
    let file = cx.config.user_file.clone();
    let nowhere = || Stop::new(FailureKind::Failed, "this system has no directory for user settings");
    let file = file.ok_or_else(nowhere)?;
    let mut opened = cx.open()?;
    let value = if enabled { "true" } else { "false" };
    config::change(&file, Key::ReviewEnabled.name(), Some(value))
        .map_err(|error| Stop::new(FailureKind::Failed, brv_engine::outcome::stop::message(&error)))?;
    let setting = &mut opened.config.review_enabled;
    if setting.source.layer <= ConfigLayer::User {
        setting.value = enabled;
    }
    let now = review::is_enabled(&opened);
    Ok(Outcome { enabled: now, file, overruled: now != enabled })
}
