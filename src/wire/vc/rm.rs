//! The data of `brv vc rm`.

use crate::ops::vc::rm::Outcome;
use crate::wire::bytes::Bytes;
use crate::wire::links::Link;
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.rm/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Rm {
    /// Files that are not recorded any more, or would not be.
    pub removed: Vec<Bytes>,
    /// Links that led to them, and lead nowhere now; not with `--cached`.
    pub dangling: Vec<Link>,
    /// The rest.
    #[serde(flatten)]
    pub written: Written,
}

impl From<&Outcome> for Rm {
    fn from(outcome: &Outcome) -> Self {
        Self {
            removed: Bytes::of(&outcome.removed),
            dangling: outcome.dangling.iter().map(Link::from).collect(),
            written: Written::from(&outcome.written),
        }
    }
}
