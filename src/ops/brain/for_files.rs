//! `brv brain --for PATH…`: what is known about files of the code.

use crate::ops::{Context, Stop};
use std::path::PathBuf;

/// `brv.brain.for/1`
#[derive(Debug)]
pub enum Outcome {}

/// Find what is known about files of the host; a `session` gets each blob once in 30 minutes.
///
/// # Errors
/// It cannot be asked yet.
pub fn run(_cx: &Context<'_>, _files: &[PathBuf], _session: Option<&str>) -> Result<Outcome, Stop> {
    Err(Stop::usage("`--for` is not available yet"))
}
