//! Layered settings; each value carries its source.
//!
//! Flags override the environment (`BRV_*`), which overrides the user's file, which overrides the project's file, which
//! overrides the defaults. This module does not know what the settings are for, nor git's own configuration.

mod engine;
mod file;
mod keys;
mod model;
mod model_values;
mod personal;
mod personal_values;

pub use engine::EngineConfig;
pub use file::EditError;
pub use keys::{Key, Setter};
pub use model::ModelConfig;
pub use model_values::{Api, is_here};
pub use personal::{ServedConfig, UiConfig};

use crate::environment::Environment;
use crate::fs::{self, Busy, Form, WriteGuard};
use crate::messages::without_passwords;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Overrides the platform's folder for the user's `config.yaml`.
pub const HOME_VARIABLE: &str = "BRV_CONFIG_HOME";

/// The name of the file in the user's folder and in `.brv/`.
pub const FILE_NAME: &str = "config.yaml";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `agents.offer`, `BRV_AGENTS_OFFER`: whether brv asks an agent after its commit to file what the commit does not
    /// say.
    pub agents_offer: Setting<bool>,
    /// `cache.shared`, `BRV_CACHE_SHARED`: whether what is derived is kept in the user's cache for other clones.
    pub cache_shared: Setting<bool>,
    /// `color`, `BRV_COLOR`, `--color`: when output is coloured.
    pub color: Setting<Color>,
    /// `commit.auto`, `BRV_COMMIT_AUTO`: whether commands that write knowledge commit it.
    pub commit_auto: Setting<bool>,
    /// `dream.auto`, `BRV_DREAM_AUTO`: whether brv dreams in the background when a dream is due.
    pub dream_auto: Setting<bool>,
    /// `hooks.enabled`, `BRV_HOOKS_ENABLED`: whether the installed git hooks do anything.
    pub hooks_enabled: Setting<bool>,
    /// `hooks.quota`, `BRV_HOOKS_QUOTA`: how many commits a day the hooks may curate.
    pub hooks_quota: Setting<u32>,
    /// `model.*`: the model that brv may ask, and what it may cost.
    pub model: ModelConfig,
    /// `pager`, `BRV_PAGER`: the command that shows long output; empty for none. `None` leaves the choice to the
    /// variables that git also reads.
    pub pager: Setting<Option<String>>,
    /// `lock.timeout`, `BRV_LOCK_TIMEOUT`, in seconds: how long to wait for another `brv` that writes the tree.
    pub lock_timeout: Setting<Duration>,
    /// `query.cache_seconds`, `BRV_QUERY_CACHE_SECONDS`: how long `brv query` may repeat an answer.
    pub query_cache: Setting<Duration>,
    /// `review.enabled`, `BRV_REVIEW_ENABLED`: whether risky changes are marked for review.
    pub review_enabled: Setting<bool>,
    /// `review.push`, `BRV_REVIEW_PUSH`: how a push treats changes that wait for review.
    pub review_push: Setting<ReviewPush>,
    /// `search.freshness`, `BRV_SEARCH_FRESHNESS`, in seconds: how long a search trusts the last look at the files.
    pub search_freshness: Setting<Duration>,
    /// `served.*`: what is remembered of what agents were given.
    pub served: ServedConfig,
    /// `index.*`: the search engine of `brv index`.
    pub index: EngineConfig,
    /// `ui.*`: the pages of `brv ui`.
    pub ui: UiConfig,
    /// The user's file, whether or not it exists; `None` if the platform has no place for one.
    pub user_file: Option<PathBuf>,
    warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    /// Where the value was set.
    pub source: ConfigSource,
}

