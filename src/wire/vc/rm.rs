//! JSON of `brv vc rm`.

use brv_commands::vc::rm::Outcome;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::read::links::Link;
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.rm/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Rm {
    /// Files that were removed from the index, or would be.
    pub removed: Vec<Bytes>,
    /// Links to them, which are broken now; not with `--cached`.
    pub dangling: Vec<Link>,
    /// Archived entries whose records are in removed overviews: `brv archive restore` no longer finds them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<String>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
}

impl From<&Outcome> for Rm {
    fn from(outcome: &Outcome) -> Self {
        Self {
            removed: Bytes::of(&outcome.removed),
            dangling: outcome.dangling.clone(),
            unrecorded: outcome.unrecorded.iter().map(ToString::to_string).collect(),
            written: Written::from(&outcome.written),
        }
    }
}
