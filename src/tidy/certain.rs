//! Decide without a writer: only what is certain.

use super::{Decision, Plan};
use crate::doc::Document;
use crate::path::TreePath;

/// What is decided about a candidate.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a plan has at most 90")]
pub enum Certain {
    Do(Decision),
    /// It needs a writer.
    NoWriter,
}

/// The decision about each candidate of a plan, by its id.
pub fn certain(plan: &Plan, read: &dyn Fn(&TreePath) -> Option<Document>) -> Vec<(String, Certain)> {
    let _ = read;
    plan.consolidate.iter().map(|one| (one.id.clone(), Certain::NoWriter)).collect()
}