/// Where a value comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[schemars(rename = "Origin")]
pub struct ConfigSource {
    #[serde(rename = "origin")]
    pub layer: ConfigLayer,
    /// The file, variable or flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

// lowest precedence first
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[schemars(rename = "Layer")]
#[serde(rename_all = "snake_case")]
pub enum ConfigLayer {
    #[default]
    Default,
    // `.brv/config.yaml`
    Project,
    // the user's `config.yaml`
    User,
    Environment,
    Flag,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingView {
    pub key: Key,
    /// The value as it would be written; `None` if it is not set.
    pub value: Option<String>,
    /// Where the value was set.
    pub source: ConfigSource,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Also into files and pipes.
    Always,
    Never,
}

/// What a push does about changes that wait for review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReviewPush {
    #[default]
    Block,
    /// It sends them, with a warning.
    Warn,
    Off,
}

/// The settings given by flags of this command; `None` if there was no flag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--color`
    pub color: Option<Color>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The key does not exist.
    Unknown {
        /// The key as written, parts joined by dots.
        key: String,
        source: ConfigSource,
    },
    /// A project may not set this key: it would choose for the user what runs, or where secrets go.
    Personal {
        /// The key as written, parts joined by dots.
        key: String,
        source: ConfigSource,
    },
    /// A project may only be stricter with this key.
    Laxer { key: Key, value: String, source: ConfigSource },
    /// A project's file, or a value in it, is invalid: brv ignores it, so that work in the project can go on.
    Invalid {
        /// The message of the [`Error`] that this would be anywhere else.
        reason: String,
    },
}

/// Why the settings could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    File(#[from] fs::Error),
    #[error("`{}` is not a mapping of settings: {reason}", path.display())]
    Yaml { path: PathBuf, reason: String },
    #[error("{source_name} sets `{key}` to `{value}`, which is not {expected}")]
    Value {
        key: &'static str,
        value: String,
        /// The values it accepts, worded to follow "which is not".
        expected: &'static str,
        source_name: ConfigSource,
    },
}

/// Why a settings file could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(transparent)]
    File(#[from] fs::Error),
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error("cannot change `{}`", path.display())]
    Edit {
        path: PathBuf,
        #[source]
        why: EditError,
    },
}

/// The lock beside a settings file, held while the file is changed.
const LOCK_NAME: &str = ".config.lock";

/// How long to wait for another brv that changes the same file.
const PATIENCE: Duration = Duration::from_secs(5);

impl Default for Config {
    fn default() -> Self {
        Self {
            agents_offer: Setting::default_of(true),
            cache_shared: Setting::default_of(true),
            color: Setting::default_of(Color::Auto),
            commit_auto: Setting::default_of(true),
            dream_auto: Setting::default_of(false),
            hooks_enabled: Setting::default_of(true),
            hooks_quota: Setting::default_of(20),
            model: ModelConfig::default(),
            pager: Setting::default_of(None),
            lock_timeout: Setting::default_of(Duration::from_secs(10)),
            query_cache: Setting::default_of(Duration::from_secs(60)),
            review_enabled: Setting::default_of(true),
            review_push: Setting::default_of(ReviewPush::Block),
            search_freshness: Setting::default_of(Duration::from_secs(2)),
            served: ServedConfig::default(),
            index: EngineConfig::default(),
            ui: UiConfig::default(),
            user_file: None,
            warnings: Vec::new(),
        }
    }
}

impl<T> Setting<T> {
    const fn default_of(value: T) -> Self {
        Self { value, source: ConfigSource { layer: ConfigLayer::Default, place: None } }
    }

    fn offer(&mut self, value: T, source: ConfigSource) {
        if source >= self.source {
            *self = Self { value, source };
        }
    }
}

impl Config {
    /// Load the settings without a project's: flags, environment, the user's file, defaults.
    ///
    /// # Errors
    /// [`Error`] if the user's file or a variable is invalid.
    pub fn load(flags: Flags, environment: &Environment) -> Result<Self, Error> {
        let mut config = Self::without_files(environment);
        if let Some(path) = config.user_file.clone() {
            config.read(&path, &ConfigSource::file(ConfigLayer::User, &path))?;
        }
        for key in Key::ALL {
            if let Some(value) = environment.get_os(key.variable()) {
                config.set(
                    key,
                    &value.to_string_lossy(),
                    ConfigSource::named(ConfigLayer::Environment, key.variable()),
                )?;
            }
        }
        if let Some(color) = flags.color {
            config.color.offer(color, ConfigSource::named(ConfigLayer::Flag, "--color"));
        }
        Ok(config)
    }

