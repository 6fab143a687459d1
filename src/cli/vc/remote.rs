//! `brv vc remote`: lists, adds, changes and removes remotes.

use crate::cli::format::Format;
use crate::cli::ui::{Form, Screen, Style};
use crate::cli::verb::{Answer, Verb};
use crate::say::{Failure, words};
use brv_commands::vc::remote::{self, ListedRemote, Options, Outcome, RemoteAddress};
use brv_engine::Context;
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
    action: Option<RemoteAction>,
}

#[derive(Debug, Subcommand)]
enum RemoteAction {
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
        place: RemoteAddressFlags,
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
        place: RemoteAddressFlags,
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
struct RemoteAddressFlags {
    /// Address: https, ssh, git, or a path
    #[arg(required_unless_present = "host")]
    url: Option<String>,
    /// Use the address of the project repository's own remote; branches are named brv/NAME there
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "url")]
    host: Option<String>,
}

impl RemoteAddressFlags {
    fn place(&self) -> RemoteAddress {
        match (self.url.clone(), self.host.clone()) {
            (Some(url), _) => RemoteAddress::Url(url),
            (None, host) => RemoteAddress::Host(host.filter(|name| !name.is_empty())),
        }
    }
}

impl Verb for Arguments {
    const NAME: &'static str = "vc remote";
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = Outcome;

    fn form(&self) -> Form {
        let own = match &self.action {
            Some(
                RemoteAction::List { format, .. }
                | RemoteAction::Add { format, .. }
                | RemoteAction::SetUrl { format, .. }
                | RemoteAction::Rename { format, .. }
                | RemoteAction::Remove { format, .. },
            ) => format.form(),
            None => Form::Text,
        };
        if own == Form::Json { own } else { self.format.form() }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = match &self.action {
            None | Some(RemoteAction::List { .. }) => Options::List,
            Some(RemoteAction::Add { name, place, .. }) => {
                Options::Add { name: name.clone(), place: place.place() }
            }
            Some(RemoteAction::SetUrl { name, place, .. }) => {
                Options::SetUrl { name: name.clone(), place: place.place() }
            }
            Some(RemoteAction::Rename { before, after, .. }) => {
                Options::Rename { before: before.clone(), after: after.clone() }
            }
            Some(RemoteAction::Remove { name, .. }) => Options::Remove { name: name.clone() },
        };
        let outcome = remote::run(cx, &options)?;
        let left_out = outcome
            .left_password_out
            .then_some("the password in the address is not stored: use a credential helper or BRV_TOKEN");
        let moved: Vec<String> = outcome.remotes.iter().filter_map(moved).collect();
        Ok(Answer::new(outcome).warning(left_out).warning(moved))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let is_long = match self.action {
            None => self.verbose,
            Some(RemoteAction::List { verbose, .. }) => verbose || self.verbose,
            Some(_) => return added(screen, outcome),
        };
        if is_long {
            return with_addresses(screen, outcome);
        }
        for remote in &outcome.remotes {
            screen.word(Style::Plain, &remote.name).end();
        }
    }
}

/// The warning about a remote of the host repository that moved.
fn moved(remote: &ListedRemote) -> Option<String> {
    let url = remote.host.as_ref()?.moved_to.as_ref()?;
    Some(words::moved_host(&remote.name, url))
}

fn with_addresses(screen: &mut Screen, data: &Outcome) {
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
fn added(screen: &mut Screen, data: &Outcome) {
    let Some(followed) = &data.followed else { return };
    screen.word(Style::Name, &followed.branch).plain(" now tracks ");
    screen.word(Style::Name, &followed.upstream).plain(", which is ");
    screen.word(Style::Name, format!("brv/{}", followed.branch)).line(" at the project's remote.");
}
