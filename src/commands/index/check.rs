//! `brv index check`: try everything that an index needs on an engine, in an index of its own (`NAME-check-…`), which is
//! removed after.
//!
//! What engines say of themselves differs from what they do; this is the proof for one of them.

mod sample;
mod steps;

use super::{EngineName, Place};
use brv_base::content::ContentId;
use brv_engine::{Context, FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::hash::{BuildHasher as _, RandomState};

/// `brv.index.check/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexCheck")]
pub struct Outcome {
    /// The engine.
    pub engine: EngineName,
    /// What was tried, in order. After the first step that fails, nothing else is.
    pub steps: Vec<CheckedStep>,
    /// Of the first ten results of each question, the share that one local index over the same entries has among its first
    /// ten; `null` if it did not come to that.
    pub overlap_at_10: Option<f64>,
}

/// A step.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexCheckStep")]
pub struct CheckedStep {
    /// What was tried.
    pub name: &'static str,
    /// Whether the engine did as it must.
    pub ok: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What the engine did instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Below this share the engine's choice of files is too poor.
pub const LEAST_OVERLAP: f64 = 0.95;

/// Try.
///
/// # Errors
/// No engine answers; the user interrupts.
pub fn run(cx: &Context<'_>, place: &Place) -> Result<Outcome, Stop> {
    let random = RandomState::new().hash_one(std::process::id());
    let engine = super::open(cx, place)?;
    // roles of engines are for indexes whose names begin alike
    let name = format!("{}-check-{}", engine.index(), ContentId::of(&random.to_ne_bytes()).short());
    let engine = engine.with_index(name);
    let mut outcome = Outcome { engine: EngineName::of(&engine)?, steps: Vec::new(), overlap_at_10: None };
    steps::run(cx, &engine, &mut outcome)?;
    Ok(outcome)
}

impl Outcome {
    /// Why the engine is not fit.
    pub fn failure(&self) -> Option<Stop> {
        let failed = self.steps.iter().find(|step| !step.ok)?;
        let message =
            format!("`{}` failed: {}", failed.name, failed.message.as_deref().unwrap_or("no reason"));
        Some(Stop::new(FailureKind::Failed, message))
    }
}