    /// The settings without any files, for repairing files that are invalid.
    pub fn without_files(environment: &Environment) -> Self {
        Self { user_file: user_file(environment), ..Self::default() }
    }

    /// Add the settings of the project's file `path`, if it exists, below the user's.
    ///
    /// # Errors
    /// [`Error`] if the file is invalid.
    pub fn with_project(mut self, path: &Path) -> Result<Self, Error> {
        self.read(path, &ConfigSource::file(ConfigLayer::Project, path))?;
        Ok(self)
    }

    /// The settings that were ignored, in the order of the files.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn read(&mut self, path: &Path, source: &ConfigSource) -> Result<(), Error> {
        let is_project = source.layer == ConfigLayer::Project;
        let bytes = match fs::read_shipped(path, Form::Yaml) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(()),
            // the door notes why
            Err(error) if is_project && error.is_unfit() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let settings = match file::parse(&bytes) {
            Ok(settings) => settings,
            Err(reason) => return self.refuse(source, Error::Yaml { path: path.to_path_buf(), reason }),
        };
        for (name, value) in settings {
            match Key::named(&name) {
                _ if is_project && keys::is_personal(&name) => {
                    self.warnings.push(Warning::Personal { key: name, source: source.clone() });
                }
                Some(key) if is_project && keys::is_laxer(key, &value) => {
                    self.warnings.push(Warning::Laxer { key, value, source: source.clone() });
                }
                Some(key) => match self.set(key, &value, source.clone()) {
                    Ok(()) => {}
                    Err(error) => self.refuse(source, error)?,
                },
                None => self.warnings.push(Warning::Unknown { key: name, source: source.clone() }),
            }
        }
        Ok(())
    }

    /// An invalid value is an error if the user set it, and only a warning if a project did.
    fn refuse(&mut self, source: &ConfigSource, error: Error) -> Result<(), Error> {
        if source.layer != ConfigLayer::Project {
            return Err(error);
        }
        self.warnings.push(Warning::Invalid { reason: error.to_string() });
        Ok(())
    }

    fn set(&mut self, key: Key, value: &str, source: ConfigSource) -> Result<(), Error> {
        check(key, value, &source)?;
        match key {
            Key::AgentsOffer => self.agents_offer.offer(keys::truth(value).unwrap_or(true), source),
            Key::CacheShared => self.cache_shared.offer(keys::truth(value).unwrap_or(true), source),
            Key::Color => self.color.offer(Color::parse(value).unwrap_or_default(), source),
            Key::CommitAuto => self.commit_auto.offer(keys::truth(value).unwrap_or(true), source),
            Key::DreamAuto => self.dream_auto.offer(keys::truth(value).unwrap_or(false), source),
            Key::HooksEnabled => self.hooks_enabled.offer(keys::truth(value).unwrap_or(true), source),
            Key::HooksQuota => self.hooks_quota.offer(keys::quota(value).unwrap_or_default(), source),
            Key::Pager => self.pager.offer(Some(value.trim().into()), source),
            Key::LockTimeout => self.lock_timeout.offer(keys::seconds(value).unwrap_or_default(), source),
            Key::ModelApi
            | Key::ModelBackground
            | Key::ModelCommand
            | Key::ModelDailyTokens
            | Key::ModelEmbedName
            | Key::ModelEmbedUrl
            | Key::ModelEmbedWait
            | Key::ModelKeyCommand
            | Key::ModelKeyEnv
            | Key::ModelName
            | Key::ModelParams
            | Key::ModelTimeout
            | Key::ModelUrl => self.model.set(key, value, source),
            Key::QueryCacheSeconds => {
                self.query_cache.offer(keys::seconds(value).unwrap_or_default(), source);
            }
            Key::ReviewEnabled => self.review_enabled.offer(keys::truth(value).unwrap_or(true), source),
            Key::ReviewPush => {
                let value = ReviewPush::parse(value).unwrap_or_default();
                // of a user's file and a project's the stricter holds, unless the user wants none of it
                let is_stricter = source.layer == ConfigLayer::Project
                    && self.review_push.source.layer == ConfigLayer::User
                    && self.review_push.value == ReviewPush::Warn;
                match is_stricter && value == ReviewPush::Block {
                    true => self.review_push = Setting { value, source },
                    false => self.review_push.offer(value, source),
                }
            }
            Key::SearchFreshness => {
                self.search_freshness.offer(keys::seconds(value).unwrap_or_default(), source);
            }
            Key::ServedKeepDays => self.served.set(value, source),
            Key::IndexCaFile | Key::IndexEngine | Key::IndexKeyCommand | Key::IndexKeyEnv => {
                self.index.set(key, value, source)
            }
            Key::UiEditor | Key::UiKeys | Key::UiPort => self.ui.set(key, value, source),
        }
        Ok(())
    }

    /// All settings, by name.
    pub fn all(&self) -> Vec<SettingView> {
        Key::ALL.map(|key| self.shown(key)).into()
    }

    pub fn shown(&self, key: Key) -> SettingView {
        let seconds = |value: Duration| Some(value.as_secs_f64().to_string());
        let (value, source) = match key {
            Key::AgentsOffer => (Some(self.agents_offer.value.to_string()), &self.agents_offer.source),
            Key::CacheShared => (Some(self.cache_shared.value.to_string()), &self.cache_shared.source),
            Key::Color => (Some(self.color.value.word().into()), &self.color.source),
            Key::CommitAuto => (Some(self.commit_auto.value.to_string()), &self.commit_auto.source),
            Key::DreamAuto => (Some(self.dream_auto.value.to_string()), &self.dream_auto.source),
            Key::HooksEnabled => (Some(self.hooks_enabled.value.to_string()), &self.hooks_enabled.source),
            Key::HooksQuota => (Some(self.hooks_quota.value.to_string()), &self.hooks_quota.source),
            Key::Pager => (self.pager.value.clone(), &self.pager.source),
            Key::ModelApi
            | Key::ModelBackground
            | Key::ModelCommand
            | Key::ModelDailyTokens
            | Key::ModelEmbedName
            | Key::ModelEmbedUrl
            | Key::ModelEmbedWait
            | Key::ModelKeyCommand
            | Key::ModelKeyEnv
            | Key::ModelName
            | Key::ModelParams
            | Key::ModelTimeout
            | Key::ModelUrl => self.model.shown(key),
            Key::LockTimeout => (seconds(self.lock_timeout.value), &self.lock_timeout.source),
            Key::QueryCacheSeconds => (seconds(self.query_cache.value), &self.query_cache.source),
            Key::ReviewEnabled => (Some(self.review_enabled.value.to_string()), &self.review_enabled.source),
            Key::ReviewPush => (Some(self.review_push.value.word().into()), &self.review_push.source),
            Key::SearchFreshness => (seconds(self.search_freshness.value), &self.search_freshness.source),
            Key::ServedKeepDays => self.served.shown(),
            Key::IndexCaFile | Key::IndexEngine | Key::IndexKeyCommand | Key::IndexKeyEnv => {
                self.index.shown(key)
            }
            Key::UiEditor | Key::UiKeys | Key::UiPort => self.ui.shown(key),
        };
        SettingView { key, value, source: source.clone() }
    }
}

