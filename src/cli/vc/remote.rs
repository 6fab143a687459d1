//! `brv vc remote`: where the tree is shared.

use crate::cli::args::Format;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::ops::vc::remote::{self, Error, Options, Password};
use crate::wire;
use clap::{Args, Subcommand};

/// The arguments of `brv vc remote`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc remote -v
  brv vc remote add origin https://git.example.org/team/knowledge.git
  brv vc remote set-url origin git@git.example.org:team/knowledge.git")]
pub struct Arguments {
    /// With the addresses
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    format: Format,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Name the remotes
    #[command(before_help = "Examples:\n  brv vc remote list -v")]
    List {
        /// With the addresses
        #[arg(short, long)]
        verbose: bool,
        #[command(flatten)]
        format: Format,
    },
    /// Add a remote
    #[command(
        before_help = "Examples:\n  brv vc remote add origin https://git.example.org/team/knowledge.git"
    )]
    Add {
        /// What it is called here
        name: String,
        /// Where it is: https, ssh, git, or a path
        url: String,
        #[command(flatten)]
        format: Format,
    },
    /// Change where a remote is
    #[command(
        before_help = "Examples:\n  brv vc remote set-url origin https://git.example.org/team/notes.git"
    )]
    SetUrl {
        /// Which one
        name: String,
        /// Where it is now
        url: String,
        #[command(flatten)]
        format: Format,
    },
    /// Rename a remote, with all that follows it
    #[command(before_help = "Examples:\n  brv vc remote rename origin team")]
    Rename {
        /// Its name
        #[arg(value_name = "OLD")]
        before: String,
        /// Its new name
        #[arg(value_name = "NEW")]
        after: String,
        #[command(flatten)]
        format: Format,
    },
    /// Remove a remote and what is remembered of it
    #[command(visible_alias = "rm", before_help = "Examples:\n  brv vc remote remove team")]
    Remove {
        /// Which one
        name: String,
        #[command(flatten)]
        format: Format,
    },
}

impl Run for Arguments {
    const NAME: &'static str = "vc remote";

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
            Some(Action::Add { name, url, .. }) => (Options::Add { name, url }, None),
            Some(Action::SetUrl { name, url, .. }) => (Options::SetUrl { name, url }, None),
            Some(Action::Rename { before, after, .. }) => (Options::Rename { before, after }, None),
            Some(Action::Remove { name, .. }) => (Options::Remove { name }, None),
        };
        let outcome = remote::run(&mut session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::Remotes::from(&outcome);
        let left_out = (outcome.password == Password::LeftOut).then(|| {
            "the password in the address is not kept: a credential helper, or BRV_TOKEN, gives it".to_owned()
        });
        Ok(session.report(Report::new(&data).warning(left_out), |screen| match listing {
            Some(true) => with_addresses(screen, &data),
            Some(false) => data.remotes.iter().for_each(|remote| {
                screen.word(Style::Plain, &remote.name).end();
            }),
            None => {}
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

fn failure(error: &Error) -> Failure {
    Failure::of(error.kind(), error)
}
