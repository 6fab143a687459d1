//! `brv config`: brv's own settings, each with the place it comes from.
//!
//! A setting that a project's file may not set is neither read from it nor written to it.

use brv_base::config::{
    self, ChangeError, Config, ConfigLayer, ConfigSource, Key, Setter, SettingView, Warning,
};
use brv_base::environment::Environment;
use brv_base::fs;
use brv_base::messages::without_passwords;
use brv_base::nearest::nearest;
use brv_engine::open::context::Context;
use brv_engine::open::tree::{self, NoTree, Places};
use brv_engine::{FailureKind, OrStop, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Options {
    List {
        /// Show only the values in this file; `None`: the values in effect.
        place: Option<ConfigTarget>,
    },
    Get {
        /// `lock.timeout`
        key: String,
        /// Show only the value in this file; `None`: the value in effect.
        place: Option<ConfigTarget>,
    },
    /// Set a setting in a file.
    Set {
        /// `lock.timeout`
        key: String,
        value: String,
        /// The file to write; `None`: the project's if there is one and it may set the key to this, else the user's.
        place: Option<ConfigTarget>,
    },
    /// Remove a setting from a file.
    Unset {
        /// `lock.timeout`; unknown keys are accepted.
        key: String,
        /// The file to change; `None`: chosen as in `Set`.
        place: Option<ConfigTarget>,
    },
}

const FOR_YOURSELF: &str = "set it for yourself, in all projects, with `--user`";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigTarget {
    /// The user's, for all projects.
    User,
    /// The project's: `.brv/config.yaml`.
    Project,
}

/// `brv.config/1`
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "Preferences")]
pub enum Outcome {
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
        overruled_by: Option<ConfigSource>,
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
    pub origin: ConfigSource,
    /// What it is for.
    about: &'static str,
    /// Its valid values.
    expected: &'static str,
    /// The environment variable that overrides both files.
    variable: &'static str,
    /// The files that may set it.
    set_by: Setter,
}

impl From<&SettingView> for Preference {
    fn from(shown: &SettingView) -> Self {
        Self {
            key: shown.key.name(),
            value: shown.value.as_deref().map(without_passwords),
            origin: shown.source.clone(),
            about: Key::about(shown.key),
            expected: shown.key.expected(),
            variable: shown.key.variable(),
            set_by: shown.key.setter(),
        }
    }
}

/// Read or change settings. Works outside of any project, too.
///
/// # Errors
/// An unknown setting, a value that it does not take, or a file that may not have it; then nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let project = project(cx)?;
    let desk = ConfigEditor { config: &cx.config, project, is_by_agent: cx.is_by_agent() };
    match options {
        Options::List { place } => {
            Ok(Outcome::Settings { settings: desk.all(*place)?.iter().map(Preference::from).collect() })
        }
        Options::Get { key, place } => {
            let key = known(key)?;
            let all = desk.all(*place)?;
            let shown = all.iter().find(|shown| shown.key == key);
            Ok(Outcome::Setting { setting: shown.expect("every key is among all").into() })
        }
        Options::Set { key, value, place } => desk.set(key, value, *place),
        Options::Unset { key, place } => desk.unset(key, *place),
    }
}

/// The project that the command was called in, if any.
fn project(cx: &Context<'_>) -> Result<Option<Places>, Stop> {
    match tree::discover(&cx.cwd, &cx.environment) {
        Ok(places) => Ok(Some(places)),
        Err(OrStop::This(_)) => Ok(None),
        Err(OrStop::Stop(stop)) => Err(stop),
    }
}

/// The keys that the file of the project around `cwd` sets without being allowed to; `config` is the configuration
/// without that file. A file that cannot be read is left to the code that needs it.
pub fn ignored(cwd: &Path, config: &Config, environment: &Environment) -> Vec<Warning> {
    let Ok(places) = tree::discover(cwd, environment) else { return Vec::new() };
    let all = config.clone().with_project(&places.config());
    let ignored = all.map(|all| all.warnings()[config.warnings().len()..].to_vec()).unwrap_or_default();
    ignored.into_iter().chain(turned_away(&places)).collect()
}

/// Files below `.brv/` that were not read, since nobody would come back from that; one warning for all of them.
fn turned_away(places: &Places) -> Option<Warning> {
    let all = fs::turned_away(&places.brv());
    let (path, why) = all.first()?;
    let place = path.strip_prefix(&places.project).unwrap_or(path).display();
    let others = match all.len() - 1 {
        0 => String::new(),
        1 => " (and 1 other file is not to be read)".to_owned(),
        count => format!(" (and {count} other files are not to be read)"),
    };
    Some(Warning::Invalid { reason: format!("`{place}` {why}{others}") })
}

fn known(key: &str) -> Result<Key, Stop> {
    Key::named(key).ok_or_else(|| {
        let hint = match nearest(key, Key::ALL.map(Key::name)) {
            None => {
                "`brv config list` lists all settings; git settings are set with `brv vc config`".to_owned()
            }
            Some(name) => format!("did you mean `{name}`? `brv config list` lists all settings"),
        };
        Stop::usage(format!("there is no setting `{key}`")).hint(hint)
    })
}

fn unreadable(error: config::Error) -> Stop {
    match error {
        config::Error::File(error) => error.into(),
        error => Stop::because(FailureKind::Usage, &error),
    }
}

fn change(file: &Path, key: &str, value: Option<&str>) -> Result<bool, Stop> {
    config::change(file, key, value).map_err(|error| match error {
        ChangeError::Busy(error) => error.into(),
        error => Stop::because(FailureKind::Failed, &error),
    })
}