fn check(key: Key, value: &str, source: &ConfigSource) -> Result<(), Error> {
    if key.accepts(value) {
        return Ok(());
    }
    let (key, expected) = (key.name(), key.expected());
    let value = without_passwords(value);
    Err(Error::Value { key, value, expected, source_name: source.clone() })
}

/// The settings in one file, including those that have no effect there.
///
/// # Errors
/// [`Error`] if the file is invalid.
pub fn in_file(path: &Path) -> Result<Vec<(String, String)>, Error> {
    let bytes = fs::read_shipped(path, Form::Yaml)?.unwrap_or_default();
    let settings = file::parse(&bytes).map_err(|reason| Error::Yaml { path: path.to_path_buf(), reason })?;
    Ok(settings.into_iter().collect())
}

/// Whether the project's file may not set the key with this name, which need not exist.
pub fn is_personal(name: &str) -> bool {
    keys::is_personal(name)
}

/// Whether a project's file has no effect with this value, since a project may only be stricter.
pub fn is_laxer(key: Key, value: &str) -> bool {
    keys::is_laxer(key, value)
}

/// Change one key in a settings file; `None` removes it. Comments, order and every other byte are kept. Returns whether
/// the file changed.
///
/// # Errors
/// [`ChangeError`]; then nothing was written.
pub fn change(path: &Path, key: &str, value: Option<&str>) -> Result<bool, ChangeError> {
    // follow a symlink: the file the user keeps is its target
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let _guard = WriteGuard::acquire(&path.with_file_name(LOCK_NAME), PATIENCE)?;
    let bytes = fs::read_shipped(path, Form::Yaml)?.unwrap_or_default();
    let refused = |why| ChangeError::Edit { path: path.clone(), why };
    let before =
        String::from_utf8(bytes).map_err(|error| refused(EditError::Unreadable(error.to_string())))?;
    let after = match value {
        Some(value) => Some(file::set(&before, key, value).map_err(refused)?),
        None => file::unset(&before, key).map_err(refused)?,
    };
    let Some(after) = after.filter(|after| *after != before) else { return Ok(false) };
    fs::replace(path, after.as_bytes(), fs::Durability::Now)?;
    Ok(true)
}

