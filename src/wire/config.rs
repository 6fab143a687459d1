//! JSON of `brv config`: brv's own settings, and where each one comes from.

use brv_base::config::{Key, Setter, Shown, Source};
use brv_base::messages::without_passwords;
use brv_commands::config::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.config/1`
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Preferences {
    /// All settings, by name.
    Settings {
        /// The settings.
        settings: Vec<Preference>,
    },
    /// One setting.
    Setting {
        /// The setting.
        setting: Preference,
    },
    /// A setting was changed.
    Changed {
        /// The setting as it is in the file now.
        setting: Preference,
        /// The file that was changed.
        #[serde(skip)]
        file: String,
        /// Where the setting is overridden; absent if it is not.
        #[serde(skip_serializing_if = "Option::is_none")]
        overruled_by: Option<Origin>,
    },
    /// A setting was removed from a file.
    Removed {
        /// The name of the setting.
        key: String,
        /// The file that was changed.
        file: String,
        /// Whether the file had it.
        was_there: bool,
    },
}

/// A setting of brv.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Preference {
    /// `lock.timeout`
    pub key: &'static str,
    /// Its value, as it would be written; `null` if not set.
    pub value: Option<String>,
    #[serde(flatten)]
    /// Where the value comes from.
    pub origin: Origin,
    /// What it is for.
    about: &'static str,
    /// Its valid values.
    expected: &'static str,
    /// The environment variable that overrides both files.
    variable: &'static str,
    /// The files that may set it.
    set_by: SetBy,
}

/// Where a value comes from.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Origin {
    origin: Layer,
    /// The file, variable or flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum Layer {
    Default,
    Project,
    User,
    Environment,
    Flag,
}

#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum SetBy {
    /// The project's and the user's file.
    Anyone,
    /// Only the user's file.
    User,
}

impl From<&Outcome> for Preferences {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Settings(settings) => {
                Self::Settings { settings: settings.iter().map(Preference::from).collect() }
            }
            Outcome::Setting(setting) => Self::Setting { setting: setting.into() },
            Outcome::Changed { now, file, overruled_by } => Self::Changed {
                setting: now.into(),
                file: file.to_string_lossy().into_owned(),
                overruled_by: overruled_by.as_ref().map(Origin::from),
            },
            Outcome::Removed { key, file, was_there } => Self::Removed {
                key: key.clone(),
                file: file.to_string_lossy().into_owned(),
                was_there: *was_there,
            },
        }
    }
}

impl From<&Shown> for Preference {
    fn from(shown: &Shown) -> Self {
        Self {
            key: shown.key.name(),
            value: shown.value.as_deref().map(without_passwords),
            origin: (&shown.source).into(),
            about: Key::about(shown.key),
            expected: shown.key.expected(),
            variable: shown.key.variable(),
            set_by: match shown.key.setter() {
                Setter::Anyone => SetBy::Anyone,
                Setter::UserOnly => SetBy::User,
            },
        }
    }
}

impl From<&Source> for Origin {
    fn from(source: &Source) -> Self {
        let (origin, place) = match source {
            Source::Default => (Layer::Default, None),
            Source::Project(file) => (Layer::Project, Some(file.to_string_lossy().into_owned())),
            Source::User(file) => (Layer::User, Some(file.to_string_lossy().into_owned())),
            Source::Environment(name) => (Layer::Environment, Some((*name).to_owned())),
            Source::Flag(name) => (Layer::Flag, Some((*name).to_owned())),
        };
        Self { origin, place }
    }
}

impl Origin {
    /// `project`
    pub const fn layer(&self) -> &'static str {
        match self.origin {
            Layer::Default => "default",
            Layer::Project => "project",
            Layer::User => "user",
            Layer::Environment => "environment",
            Layer::Flag => "flag",
        }
    }

    /// `project`, or the name of the variable or flag.
    pub fn word(&self) -> &str {
        match self.origin {
            Layer::Environment | Layer::Flag => self.place.as_deref().unwrap_or_default(),
            _ => self.layer(),
        }
    }
}
