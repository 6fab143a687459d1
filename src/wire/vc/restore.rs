//! JSON of `brv vc restore`.

use brv_engine::outcome::recovered::paths;
use brv_engine::vc::work_tree::restoring::Restored;
use brv_engine::write::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.restore/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Restore {
    /// Files that were written or removed.
    pub files: Vec<String>,
    /// Paths that changed in the index.
    pub recorded: Vec<String>,
    /// Effects on files, and the operation.
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
