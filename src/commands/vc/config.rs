//! `brv vc config`: read and change git's settings in the tree's repository.

use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::open::naming::candidates;
use brv_git::settings::{self, Key, Origin};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone)]
pub enum Options {
    /// List all settings, including those of machine and user.
    List,
    Get {
        /// `user.name`
        key: String,
    },
    /// Set a value in the repository.
    Set {
        /// `user.name`
        key: String,
        value: String,
    },
    /// Remove a setting from the repository.
    Unset {
        /// `user.name`
        key: String,
    },
}

/// `brv.vc.config/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Config")]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All settings; later ones override earlier ones.
    Settings(Vec<ConfigSetting>),
    /// The setting in effect; `null` if it is not set.
    Setting(Option<ConfigSetting>),
    /// Whether the setting existed before it was removed.
    Removed(bool),
}

/// A setting.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Setting")]
pub struct ConfigSetting {
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

impl From<settings::GitSetting> for ConfigSetting {
    fn from(setting: settings::GitSetting) -> Self {
        Self {
            key: setting.shown_key(),
            value: setting.shown(),
            origin: match setting.origin {
                Origin::System => "system",
                Origin::User => "user",
                Origin::Repository => "repository",
                Origin::Environment => "environment",
            },
            file: setting.file.map(|file| file.to_string_lossy().into_owned()),
            near: None,
        }
    }
}

/// Read or change settings.
///
/// # Errors
/// A name or value that no setting can have; then nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let get = |key: &Key| Ok::<_, Stop>(settings::get(scope, key)?.map(ConfigSetting::from));
    Ok(match options {
        Options::List => {
            Outcome::Settings(settings::list(scope)?.into_iter().map(ConfigSetting::from).collect())
        }
        Options::Get { key } => Outcome::Setting(get(&Key::parse(key)?)?),
        Options::Set { key: typed, value } => {
            let key = Key::parse(typed)?;
            settings::set(scope, &key, value)?;
            let near = candidates::near_setting(typed);
            Outcome::Setting(get(&key)?.map(|setting| ConfigSetting { near, ..setting }))
        }
        Options::Unset { key } => Outcome::Removed(settings::unset(scope, &Key::parse(key)?)?),
    })
}
