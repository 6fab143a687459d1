//! `brv derive --embed`: have the encoder of the settings give a vector to each passage that has none.

use brv_engine::open::context::Context;
use brv_engine::query::search::encoder::{self, Filled};
use brv_engine::{FailureKind, Stop};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether all are made anew.
    pub all: bool,
}

/// `brv.derive.embed/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeriveEmbed")]
pub struct Outcome {
    /// The encoder: its name, else its host.
    pub name: String,
    /// How many numbers a vector has; null if there is none.
    pub dimension: Option<usize>,
    /// The entries whose passages have vectors.
    pub entries: usize,
    /// The entries that are not sent: they are withheld from agents, wait for review, or are in conflict.
    pub withheld: usize,
    /// The passages of the entries.
    pub passages: usize,
    /// The passages that had no vector, and have one now.
    pub embedded: usize,
    /// The bytes of all vectors on this machine.
    pub bytes: usize,
}

/// Make the vectors that are missing.
///
/// # Errors
/// No encoder is set; it gave no vectors, or none that can be used; the disk or git. What was made before is kept.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let Some(own) = cx.config.model.encoder() else {
        return Err(Stop::new(FailureKind::Usage, "no encoder is set")
            .hint("set `model.embed_url` and `model.embed_name`: `brv help models`"));
    };
    let mut kept = encoder::vector_file(&opened, &own);
    if options.all {
        kept.clear()?;
    }
    let filled = encoder::fill(cx, &opened, &mut kept, None)?;
    let (dimension, bytes) = (kept.size(), kept.bytes());
    let Filled { entries, withheld, passages, made: embedded } = filled;
    Ok(Outcome { name: own.title(), dimension, entries, withheld, passages, embedded, bytes })
}

/// Make them while nobody waits, if the settings say so.
pub fn in_background(cx: &Context<'_>) {
    if let Ok(opened) = cx.open() {
        encoder::fill_in_background(cx, &opened);
    }
}
