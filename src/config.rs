//! Settings in layers; each value knows where it comes from.
//!
//! Flags win over the environment (`BRV_*`), that over the user's file, that over the project's, that over the
//! defaults. Knows nothing of what the settings are for, nor of git's own configuration.

use crate::fs;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of the user's `config.yaml`, instead of the platform's.
pub const HOME_VARIABLE: &str = "BRV_CONFIG_HOME";

/// The name of the file in the user's folder and in `.brv/`.
pub const FILE_NAME: &str = "config.yaml";

/// All settings that exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `color`, `BRV_COLOR`, `--color`: when output is coloured.
    pub color: Setting<Color>,
    /// `pager`, `BRV_PAGER`: the command that shows long output; empty for none. `None` leaves the choice to the
    /// variables that git also reads.
    pub pager: Setting<Option<String>>,
    /// `lock.timeout`, `BRV_LOCK_TIMEOUT`, in seconds: how long to wait for another `brv` that writes the tree.
    pub lock_timeout: Setting<Duration>,
    warnings: Vec<Warning>,
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value in force.
    pub value: T,
    /// Who said so.
    pub source: Source,
}

/// Where a value comes from, weakest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nobody said anything.
    Default,
    /// `.brv/config.yaml`.
    Project(PathBuf),
    /// The user's `config.yaml`.
    User(PathBuf),
    /// A variable.
    Environment(&'static str),
    /// A flag of this command.
    Flag(&'static str),
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Also into files and pipes.
    Always,
    /// Not at all.
    Never,
}

/// What the flags of this command say; `None` where there was no flag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--color`
    pub color: Option<Color>,
}

/// A setting that was ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The key does not exist.
    Unknown {
        /// As written, parts joined by dots.
        key: String,
        /// Where.
        source: Source,
    },
    /// A project may not set this key: it would choose for the user what runs, or where secrets go.
    Personal {
        /// As written, parts joined by dots.
        key: String,
        /// The project's file.
        source: Source,
    },
}

/// Why the settings could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] fs::Error),
    /// The file is not a YAML mapping.
    #[error("`{}` is not a mapping of settings: {reason}", path.display())]
    Yaml {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        reason: String,
    },
    /// A value does not fit its key.
    #[error("{source_name} sets `{key}` to `{value}`, which is not {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// As written.
        value: String,
        /// In words that follow "which is not".
        expected: &'static str,
        /// The file or variable.
        source_name: Source,
    },
}

/// The keys of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// `color`
    Color,
    /// `pager`
    Pager,
    /// `lock.timeout`
    LockTimeout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setter {
    Anyone,
    UserOnly,
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Color, Self::Pager, Self::LockTimeout];

    /// As it is written in a file of settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Color => "color",
            Self::Pager => "pager",
            Self::LockTimeout => "lock.timeout",
        }
    }

    const fn variable(self) -> &'static str {
        match self {
            Self::Color => "BRV_COLOR",
            Self::Pager => "BRV_PAGER",
            Self::LockTimeout => "BRV_LOCK_TIMEOUT",
        }
    }

    const fn setter(self) -> Setter {
        match self {
            Self::Color | Self::Pager => Setter::UserOnly,
            Self::LockTimeout => Setter::Anyone,
        }
    }
}

/// Families of keys that no project may set, whether they exist in this version or not.
const PERSONAL_FAMILIES: [&str; 4] = ["model.", "hooks.", "trust.", "credentials."];

impl Default for Config {
    fn default() -> Self {
        Self {
            color: Setting::default_of(Color::Auto),
            pager: Setting::default_of(None),
            lock_timeout: Setting::default_of(Duration::from_secs(10)),
            warnings: Vec::new(),
        }
    }
}

impl<T> Setting<T> {
    const fn default_of(value: T) -> Self {
        Self { value, source: Source::Default }
    }

    fn offer(&mut self, value: T, source: Source) {
        if source >= self.source {
            *self = Self { value, source };
        }
    }
}

