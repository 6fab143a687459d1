//! `brv config`: gets and sets brv's own settings, and shows where each one comes from.

use super::format::Format;
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use brv_commands::config::{self, Options, Place};
use brv_engine::FailureKind;
use clap::{Args, Subcommand};
use std::path::Path;

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
    whole: Listing,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Args)]
struct Listing {
    /// Show where each value comes from
    #[arg(long)]
    origin: bool,
    #[command(flatten)]
    file: File,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Args)]
struct File {
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
    List(Listing),
    /// Print a setting; exit 1 if it is not set
    #[command(before_help = "Examples:\n  brv config get lock.timeout\n  brv config get pager --origin")]
    Get {
        /// Name of the setting
        key: String,
        #[command(flatten)]
        listing: Listing,
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
        file: File,
        #[command(flatten)]
        format: Format,
    },
    /// Remove a setting from a file
    #[command(before_help = "Examples:\n  brv config unset lock.timeout\n  brv config unset --user pager")]
    Unset {
        /// Name of the setting
        key: String,
        #[command(flatten)]
        file: File,
        #[command(flatten)]
        format: Format,
    },
}

impl File {
    const fn place(&self) -> Option<Place> {
        match (self.user, self.project) {
            (true, _) => Some(Place::User),
            (_, true) => Some(Place::Project),
            _ => None,
        }
    }
}

impl Run for Arguments {
    const NAME: &'static str = "config";
    const HAS_OWN_FORMATS: bool = true;

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

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let (options, origin) = match self.action {
            None => (Options::List { place: self.whole.file.place() }, self.whole.origin),
            Some(Action::List(listing)) => (Options::List { place: listing.file.place() }, listing.origin),
            Some(Action::Get { key, listing }) => {
                (Options::Get { key, place: listing.file.place() }, listing.origin)
            }
            Some(Action::Set { key, value, file, .. }) => {
                (Options::Set { key, value, place: file.place() }, false)
            }
            Some(Action::Unset { key, file, .. }) => (Options::Unset { key, place: file.place() }, false),
        };
        let data = wire::Preferences::from(&config::run(&session.context(), &options)?);
        let (absent, is_account) = match &data {
            wire::Preferences::Settings { .. } => (None, false),
            wire::Preferences::Setting { setting } => (setting.value.is_none().then_some(setting.key), false),
            wire::Preferences::Changed { .. } => (None, true),
            wire::Preferences::Removed { key, was_there, .. } => ((!was_there).then_some(key.as_str()), true),
        };
        let missing = absent.map(|key| Failure::new(FailureKind::Failed, format!("`{key}` is not set")));
        let report = Report::new(&data).warning(warnings::preference(&data)).failing(missing);
        let report = if is_account { report.account() } else { report };
        Ok(session.report(report, |screen| draw(screen, &data, origin, session)))
    }
}

fn draw(screen: &mut Screen, data: &wire::Preferences, with_origin: bool, session: &Session) {
    match data {
        wire::Preferences::Settings { settings } => {
            for shown in settings.iter().filter(|shown| shown.value.is_some() || with_origin) {
                if with_origin {
                    origin(screen, &shown.origin, session);
                }
                let value = shown.value.as_deref().unwrap_or("(not set)");
                screen.word(Style::Name, shown.key).plain("=").word(Style::Plain, value).end();
            }
        }
        wire::Preferences::Setting { setting: shown } => {
            let Some(value) = &shown.value else { return };
            if with_origin {
                origin(screen, &shown.origin, session);
            }
            screen.word(Style::Plain, value).end();
        }
        wire::Preferences::Changed { setting, file, .. } => {
            let value = setting.value.as_deref().unwrap_or_default();
            screen.plain("Set ").word(Style::Name, setting.key).plain(" to ").word(Style::Plain, value);
            screen.plain(" in ").word(Style::Plain, place(file, session)).plain(".").end();
        }
        wire::Preferences::Removed { key, file, was_there: true } => {
            screen.plain("Removed ").word(Style::Name, key);
            screen.plain(" from ").word(Style::Plain, place(file, session)).plain(".").end();
        }
        wire::Preferences::Removed { .. } => {}
    }
}

fn origin(screen: &mut Screen, origin: &wire::Origin, session: &Session) {
    let place = origin.place.as_deref().map(|name| place(name, session)).unwrap_or_default();
    screen.text(Style::Dim, origin.layer()).plain("\t").word(Style::Dim, place).plain("\t");
}

fn place(name: &str, session: &Session) -> String {
    words::place(Path::new(name), &session.folder)
}
