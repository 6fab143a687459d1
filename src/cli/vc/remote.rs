//! `brv vc remote`: lists, adds, changes and removes remotes.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::say::{Exit, Failure, warnings};
use crate::wire;
use brv_commands::vc::remote::{self, Options, Place};
use clap::{Args, Subcommand};

/// The arguments of `brv vc remote`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc remote -v
  brv vc remote add origin https://git.example.org/team/knowledge.git
  brv vc remote add origin --host
  brv vc remote set-url origin git@git.example.org:team/knowledge.git")]
pub struct Arguments {
    /// Also show URLs
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    format: Format,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the remotes
    #[command(before_help = "Examples:\n  brv vc remote list -v")]
    List {
        /// Also show URLs
        #[arg(short, long)]
        verbose: bool,
        #[command(flatten)]
        format: Format,
    },
    /// Add a remote
    #[command(before_help = "Examples:
  brv vc remote add origin https://git.example.org/team/knowledge.git
  brv vc remote add origin --host
  brv vc remote add origin --host=upstream")]
    Add {
        /// Name of the remote
        name: String,
        #[command(flatten)]
        place: At,
        #[command(flatten)]
        format: Format,
    },
    /// Change the address of a remote
    #[command(before_help = "Examples:
  brv vc remote set-url origin https://git.example.org/team/notes.git
  brv vc remote set-url origin --host")]
    SetUrl {
        /// Name of the remote
        name: String,
        #[command(flatten)]
        place: At,
        #[command(flatten)]
        format: Format,
    },
    /// Rename a remote, with its remote-tracking branches and settings
    #[command(before_help = "Examples:\n  brv vc remote rename origin team")]
    Rename {
        /// Old name
        #[arg(value_name = "OLD")]
        before: String,
        /// New name
        #[arg(value_name = "NEW")]
        after: String,
        #[command(flatten)]
        format: Format,
    },
    /// Remove a remote, with its remote-tracking branches and settings
    #[command(visible_alias = "rm", before_help = "Examples:\n  brv vc remote remove team")]
    Remove {
        /// Name of the remote
        name: String,
        #[command(flatten)]
        format: Format,
    },
}

/// The address of a remote.
#[derive(Debug, Args)]
struct At {
    /// Address: https, ssh, git, or a path
    #[arg(required_unless_present = "host")]
    url: Option<String>,
    /// Use the address of the project repository's own remote; branches are named brv/NAME there
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "url")]
    host: Option<String>,
}

impl At {
    fn place(self) -> Place {
        match (self.url, self.host) {
            (Some(url), _) => Place::Url(url),
            (None, host) => Place::Host(host.filter(|name| !name.is_empty())),
        }
    }
}

impl Run for Arguments {
    const NAME: &'static str = "vc remote";
    const HAS_OWN_FORMATS: bool = true;

    fn form(&self) -> Form {
        let own = match &self.action {
            Some(
                Action::List { format, .. }
                | Action::Add { format, .. }
                | Action::SetUrl { format, .. }
                | Action::Rename { format, .. }
                | Action::Remove { format, .. },
            ) => format.form(),
            None => Form::Text,
        };
        if own == Form::Json { own } else { self.format.form() }
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let (options, listing) = match self.action {
            None => (Options::List, Some(self.verbose)),
            Some(Action::List { verbose, .. }) => (Options::List, Some(verbose || self.verbose)),
            Some(Action::Add { name, place, .. }) => (Options::Add { name, place: place.place() }, None),
            Some(Action::SetUrl { name, place, .. }) => {
                (Options::SetUrl { name, place: place.place() }, None)
            }
            Some(Action::Rename { before, after, .. }) => (Options::Rename { before, after }, None),
            Some(Action::Remove { name, .. }) => (Options::Remove { name }, None),
        };
        let data = wire::Remotes::from(&remote::run(&session.context(), &options)?);
        let report = Report::new(&data).warning(warnings::remote(&data));
        Ok(session.report(report, |screen| match listing {
            Some(true) => with_addresses(screen, &data),
            Some(false) => data.remotes.iter().for_each(|remote| {
                screen.word(Style::Plain, &remote.name).end();
            }),
            None => added(screen, &data),
        }))
    }
}

fn with_addresses(screen: &mut Screen, data: &wire::Remotes) {
    for remote in &data.remotes {
        let url = remote.url.as_deref().unwrap_or_default();
        let pushed_to = match &remote.push_urls[..] {
            [] => vec![url],
            several => several.iter().map(String::as_str).collect(),
        };
        for (url, use_for) in [(url, "fetch")].into_iter().chain(pushed_to.into_iter().map(|to| (to, "push")))
        {
            screen.word(Style::Plain, &remote.name).plain("\t").word(Style::Plain, url);
            screen.line(format!(" ({use_for})"));
        }
    }
}

/// Print the upstream that was set, with its name at the project's remote.
fn added(screen: &mut Screen, data: &wire::Remotes) {
    let Some(followed) = &data.followed else { return };
    screen.word(Style::Name, &followed.branch).plain(" now tracks ");
    screen.word(Style::Name, &followed.upstream).plain(", which is ");
    screen.word(Style::Name, format!("brv/{}", followed.branch)).line(" at the project's remote.");
}