impl Config {
    /// The settings without a project's: flags, environment, the user's file, defaults.
    ///
    /// `variable` gives the value of an environment variable.
    ///
    /// # Errors
    /// [`Error`] when the user's file or a variable cannot be understood.
    pub fn load(flags: Flags, variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let mut config = Self::default();
        if let Some(path) = user_file(&variable) {
            config.read(&path, &Source::User(path.clone()))?;
        }
        for key in Key::ALL {
            if let Some(value) = variable(key.variable()) {
                config.set(key, &value.to_string_lossy(), Source::Environment(key.variable()))?;
            }
        }
        if let Some(color) = flags.color {
            config.color.offer(color, Source::Flag("--color"));
        }
        Ok(config)
    }

    /// The settings with those of the project's file `path`, if it is there, below the user's.
    ///
    /// # Errors
    /// [`Error`] when the file cannot be understood.
    pub fn with_project(mut self, path: &Path) -> Result<Self, Error> {
        self.read(path, &Source::Project(path.to_path_buf()))?;
        Ok(self)
    }

    /// What was ignored, in the order of the files.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn read(&mut self, path: &Path, source: &Source) -> Result<(), Error> {
        let Some(bytes) = fs::read_if_there(path)? else { return Ok(()) };
        for (name, value) in parse(&bytes, path)? {
            let from_project = matches!(source, Source::Project(_));
            let family = PERSONAL_FAMILIES.iter().any(|family| name.starts_with(family));
            let key = Key::ALL.into_iter().find(|key| key.name() == name);
            match key {
                Some(key) if !(from_project && key.setter() == Setter::UserOnly) => {
                    self.set(key, &value, source.clone())?;
                }
                None if !(from_project && family) => {
                    self.warnings.push(Warning::Unknown { key: name, source: source.clone() });
                }
                _ => self.warnings.push(Warning::Personal { key: name, source: source.clone() }),
            }
        }
        Ok(())
    }

    fn set(&mut self, key: Key, value: &str, source: Source) -> Result<(), Error> {
        let refused = |expected| Error::Value {
            key: key.name(),
            value: value.into(),
            expected,
            source_name: source.clone(),
        };
        match key {
            Key::Color => {
                let color = Color::parse(value).ok_or_else(|| refused("auto, always or never"))?;
                self.color.offer(color, source);
            }
            Key::Pager => self.pager.offer(Some(value.trim().into()), source),
            Key::LockTimeout => {
                let seconds = value.trim().parse().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds));
                let seconds = seconds.ok_or_else(|| refused("a number of seconds up to one day"))?;
                self.lock_timeout.offer(Duration::from_secs_f64(seconds), source);
            }
        }
        Ok(())
    }
}

impl Color {
    /// `auto`, `always` or `never`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

fn user_file(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    use etcetera::BaseStrategy as _;
    if let Some(folder) = variable(HOME_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Some(PathBuf::from(folder).join(FILE_NAME));
    }
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("brv").join(FILE_NAME))
}

/// The settings of a file, nested keys joined by dots. An empty file has none.
fn parse(bytes: &[u8], path: &Path) -> Result<BTreeMap<String, String>, Error> {
    let refused = |reason: String| Error::Yaml { path: path.to_path_buf(), reason };
    let root: serde_yaml::Value =
        serde_yaml::from_slice(bytes).map_err(|error| refused(error.to_string()))?;
    let mut found = BTreeMap::new();
    match root {
        serde_yaml::Value::Null => {}
        serde_yaml::Value::Mapping(mapping) => {
            flatten("", mapping, &mut found).map_err(|key| refused(format!("`{key}` is not one value")))?;
        }
        _ => return Err(refused("its top level is something else".into())),
    }
    Ok(found)
}

fn flatten(
    prefix: &str,
    mapping: serde_yaml::Mapping,
    found: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    for (key, value) in mapping {
        let key = format!("{prefix}{}", scalar(&key).ok_or("a key")?);
        match value {
            serde_yaml::Value::Mapping(inner) => flatten(&format!("{key}."), inner, found)?,
            serde_yaml::Value::Null => {}
            other => {
                let text = scalar(&other).ok_or_else(|| key.clone())?;
                found.insert(key, text);
            }
        }
    }
    Ok(())
}

