//! JSON for the settings of branches and remotes that an operation changes.

use brv_git::settings_moves::{Owner, Setting, SettingsMove};
use schemars::JsonSchema;
use serde::Serialize;

/// Changed settings of a branch (`branch.NAME.*`) or a remote (`remote.NAME.*`), or of remotes in general (`remote.*`)
/// if neither is given. Addresses have no secrets.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Settings")]
pub struct ChangedSettings {
    /// The branch, for settings of a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The remote, for settings of a remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// `key=value`
    pub before: Vec<String>,
    /// `key=value`
    pub after: Vec<String>,
}

impl From<&SettingsMove> for ChangedSettings {
    fn from(one: &SettingsMove) -> Self {
        let side = |side: &[Setting]| {
            side.iter().map(|setting| format!("{}={}", setting.key, setting.shown())).collect()
        };
        let (branch, remote) = match &one.of {
            Owner::Branch(name) => (Some(name.clone()), None),
            Owner::Remote(name) => (None, Some(name.clone())),
            Owner::Remotes => (None, None),
        };
        Self { branch, remote, before: side(&one.old), after: side(&one.new) }
    }
}
