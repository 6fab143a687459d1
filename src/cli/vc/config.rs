//! `brv vc config`: gets and sets the git settings of the tree's repository, such as `user.name`.

use crate::cli::format::Format;
use crate::cli::ui::{Form, Screen, Style};
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::config::{self, ConfigSetting, Options, Outcome};
use brv_engine::outcome::unknown_name::UnknownName;
use brv_engine::{Context, Stop};
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

impl Verb for Arguments {
    const NAME: &'static str = "vc config";
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = Outcome;

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

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = self.options();
        let outcome = config::run(cx, &options)?;
        let (near, missing) = match (&outcome, options) {
            (
                Outcome::Setting(None) | Outcome::Removed(false),
                Options::Get { key } | Options::Set { key, .. } | Options::Unset { key },
            ) => (None, Some(not_set(key))),
            (Outcome::Setting(Some(ConfigSetting { key, near: Some(near), .. })), _) => {
                (Some(format!("`{}` is set; did you mean `{near}`?", escape_line(key.as_bytes()))), None)
            }
            _ => (None, None),
        };
        Ok(Answer::new(outcome).warning(near).failing(missing))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match outcome {
            Outcome::Settings(settings) => {
                let show_origin =
                    self.show_origin || matches!(self.action, Some(Action::List { show_origin: true, .. }));
                settings.iter().for_each(|setting| row(screen, setting, show_origin));
            }
            Outcome::Setting(Some(setting)) if matches!(self.options(), Options::Get { .. }) => {
                screen.word(Style::Plain, &setting.value).end();
            }
            Outcome::Setting(_) | Outcome::Removed(_) => {}
        }
    }
}

impl Arguments {
    fn options(&self) -> Options {
        match (&self.action, &self.key, &self.value) {
            (Some(Action::Get { key, .. }), ..) | (None, Some(key), None) => {
                Options::Get { key: key.clone() }
            }
            (Some(Action::Set { key, value, .. }), ..) | (None, Some(key), Some(value)) => {
                Options::Set { key: key.clone(), value: value.clone() }
            }
            (Some(Action::Unset { key, .. }), ..) => Options::Unset { key: key.clone() },
            (Some(Action::List { .. }), ..) | (None, None, _) => Options::List,
        }
    }
}

fn not_set(key: String) -> Failure {
    Stop::failed(format!("`{key}` is not set")).seeking(UnknownName::GitSetting(key)).into()
}

fn row(screen: &mut Screen, setting: &ConfigSetting, show_origin: bool) {
    if show_origin {
        let file = setting.file.as_deref().unwrap_or_default();
        screen.text(Style::Dim, setting.origin).plain("\t").word(Style::Dim, file).plain("\t");
    }
    screen.word(Style::Plain, &setting.key).plain("=").word(Style::Plain, &setting.value).end();
}