fn scalar(value: &serde_yaml::Value) -> Option<String> {
    match value {
        serde_yaml::Value::Bool(value) => Some(value.to_string()),
        serde_yaml::Value::Number(value) => Some(value.to_string()),
        serde_yaml::Value::String(value) => Some(value.clone()),
        _ => None,
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the default"),
            Self::Project(path) | Self::User(path) => write!(f, "`{}`", path.display()),
            Self::Environment(name) | Self::Flag(name) => write!(f, "`{name}`"),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { key, source } => write!(f, "{source} sets `{key}`, which is no setting: ignored"),
            Self::Personal { key, source } => {
                write!(f, "{source} sets `{key}`, which only the user may set: ignored")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn new(user: &str, project: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in [(FILE_NAME, user), ("project.yaml", project)] {
                fs::replace(&folder.path().join(name), text.as_bytes(), fs::Durability::Later).unwrap();
            }
            Self(folder)
        }

        fn load(&self, color: Option<Color>, variables: &[(&str, &str)]) -> Result<Config, Error> {
            Config::load(Flags { color }, |name| {
                let home = [(HOME_VARIABLE, self.0.path().to_str().unwrap())];
                let found = home.iter().chain(variables).find(|(key, _)| *key == name);
                found.map(|(_, value)| OsString::from(value))
            })?
            .with_project(&self.0.path().join("project.yaml"))
        }
    }

    #[test]
    fn each_layer_wins_over_the_next_and_is_named() {
        let home = Home::new("color: never\nlock.timeout: 3\n", "lock:\n  timeout: 4\n");
        let config = home.load(None, &[]).unwrap();
        assert_eq!(config.lock_timeout.value, Duration::from_secs(3));
        assert!(matches!(config.lock_timeout.source, Source::User(_)));
        let config = home.load(None, &[("BRV_LOCK_TIMEOUT", "0.5"), ("BRV_COLOR", "always")]).unwrap();
        assert_eq!(config.lock_timeout.value, Duration::from_millis(500));
        assert_eq!(config.color, Setting { value: Color::Always, source: Source::Environment("BRV_COLOR") });
        let config = home.load(Some(Color::Auto), &[("BRV_COLOR", "always")]).unwrap();
        assert_eq!(config.color, Setting { value: Color::Auto, source: Source::Flag("--color") });
        let config = Home::new("", "lock.timeout: 4").load(None, &[]).unwrap();
        assert_eq!(config.lock_timeout.value, Duration::from_secs(4));
        assert_eq!(config.color.source, Source::Default);
    }

    #[test]
    fn a_project_chooses_no_command_and_no_place_for_secrets() {
        let home = Home::new("", "pager: rm -rf\nmodel:\n  url: http://evil\nhooks.model: true\n");
        let config = home.load(None, &[]).unwrap();
        assert_eq!(config.pager.value, None);
        assert_eq!(config.warnings().len(), 3);
        assert!(config.warnings().iter().all(|warning| matches!(warning, Warning::Personal { .. })));
    }

    #[test]
    fn an_unknown_key_is_reported_and_ignored() {
        let config = Home::new("colour: never\n", "").load(None, &[]).unwrap();
        assert!(matches!(&config.warnings()[0], Warning::Unknown { key, .. } if key == "colour"));
    }

    #[test]
    fn what_cannot_be_understood_is_an_error_with_its_place() {
        assert!(matches!(Home::new("- a\n", "").load(None, &[]), Err(Error::Yaml { .. })));
        assert!(matches!(Home::new("pager: [a]\n", "").load(None, &[]), Err(Error::Yaml { .. })));
        let error = Home::new("", "").load(None, &[("BRV_LOCK_TIMEOUT", "soon")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`BRV_LOCK_TIMEOUT` sets `lock.timeout` to `soon`, which is not a number of seconds up to one day"
        );
    }
}
