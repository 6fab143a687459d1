//! `brv config`: brv's own settings, each with where it comes from.

use super::format::Format;
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::config::{Shown, Source};
use crate::ops::config::{self, Error, Options, Outcome, Place};
use crate::say::words::place as shown_place;
use crate::say::{Exit, Failure};
use crate::wire;
use clap::{Args, Subcommand};

/// The arguments of `brv config`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    before_help = "Examples:
  brv config list --origin
  brv config get lock.timeout
  brv config set pager \"less -FRX\"
  brv config set --project lock.timeout 30"
)]
pub struct Arguments {
    #[command(flatten)]
    whole: Listing,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Args)]
struct Listing {
    /// Where each value comes from
    #[arg(long)]
    origin: bool,
    #[command(flatten)]
    file: File,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Args)]
struct File {
    /// The user's file, for all projects
    #[arg(long, alias = "global", conflicts_with = "project")]
    user: bool,
    /// The project's file, .brv/config.yaml
    #[arg(long, alias = "local")]
    project: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show all settings
    #[command(
        before_help = "Examples:\n  brv config list\n  brv config list --origin\n  brv config list --user"
    )]
    List(Listing),
    /// Read a setting; exit 1 when it is not set
    #[command(before_help = "Examples:\n  brv config get lock.timeout\n  brv config get pager --origin")]
    Get {
        /// Its name
        key: String,
        #[command(flatten)]
        listing: Listing,
    },
    /// Set a setting: in the project's file where that may, else in the user's
    #[command(
        before_help = "Examples:\n  brv config set lock.timeout 30\n  brv config set --user color never"
    )]
    Set {
        /// Its name
        key: String,
        /// Its value
        value: String,
        #[command(flatten)]
        file: File,
        #[command(flatten)]
        format: Format,
    },
    /// Remove a setting from a file
    #[command(before_help = "Examples:\n  brv config unset lock.timeout\n  brv config unset --user pager")]
    Unset {
        /// Its name
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
        let outcome = config::run(&session.context(), &options).map_err(|error| failure(&error))?;
        let absent = match &outcome {
            Outcome::Setting(shown) => shown.value.is_none(),
            Outcome::Removed { was_there, .. } => !was_there,
            _ => false,
        };
        let missing = absent.then(|| Failure::new(Exit::Failed, "it is not set"));
        let report =
            Report::new(wire::Preferences::from(&outcome)).warning(overruled(&outcome)).failing(missing);
        let report = if self_accounts(&outcome) { report.account() } else { report };
        Ok(session.report(report, |screen| draw(screen, &outcome, origin, session)))
    }
}

const fn self_accounts(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Changed { .. } | Outcome::Removed { .. })
}

fn overruled(outcome: &Outcome) -> Option<String> {
    let Outcome::Changed { now, overruled_by: Some(source), .. } = outcome else { return None };
    Some(format!("{source} sets `{}`, too, and wins", now.key.name()))
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Unknown { nearest, .. } => failure.hinting(Some(match nearest {
            None => "`brv config list` shows all settings; git's own are set by `brv vc config`".to_owned(),
            Some(name) => format!("perhaps `{name}`; `brv config list` shows all"),
        })),
        Error::Personal { .. } => failure.hinting(Some("`--user` sets it for you alone, in all projects")),
        _ => failure,
    }
}

fn draw(screen: &mut Screen, outcome: &Outcome, with_origin: bool, session: &Session) {
    match outcome {
        Outcome::Settings(settings) => {
            for shown in settings.iter().filter(|shown| shown.value.is_some() || with_origin) {
                if with_origin {
                    origin(screen, shown, session);
                }
                let value = shown.value.as_deref().unwrap_or("(not set)");
                screen.word(Style::Name, shown.key.name()).plain("=").word(Style::Plain, value).end();
            }
        }
        Outcome::Setting(shown) => {
            let Some(value) = &shown.value else { return };
            if with_origin {
                origin(screen, shown, session);
            }
            screen.word(Style::Plain, value).end();
        }
        Outcome::Changed { now, file, .. } => {
            let value = now.value.as_deref().unwrap_or_default();
            screen.plain("Set ").word(Style::Name, now.key.name()).plain(" to ").word(Style::Plain, value);
            screen.plain(" in ").word(Style::Plain, shown_place(file, &session.folder)).plain(".").end();
        }
        Outcome::Removed { key, file, was_there: true } => {
            screen.plain("Removed ").word(Style::Name, key);
            screen.plain(" from ").word(Style::Plain, shown_place(file, &session.folder)).plain(".").end();
        }
        Outcome::Removed { .. } => {}
    }
}

fn origin(screen: &mut Screen, shown: &Shown, session: &Session) {
    let (layer, place) = match &shown.source {
        Source::Default => ("default", String::new()),
        Source::Project(file) => ("project", shown_place(file, &session.folder)),
        Source::User(file) => ("user", shown_place(file, &session.folder)),
        Source::Environment(name) => ("environment", (*name).to_owned()),
        Source::Flag(name) => ("flag", (*name).to_owned()),
    };
    screen.text(Style::Dim, layer).plain("\t").word(Style::Dim, place).plain("\t");
}
