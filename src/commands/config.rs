//! `brv config`: brv's own settings, each with the place it comes from.
//!
//! A setting that a project's file may not set is neither read from it nor written to it.

use brv_base::config::{self, ChangeError, Config, Key, Shown, Source, Warning};
use brv_base::environment::Environment;
use brv_base::fs::{self, Busy};
use brv_base::nearest::nearest;
use brv_engine::FailureKind;
use brv_engine::open::context::Context;
use brv_engine::open::tree::{self, DiscoverError, Places};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Options {
    List {
        /// Show only the values in this file; `None`: the values in effect.
        place: Option<Place>,
    },
    Get {
        /// `lock.timeout`
        key: String,
        /// Show only the value in this file; `None`: the value in effect.
        place: Option<Place>,
    },
    /// Set a setting in a file.
    Set {
        /// `lock.timeout`
        key: String,
        value: String,
        /// The file to write; `None`: the project's if there is one and it may set the key to this, else the user's.
        place: Option<Place>,
    },
    /// Remove a setting from a file.
    Unset {
        /// `lock.timeout`; unknown keys are accepted.
        key: String,
        /// The file to change; `None`: chosen as in `Set`.
        place: Option<Place>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The user's, for all projects.
    User,
    /// The project's: `.brv/config.yaml`.
    Project,
}

#[derive(Debug)]
pub enum Outcome {
    /// All settings, by name.
    Settings(Vec<Shown>),
    Setting(Shown),
    /// A setting was written to a file.
    Changed {
        now: Shown,
        file: PathBuf,
        /// Where a value of higher precedence comes from, if there is one.
        overruled_by: Option<Source>,
    },
    /// A key was removed from a file.
    Removed {
        key: String,
        file: PathBuf,
        /// Whether the key was there before.
        was_there: bool,
    },
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    #[error("there is no setting `{key}`")]
    Unknown { key: String, nearest: Option<&'static str> },
    #[error("`{key}` cannot be set for a project: it would apply to everyone who works on it")]
    Personal { key: String },
    #[error("`{}` cannot be `{value}` for a project: it would be laxer for everyone who works on it", key.name())]
    Laxer { key: Key, value: String },
    #[error("only a person may make review laxer (`{}`)", key.name())]
    ByAgent { key: Key },
    #[error("`{value}` is not {}", key.expected())]
    Value { key: Key, value: String },
    #[error("this system has no directory for user settings")]
    NoUserFile,
    #[error(transparent)]
    Config(#[from] config::Error),
    #[error(transparent)]
    Change(#[from] ChangeError),
}

impl Error {
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::Discover(DiscoverError::Absent(_)) => FailureKind::NotInitialised,
            Self::Discover(DiscoverError::ForeignOwner(_) | DiscoverError::Link(_))
            | Self::Personal { .. }
            | Self::Laxer { .. }
            | Self::ByAgent { .. } => FailureKind::Refused,
            Self::Unknown { .. }
            | Self::Value { .. }
            | Self::Config(config::Error::Value { .. } | config::Error::Yaml { .. }) => FailureKind::Usage,
            Self::Change(ChangeError::Busy(Busy::Held { .. })) => FailureKind::Busy,
            Self::Discover(DiscoverError::File(_))
            | Self::NoUserFile
            | Self::Config(config::Error::File(_))
            | Self::Change(
                ChangeError::File(_) | ChangeError::Busy(Busy::File(_)) | ChangeError::Edit { .. },
            ) => FailureKind::Failed,
        }
    }
}

/// Read or change settings. Works outside of any project, too.
///
/// # Errors
/// [`Error`]; then nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let project = project(cx)?;
    let desk = Desk { config: &cx.config, project, is_by_agent: cx.is_by_agent() };
    match options {
        Options::List { place } => desk.all(*place).map(Outcome::Settings),
        Options::Get { key, place } => {
            let key = known(key)?;
            let all = desk.all(*place)?;
            let shown = all.into_iter().find(|shown| shown.key == key);
            Ok(Outcome::Setting(shown.expect("every key is among all")))
        }
        Options::Set { key, value, place } => desk.set(key, value, *place),
        Options::Unset { key, place } => desk.unset(key, *place),
    }
}

/// The project that the command was called in, if any.
fn project(cx: &Context<'_>) -> Result<Option<Places>, Error> {
    match tree::discover(&cx.cwd, &cx.environment) {
        Ok(places) => Ok(Some(places)),
        Err(DiscoverError::Absent(_)) => Ok(None),
        Err(error) => Err(error.into()),
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

fn known(key: &str) -> Result<Key, Error> {
    Key::named(key)
        .ok_or_else(|| Error::Unknown { key: key.to_owned(), nearest: nearest(key, Key::ALL.map(Key::name)) })
}

struct Desk<'a> {
    /// The settings without the project's.
    config: &'a Config,
    project: Option<Places>,
    is_by_agent: bool,
}

impl Desk<'_> {
    fn in_force(&self) -> Result<Config, Error> {
        let config = self.config.clone();
        Ok(match &self.project {
            Some(places) => config.with_project(&places.config())?,
            None => config,
        })
    }

    fn all(&self, place: Option<Place>) -> Result<Vec<Shown>, Error> {
        let Some(place) = place else {
            return Ok(self.in_force()?.all());
        };
        let file = self.file(place)?;
        let said = config::in_file(&file)?;
        let source = || match place {
            Place::User => Source::User(file.clone()),
            Place::Project => Source::Project(file.clone()),
        };
        let value = |key: Key| {
            let (_, value) = said.iter().find(|(name, _)| name == key.name())?;
            // a project's value that has no effect is not shown as if it had one
            let has_effect = !config::is_personal(key.name()) && !config::is_laxer(key, value);
            (place == Place::User || has_effect).then(|| value.clone())
        };
        Ok(Key::ALL.map(|key| Shown { key, value: value(key), source: source() }).into())
    }

    fn file(&self, place: Place) -> Result<PathBuf, Error> {
        match (place, &self.project) {
            (Place::User, _) => self.config.user_file.clone().ok_or(Error::NoUserFile),
            (Place::Project, Some(places)) => Ok(places.config()),
            (Place::Project, None) => {
                let nowhere = PathBuf::from(tree::BRV_FOLDER);
                Err(Error::Discover(DiscoverError::Absent(nowhere)))
            }
        }
    }

    fn usual(&self, key: &str) -> Place {
        if self.project.is_some() && !config::is_personal(key) { Place::Project } else { Place::User }
    }

    fn set(&self, key: &str, value: &str, place: Option<Place>) -> Result<Outcome, Error> {
        if place == Some(Place::Project) && config::is_personal(key) {
            return Err(Error::Personal { key: key.to_owned() });
        }
        let known = known(key)?;
        if !known.accepts(value) {
            return Err(Error::Value { key: known, value: value.to_owned() });
        }
        let is_laxer = config::is_laxer(known, value);
        if place == Some(Place::Project) && is_laxer {
            return Err(Error::Laxer { key: known, value: value.trim().to_owned() });
        }
        if self.is_by_agent && is_laxer && is_of_review(known) {
            return Err(Error::ByAgent { key: known });
        }
        let place = place.unwrap_or_else(|| if is_laxer { Place::User } else { self.usual(key) });
        let file = self.file(place)?;
        config::change(&file, key, Some(value.trim()))?;
        let source = match place {
            Place::User => Source::User(file.clone()),
            Place::Project => Source::Project(file.clone()),
        };
        let now = Shown { key: known, value: Some(value.trim().to_owned()), source };
        Ok(Outcome::Changed { overruled_by: self.overruling(&now), now, file })
    }

    /// The source that overrides a value that was just written; computed from the settings read before the write.
    fn overruling(&self, now: &Shown) -> Option<Source> {
        let before = self.in_force().ok()?;
        let source = before.shown(now.key).source;
        // a project may be stricter than its users
        let is_stricter =
            matches!(source, Source::Project(_)) && config::is_laxer(now.key, now.value.as_deref()?);
        let may_be = now.key == Key::ReviewPush && now.value.as_deref() != Some("off");
        let overrules = source > now.source || is_stricter && may_be;
        (overrules && !is_same_kind(&source, &now.source)).then_some(source)
    }

    fn unset(&self, key: &str, place: Option<Place>) -> Result<Outcome, Error> {
        let place = place.unwrap_or_else(|| self.usual(key));
        let file = self.file(place)?;
        if let Some(known) = Key::named(key).filter(|known| self.is_by_agent && is_of_review(*known)) {
            let said = config::in_file(&file)?;
            let is_strict = |(name, value): &(String, String)| name == key && !config::is_laxer(known, value);
            if said.iter().any(is_strict) {
                return Err(Error::ByAgent { key: known });
            }
        }
        let was_there = config::change(&file, key, None)?;
        if !was_there {
            // an unknown key may be removed, but looking one up is an error
            known(key)?;
        }
        Ok(Outcome::Removed { key: key.to_owned(), file, was_there })
    }
}

fn is_of_review(key: Key) -> bool {
    matches!(key, Key::ReviewEnabled | Key::ReviewPush)
}

fn is_same_kind(one: &Source, other: &Source) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}
