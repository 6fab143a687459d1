//! `brv config`: gets and sets brv's own settings, and shows where each one comes from.

use super::format::Format;
use super::session::Catalog;
use super::ui::{Form, Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, words};
use brv_base::config::ConfigSource;
use brv_commands::config::{self, ConfigTarget, Options, Outcome};
use brv_engine::{Context, FailureKind};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// The arguments of `brv config`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    before_help = "Examples:
  brv config list --origin
  brv config get lock.timeout
  brv config set pager \"less -FRX\"
  brv config set --project lock.timeout 5"
)]
pub struct Arguments {
    #[command(flatten)]
    whole: ConfigListFlags,
    #[command(subcommand)]
    action: Option<Action>,
    /// Where it is called, for the places that are shown.
    #[arg(skip)]
    folder: PathBuf,
}

#[derive(Debug, Args)]
struct ConfigListFlags {
    /// Show where each value comes from
    #[arg(long)]
    origin: bool,
    #[command(flatten)]
    file: ConfigFileFlags,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Args)]
struct ConfigFileFlags {
    /// Use the user's file, which applies to all projects
    #[arg(long, alias = "global", conflicts_with = "project")]
    user: bool,
    /// Use the project's file, .brv/config.yaml
    #[arg(long, alias = "local")]
    project: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List all settings
    #[command(
        before_help = "Examples:\n  brv config list\n  brv config list --origin\n  brv config list --user"
    )]
    List(ConfigListFlags),
    /// Print a setting; exit 1 if it is not set
    #[command(before_help = "Examples:\n  brv config get lock.timeout\n  brv config get pager --origin")]
    Get {
        /// Name of the setting
        key: String,
        #[command(flatten)]
        listing: ConfigListFlags,
    },
    /// Set a setting: in the project's file if it may be set so there, else in the user's
    #[command(
        before_help = "Examples:\n  brv config set lock.timeout 30\n  brv config set --user color never"
    )]
    Set {
        /// Name of the setting
        key: String,
        /// New value
        value: String,
        #[command(flatten)]
        file: ConfigFileFlags,
        #[command(flatten)]
        format: Format,
    },
    /// Remove a setting from a file
    #[command(before_help = "Examples:\n  brv config unset lock.timeout\n  brv config unset --user pager")]
    Unset {
        /// Name of the setting
        key: String,
        #[command(flatten)]
        file: ConfigFileFlags,
        #[command(flatten)]
        format: Format,
    },
}

impl ConfigFileFlags {
    const fn place(&self) -> Option<ConfigTarget> {
        match (self.user, self.project) {
            (true, _) => Some(ConfigTarget::User),
            (_, true) => Some(ConfigTarget::Project),
            _ => None,
        }
    }
}

impl Verb for Arguments {
    const NAME: &'static str = "config";
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = Outcome;

    fn form(&self) -> Form {
        match &self.action {
            Some(Action::List(listing) | Action::Get { listing, .. }) => listing.format.form(),
            Some(Action::Set { format, .. } | Action::Unset { format, .. }) => format.form(),
            None => self.whole.format.form(),
        }
    }

    fn mends_settings(&self) -> bool {
        matches!(self.action, Some(Action::Set { .. } | Action::Unset { .. }))
    }

    fn prepare(&mut self, cx: &Context<'_>, _all: Catalog) {
        self.folder.clone_from(&cx.cwd);
    }

    fn purpose(&self) -> Purpose {
        if self.mends_settings() { Purpose::Account } else { Purpose::Answer }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = config::run(cx, &self.options())?;
        let absent = match &outcome {
            Outcome::Setting { setting } if setting.value.is_none() => Some(setting.key),
            Outcome::Removed { key, was_there: false, .. } => Some(key.as_str()),
            _ => None,
        };
        let missing = absent.map(|key| Failure::new(FailureKind::Failed, format!("`{key}` is not set")));
        let overruled = overruled(&outcome);
        Ok(Answer::new(outcome).warning(overruled).failing(missing))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let with_origin = match &self.action {
            Some(Action::List(listing) | Action::Get { listing, .. }) => listing.origin,
            Some(Action::Set { .. } | Action::Unset { .. }) => false,
            None => self.whole.origin,
        };
        draw(screen, outcome, with_origin, &self.folder);
    }
}

impl Arguments {
    fn options(&self) -> Options {
        match &self.action {
            None => Options::List { place: self.whole.file.place() },
            Some(Action::List(listing)) => Options::List { place: listing.file.place() },
            Some(Action::Get { key, listing }) => {
                Options::Get { key: key.clone(), place: listing.file.place() }
            }
            Some(Action::Set { key, value, file, .. }) => {
                Options::Set { key: key.clone(), value: value.clone(), place: file.place() }
            }
            Some(Action::Unset { key, file, .. }) => Options::Unset { key: key.clone(), place: file.place() },
        }
    }
}

/// The warning about a setting that was changed and is overridden elsewhere.
fn overruled(outcome: &Outcome) -> Option<String> {
    let Outcome::Changed { setting, overruled_by: Some(by), .. } = outcome else { return None };
    let who = by.place.as_ref().map_or_else(|| "the default".to_owned(), |place| format!("`{place}`"));
    Some(format!("{who} overrides `{}`", setting.key))
}

fn draw(screen: &mut Screen, outcome: &Outcome, with_origin: bool, folder: &Path) {
    match outcome {
        Outcome::Settings { settings } => {
            for shown in settings.iter().filter(|shown| shown.value.is_some() || with_origin) {
                if with_origin {
                    origin(screen, &shown.origin, folder);
                }
                let value = shown.value.as_deref().unwrap_or("(not set)");
                screen.word(Style::Name, shown.key).plain("=").word(Style::Plain, value).end();
            }
        }
        Outcome::Setting { setting: shown } => {
            let Some(value) = &shown.value else { return };
            if with_origin {
                origin(screen, &shown.origin, folder);
            }
            screen.word(Style::Plain, value).end();
        }
        Outcome::Changed { setting, file, .. } => {
            let value = setting.value.as_deref().unwrap_or_default();
            screen.plain("Set ").word(Style::Name, setting.key).plain(" to ").word(Style::Plain, value);
            screen.plain(" in ").word(Style::Plain, place(file, folder)).plain(".").end();
        }
        Outcome::Removed { key, file, was_there: true } => {
            screen.plain("Removed ").word(Style::Name, key);
            screen.plain(" from ").word(Style::Plain, place(file, folder)).plain(".").end();
        }
        Outcome::Removed { .. } => {}
    }
}

fn origin(screen: &mut Screen, origin: &ConfigSource, folder: &Path) {
    let place = origin.place.as_deref().map(|name| place(name, folder)).unwrap_or_default();
    screen.text(Style::Dim, origin.layer.word()).plain("\t").word(Style::Dim, place).plain("\t");
}

fn place(name: &str, folder: &Path) -> String {
    words::place(Path::new(name), folder)
}
