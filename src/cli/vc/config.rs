//! `brv vc config`: gets and sets the git settings of the tree's repository, such as `user.name`.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::say::{Exit, Failure, warnings};
use crate::wire;
use brv_commands::vc::config::{self, Options};
use brv_engine::Stop;
use brv_engine::outcome::unknown_name::UnknownName;
use clap::{Args, Subcommand};

/// The arguments of `brv vc config`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    before_help = "Examples:
  brv vc config user.name \"Ada Lovelace\"
  brv vc config user.email ada@example.org
  brv vc config list"
)]
pub struct Arguments {
    /// Setting to print or, with VALUE, to set (git's older syntax)
    #[arg(value_name = "KEY", required_unless_present = "list")]
    key: Option<String>,
    /// New value
    #[arg(value_name = "VALUE")]
    value: Option<String>,
    /// List all settings (git's older syntax)
    #[arg(short, long, conflicts_with = "key")]
    list: bool,
    /// Show where each setting comes from
    #[arg(long)]
    show_origin: bool,
    #[command(flatten)]
    format: Format,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print a setting; exit 1 if it is not set
    #[command(before_help = "Examples:\n  brv vc config get user.name")]
    Get {
        /// section.key
        key: String,
        #[command(flatten)]
        format: Format,
    },
    /// Set a setting of this tree
    #[command(before_help = "Examples:\n  brv vc config set user.name \"Ada Lovelace\"")]
    Set {
        /// section.key
        key: String,
        /// New value
        value: String,
        #[command(flatten)]
        format: Format,
    },
    /// Remove a setting of this tree
    #[command(before_help = "Examples:\n  brv vc config unset user.name")]
    Unset {
        /// section.key
        key: String,
        #[command(flatten)]
        format: Format,
    },
    /// List all settings, including those of the system and the user
    #[command(before_help = "Examples:\n  brv vc config list\n  brv vc config list --show-origin")]
    List {
        /// Show where each setting comes from
        #[arg(long)]
        show_origin: bool,
        #[command(flatten)]
        format: Format,
    },
}

impl Run for Arguments {
    const NAME: &'static str = "vc config";
    const HAS_OWN_FORMATS: bool = true;

    fn form(&self) -> Form {
        match &self.action {
            Some(
                Action::Get { format, .. }
                | Action::Set { format, .. }
                | Action::Unset { format, .. }
                | Action::List { format, .. },
            ) => format.form(),
            None => self.format.form(),
        }
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mut show_origin = self.show_origin;
        let key = match &self.action {
            Some(Action::Get { key, .. } | Action::Unset { key, .. }) => Some(key.clone()),
            _ => self.key.clone(),
        };
        let options = match (self.action, self.key, self.value) {
            (Some(Action::Get { key, .. }), ..) | (None, Some(key), None) => Options::Get { key },
            (Some(Action::Set { key, value, .. }), ..) | (None, Some(key), Some(value)) => {
                Options::Set { key, value }
            }
            (Some(Action::Unset { key, .. }), ..) => Options::Unset { key },
            (Some(Action::List { show_origin: shown, .. }), ..) => {
                show_origin |= shown;
                Options::List
            }
            (None, None, _) => Options::List,
        };
        let is_read = matches!(options, Options::Get { .. });
        let data = wire::Config::from(&config::run(&session.context(), &options)?);
        let absent = matches!(data, wire::Config::Setting(None) | wire::Config::Removed(false));
        let missing = absent.then(|| {
            let name = key.as_deref().unwrap_or("the setting");
            let stop = Stop::failed(format!("`{name}` is not set"));
            Failure::from(match &key {
                Some(key) => stop.seeking(UnknownName::GitSetting(key.clone())),
                None => stop,
            })
        });
        let report = Report::new(&data).warning(warnings::setting(&data)).failing(missing);
        Ok(session.report(report, |screen| match &data {
            wire::Config::Settings(settings) => {
                settings.iter().for_each(|setting| row(screen, setting, show_origin))
            }
            wire::Config::Setting(Some(setting)) if is_read => {
                screen.word(Style::Plain, &setting.value).end();
            }
            wire::Config::Setting(_) | wire::Config::Removed(_) => {}
        }))
    }
}

fn row(screen: &mut Screen, setting: &wire::Setting, show_origin: bool) {
    if show_origin {
        let file = setting.file.as_deref().unwrap_or_default();
        screen.text(Style::Dim, setting.origin).plain("\t").word(Style::Dim, file).plain("\t");
    }
    screen.word(Style::Plain, &setting.key).plain("=").word(Style::Plain, &setting.value).end();
}
