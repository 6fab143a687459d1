//! What became of the files of connectors.

use crate::connectors::agents::{Connector, ConnectorState};
use schemars::JsonSchema;
use serde::Serialize;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ConnectorChange")]
pub enum ConnectorChange {
    Added,
    Updated,
    Removed,
    Kept,
}

/// A file as it is now, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ChangedConnector")]
pub struct Changed {
    #[serde(flatten)]
    pub connector: Connector,
    pub change: ConnectorChange,
}

/// `brv.connectors.install/1` and `brv.connectors.uninstall/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorChanges")]
pub struct Changes {
    pub connectors: Vec<Changed>,
    /// Whether nothing was written.
    pub dry_run: bool,
}

impl ConnectorChange {
    pub(super) const fn of(before: ConnectorState, is_changed: bool, after: ConnectorState) -> Self {
        match (is_changed, before.is_there(), after.is_there()) {
            (false, ..) => Self::Kept,
            (true, false, _) => Self::Added,
            (true, true, true) => Self::Updated,
            (true, true, false) => Self::Removed,
        }
    }
}
