//! `brv vc clone`: a project whose tree comes from a remote.

use crate::cli::args::Format;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Style};
use crate::cli::{transfer, words};
use crate::ops::vc::clone::{self, Derive, Error, Options};
use crate::wire;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `brv vc clone`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc clone https://git.example.org/team/knowledge.git
  brv vc clone git@git.example.org:team/knowledge.git project
  brv vc clone -b trunk ../knowledge.git project")]
pub struct Arguments {
    /// Where the tree is: https, ssh, git, or a path
    #[arg(value_name = "URL")]
    url: String,
    /// The project that gets it; the current folder when left out
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The branch to be on; the remote's own choice when left out
    #[arg(short, long, value_name = "BRANCH")]
    branch: Option<String>,
    /// What the remote is called here
    #[arg(short, long, value_name = "NAME", default_value = "origin")]
    origin: String,
    /// Leave the derived files for later
    #[arg(long)]
    no_derive: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc clone";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            url: self.url,
            folder: self.folder,
            branch: self.branch,
            remote: self.origin,
            derive: if self.no_derive { Derive::Later } else { Derive::Now },
        };
        let outcome = clone::run(&mut session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::Clone::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(transfer::not_written(&data.withheld))
            .warning(words::derived(outcome.derived.as_ref()));
        Ok(session.report(report, |screen| {
            screen.plain("Cloned into ").text(Style::Strong, words::place(&outcome.tree, &session.folder));
            screen.plain(", on branch ").word(Style::Name, &outcome.branch);
            match outcome.commit {
                Some(_) => screen.line(format!(": {}.", words::many(outcome.files, "file", "files"))),
                None => screen.line(". The remote has no commits yet."),
            };
        }))
    }
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Advance(error) => transfer::stopped(failure, error),
        _ => failure,
    }
}
