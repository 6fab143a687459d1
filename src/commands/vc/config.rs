//! `brv vc config`: read and change git's settings in the tree's repository.

use brv_engine::FailureKind;
use brv_engine::open::context::Context;
use brv_engine::open::naming::candidates;
use brv_engine::outcome::cause::{Cause, caused};
use brv_git::settings::{self, Key, Setting};

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

#[derive(Debug)]
pub enum Outcome {
    /// In order of precedence, lowest first.
    List(Vec<Setting>),
    /// The value in effect, if there is one.
    Value(Option<Setting>),
    Set {
        setting: Setting,
        /// A common setting with a similar name, if this is not one itself.
        near: Option<String>,
    },
    /// The setting was unset; whether it was there before.
    Unset(Presence),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    There,
    Absent,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Settings(#[from] settings::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Settings(settings::Error::Git(error)) => FailureKind::of_git(error),
            Self::Settings(_) => FailureKind::Usage,
        }
    }
}

caused!(Error);

/// Read or change settings.
///
/// # Errors
/// [`Error`]; then nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    Ok(match options {
        Options::List => Outcome::List(settings::list(scope)?),
        Options::Get { key } => Outcome::Value(settings::get(scope, &Key::parse(key)?)?),
        Options::Set { key: typed, value } => {
            let key = Key::parse(typed)?;
            settings::set(scope, &key, value)?;
            let near = candidates::near_setting(typed);
            let setting = settings::get(scope, &key)?;
            setting.map_or(Outcome::Value(None), |setting| Outcome::Set { setting, near })
        }
        Options::Unset { key } => {
            let was_there = settings::unset(scope, &Key::parse(key)?)?;
            Outcome::Unset(if was_there { Presence::There } else { Presence::Absent })
        }
    })
}