impl Color {
    /// The name of the value in the settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// `auto`, `always` or `never`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

impl ReviewPush {
    /// The name of the value in the settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Off => "off",
        }
    }

    /// `block`, `warn` or `off`; YAML has `false` for the last one.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "block" => Some(Self::Block),
            "warn" => Some(Self::Warn),
            "off" | "false" => Some(Self::Off),
            _ => None,
        }
    }
}

fn user_file(environment: &Environment) -> Option<PathBuf> {
    if let Some(folder) = environment.get_os(HOME_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Some(PathBuf::from(folder).join(FILE_NAME));
    }
    let folder = environment.user_folder("XDG_CONFIG_HOME", ".config", "APPDATA")?;
    Some(folder.join("brv").join(FILE_NAME))
}

/// The user's cache folder, which may be deleted at any time.
pub fn user_cache(environment: &Environment) -> Option<PathBuf> {
    Some(environment.user_folder("XDG_CACHE_HOME", ".cache", "LOCALAPPDATA")?.join("brv"))
}

impl ConfigSource {
    pub fn file(layer: ConfigLayer, path: &Path) -> Self {
        Self::named(layer, path.to_string_lossy())
    }

    fn named(layer: ConfigLayer, place: impl Into<String>) -> Self {
        Self { layer, place: Some(place.into()) }
    }

    /// `project`, or the name of the variable or flag.
    pub fn word(&self) -> &str {
        match self.layer {
            ConfigLayer::Environment | ConfigLayer::Flag => self.place.as_deref().unwrap_or_default(),
            layer => layer.word(),
        }
    }
}

impl ConfigLayer {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Project => "project",
            Self::User => "user",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

impl fmt::Display for ConfigSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None => f.write_str("the default"),
            Some(place) => write!(f, "`{place}`"),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { key, source } => {
                write!(f, "{source} sets `{key}`, which is not a setting: ignored")
            }
            Self::Personal { key, source } => {
                write!(f, "{source} sets `{key}`, which only the user may set: ignored")
            }
            Self::Laxer { key, value, source } => {
                let rule = keys::STRICTER;
                write!(f, "{source} sets `{}` to `{value}`, but {rule}: ignored", key.name())
            }
            Self::Invalid { reason } => write!(f, "{reason}: ignored"),
        }
    }
}

#[cfg(test)]
mod tests;
