//! JSON of `brv vc config`.

use brv_commands::vc::config;
use brv_git::settings::{self, Origin};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.config/1`
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Config {
    /// All settings; later ones override earlier ones.
    Settings(Vec<Setting>),
    /// The setting in effect; `null` if it is not set.
    Setting(Option<Setting>),
    /// Whether the setting existed before it was removed.
    Removed(bool),
}

/// A setting.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Setting {
    /// Its name: `user.name`
    pub key: String,
    /// Its value; secrets are left out.
    pub value: String,
    /// `system`, `user`, `repository` or `environment`.
    pub origin: &'static str,
    /// The file, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A known setting with a similar name, if the name that was set is unknown.
    #[serde(skip)]
    pub near: Option<String>,
}

impl From<&config::Outcome> for Config {
    fn from(outcome: &config::Outcome) -> Self {
        match outcome {
            config::Outcome::List(settings) => Self::Settings(settings.iter().map(Setting::from).collect()),
            config::Outcome::Value(setting) => Self::Setting(setting.as_ref().map(Setting::from)),
            config::Outcome::Set { setting, near } => {
                Self::Setting(Some(Setting { near: near.clone(), ..setting.into() }))
            }
            config::Outcome::Unset(presence) => Self::Removed(*presence == config::Presence::There),
        }
    }
}

impl From<&settings::Setting> for Setting {
    fn from(setting: &settings::Setting) -> Self {
        Self {
            key: setting.shown_key(),
            value: setting.shown(),
            origin: match setting.origin {
                Origin::System => "system",
                Origin::User => "user",
                Origin::Repository => "repository",
                Origin::Environment => "environment",
            },
            file: setting.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
            near: None,
        }
    }
}