struct ConfigEditor<'a> {
    /// The settings without the project's.
    config: &'a Config,
    project: Option<Places>,
    is_by_agent: bool,
}

impl ConfigEditor<'_> {
    fn in_force(&self) -> Result<Config, Stop> {
        let config = self.config.clone();
        Ok(match &self.project {
            Some(places) => config.with_project(&places.config()).map_err(unreadable)?,
            None => config,
        })
    }

    fn all(&self, place: Option<ConfigTarget>) -> Result<Vec<SettingView>, Stop> {
        let Some(place) = place else {
            return Ok(self.in_force()?.all());
        };
        let file = self.file(place)?;
        let said = config::in_file(&file).map_err(unreadable)?;
        let source = || match place {
            ConfigTarget::User => ConfigSource::file(ConfigLayer::User, &file),
            ConfigTarget::Project => ConfigSource::file(ConfigLayer::Project, &file),
        };
        let value = |key: Key| {
            let (_, value) = said.iter().find(|(name, _)| name == key.name())?;
            // a project's value that has no effect is not shown as if it had one
            let has_effect = !config::is_personal(key.name()) && !config::is_laxer(key, value);
            (place == ConfigTarget::User || has_effect).then(|| value.clone())
        };
        Ok(Key::ALL.map(|key| SettingView { key, value: value(key), source: source() }).into())
    }

    fn file(&self, place: ConfigTarget) -> Result<PathBuf, Stop> {
        match (place, &self.project) {
            (ConfigTarget::User, _) => self
                .config
                .user_file
                .clone()
                .ok_or_else(|| Stop::failed("this system has no directory for user settings")),
            (ConfigTarget::Project, Some(places)) => Ok(places.config()),
            (ConfigTarget::Project, None) => {
                let nowhere = PathBuf::from(tree::BRV_FOLDER);
                Err(NoTree(nowhere).into())
            }
        }
    }

    fn usual(&self, key: &str) -> ConfigTarget {
        if self.project.is_some() && !config::is_personal(key) {
            ConfigTarget::Project
        } else {
            ConfigTarget::User
        }
    }

    fn set(&self, key: &str, value: &str, place: Option<ConfigTarget>) -> Result<Outcome, Stop> {
        if place == Some(ConfigTarget::Project) && config::is_personal(key) {
            let why = "it would apply to everyone who works on it";
            return Err(
                Stop::refused(format!("`{key}` cannot be set for a project: {why}")).hint(FOR_YOURSELF)
            );
        }
        let known = known(key)?;
        if !known.accepts(value) {
            return Err(Stop::usage(format!("`{value}` is not {}", known.expected())));
        }
        let is_laxer = config::is_laxer(known, value);
        if place == Some(ConfigTarget::Project) && is_laxer {
            let why = "it would be laxer for everyone who works on it";
            let what = format!("`{}` cannot be `{}` for a project", known.name(), value.trim());
            return Err(Stop::refused(format!("{what}: {why}")).hint(FOR_YOURSELF));
        }
        if self.is_by_agent && is_laxer && is_of_review(known) {
            return Err(by_agent(known));
        }
        let place = place.unwrap_or_else(|| if is_laxer { ConfigTarget::User } else { self.usual(key) });
        let file = self.file(place)?;
        change(&file, key, Some(value.trim()))?;
        let source = match place {
            ConfigTarget::User => ConfigSource::file(ConfigLayer::User, &file),
            ConfigTarget::Project => ConfigSource::file(ConfigLayer::Project, &file),
        };
        let now = SettingView { key: known, value: Some(value.trim().to_owned()), source };
        let overruled_by = self.overruling(&now);
        Ok(Outcome::Changed { setting: Preference::from(&now), file: shown(&file), overruled_by })
    }

    /// The source that overrides a value that was just written; computed from the settings read before the write.
    fn overruling(&self, now: &SettingView) -> Option<ConfigSource> {
        let before = self.in_force().ok()?;
        let source = before.shown(now.key).source;
        // a project may be stricter than its users
        let is_stricter =
            source.layer == ConfigLayer::Project && config::is_laxer(now.key, now.value.as_deref()?);
        let may_be = now.key == Key::ReviewPush && now.value.as_deref() != Some("off");
        let overrules = source > now.source || is_stricter && may_be;
        (overrules && source.layer != now.source.layer).then_some(source)
    }

    fn unset(&self, key: &str, place: Option<ConfigTarget>) -> Result<Outcome, Stop> {
        let place = place.unwrap_or_else(|| self.usual(key));
        let file = self.file(place)?;
        if let Some(known) = Key::named(key).filter(|known| self.is_by_agent && is_of_review(*known)) {
            let said = config::in_file(&file).map_err(unreadable)?;
            let is_strict = |(name, value): &(String, String)| name == key && !config::is_laxer(known, value);
            if said.iter().any(is_strict) {
                return Err(by_agent(known));
            }
        }
        let was_there = change(&file, key, None)?;
        if !was_there {
            // an unknown key may be removed, but looking one up is an error
            known(key)?;
        }
        Ok(Outcome::Removed { key: key.to_owned(), file: shown(&file), was_there })
    }
}

fn by_agent(key: Key) -> Stop {
    let message = format!("only a person may make review laxer (`{}`)", key.name());
    Stop::refused(message).hint("ask a person to decide that")
}

fn shown(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

fn is_of_review(key: Key) -> bool {
    matches!(key, Key::ReviewEnabled | Key::ReviewPush)
}
