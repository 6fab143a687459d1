//! The data of `brv vc restore`.

use crate::ops::steps::work_tree::restoring::Restored;
use crate::wire::change::paths;
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.restore/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Restore {
    /// Files that were written or removed.
    pub files: Vec<String>,
    /// Paths of the index that changed.
    pub recorded: Vec<String>,
    /// What else is to be known of the files.
    #[serde(flatten)]
    pub written: Written,
}

impl From<&Restored> for Restore {
    fn from(restored: &Restored) -> Self {
        Self {
            files: paths(&restored.files),
            recorded: paths(&restored.staged),
            written: Written::from(&restored.written),
        }
    }
}
